"""Shared by the rules on failures: the remaining bisection of every fabric, against the limits in
`lint.limits.after_loss`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil

from fabricgen.design.capacity.failure import FailureAnalysis, RemainingBisection
from fabricgen.design.capacity.failure_domains import FailureDomain
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.floor.floor_plan import FloorPlan, racks_of
from fabricgen.design.model import Design


def failure_analyses(design: Design) -> Iterator[tuple[FabricDesign, FailureAnalysis]]:
    """Every fabric on which nodes reach each other, except those for management, with its failure analysis."""
    for fabric in design.fabrics:
        if not is_for_management(fabric):
            survival = FailureAnalysis(design, fabric)
            if survival.whole:
                yield fabric, survival


def is_for_management(fabric: FabricDesign) -> bool:
    """Whether a fabric serves BMCs or management ports of switches: jobs keep running without it."""
    return bool(fabric.managed_devices) or {attachment.role for _, attachment in fabric.attachments} == {"bmc"}


def below_limit(left: RemainingBisection, limit: float | None) -> bool:
    """Whether the remaining share is below a limit; tolerant of rounding, as limits are typed decimals."""
    return limit is not None and float(left.share) < limit - 1e-9


def percent(share: float) -> str:
    """A share as text, rounded down: `93.7%`."""
    return f"{int(share * 1000 + 1e-6) / 10:g}%"


def also(tiers: Sequence[TierDesign]) -> str:
    """Text for further tiers that a finding applies to: `; storage spine, inband spine too`."""
    return f"; {', '.join(tier.text for tier in tiers)} too" if tiers else ""


def loss_message(fabric: FabricDesign, left: RemainingBisection, kind: str, limit: float) -> str:
    """What is left of a fabric after a loss, and the limit: the message of a finding."""
    names: Counter[str] = Counter()
    for key, number in sorted(left.gone.items()):
        names[key.name] += number
    gone = ", ".join(f"{number} {name}" for name, number in names.items())
    which = f" ({gone} switch{'es' * (sum(left.gone.values()) != 1)})" if not left.after.startswith("one ") else ""
    return (
        f"{fabric.name} keeps {percent(float(left.share))} of its bisection after the loss of {left.after}{which}, "
        f"`after_loss.{kind}` asks for {percent(limit)}"
    )


def worst_losses(
    design: Design, lost: Callable[[Design, FloorPlan], Iterable[FailureDomain]], limit: float | None
) -> Iterator[tuple[FabricDesign, RemainingBisection, TierDesign]]:
    """The worst loss of every fabric that leaves less than a limit: (fabric, what remains, tier that loses the largest
    share).
    """
    if limit is None:
        return
    losses = list(lost(design, FloorPlan(design)))
    for fabric, survival in failure_analyses(design):
        left = min((survival.after(loss) for loss in losses), key=lambda found: found.share, default=None)
        if left is not None and below_limit(left, limit):
            tiers = [tier for tier in survival.chain if left.gone.get(tier.key)]
            yield fabric, left, max(tiers, key=lambda tier: left.gone[tier.key] / tier.switches)


def more_racks(design: Design, tier: TierDesign, left: RemainingBisection, limit: float) -> str:
    """Over how many racks to spread a tier so that the loss of one keeps the limit; all racks cost alike."""
    if limit >= 1:
        return "no number of racks keeps everything: lower the limit"
    racks = ceil(racks_of(design, tier) * float(1 - left.share) / (1 - limit) - 1e-9)
    each = tier.per_place
    if racks > each:
        return f"{tier.name} has {each} switches per place, too few for any number of racks: add switches or planes"
    return f"spread the {tier.name} switches over more racks: `racks: {racks}` or more"

"""Shared by the rules on failures: the remaining bisection of every fabric, against the limits in
`lint.limits.after_loss`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil

from fabricgen.design.capacity.failure import RemainingBisection
from fabricgen.design.capacity.failure_domains import FailureDomain
from fabricgen.design.capacity.loss_words import failure_analyses, left_text, lost_switches, percent
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.floor.floor_plan import FloorPlan, racks_of
from fabricgen.design.model import Design


def below_limit(left: RemainingBisection, limit: float | None) -> bool:
    """Whether the remaining share is below a limit; tolerant of rounding, as limits are typed decimals."""
    return limit is not None and float(left.share) < limit - 1e-9


def also(tiers: Sequence[TierDesign]) -> str:
    """Text for further tiers that a finding applies to: `; storage spine, inband spine too`."""
    return f"; {', '.join(tier.text for tier in tiers)} too" if tiers else ""


def loss_message(fabric: FabricDesign, left: RemainingBisection, kind: str, limit: float) -> str:
    """What is left of a fabric after a loss, and the limit: the message of a finding."""
    text = left_text(fabric.name, percent(float(left.share)), left.after, lost_switches(left))
    return f"{text}, `after_loss.{kind}` asks for {percent(limit)}"


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

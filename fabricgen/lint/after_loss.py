"""What the rules on failures share: figures of every fabric against what `lint.limits.after_loss` asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil

from fabricgen.design.capacity.failure import Left, Survival
from fabricgen.design.capacity.losses import Lost
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.floor.stands import FloorPlan, racks_of
from fabricgen.design.model import Design
from fabricgen.design.shape import scope_count, scope_of


def survivals(design: Design) -> Iterator[tuple[FabricDesign, Survival]]:
    """Every fabric but those for management whose nodes can reach each other, with what is left of it after a loss."""
    for fabric in design.fabrics:
        if not is_for_management(fabric):
            survival = Survival(design, fabric)
            if survival.whole:
                yield fabric, survival


def is_for_management(fabric: FabricDesign) -> bool:
    """Whether a fabric takes BMCs or the management ports of switches: jobs run on without it."""
    return bool(fabric.managed_devices) or {attachment.role for _, attachment in fabric.attachments} == {"bmc"}


def below_limit(left: Left, limit: float | None) -> bool:
    """Whether less is left than is asked for; a limit is a share as typed, so that a hair does not count."""
    return limit is not None and float(left.share) < limit - 1e-9


def percent(share: float) -> str:
    """A share in words, never rounded up to more than there is: `93.7%`."""
    return f"{int(share * 1000 + 1e-6) / 10:g}%"


def also(tiers: Sequence[TierDesign]) -> str:
    """Further tiers that a finding holds for: `; storage spine, inband spine too`."""
    return f"; {', '.join(f'{tier.fabric} {tier.name}' for tier in tiers)} too" if tiers else ""


def loss_message(fabric: FabricDesign, left: Left, kind: str, limit: float) -> str:
    """What is left of a fabric after a loss, and the limit: the message of a finding."""
    gone = ", ".join(f"{number} {key.tier}" for key, number in sorted(left.gone.items()))
    which = f" ({gone} switch{'es' * (sum(left.gone.values()) != 1)})" if not left.after.startswith("one ") else ""
    return (
        f"{fabric.name} keeps {percent(float(left.share))} of its bisection after the loss of {left.after}{which}, "
        f"`after_loss.{kind}` asks for {percent(limit)}"
    )


def worst_losses(
    design: Design, lost: Callable[[Design, FloorPlan], Iterable[Lost]], limit: float | None
) -> Iterator[tuple[FabricDesign, Left, TierDesign]]:
    """The worst loss of every fabric that leaves less than a limit, and the tier that loses the largest share."""
    if limit is None:
        return
    losses = list(lost(design, FloorPlan(design)))
    for fabric, survival in survivals(design):
        left = min((survival.after(loss) for loss in losses), key=lambda found: found.share, default=None)
        if left is not None and below_limit(left, limit):
            tiers = [tier for tier in survival.chain if left.gone.get(tier.key)]
            yield fabric, left, max(tiers, key=lambda tier: left.gone[tier.key] / tier.switches)


def more_racks(design: Design, tier: TierDesign, left: Left, limit: float) -> str:
    """Over how many racks to spread a tier so that the loss of one keeps the limit; all racks cost alike."""
    if limit >= 1:
        return "no number of racks keeps everything: lower the limit"
    racks = ceil(racks_of(design, tier) * float(1 - left.share) / (1 - limit) - 1e-9)
    each = tier.switches // scope_count(design.layout, scope_of(tier.per))
    if racks > each:
        return f"{tier.name} has {each} switches per place, too few for any number of racks: add switches or planes"
    return f"spread the {tier.name} switches over more racks: `racks: {racks}` or more"

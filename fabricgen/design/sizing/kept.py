"""What sizing keeps of the lock: counts, uplinks and breakouts that still suffice for what the blueprint asks.

A stated value always wins. What is kept holds as long as the design behind it is the same (switch, `per`,
oversubscription, speed, nodes of a unit): growth may go past it, an edit of these derives it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fabricgen.design.ports import PortDemand, PortKind, PortPlacement, SwitchDemand, down_class, place_ports
from fabricgen.design.shape import spans_units
from fabricgen.design.tiers import TierSpec


def kept_uplinks(tier: TierSpec, needed: int, kind: PortKind, groups: int) -> int:
    """The uplinks of a switch that the lock keeps, where `needed` are called for now; 0 where it keeps none.

    On a tier within a unit growth calls for no other number; on one that spans units they hold while they suffice.
    """
    before = tier.before
    if before is None or tier.upper is None or before.upper != " ".join(tier.upper):
        return 0
    same = before.speed_gbps == kind.speed_gbps and before.allowed == tier.allowed
    enough = before.needed == needed or (spans_units(tier.per) and needed <= before.uplinks)
    return before.uplinks if same and enough and before.uplinks % groups == 0 else 0


def as_before(tier: TierSpec, uplinks: int) -> bool:
    """Whether the switches of a tier have the uplinks that the lock says, to the same tier."""
    before = tier.before
    return bool(
        before and uplinks and before.uplinks == uplinks and tier.upper and before.upper == " ".join(tier.upper)
    )


def kept_count(tier: TierSpec) -> int:
    """The switches of a group that the lock keeps; 0 where it keeps none, they were of another model, or links landed
    by another rule.
    """
    before = tier.before
    same = before and before.model == tier.profile.id and before.uneven == (tier.spec.spread == "uneven")
    return before.count if before and same and not tier.spec.count else 0


def kept_leaves(tier: TierSpec, slots: Sequence[int], fits: Callable[[int], bool]) -> int:
    """The switches of a group of a lowest tier that the lock keeps for node slots, by kind of port; 0 where none.

    For other node slots than they were derived for they hold where the tier spans units and slots divide equally.
    """
    count = kept_count(tier)
    if not count or tier.before is None:
        return 0
    same = tier.before.slots == sum(slots)
    grown = spans_units(tier.per) and all(number % count == 0 for number in slots)
    return count if (same or grown) and fits(count) else 0


def down_ways(tier: TierSpec, kind: PortKind) -> int | None:
    """Into how many ports the lock says that cages are split for down ports; None where that is the usual number."""
    ways = tier.before.downs.get(kind.speed_gbps) if tier.before else None
    usual = down_class(tier.profile, PortDemand(kind, 0))
    if not ways or (usual and usual[1] == ways):
        return None
    return ways if down_class(tier.profile, PortDemand(kind, 0, ways)) else None


def place_upward(
    tier: TierSpec, demand: SwitchDemand, count: int, kind: PortKind
) -> tuple[SwitchDemand, PortPlacement | None]:
    """(demand with `count` uplinks of a kind, where the ports are placed), in cages split as the lock says where that
    fits; None in place of the latter when the switch has too few.
    """
    whole = demand.upward(count, kind)
    placement = place_ports(tier.profile, whole)
    before = tier.before
    ways = before.up_ways if before and before.speed_gbps == kind.speed_gbps else 0
    if placement and placement.up and ways and placement.up.ways != ways:
        split = replace(whole, up=PortDemand(kind, count, ways))
        other = place_ports(tier.profile, split)
        if other:
            return split, other
    return whole, placement

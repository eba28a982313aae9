"""How many slots are numbered, reserved ones included: arithmetic that expands nothing."""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.layout import Layout
from fabricgen.design.shape import inner, scope_of
from fabricgen.kernel.units import power_of_two_at_least


def place_slots(layout: Layout, scope: str) -> int:
    """Numbers that are given to places of a scope, reserved ones included."""
    if scope == "all":
        return 1
    kind = {"site": "sites", "pod": "pods"}.get(scope, "units")
    span = layout.numbering.span(kind, "", "all")
    return span * layout.racks_per_su if scope == "rack" else span


def group_room(tier: TierDesign) -> int:
    """Numbers kept for the switches of a group, a power of two.

    An upper group never has more switches than a lower switch has uplinks to it: with room for so many, a derived
    count may grow and renumber nothing.
    """
    return power_of_two_at_least(tier.most)


def numbered_groups(layout: Layout, fabric: FabricDesign, tier: TierDesign) -> int:
    """Groups of a tier once every reserved slot is filled and counts stay as they are."""
    return place_slots(layout, scope_of(tier.per)) * prod(fabric.tier_sizes[d] for d in inner(tier.per))


def group_slot_count(layout: Layout, fabric: FabricDesign, tier: TierDesign) -> int:
    """Slots of the groups of a tier, with the room that the switches of lower tiers have."""
    tiers = {tier.name: tier for tier in fabric.tiers}
    rooms = (group_room(tiers[d]) if d in tiers else fabric.sizes[d] for d in inner(tier.per))
    return place_slots(layout, scope_of(tier.per)) * prod(rooms)


def served_members(layout: Layout, node_sets: Collection[int]) -> list[int]:
    """Members of a unit that belong to one of some node sets, in the unit's order."""
    ranges = [layout.node_sets[i] for i in sorted(node_sets)]
    return [m for m in layout.unit_order if any(r.first <= m < r.first + r.count for r in ranges)]


def unit_slots(layout: Layout, scope: str) -> int:
    """Slots of units in the largest place of a scope: a pod, a site, or all; 1 for a unit and for a rack."""
    if scope in ("su", "rack"):
        return 1
    if scope == "pod":
        return max(pod.slots for pod in layout.pods)
    owners = [""] if scope == "all" else list(layout.sites)
    return max(layout.numbering.span("units", owner, scope) for owner in owners)


def node_slot_count(layout: Layout, fabric: FabricDesign, tier: TierDesign) -> int:
    """Node slots of a fabric that the largest group of a tier serves, reserved ones included."""
    served = served_members(layout, {index for index, _ in fabric.attachments})
    scope = scope_of(tier.per)
    if scope != "rack":
        return len(served) * unit_slots(layout, scope)
    racks = [layout.racks_of_members[m] for m in served]
    return max((racks.count(rack) for rack in set(racks)), default=0)

"""Counts of slots, reserved ones included, computed from the design without expanding it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from math import prod

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.layout import Layout
from fabricgen.design.shape import (
    count_racks_per_place,
    count_reserved_places,
    count_units_per_place,
    is_part_of_unit,
    is_within_unit,
    list_inner_dimensions,
)
from fabricgen.kernel.units import round_up_to_power_of_two


def group_capacity(tier: TierDesign) -> int:
    """Return the numbers reserved for the switches of a group, a power of two.

    An upper group never has more switches than a lower switch has uplinks to it; with as many numbers reserved, a
    derived count can grow without renumbering anything.
    """
    return round_up_to_power_of_two(tier.max_count)


def count_numbered_groups(tier: TierDesign) -> int:
    """Return groups of a tier once every reserved slot is filled and counts stay as they are."""
    return count_reserved_places(tier.layout, tier.scope) * prod(tier.sizes[d] for d in list_inner_dimensions(tier.per))


def count_group_slots(fabric: FabricDesign, tier: TierDesign) -> int:
    """Return slots of the groups of a tier; an index of a lower tier counts with the capacity of that tier's groups."""
    beside = {d: fabric.list_tiers_beside(tier, d) for d in list_inner_dimensions(tier.per)}
    capacities = (max(map(group_capacity, tiers)) if tiers else tier.sizes[d] for d, tiers in beside.items())
    return count_reserved_places(tier.layout, tier.scope) * prod(capacities)


def list_served_members(layout: Layout, node_sets: Collection[NodeSet]) -> list[int]:
    """Return members of a unit, of the only kind of a layout, that belong to one of some node sets, in the unit's
    order.
    """
    unit_sets = [nodes for nodes in node_sets if nodes.unit == layout.kind.name]
    return [member for member in layout.unit_order if any(nodes.holds(member) for nodes in unit_sets)]


def count_unit_slots(layout: Layout, scope: str) -> int:
    """Return slots of units in the largest place of a scope: units of a pod, a site, or all; 1 for a unit and its
    parts.
    """
    if is_within_unit(scope):
        return 1
    most, units_per_place = max(pod.slots for pod in layout.pods), count_units_per_place(layout, scope)
    if scope == "pod" or units_per_place:
        return min(most, units_per_place or most)
    owners = [""] if scope == "all" else list(layout.sites)
    return max(layout.numbering.find_span("units", owner, scope) for owner in owners)


def count_node_slots(fabric: FabricDesign, tier: TierDesign) -> int:
    """Return node slots of a fabric that the largest group of a tier serves, reserved ones included."""
    return sum(count_part_slots(fabric, layout, tier.scope) for layout in tier.layout.by_part.values())


def count_part_slots(fabric: FabricDesign, layout: Layout, scope: str) -> int:
    """Return node slots of a fabric, in one part of the cluster, of the largest place of a scope, reserved ones
    included.
    """
    served = list_served_members(layout, fabric.node_sets)
    if not is_part_of_unit(scope):
        return len(served) * count_unit_slots(layout, scope)
    parts = Counter(layout.racks_of_members[m] // count_racks_per_place(layout, scope) for m in served)
    return max(parts.values(), default=0)

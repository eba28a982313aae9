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
    """Return how many numbers are reserved for the switches of a group, a power of two.

    An upper group never has more switches than a lower switch has uplinks to it; with as many numbers reserved, a
    derived count can grow without renumbering anything.
    """
    return round_up_to_power_of_two(tier.max_count)


def count_numbered_groups(tier: TierDesign) -> int:
    """Return how many groups a tier will have when every reserved place exists, with as many groups in each place as
    now.
    """
    return count_reserved_places(tier.layout, tier.scope) * prod(tier.sizes[d] for d in list_inner_dimensions(tier.per))


def count_group_slots(fabric: FabricDesign, tier: TierDesign) -> int:
    """Return how many slots for groups a tier has: places, reserved ones included, times the groups in each place.

    Groups in a place are counted by dimension, such as rails. A dimension named after a lower tier counts as many as
    there are numbers reserved for the switches of that tier's groups.
    """
    tiers_by_dimension = {d: fabric.list_tiers_beside(tier, d) for d in list_inner_dimensions(tier.per)}
    capacities = (
        max(map(group_capacity, tiers)) if tiers else tier.sizes[d] for d, tiers in tiers_by_dimension.items()
    )
    return count_reserved_places(tier.layout, tier.scope) * prod(capacities)


def list_served_members(layout: Layout, node_sets: Collection[NodeSet]) -> list[int]:
    """Return the members of a unit, in the unit's order, that belong to one of some node sets; the layout has one
    kind of units.
    """
    unit_sets = [nodes for nodes in node_sets if nodes.unit == layout.kind.name]
    return [member for member in layout.kind.order if any(nodes.holds(member) for nodes in unit_sets)]


def count_unit_slots(layout: Layout, scope: str) -> int:
    """Return how many slots for units the largest place of a scope has: those of a pod, of a site, or of the cluster
    (`all`).

    It is 1 for a scope within a unit, such as `su` or `rack`.
    """
    if is_within_unit(scope):
        return 1
    pod_slots, units_per_place = max(pod.slots for pod in layout.pods), count_units_per_place(layout, scope)
    if scope == "pod" or units_per_place:
        return min(pod_slots, units_per_place or pod_slots)
    owners = [""] if scope == "all" else list(layout.sites)
    return max(layout.numbering.find_span("units", owner, scope) for owner in owners)


def count_node_slots(fabric: FabricDesign, tier: TierDesign) -> int:
    """Return how many node slots of a fabric, reserved ones included, the largest group of a tier serves."""
    return sum(count_part_slots(fabric, layout, tier.scope) for layout in tier.layout.by_part.values())


def count_part_slots(fabric: FabricDesign, layout: Layout, scope: str) -> int:
    """Return the most node slots of a fabric, reserved ones included, that any one place of `scope` has in a layout.

    `scope` is a kind of place, such as "rack", "su" or "pod"; a layout is a part of the cluster: units of one kind.
    """
    served = list_served_members(layout, fabric.node_sets)
    if not is_part_of_unit(scope):
        return len(served) * count_unit_slots(layout, scope)
    parts = Counter(layout.kind.racks_of_members[m] // count_racks_per_place(layout, scope) for m in served)
    return max(parts.values(), default=0)

"""Slots: the position of a switch in the reserved numbering of its tier, which growth does not change."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from fabricgen.blueprint.dimensions import list_leg_dimensions
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.layout import Layout
from fabricgen.design.shape import (
    count_parts_of_unit,
    count_reserved_places,
    find_place_number,
    is_part_of_unit,
    list_inner_dimensions,
    number_places,
)
from fabricgen.numbering.blocks.block_allocator import Slots
from fabricgen.numbering.slot_counts import group_capacity
from fabricgen.wiring.links.columns import Columns, make_tier_columns

NUMBERED = ("ipv4", "ipv6", "asns", "srv6", "management")
"""The kinds of numbers in the lock whose holders are named after a tier and its shape."""

CapacityOf = Callable[[str, int], int]
"""(name, size) -> the capacity that the lock remembers for the name; if it has none, `size`, which is remembered."""


def _find_place_slots(layout: Layout, scope: str, columns: Columns) -> Any:
    """Return the reserved number of the place (rack, unit, pod, site) that each switch serves; int64."""
    numbers = np.array(number_places(layout, scope), dtype=np.int64)
    return numbers[find_place_number(layout, scope, columns)]


def find_group_slots(fabric: FabricDesign, tier: TierDesign, capacity_of: CapacityOf) -> Slots:
    """Return, for every switch of a tier, the slot of its group: a number made of the reserved number of the place that
    the group serves and of its coordinates within the place, such as its rail.

    Capacities that the lock remembers are kept; an index beyond its capacity goes to a further layer.
    """
    layout, scope = tier.layout, tier.scope
    columns, locked_sizes = make_tier_columns(tier), _read_locked_sizes(tier)
    slot = _find_place_slots(layout, scope, columns)
    layer = np.zeros_like(slot)
    shape = (
        [f"{count_parts_of_unit(layout, scope)} {scope}" if is_part_of_unit(scope) else scope] if scope != "all" else []
    )
    capacities = []
    for dimension in list_inner_dimensions(tier.per):
        capacity = locked_sizes.get(dimension) or _find_capacity(fabric, tier, dimension, capacity_of)
        slot = slot * capacity + columns[dimension] % capacity
        # layers of the dimensions are digits to base 64: a dimension grows to less than 64 times its reserve
        layer = layer * 64 + columns[dimension] // capacity
        capacities.append(capacity)
        shape.append(f"{capacity} {dimension}")
    name = tier.key.text + (f" ({', '.join(shape)})" if shape else "")
    return Slots(name, slot, count_reserved_places(layout, scope) * prod(capacities), layer)


def _read_locked_sizes(tier: TierDesign) -> dict[str, int]:
    """Return how many values each dimension of node ports had when a tier was numbered, by the lock: `{"plane": 2}`.

    Planes, or a part whose nodes have more rails, may have come or gone since. Empty if the tier was numbered by its
    present sizes, or never.
    """
    name_pattern, legs = re.compile(re.escape(tier.key.text) + r" \(([^()]*)\)"), list_leg_dimensions()
    held_shapes = (
        match[1]
        for kind in NUMBERED
        for name in tier.layout.lock.find_allocations(kind)
        if (match := name_pattern.match(name))
    )
    shapes = [[text.partition(" ") for text in shape.split(", ")] for shape in held_shapes]
    sizes_before = [{dimension: int(size) for size, _, dimension in shape if dimension in legs} for shape in shapes]
    present_sizes = {
        dimension: tier.sizes[dimension] for dimension in list_inner_dimensions(tier.per) if dimension in legs
    }
    # numbered by today's sizes, nothing has to be kept
    return (
        {}
        if present_sizes in sizes_before
        else next((sizes for sizes in sizes_before if sizes.keys() == present_sizes.keys()), {})
    )


def find_rack_slots(tier: TierDesign) -> Slots:
    """Return the slot of every switch of a tier where AS numbers are given `per-rack`: the reserved number of the rack
    (or unit, pod, site) that it serves, or of that place and its plane. Switches with one slot share a number.
    """
    layout, scope = tier.layout, tier.scope
    columns = make_tier_columns(tier)
    slot = np.asarray(_find_place_slots(layout, scope, columns), dtype=np.int64)
    count = count_reserved_places(layout, scope)
    if "plane" not in tier.per:
        return Slots(f"{tier.key.text} (as per {scope})", slot, count, np.zeros_like(slot))
    planes = _read_locked_sizes(replace(tier, per=(scope, "plane"))).get("plane") or tier.sizes["plane"]
    plane = np.asarray(columns["plane"], dtype=np.int64)
    # planes beyond those that the lock was written for go into a layer of their own, behind it, and move nobody
    slot, layer = slot * planes + plane % planes, plane // planes
    return Slots(f"{tier.key.text} (as per {scope}, {planes} plane)", slot, count * planes, layer)


def _find_capacity(fabric: FabricDesign, tier: TierDesign, dimension: str, capacity_of: CapacityOf) -> int:
    """Return how many values of a dimension a tier has numbers for: as many as the dimension has now.

    If the dimension is another tier, it is as many as numbers are reserved for the switches of a group of that tier;
    `capacity_of` keeps what the lock remembers of that.
    """
    tiers = fabric.list_tiers_beside(tier, dimension)
    if tiers:
        named = tiers[0].key.text if len(tiers) == 1 else f"{fabric.name} {dimension}"
        return capacity_of(named, max(map(group_capacity, tiers)))
    return tier.sizes[dimension]


def find_switch_slots(fabric: FabricDesign, tier: TierDesign, capacity_of: CapacityOf) -> Slots:
    """Return the slot of every switch of a tier: that of its group, and its own within the group."""
    group = find_group_slots(fabric, tier, capacity_of)
    capacity = capacity_of(tier.key.text, group_capacity(tier))
    index = np.tile(np.arange(tier.count, dtype=np.int64), tier.groups)
    return Slots(
        group.name,
        group.number * capacity + index % capacity,
        group.count * capacity,
        # layers of the group and of its switches are digits to base 64, as in `find_group_slots`
        group.layer * 64 + index // capacity,
    )

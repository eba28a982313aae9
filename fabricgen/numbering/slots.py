"""Slots: the position of a switch in the reserved numbering of its tier, which growth does not change."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from fabricgen.blueprint.dimensions import leg_dimensions
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.layout import Layout
from fabricgen.design.shape import (
    inner,
    is_part_of_unit,
    parts_of_unit,
    place_numbers,
    reserved_places,
    scope_index,
)
from fabricgen.numbering.addresses.blocks import Slots
from fabricgen.numbering.slot_counts import group_capacity
from fabricgen.wiring.links.columns import Columns, tier_columns

NUMBERED = ("ipv4", "ipv6", "asns", "management")
"""Kinds of numbers in the lock whose holders are tiers with their shape."""

CapacityOf = Callable[[str, int], int]
"""(name, size) -> the capacity remembered for a name; the given size if there is none."""


def _place_slot(layout: Layout, scope: str, columns: Columns) -> Any:
    numbers = np.array(place_numbers(layout, scope), dtype=np.int64)
    return numbers[scope_index(layout, scope, columns)]


def group_slots(fabric: FabricDesign, tier: TierDesign, capacity_of: CapacityOf) -> Slots:
    """The slot of the group of every switch of a tier."""
    layout, scope = tier.layout, tier.scope
    columns, before = tier_columns(tier), _sizes_before(tier)
    slot = _place_slot(layout, scope, columns)
    layer = np.zeros_like(slot)
    shape = [f"{parts_of_unit(layout, scope)} {scope}" if is_part_of_unit(scope) else scope] if scope != "all" else []
    capacities = []
    for dimension in inner(tier.per):
        capacity = before.get(dimension) or _capacity(fabric, tier, dimension, capacity_of)
        slot = slot * capacity + columns[dimension] % capacity
        layer = layer * 64 + columns[dimension] // capacity
        capacities.append(capacity)
        shape.append(f"{capacity} {dimension}")
    name = tier.key.text + (f" ({', '.join(shape)})" if shape else "")
    return Slots(name, slot, reserved_places(layout, scope) * prod(capacities), layer)


def _sizes_before(tier: TierDesign) -> dict[str, int]:
    """The sizes of leg dimensions by which a tier of all parts of the cluster was numbered, as the lock has them: a
    part whose nodes have more rails may come, or go; empty where there are no parts.
    """
    layout = tier.layout
    if layout.cluster is not None or not layout.numbering.parts:
        return {}
    named = re.compile(re.escape(tier.key.text) + r" \(([^()]*)\)")
    held = (match for kind in NUMBERED for name in layout.lock.of(kind) if (match := named.match(name)))
    shape = next((match[1].split(", ") for match in held), [])
    found = {dimension: int(size) for size, _, dimension in (text.partition(" ") for text in shape) if size.isdecimal()}
    return {name: size for name, size in found.items() if name in leg_dimensions()}


def rack_slots(tier: TierDesign) -> Slots:
    """The slot of every switch of a tier; switches that serve one rack (or unit, pod, site) in one plane share it."""
    layout, scope = tier.layout, tier.scope
    columns = tier_columns(tier)
    slot = np.asarray(_place_slot(layout, scope, columns), dtype=np.int64)
    count = reserved_places(layout, scope)
    if "plane" in tier.per:
        slot, count = slot * tier.sizes["plane"] + columns["plane"], count * tier.sizes["plane"]
    planes = f", {tier.sizes['plane']} plane" if "plane" in tier.per else ""
    return Slots(f"{tier.key.text} (as per {scope}{planes})", slot, count, np.zeros_like(slot))


def _capacity(fabric: FabricDesign, tier: TierDesign, dimension: str, capacity_of: CapacityOf) -> int:
    """The capacity of a dimension of a tier; for the index in another, that of a group of its switches."""
    others = fabric.tiers_beside(tier, dimension)
    if others:
        named = others[0].key.text if len(others) == 1 else f"{fabric.name} {dimension}"
        return capacity_of(named, max(map(group_capacity, others)))
    return tier.sizes[dimension]


def switch_slots(fabric: FabricDesign, tier: TierDesign, capacity_of: CapacityOf) -> Slots:
    """The slot of every switch of a tier."""
    group = group_slots(fabric, tier, capacity_of)
    capacity = capacity_of(tier.key.text, group_capacity(tier))
    index = np.tile(np.arange(tier.count, dtype=np.int64), tier.groups)
    return Slots(
        group.name,
        group.number * capacity + index % capacity,
        group.count * capacity,
        group.layer * 64 + index // capacity,
    )

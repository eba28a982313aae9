"""Slot numbers: where a switch stands in its tier's reserved numbering, now and after any growth within it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.layout import Layout
from fabricgen.design.shape import inner, scope_of
from fabricgen.kernel.units import power_of_two_at_least
from fabricgen.plan.columns import Columns, tier_columns
from fabricgen.plan.tables import Wide


def place_slots(layout: Layout, scope: str) -> int:
    """Places of a scope, reserved ones included."""
    return {
        "all": 1,
        "site": len(layout.sites),
        "pod": len(layout.pods),
        "su": layout.unit_slots,
        "rack": layout.unit_slots * layout.racks_per_su,
    }[scope]


def _place_slot(layout: Layout, scope: str, columns: Columns) -> Any:
    if scope == "all":
        return np.zeros(len(columns["pod"]), dtype=np.int64)
    if scope in ("site", "pod"):
        return columns[scope].astype(np.int64)
    first = np.array([pod.first_slot for pod in layout.pods], dtype=np.int64)
    unit = first[columns["pod"]] + columns["su"]
    return unit * layout.racks_per_su + columns["rack"] if scope == "rack" else unit


def group_slots(layout: Layout, fabric: FabricDesign, tier: TierDesign) -> tuple[Wide, int]:
    """(group slot of every switch of a tier, int64; number of group slots)."""
    sizes = fabric.tier_sizes
    columns = tier_columns(layout, tier, sizes)
    slot = _place_slot(layout, scope_of(tier.per), columns)
    for dimension in inner(tier.per):
        slot = slot * _room(fabric, dimension, sizes) + columns[dimension]
    total = place_slots(layout, scope_of(tier.per)) * prod(_room(fabric, d, sizes) for d in inner(tier.per))
    return slot, total


def _room(fabric: FabricDesign, dimension: str, sizes: dict[str, int]) -> int:
    """Numbers kept for a dimension; for a tier, those of a group of its switches."""
    tiers = [t.name for t in fabric.tiers]
    return group_room(fabric.tiers[tiers.index(dimension)]) if dimension in tiers else sizes[dimension]


def group_room(tier: TierDesign) -> int:
    """Numbers kept for the switches of a group, a power of two.

    An upper group never has more switches than a lower switch has uplinks to it: with room for so many, a derived
    count may grow and renumber nothing.
    """
    return power_of_two_at_least(tier.most)


def switch_slots(layout: Layout, fabric: FabricDesign, tier: TierDesign) -> tuple[Wide, int]:
    """(slot of every switch of a tier, int64; number of slots)."""
    group, groups = group_slots(layout, fabric, tier)
    room = group_room(tier)
    index = np.tile(np.arange(tier.count, dtype=np.int64), tier.groups)
    return group * room + index, groups * room

"""Columns of coordinates: of node slots, and of the switches of a tier in the order of their groups."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.layout import Layout
from fabricgen.design.shape import inner, scope_of
from fabricgen.wiring.tables import Ints

Columns = dict[str, Ints]
"""Dimension -> int32 column; site, pod, unit, su and rack are -1 where the device has none."""


def unit_columns(layout: Layout) -> Columns:
    """Site, pod, unit (in the cluster), su (in the pod) of every scalable unit; int32, length units."""
    su_of = [pod.su for pod in layout.pods]
    pod = np.repeat(np.arange(len(layout.pods), dtype=np.int32), su_of)
    first = np.array([p.first_su for p in layout.pods], dtype=np.int32)
    unit = np.arange(layout.units, dtype=np.int32)
    return {"site": site_of_pod(layout)[pod], "pod": pod, "unit": unit, "su": unit - first[pod]}


def site_of_pod(layout: Layout) -> Ints:
    """The site of each pod; int32, length pods."""
    return np.array([layout.sites.index(p.site) for p in layout.pods], dtype=np.int32)


def node_columns(layout: Layout) -> Columns:
    """Coordinates of every node, and of what else stands in its racks, that is present, unit by unit; int32."""
    per_su = layout.members_per_su
    units = unit_columns(layout)
    node = np.tile(np.arange(per_su, dtype=np.int32), layout.units)
    columns = {name: np.repeat(column, per_su) for name, column in units.items()}
    columns |= {"node": node, "rack": np.array(layout.racks_of_members, dtype=np.int32)[node]}
    present = np.ones(len(node), dtype=bool)
    for slot in layout.omitted:
        present[layout.unit_index(slot) * per_su + slot.node - 1] = False
    return {name: column[present] for name, column in columns.items()}


def _none(count: int) -> Ints:
    return np.full(count, -1, dtype=np.int32)


def place_columns(layout: Layout, scope: str) -> Columns:
    """Coordinates of every place of a scope, in order; int32."""
    if scope == "all":
        return {name: _none(1) for name in ("site", "pod", "unit", "su", "rack")}
    if scope == "site":
        n = len(layout.sites)
        return {"site": np.arange(n, dtype=np.int32)} | {name: _none(n) for name in ("pod", "unit", "su", "rack")}
    if scope == "pod":
        n = len(layout.pods)
        pod = np.arange(n, dtype=np.int32)
        return {"site": site_of_pod(layout), "pod": pod} | {name: _none(n) for name in ("unit", "su", "rack")}
    units = unit_columns(layout)
    if scope == "su":
        return units | {"rack": _none(layout.units)}
    racks = np.tile(np.arange(layout.racks_per_su, dtype=np.int32), layout.units)
    return {name: np.repeat(column, layout.racks_per_su) for name, column in units.items()} | {"rack": racks}


def tier_columns(layout: Layout, tier: TierDesign, sizes: Mapping[str, int]) -> Columns:
    """Coordinates of every switch of a tier, group by group: places, inner dimensions, and the tier's own index."""
    places = place_columns(layout, scope_of(tier.per))
    shape = [sizes[d] for d in inner(tier.per)] + [tier.count]
    each = int(np.prod(shape))
    grid = np.indices(shape, dtype=np.int32).reshape(len(shape), each)
    count = len(places["pod"])
    columns = {name: np.repeat(column, each) for name, column in places.items()}
    for i, dimension in enumerate((*inner(tier.per), tier.name)):
        columns[dimension] = np.tile(grid[i], count)
    return columns


def constant_rail_plane(fabric: FabricDesign, columns: Columns) -> tuple[Ints, Ints]:
    """Rail and plane of each switch from 0; -1 where it serves more than one."""
    n = len(columns["pod"])
    found = []
    for dimension in ("rail", "plane"):
        if dimension in columns:
            found.append(columns[dimension])
        else:
            found.append(np.full(n, 0 if fabric.sizes[dimension] == 1 else -1, dtype=np.int32))
    return found[0], found[1]

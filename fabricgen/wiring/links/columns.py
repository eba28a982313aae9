"""Coordinates as columns: of nodes, and of the switches of a tier, group by group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.blueprint.dimensions import WHOLE, dimension_of, scopes
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.layout import Layout
from fabricgen.design.shape import (
    depth,
    inner,
    is_part_of_unit,
    racks_each,
    scope_index,
    units_each,
    within_unit,
)
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
    """Coordinates of every node and other member of a unit that is not omitted, unit by unit; int32."""
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
    """Coordinates of every place of a scope, in order; int32.

    Places that are several units of a pod, or several racks of a unit, have a column under their own name, and so have
    wider ones of that kind (see `shape.scope_index`).
    """
    if scope == WHOLE:
        return {name: _none(1) for name in _PLACES}
    if scope == "site":
        n = len(layout.sites)
        return {name: _none(n) for name in _PLACES} | {"site": np.arange(n, dtype=np.int32)}
    if scope == "pod":
        pod = np.arange(len(layout.pods), dtype=np.int32)
        return {name: _none(len(pod)) for name in _PLACES} | {"site": site_of_pod(layout), "pod": pod}
    units = unit_columns(layout)
    if not within_unit(scope):
        first = units["su"] % units_each(layout, scope) == 0
        units = {name: column[first] for name, column in units.items()}
        wider = {name: scope_index(layout, name, units).astype(np.int32) for name in _derived(scope)}
        return {name: _none(int(first.sum())) for name in _PLACES} | {d: units[d] for d in ("site", "pod")} | wider
    if not is_part_of_unit(scope):
        return units | {"rack": _none(layout.units)}
    each = racks_each(layout, scope)
    rack = np.tile(np.arange(0, layout.racks_per_su, each, dtype=np.int32), layout.units)
    columns = {name: np.repeat(column, len(rack) // layout.units) for name, column in units.items()}
    parts = {name: rack // racks_each(layout, name) for name in _derived(scope) if is_part_of_unit(name)}
    return columns | {"rack": _none(len(rack))} | parts


_PLACES = ("site", "pod", "unit", "su", "rack")


def _derived(scope: str) -> Iterator[str]:
    """The places down to a scope that are counted in units or racks, but the unit itself."""
    for name in scopes()[1 : depth(scope) + 1]:
        if not dimension_of(name).is_named and name != "su":
            yield name


def tier_columns(tier: TierDesign) -> Columns:
    """Coordinates of every switch of a tier, group by group: places, inner dimensions, and the tier's own index."""
    places = place_columns(tier.layout, tier.scope)
    shape = [tier.sizes[d] for d in inner(tier.per)] + [tier.count]
    each = int(np.prod(shape))
    grid = np.indices(shape, dtype=np.int32).reshape(len(shape), each)
    count = len(places["pod"])
    columns = {name: np.repeat(column, each) for name, column in places.items()}
    for i, dimension in enumerate((*inner(tier.per), tier.name)):
        columns[dimension] = np.tile(grid[i], count)
    return columns


def constant_rail_plane(fabric: FabricDesign, columns: Columns) -> tuple[Ints, Ints]:
    """(rail, plane) of each switch of a tier, int32 from 0; -1 where it serves more than one."""
    n = len(columns["pod"])
    found = []
    for dimension in ("rail", "plane"):
        if dimension in columns:
            found.append(columns[dimension])
        else:
            found.append(np.full(n, 0 if fabric.sizes[dimension] == 1 else -1, dtype=np.int32))
    return found[0], found[1]

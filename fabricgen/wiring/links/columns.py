"""Coordinates as columns: of nodes, and of the switches of a tier, group by group.

A place is what a group of switches serves; several groups, such as one for each rail, may serve the same place. Its
scope says how large it is: the whole cluster (`all`), a site, a pod, some units, a unit (`su`), some racks of a unit,
or a rack.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.blueprint.dimensions import WHOLE, find_dimension, list_scopes
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.layout import Layout
from fabricgen.design.ports import PortRun
from fabricgen.design.shape import (
    count_racks_per_place,
    count_units_per_place,
    find_depth,
    find_place_number,
    is_part_of_unit,
    is_within_unit,
    list_inner_dimensions,
)
from fabricgen.wiring.arrays import Flags, Ints, Ints64
from fabricgen.wiring.tables import ScaleUpPort, WiringPlan

Columns = dict[str, Ints]
"""Dimension -> int32 column; site, pod, unit, su and rack are -1 where the device has none."""


def make_unit_columns(layout: Layout) -> Columns:
    """Return the site, pod, unit (in the cluster) and su (in the pod) of every scalable unit; int32."""
    su_of = [pod.su for pod in layout.pods]
    pod = np.repeat(np.arange(len(layout.pods), dtype=np.int32), su_of)
    first = np.array([p.first_su for p in layout.pods], dtype=np.int32)
    unit = np.arange(layout.units, dtype=np.int32)
    return {"site": find_pod_sites(layout)[pod], "pod": pod, "unit": unit, "su": unit - first[pod]}


def find_pod_sites(layout: Layout) -> Ints:
    """Return the site of each pod; int32, length pods."""
    return np.array([layout.sites.index(p.site) for p in layout.pods], dtype=np.int32)


def make_node_columns(layout: Layout, kind: UnitKind | None = None) -> Columns:
    """Return the coordinates of the members (nodes and others) of all units of a kind, unit by unit; int32.

    Omitted members are left out. Without `kind` it is the only kind; raises ValueError if there are several.
    """
    kind = kind or layout.kind
    is_of_kind = np.array([pod_kind.name == kind.name for pod_kind in layout.kind_of_pod], dtype=bool)
    units = make_unit_columns(layout)
    units = {name: column[is_of_kind[units["pod"]]] for name, column in units.items()}
    # all slots first, omitted ones among them; these are dropped at the end
    count, per_su = len(units["unit"]), kind.members
    node = np.tile(np.arange(per_su, dtype=np.int32), count)
    columns = {name: np.repeat(column, per_su) for name, column in units.items()}
    columns |= {"node": node, "rack": np.array(kind.racks_of_members, dtype=np.int32)[node]}
    present = np.ones(len(node), dtype=bool)
    first_row = {unit: i * per_su for i, unit in enumerate(units["unit"].tolist())}
    for slot in layout.omitted:
        if is_of_kind[slot.pod]:
            # numbers of slots in the blueprint begin with 1
            present[first_row[layout.unit_index(slot)] + slot.node - 1] = False
    return {name: column[present] for name, column in columns.items()}


def number_by_cluster(layout: Layout, columns: Columns) -> Columns:
    """Return coordinate columns of a part of the cluster, which has the pods of one kind of units, with pods and units
    numbered as in the whole cluster.
    """
    if layout.cluster is None:
        return columns
    return columns | {name: _renumber_column(columns[name], numbers) for name, numbers in _list_cluster_numbers(layout)}


def number_by_part(layout: Layout, columns: Columns) -> Columns:
    """Return coordinate columns with pods and units numbered as in a part of the cluster, not as in the whole cluster.

    Pods and units of other parts become -1.
    """
    if layout.cluster is None:
        return columns
    size = {"pod": len(layout.cluster.pods), "unit": layout.cluster.units}
    renumbered = {}
    for name, numbers in _list_cluster_numbers(layout):
        part_numbers = np.full(size[name], -1, dtype=np.int32)
        part_numbers[numbers] = np.arange(len(numbers), dtype=np.int32)
        renumbered[name] = _renumber_column(columns[name], part_numbers)
    return columns | renumbered


def _list_cluster_numbers(layout: Layout) -> Iterator[tuple[str, Ints]]:
    """Yield (coordinate, the cluster's number of each pod or unit of a part, int32): pods, then units."""
    yield "pod", np.array(layout.cluster_pods, dtype=np.int32)
    yield "unit", np.array(layout.cluster_units, dtype=np.int32)


def _renumber_column(column: Ints, numbers: Ints) -> Ints:
    """Return `numbers` at the values of a column; -1 stays."""
    # numbers[-1] is read for -1, too, and thrown away
    return np.where(column >= 0, numbers[column], np.int32(-1))


def _make_empty_column(count: int) -> Ints:
    """Return the column of a coordinate that no row has: -1 everywhere."""
    return np.full(count, -1, dtype=np.int32)


def make_place_columns(layout: Layout, scope: str) -> Columns:
    """Return the coordinates of every place of a scope, in order: site, pod, unit, su and rack, int32, -1 for none.

    If places are several units of a pod, or several racks of a unit, there are further columns, by name of the scope:
    the number of each place, and of the wider such places that it lies in (see `shape.find_place_number`).
    """
    if scope == WHOLE:
        return {name: _make_empty_column(1) for name in _PLACES}
    if scope == "site":
        sites = len(layout.sites)
        return {name: _make_empty_column(sites) for name in _PLACES} | {"site": np.arange(sites, dtype=np.int32)}
    if scope == "pod":
        pod = np.arange(len(layout.pods), dtype=np.int32)
        return {name: _make_empty_column(len(pod)) for name in _PLACES} | {"site": find_pod_sites(layout), "pod": pod}
    units = make_unit_columns(layout)
    if not is_within_unit(scope):
        # the first unit of each place stands for it
        is_first = units["su"] % count_units_per_place(layout, scope) == 0
        units = {name: column[is_first] for name, column in units.items()}
        wider = {name: find_place_number(layout, name, units).astype(np.int32) for name in _list_counted_scopes(scope)}
        return (
            {name: _make_empty_column(int(is_first.sum())) for name in _PLACES}
            | {d: units[d] for d in ("site", "pod")}
            | wider
        )
    if not is_part_of_unit(scope):
        return units | {"rack": _make_empty_column(layout.units)}
    racks_per_place = count_racks_per_place(layout, scope)
    # the first rack of each place stands for it: a place of several racks has no rack of its own
    rack = np.tile(np.arange(0, layout.racks_per_su, racks_per_place, dtype=np.int32), layout.units)
    columns = {name: np.repeat(column, len(rack) // layout.units) for name, column in units.items()}
    parts = {
        name: rack // count_racks_per_place(layout, name)
        for name in _list_counted_scopes(scope)
        if is_part_of_unit(name)
    }
    return columns | {"rack": _make_empty_column(len(rack))} | parts


_PLACES = ("site", "pod", "unit", "su", "rack")


def _list_counted_scopes(scope: str) -> Iterator[str]:
    """Yield the scopes of places of several units, or of several racks of a unit: the widest first, down to `scope`."""
    for name in list_scopes()[1 : find_depth(scope) + 1]:
        if not find_dimension(name).is_named and name != "su":
            yield name


def make_tier_columns(tier: TierDesign) -> Columns:
    """Return the coordinates of every switch of a tier, group by group: places, inner dimensions, and index in the
    group.

    The index is under the name of the tier. Pods and units are as its layout numbers them (see `number_by_cluster`).
    """
    places = make_place_columns(tier.layout, tier.scope)
    shape = [tier.sizes[d] for d in list_inner_dimensions(tier.per)] + [tier.count]
    switches_per_place = int(np.prod(shape))
    grid = np.indices(shape, dtype=np.int32).reshape(len(shape), switches_per_place)
    place_count = len(places["pod"])
    columns = {name: np.repeat(column, switches_per_place) for name, column in places.items()}
    # the last one turns fastest: switches of a group are neighbours, which all that computes a row from coordinates
    # relies on
    for i, dimension in enumerate((*list_inner_dimensions(tier.per), tier.name)):
        columns[dimension] = np.tile(grid[i], place_count)
    return columns


def find_rail_and_plane(tier: TierDesign, columns: Columns) -> tuple[Ints, Ints]:
    """Return (rail, plane) of each switch of a tier, int32 from 0; -1 if it serves several."""
    switch_count = len(columns["pod"])
    rail_and_plane = []
    for dimension in ("rail", "plane"):
        if dimension in columns:
            rail_and_plane.append(columns[dimension])
        else:
            rail_and_plane.append(np.full(switch_count, 0 if tier.sizes[dimension] == 1 else -1, dtype=np.int32))
    return rail_and_plane[0], rail_and_plane[1]


# An index of link ends by switch, in the order of the ports on its front panel.

_WORD_BITS = 63


def index_switch_ends(plan: WiringPlan) -> tuple[Ints64, Ints, Flags]:
    """Return (pointer, int64, one more than devices; link of each end, int32; whether it is its upper end, bool).

    The ends at device i are `pointer[i]` to `pointer[i + 1]` - 1, in the order of ports on the front panel. Ends at
    nodes, at management ports and of scale-up links are left out.
    """
    links = plan.links
    columns = (links.a_device, links.a_port), (links.b_device, links.b_port)
    none = np.empty(0, dtype=np.int32)
    device, face, link, upper = [none], [none], [none], [none.astype(bool)]
    for end, (devices, ports) in enumerate(columns):
        for i, segment in enumerate(links.segments):
            side = (segment.a, segment.b)[end]
            if isinstance(side, PortRun) and not isinstance(segment.b, ScaleUpPort):
                rows = links.find_rows(i)
                device.append(devices[rows])
                face.append(_make_panel_keys(side, ports[rows]))
                link.append(np.arange(rows.start, rows.stop, dtype=np.int32))
                upper.append(np.full(rows.stop - rows.start, end == 1))
    device_of_end = np.concatenate(device)
    order = sort_rows(device_of_end, np.concatenate(face))
    pointer = np.searchsorted(device_of_end.take(order), np.arange(len(plan.devices) + 1, dtype=np.int32))
    return pointer, np.concatenate(link).take(order), np.concatenate(upper).take(order)


def sort_rows(major: Ints | Ints64, minor: Ints | Ints64) -> Ints64:
    """Return the row numbers sorted by two columns of integers from 0, int64; the sort is stable.

    Both values and the row number are packed into one 64-bit word if they fit, which is much faster than lexsort.
    """
    minor_bits, row_bits = int(minor.max(initial=0)).bit_length(), len(major).bit_length()
    # too large for one word
    if int(major.max(initial=0)).bit_length() + minor_bits + row_bits > _WORD_BITS:
        return np.lexsort((minor, major))
    words = major.astype(np.int64)  # major, minor and row number side by side, which sort as the three do
    words <<= minor_bits
    words |= minor
    words <<= row_bits
    words |= np.arange(len(words))
    words.sort()
    # what is left is the row number
    words &= (1 << row_bits) - 1
    return words


def _make_panel_keys(run: PortRun, ports: Ints) -> Ints:
    """Return a sort key of the ports of a run by their position on the front panel; int32."""
    # cages have fewer than 64 ports, so that all of a cage come before those of the next
    keys = np.array([[64 * cage + part for part in range(run.ways)] for cage in run.cages], dtype=np.int32)
    return keys.ravel().take(ports)

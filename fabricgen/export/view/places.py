"""Places of a cluster as boxes within boxes (cluster, site, pod, unit, rack), and which devices are drawn in which.

A box is there for each place that holds devices of its own or tells others apart: no sites where there is one, no racks
where no switch serves a rack alone. Everything follows from the columns of the device table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fabricgen.blueprint.sections.floor import Floor
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.cabling.routes import choose_crossing, find_exit, list_crossings
from fabricgen.wiring.patching.tables import Patching
from fabricgen.wiring.tables import NODE, DeviceTable, RackTable, WiringPlan

CLUSTER, SITE, POD, UNIT, RACK = LEVELS = tuple(range(5))
"""Levels of boxes, from wide to narrow."""

LEVEL_NAMES = ("cluster", "site", "pod", "su", "rack")


@dataclass(frozen=True)
class BoxTree:
    """Boxes, wide ones first: int32 columns of level and parent (-1 for the cluster), and what each is called.

    `device_box` is the box that each device is drawn in; int32, one a device.
    """

    level: Ints
    parent: Ints
    names: tuple[str, ...]
    device_box: Ints

    def __len__(self) -> int:
        return len(self.level)

    @property
    def ancestors(self) -> Ints:
        """The box of each level that a box is in, or is; int32 of shape (boxes, levels), -1 where there is none."""
        boxes = np.full((len(self), len(LEVELS)), -1, dtype=np.int32)
        for box in range(len(self)):
            if self.parent[box] >= 0:
                boxes[box] = boxes[self.parent[box]]
            boxes[box, self.level[box]] = box
        return boxes


def make_places(cluster: Cluster) -> BoxTree:
    """The boxes of a cluster and the box of each device, for the levels that tell its places apart."""
    devices = cluster.plan.devices
    depth = _find_depths(devices)
    used = _list_levels(cluster, depth)
    keys = _make_place_keys(devices)
    levels, parents, names = [np.zeros(1, dtype=np.int32)], [np.full(1, -1, dtype=np.int32)], ["cluster"]
    device_box = np.zeros(len(devices), dtype=np.int32)
    count = 1
    for level in used[1:]:
        inside = np.flatnonzero(depth >= level)
        # boxes of a level in the order of their keys; the first device in one says what it is called and lies in
        _, first, number = np.unique(keys[level][inside], return_index=True, return_inverse=True)
        levels.append(np.full(len(first), level, dtype=np.int32))
        parents.append(device_box[inside[first]])
        names += [_name_place(cluster, level, int(row)) for row in inside[first]]
        device_box[inside] = count + number.astype(np.int32)
        count += len(first)
    return BoxTree(np.concatenate(levels), np.concatenate(parents), tuple(names), device_box)


def _find_depths(devices: DeviceTable) -> Ints:
    """The narrowest level that each device is of: nodes of a unit, switches of what they serve; int32."""
    depths = np.full(len(devices), CLUSTER, dtype=np.int32)
    for level, column in ((SITE, devices.site), (POD, devices.pod), (UNIT, devices.unit), (RACK, devices.rack_in_unit)):
        depths[column >= 0] = level
    return depths


def _list_levels(cluster: Cluster, depth: Ints) -> Sequence[int]:
    devices, layout = cluster.plan.devices, cluster.design.layout
    by_rack = any(cls.kind != NODE and (depth[cls.rows] == RACK).any() for cls in devices.classes)
    used = [CLUSTER]
    used += [SITE] if len(layout.sites) > 1 else []
    used += [POD] if len(layout.pods) > max(1, len(layout.sites)) or (depth == POD).any() else []
    return [*used, UNIT, *([RACK] if by_rack else [])]


def _make_place_keys(devices: DeviceTable) -> dict[int, Ints64]:
    """By level, a number for the place of each device that is in order of the layout; int64."""
    racks = int(devices.rack_in_unit.max(initial=0)) + 1
    return {
        SITE: devices.site.astype(np.int64),
        POD: devices.pod.astype(np.int64),
        UNIT: devices.unit.astype(np.int64),
        RACK: devices.unit.astype(np.int64) * racks + devices.rack_in_unit,
    }


def _name_place(cluster: Cluster, level: int, row: int) -> str:
    devices, layout = cluster.plan.devices, cluster.design.layout
    if level == SITE:
        return str(layout.sites[devices.site[row]])
    pod = layout.pods[devices.pod[row]].name
    unit = f"{pod} su{devices.su[row] + 1:02}"
    names: dict[int, str] = {POD: pod, UNIT: unit, RACK: f"{unit} rk{devices.rack_in_unit[row] + 1:02}"}
    return names[level]


# Which trays the cables of links run along: by the rules that lengths are computed by (`wiring.cabling.routes`).


@dataclass(frozen=True, slots=True)
class TrayRoutes:
    """The way of each link: from rack to rack in one leg, or through the racks of panels in several.

    `via` are the racks of panels that a link passes, -1 where it passes none; `cross` are cross trays, one column a leg
    (`via` + 1), counted through all halls, -1 where a leg crosses no rows of a hall or trays cross everywhere. int32.
    `to_exit`: the cross tray from each rack to the exit of its hall, likewise.
    """

    via: tuple[Ints, ...]
    cross: tuple[Ints, ...]
    to_exit: Ints


def find_tray_routes(plan: WiringPlan, floor: Floor) -> TrayRoutes:
    """The trays of all links, leg by leg: from rack to rack, or by way of the racks of patch panels."""
    links, rack = plan.links, plan.devices.rack
    via = _find_panel_racks(plan, plan.patching) if plan.patching else ()
    stops = [rack[links.a_device], *via, rack[links.b_device]]
    crossing = _Crossings(plan.racks, floor)
    cross = []
    for i, stop in enumerate(stops[1:]):
        start = stops[i].copy()
        for earlier in reversed(stops[:i]):  # a panel that is not there is passed over
            start = np.where(start < 0, earlier, start)
        cross.append(crossing.find_between(start, stop))
    return TrayRoutes(via, tuple(cross), crossing.find_exit_trays())


def locate_cross_trays(racks: RackTable, floor: Floor) -> list[list[float]]:
    """Where trays cross the rows of each hall, x in the frame of its site, m; none where they cross everywhere."""
    if floor.trays.cross == "everywhere":
        return [[] for _ in racks.halls]
    return [list_crossings(hall, floor.trays.cross).tolist() for hall in racks.halls]


class _Crossings:
    def __init__(self, racks: RackTable, floor: Floor) -> None:
        self._racks, self._floor = racks, floor
        self._of_hall = [np.array(places) for places in locate_cross_trays(racks, floor)]
        self._first = np.cumsum([0, *map(len, self._of_hall)])

    def find_between(self, a: Ints, b: Ints) -> Ints:
        """The cross tray between racks of different rows of a hall, -1 for others; racks may be -1."""
        racks, trays = self._racks, np.full(len(a), -1, dtype=np.int32)
        in_one_hall = (a >= 0) & (b >= 0) & (racks.hall[a] == racks.hall[b]) & (racks.y_m[a] != racks.y_m[b])
        for i, places in enumerate(self._of_hall):
            rows = np.flatnonzero(in_one_hall & (racks.hall[a] == i)) if len(places) else ()
            if len(rows):
                crossing = choose_crossing(racks.x_m[a[rows]], racks.x_m[b[rows]], places)
                trays[rows] = self._first[i] + crossing
        return trays

    def find_exit_trays(self) -> Ints:
        """The cross tray from each rack to the exit of its hall."""
        racks, trays = self._racks, np.full(len(self._racks), -1, dtype=np.int32)
        for i, (hall, places) in enumerate(zip(racks.halls, self._of_hall, strict=True)):
            x, y = find_exit(hall, self._floor.trays)
            rows = np.flatnonzero((racks.hall == i) & (racks.y_m != y)) if len(places) else np.empty(0, np.int64)
            crossing = choose_crossing(racks.x_m[rows], np.full(len(rows), float(x)), places) if len(rows) else rows
            trays[rows] = self._first[i] + crossing
        return trays


def _find_panel_racks(plan: WiringPlan, patching: Patching) -> tuple[Ints, Ints]:
    """(rack of the panel at the a end, at the b end) of every link, int32; -1 where it passes none there."""
    patches, trunks, panels, shuffles = patching.patches, patching.trunks, patching.panels, patching.shuffles
    rows = len(plan.cables.end_link)
    ends = np.full((2, rows), -1, dtype=np.int32)
    sides = panels.rack[trunks.a_panel[patches.trunk]], panels.rack[trunks.b_panel[patches.trunk]]
    ends[0, patches.row] = np.where(patches.flipped == 1, sides[1], sides[0])
    ends[1, patches.row] = np.where(patches.flipped == 1, sides[0], sides[1])
    ends[0, shuffles.row] = panels.rack[shuffles.panel]
    row = _find_end_rows(plan)
    a, b = (np.where(row >= 0, end[row], -1).astype(np.int32) for end in ends)
    return a, b


def _find_end_rows(plan: WiringPlan) -> Ints64:
    """The cable end row of each link: that of its cable between its devices; -1 for links of a backplane."""
    links, devices = plan.links, len(plan.devices)
    # a cable to several devices has a row for each pair of them: the three numbers as one find it
    key = (links.cable.astype(np.int64) * devices + links.a_device) * devices + links.b_device
    row_keys = key[plan.cables.end_link]
    order = np.argsort(row_keys, kind="stable")
    index = np.searchsorted(row_keys[order], key)
    # links of a backplane have no key in the table: the index is kept within it, and -1 taken instead
    return np.where(links.cable >= 0, order[np.minimum(index, len(order) - 1)], -1)

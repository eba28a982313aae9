"""Places of a cluster as boxes within boxes (cluster, site, pod, unit, rack), and the box in which each device is
drawn.

A place gets a box only if the place holds devices of its own or tells others apart: there are no boxes for sites if the
cluster has one site, and none for racks if no switch serves a single rack. Everything follows from the device table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fabricgen.blueprint.sections.floor import Floor
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64
from fabricgen.wiring.cabling.routes import choose_crossing, find_exit, list_crossings
from fabricgen.wiring.patching.tables import Patching
from fabricgen.wiring.tables import NODE, SWITCH, DeviceTable, RackTable, WiringPlan

CLUSTER, SITE, POD, UNIT, RACK = LEVELS = tuple(range(5))
"""Levels of boxes, from wide to narrow."""

LEVEL_NAMES = ("cluster", "site", "pod", "su", "rack")


@dataclass(frozen=True)
class BoxTree:
    """All boxes, parents before their children.

    `level` (CLUSTER to RACK) and `parent` (-1 for the cluster) are int32 columns, one entry for each box, as are
    `names`. `device_box` is the box that each device is drawn in, int32.
    """

    level: Ints
    parent: Ints
    names: tuple[str, ...]
    device_box: Ints

    def __len__(self) -> int:
        return len(self.level)

    @property
    def ancestors(self) -> Ints:
        """The box of each level that contains a box, or is that box: int32 of shape (boxes, levels), -1 if there is
        none.
        """
        boxes = np.full((len(self), len(LEVELS)), -1, dtype=np.int32)
        for box in range(len(self)):
            if self.parent[box] >= 0:
                boxes[box] = boxes[self.parent[box]]
            boxes[box, self.level[box]] = box
        return boxes


def make_places(cluster: Cluster) -> BoxTree:
    """Return the boxes of a cluster and the box of each device. Box 0 is the cluster; boxes are sorted by level from
    wide to narrow, and those of a level in the order of the layout.

    Levels that do not tell places of this cluster apart have no boxes.
    """
    devices = cluster.plan.devices
    narrowest_level = _find_depths(devices)
    place_keys = _make_place_keys(devices)
    levels, parents, names = [np.zeros(1, dtype=np.int32)], [np.full(1, -1, dtype=np.int32)], ["cluster"]
    device_box = np.zeros(len(devices), dtype=np.int32)
    box_count = 1
    for level in _list_levels(cluster, narrowest_level)[1:]:
        inside = np.flatnonzero(narrowest_level >= level)
        # boxes of a level in the order of their keys; the first device of a box tells its name and its parent
        _, first_index, box_in_level = np.unique(place_keys[level][inside], return_index=True, return_inverse=True)
        first_devices = inside[first_index]
        levels.append(np.full(len(first_devices), level, dtype=np.int32))
        parents.append(device_box[first_devices])
        names += [_name_place(cluster, level, int(row)) for row in first_devices]
        device_box[inside] = box_count + box_in_level.astype(np.int32)
        box_count += len(first_devices)
    return BoxTree(np.concatenate(levels), np.concatenate(parents), tuple(names), device_box)


def _find_depths(devices: DeviceTable) -> Ints:
    """Return the level (CLUSTER to RACK) of the narrowest place that each device belongs to, int32.

    A node belongs to its unit or rack, a switch to the place that it serves.
    """
    depths = np.full(len(devices), CLUSTER, dtype=np.int32)
    for level, column in ((SITE, devices.site), (POD, devices.pod), (UNIT, devices.unit), (RACK, devices.rack_in_unit)):
        depths[column >= 0] = level
    return depths


def _list_levels(cluster: Cluster, depth: Ints) -> Sequence[int]:
    """Return the levels that get boxes, from wide to narrow; `depth` is the narrowest level of each device."""
    devices, layout = cluster.plan.devices, cluster.design.layout
    by_rack = any(cls.kind != NODE and (depth[cls.rows] == RACK).any() for cls in devices.classes)
    used = [CLUSTER]
    used += [SITE] if len(layout.sites) > 1 else []
    used += [POD] if len(layout.pods) > max(1, len(layout.sites)) or (depth == POD).any() else []
    return [*used, UNIT, *([RACK] if by_rack else [])]


def _make_place_keys(devices: DeviceTable) -> dict[int, Ints64]:
    """Return, by level, a number for the place of each device; int64.

    Devices in one place have equal numbers, which ascend in the order of the layout.
    """
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
    """The way of each link: from rack to rack in one leg, or through the racks of patch panels in several legs; all
    int32.

    `via` has, for each stop at a panel, the rack of the panel by link, -1 if the link passes none. `cross` has, for
    each leg, the cross tray by link, counted through all halls; -1 if the leg crosses no rows of a hall or if trays
    cross everywhere. `to_exit` has, by rack, the cross tray to the exit of its hall, -1 in the same cases.
    """

    via: tuple[Ints, ...]
    cross: tuple[Ints, ...]
    to_exit: Ints


def find_tray_routes(plan: WiringPlan, floor: Floor) -> TrayRoutes:
    """Return the trays of all links, leg by leg: from rack to rack, or by way of the racks of patch panels."""
    links, rack = plan.links, plan.devices.rack
    via = _find_panel_racks(plan, plan.patching) if plan.patching else ()
    stops = [rack[links.a_device], *via, rack[links.b_device]]
    crossing = _Crossings(plan.racks, floor)
    cross = []
    for i, stop in enumerate(stops[1:]):
        start = stops[i].copy()
        for earlier in reversed(stops[:i]):  # a link without this panel starts at its stop before
            start = np.where(start < 0, earlier, start)
        cross.append(crossing.find_between(start, stop))
    return TrayRoutes(via, tuple(cross), crossing.find_exit_trays())


def locate_cross_trays(racks: RackTable, floor: Floor) -> list[list[float]]:
    """Return the x, in m in the frame of its site, of each tray across the rows of each hall.

    The lists are empty if trays cross everywhere.
    """
    if floor.trays.cross == "everywhere":
        return [[] for _ in racks.halls]
    return [list_crossings(hall, floor.trays.cross).tolist() for hall in racks.halls]


class _Crossings:
    def __init__(self, racks: RackTable, floor: Floor) -> None:
        self._racks, self._floor = racks, floor
        self._tray_x_by_hall = [np.array(tray_x) for tray_x in locate_cross_trays(racks, floor)]
        self._first_tray = np.cumsum([0, *map(len, self._tray_x_by_hall)])

    def find_between(self, a: Ints, b: Ints) -> Ints:
        """Return the cross tray between each rack of `a` and the rack of `b` with the same index, int32.

        It is -1 unless both are racks (not -1) in different rows of one hall that has cross trays.
        """
        racks, trays = self._racks, np.full(len(a), -1, dtype=np.int32)
        in_one_hall = (a >= 0) & (b >= 0) & (racks.hall[a] == racks.hall[b]) & (racks.y_m[a] != racks.y_m[b])
        for i, tray_x in enumerate(self._tray_x_by_hall):
            rows = np.flatnonzero(in_one_hall & (racks.hall[a] == i)) if len(tray_x) else ()
            if len(rows):
                trays[rows] = self._first_tray[i] + choose_crossing(racks.x_m[a[rows]], racks.x_m[b[rows]], tray_x)
        return trays

    def find_exit_trays(self) -> Ints:
        """Return the cross tray from each rack to the exit of its hall, int32; -1 if the rack is in the row of the
        exit.
        """
        racks, trays = self._racks, np.full(len(self._racks), -1, dtype=np.int32)
        for i, (hall, tray_x) in enumerate(zip(racks.halls, self._tray_x_by_hall, strict=True)):
            x, y = find_exit(hall, self._floor.trays)
            rows = np.flatnonzero((racks.hall == i) & (racks.y_m != y)) if len(tray_x) else np.empty(0, np.int64)
            crossing = choose_crossing(racks.x_m[rows], np.full(len(rows), float(x)), tray_x) if len(rows) else rows
            trays[rows] = self._first_tray[i] + crossing
        return trays


def _find_panel_racks(plan: WiringPlan, patching: Patching) -> tuple[Ints, Ints]:
    """Return the rack of the panel at the a end and at the b end of every link, int32; -1 if a link passes no panel
    there.
    """
    patches, trunks, panels, shuffles = patching.patches, patching.trunks, patching.panels, patching.shuffles
    # by end (0: a, 1: b) and cable end row
    panel_racks = np.full((2, len(plan.cables.end_link)), -1, dtype=np.int32)
    trunk_racks = panels.rack[trunks.a_panel[patches.trunk]], panels.rack[trunks.b_panel[patches.trunk]]
    panel_racks[0, patches.row] = np.where(patches.flipped == 1, trunk_racks[1], trunk_racks[0])
    panel_racks[1, patches.row] = np.where(patches.flipped == 1, trunk_racks[0], trunk_racks[1])
    panel_racks[0, shuffles.row] = panels.rack[shuffles.panel]
    end_row = _find_end_rows(plan)
    a, b = (np.where(end_row >= 0, racks[end_row], -1).astype(np.int32) for racks in panel_racks)
    return a, b


def _find_end_rows(plan: WiringPlan) -> Ints64:
    """Return the row among cable ends that each link belongs to: that of its cable between its two devices.

    int64; -1 for links of a backplane, which have no cable.
    """
    links, devices = plan.links, len(plan.devices)
    # a cable to several devices has a row for each pair of them: the three numbers as one find it
    key = (links.cable.astype(np.int64) * devices + links.a_device) * devices + links.b_device
    row_keys = key[plan.cables.end_link]
    order = np.argsort(row_keys, kind="stable")
    index = np.searchsorted(row_keys[order], key)
    # links of a backplane have no key in the table: the index is kept within it, and -1 taken instead
    return np.where(links.cable >= 0, order[np.minimum(index, len(order) - 1)], -1)


OWN_BAND, ALL_CHILDREN, OUTSIDE = -1, -2, -3
"""Ends of a bundle that are no single inner box: a band of the box itself, all inner boxes together, what is outside
the box.
"""

LOWEST = (OUTSIDE, OUTSIDE, 0, OUTSIDE, 0, OUTSIDE)
"""The lowest value of each number that identifies a bundle: places may be one of the constants above, classes count
from 0.
"""

MOST_IN_A_ROW = 4
"""Inner boxes that stand in one row. If a box has more, one bundle joins all of them instead of a bundle for each."""


ALIKE = ("rail", "plane", "medium", "length_m")
"""Properties of links that a bundle reports if all its links agree; rails and planes count from 1, and the medium is -1
for a link without a cable.
"""


@dataclass(frozen=True, slots=True)
class DrawnBundle:
    """The links of one segment between two places in a box.

    `lower` and `upper` are the device classes at both ends. `child` and `other` are the inner boxes of `box` that hold
    the lower and the upper end; or OWN_BAND, ALL_CHILDREN or OUTSIDE. `target` is the box in which the upper ends are,
    or in which links from several inner boxes meet. `links` is their number.
    """

    box: int
    child: int
    lower: int
    other: int
    upper: int
    target: int
    segment: int
    links: int
    least: tuple[float, ...] = ()
    """The least value of each property in `ALIKE` among its links."""
    most: tuple[float, ...] = ()
    """The greatest value of each property in `ALIKE` among its links."""

    @property
    def leaves(self) -> bool:
        """Whether the links leave the box through its top."""
        return self.other == OUTSIDE

    @property
    def joins_all(self) -> bool:
        """Whether the links join all inner boxes of the box, which are too many to have a bundle for every two."""
        return self.child == self.other == ALL_CHILDREN

    @property
    def place(self) -> tuple[int, ...]:
        """(box, child, lower, other, upper, segment), which no other bundle of the drawing shares."""
        return self.box, self.child, self.lower, self.other, self.upper, self.segment

    @property
    def lane(self) -> tuple[int, int, int]:
        """(segment, lower, upper): bundles through the top of a box that share these are drawn side by side in one
        slot.
        """
        return self.segment, self.lower, self.upper


def make_bundles(cluster: Cluster, places: BoxTree, is_included: Flags | None = None) -> tuple[DrawnBundle, ...]:
    """Return the bundles of a cluster, sorted by box, segment, inner boxes and classes; a box comes before its inner
    boxes.

    `is_included` has a flag for each link: only flagged links are counted; with None, all are.
    """
    links, devices = cluster.plan.links, cluster.plan.devices
    counter, alike_columns = _Counter(places, len(devices.classes)), _make_alike_columns(cluster)
    for number in range(len(links.segments)):
        segment = links.find_rows(number)
        rows = segment if is_included is None else segment.start + np.flatnonzero(is_included[segment])
        if is_included is not None and not is_included[segment].any():
            continue
        a, b = links.a_device[rows], links.b_device[rows]
        # the end in the narrower box is the lower one in the drawing, whichever is in the plan
        swap = places.level[places.device_box[a]] < places.level[places.device_box[b]]
        lower, upper = np.where(swap, b, a), np.where(swap, a, b)
        counter.add(
            number,
            [column[rows] for column in alike_columns],
            (places.device_box[lower], devices.device_class[lower]),
            (places.device_box[upper], devices.device_class[upper]),
        )
    return tuple(
        sorted(
            counter.bundles,
            key=lambda bundle: (bundle.box, bundle.segment, bundle.child, bundle.other, bundle.lower, bundle.upper),
        )
    )


def list_oversubscription(cluster: Cluster) -> dict[frozenset[int], float]:
    """Return the oversubscription of the links between two device classes: {both classes: downlink / uplink bandwidth}.

    Classes are indexes into those of the device table. They are those of a tier and of the tier above it, perhaps in
    another fabric; for spans between sites, that of the tier alone. If switches of a tier differ, the worst counts.
    """
    switch_classes = [
        (number, cls.key) for number, cls in enumerate(cluster.plan.devices.classes) if cls.kind == SWITCH
    ]
    ratios: dict[frozenset[int], float] = {}
    for tier in cluster.design.tiers:
        if tier.oversubscription is not None:
            upper_tier = tier.uplink.upper if tier.uplink else tier.key
            lower_classes, upper_classes = (
                [number for number, key in switch_classes if key == tier_key] for tier_key in (tier.key, upper_tier)
            )
            ratio = round(float(tier.oversubscription), 4)
            ratios |= {frozenset((lower, upper)): ratio for lower in lower_classes for upper in upper_classes}
    return ratios


def _make_alike_columns(cluster: Cluster) -> list[Ints | Floats]:
    """Return a column over all links for each property in `ALIKE`."""
    links, cables = cluster.plan.links, cluster.plan.cables
    wired = links.cable >= 0
    medium, length = np.full(len(links), -1, dtype=np.int32), np.zeros(len(links))
    medium[wired], length[wired] = cables.medium[links.cable[wired]], cables.length_m[links.cable[wired]]
    return [links.rail, links.plane, medium, length]


class _Counter:
    """Counts links by the numbers that identify a bundle."""

    def __init__(self, places: BoxTree, classes: int) -> None:
        self._places, self._classes = places, classes
        self._ancestors = places.ancestors
        self._grid = np.bincount(places.parent[1:], minlength=len(places)) > MOST_IN_A_ROW
        self.bundles: list[DrawnBundle] = []

    def add(
        self, segment: int, alike_columns: list[Ints | Floats], lower: tuple[Ints, Ints], upper: tuple[Ints, Ints]
    ) -> None:
        """Count links of one segment, and append their bundles.

        There are bundles within the box in which both ends of a link meet, and bundles through the top of each narrower
        box that contains one end. `lower` and `upper` are (box, class) of the devices at both ends, as columns by link;
        `alike_columns` are the columns of `ALIKE` for these links. In a box with many inner boxes, `ALL_CHILDREN`
        stands for each of them.
        """
        (lower_box, lower_class), (upper_box, upper_class) = lower, upper
        lower_ancestors, upper_ancestors = self._ancestors[lower_box], self._ancestors[upper_box]
        is_same_box = (lower_ancestors == upper_ancestors) & (lower_ancestors >= 0)
        # the narrowest box that holds both ends is of the last level at which they agree: the first in reverse
        meeting_level = len(LEVELS) - 1 - np.argmax(is_same_box[:, ::-1], axis=1)
        meeting_box = lower_ancestors[np.arange(len(lower_box)), meeting_level]
        is_in_grid = self._grid[meeting_box]
        lower_child, upper_child = (
            np.where((child >= 0) & is_in_grid, ALL_CHILDREN, child)
            for child in (
                _find_child(lower_ancestors, lower_box, meeting_level),
                _find_child(upper_ancestors, upper_box, meeting_level),
            )
        )
        self._append_bundles(
            segment, alike_columns, meeting_box, lower_child, lower_class, upper_child, upper_class, meeting_box
        )
        # rows of links by their lower ends, then by their upper ends: if switches of one tier are joined, a box may
        # have links by either end
        ancestors, box, own_class, far_class = map(
            np.concatenate,
            (
                (lower_ancestors, upper_ancestors),
                (lower_box, upper_box),
                (lower_class, upper_class),
                (upper_class, lower_class),
            ),
        )
        meeting_level, meeting_box = np.tile(meeting_level, 2), np.tile(meeting_box, 2)
        for level in LEVELS:
            rows = np.flatnonzero((meeting_level < level) & (ancestors[:, level] >= 0))
            if len(rows):
                boxes = ancestors[rows, level]
                child = _find_child(ancestors[rows], box[rows], np.full(len(rows), level))
                child = np.where((child >= 0) & self._grid[boxes], ALL_CHILDREN, child)
                outside = np.full(len(rows), OUTSIDE)
                alike_of_rows = [column[rows % len(lower_box)] for column in alike_columns]
                self._append_bundles(
                    segment, alike_of_rows, boxes, child, own_class[rows], outside, far_class[rows], meeting_box[rows]
                )

    def _append_bundles(self, segment: int, alike_columns: list[Ints | Floats], *columns: Ints | Ints64) -> None:
        """Append a bundle for each combination of values in `columns` that any link has, in ascending order.

        `columns` are box, child, lower, other, upper and target as in `DrawnBundle`, by link. A bundle keeps the least
        and the greatest value that its links have in each of `alike_columns`.
        """
        boxes, classes = len(self._places) - OUTSIDE, self._classes
        # all columns as the digits of one number, each digit from 0: one sort instead of six
        group_key = np.zeros(len(columns[0]), dtype=np.int64)
        sizes = (boxes, boxes, classes, boxes, classes, boxes)
        for column, size, lowest in zip(columns, sizes, LOWEST, strict=True):
            group_key = group_key * size + column - lowest
        rows_in_order = np.argsort(group_key, kind="stable")
        sorted_keys = group_key[rows_in_order]
        group_starts = np.flatnonzero(np.r_[True, sorted_keys[1:] != sorted_keys[:-1]][: len(sorted_keys)])
        remaining_digits, link_counts = sorted_keys[group_starts], np.diff(np.r_[group_starts, len(sorted_keys)])
        least, most = (
            zip(
                *(extreme.reduceat(column[rows_in_order], group_starts).tolist() for column in alike_columns),
                strict=True,
            )
            for extreme in (np.minimum, np.maximum)
        )
        digits: list[list[int]] = []
        for size, lowest in zip(reversed(sizes), reversed(LOWEST), strict=True):
            # the digits again, the last column first
            digits.append((remaining_digits % size + lowest).tolist())
            remaining_digits = remaining_digits // size
        for box, child, lower, other, upper, target, links, least_values, most_values in zip(
            *reversed(digits), link_counts.tolist(), least, most, strict=True
        ):
            self.bundles.append(
                DrawnBundle(box, child, lower, other, upper, target, segment, links, least_values, most_values)
            )


def _find_child(ancestors: Ints, box: Ints, level: Ints64) -> Ints:
    """Return, for each of some boxes, the child that contains it: the inner box by which one enters the box around it
    that is of level `level`.

    It is the widest box that is narrower than that level and contains the box or is the box; OWN_BAND if the box is of
    that level itself. `ancestors` are those of the boxes, int32 of shape (boxes, levels), -1 for none; `level` has one
    entry for each box.
    """
    children = np.full(len(box), OWN_BAND, dtype=np.int32)
    for child_level in reversed(LEVELS[1:]):
        is_inside = (level < child_level) & (ancestors[:, child_level] >= 0)
        children[is_inside] = ancestors[is_inside, child_level]
    return children

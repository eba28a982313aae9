"""Ribbons: each bundle is drawn as bands of even breadth between edges (tops of boxes, tops and feet of bands, lanes).

Bundles that begin or end at the same edge share it, in the order of where they lead, so that they do not cross there.
The breadth of a ribbon grows with the root of its bandwidth. Links within a box that do not rise to a higher band are
drawn as arcs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from fabricgen.cluster import Cluster
from fabricgen.export.view.boxes import ALL_CHILDREN, OWN_BAND, DrawnBundle
from fabricgen.export.view.layout import GAP, Band, Scene

FILLED, THINNEST = 0.85, 0.4
"""The share of an edge that its ribbons take at most, and the least width of a ribbon in units."""

TOP, GRID, ABOVE, BELOW, LANE = range(5)
"""Kinds of edges: the top of a box, the top of all its inner boxes together, the top of a band, the foot of a band, a
lane.
"""

ARC_STEEP, ARC_ROOM, ARC_LOW = 0.25, 0.8, 0.4
"""Height of an arc as a share of its length; the share of the room above it that the longest arc may take; and how much
of that the shortest arcs may take.
"""

Edge = tuple[int, int, int]
"""What kind of edge, its box, and the class of a band or the network of a lane."""

Slot = tuple[int, ...]
"""What tells the parts of an edge apart: (number of the bundle), (that, which end), or `DrawnBundle.lane`."""


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A piece of a bundle between two edges: x of the middle, y and width at both ends, in units.

    `bundle` is the index in `Scene.bundles`. `arc` is the height of an arc over both ends, 0 for a piece that rises.
    """

    bundle: int
    x0: float
    y0: float
    w0: float
    x1: float
    y1: float
    w1: float
    arc: float = 0.0


@dataclass(frozen=True, slots=True)
class _Station:
    """A point where a bundle meets an edge: the edge, the slot (part of the edge) that it takes, and the y of the
    point.
    """

    edge: Edge
    slot: Slot
    y: float


def draw_ribbons(cluster: Cluster, scene: Scene) -> tuple[Ribbon, ...]:
    """Return the ribbons of a scene, in the order of its bundles."""
    return tuple(_RibbonDrawing(cluster, scene).list_ribbons())


class _RibbonDrawing:
    def __init__(self, cluster: Cluster, scene: Scene) -> None:
        self._scene = scene
        segments = cluster.plan.links.segments
        self._gbps = [bundle.links * segments[bundle.segment].speed_gbps for bundle in scene.bundles]
        self._bands: dict[tuple[int, int], Band] = {(band.box, band.cls): band for band in scene.bands}
        self._tiers: dict[tuple[int, int], list[int]] = defaultdict(list)
        # only bands above the foot of a box are tiers, the highest first
        for band in sorted(scene.bands, key=lambda b: b.y):
            if band.y < scene.heads[band.box]:
                self._tiers[band.box, scene.networks[band.cls]].append(band.cls)
        self._children: dict[int, list[int]] = defaultdict(list)
        for box, parent in enumerate(scene.places.parent.tolist()):
            self._children[parent].append(box)
        self._most: dict[int, float] = defaultdict(float)
        for bundle, gbps in zip(scene.bundles, self._gbps, strict=True):
            self._most[bundle.box] = max(self._most[bundle.box], gbps)

    def list_ribbons(self) -> Iterator[Ribbon]:
        """Yield the pieces of every bundle, from station to station, each as wide as its slots of the two edges."""
        routes = [self._find_route(number, bundle) for number, bundle in enumerate(self._scene.bundles)]
        wants_by_edge: dict[Edge, dict[Slot, tuple[float, tuple[float, ...]]]] = defaultdict(dict)
        for number, (bundle, (stations, _)) in enumerate(zip(self._scene.bundles, routes, strict=True)):
            for i, station in enumerate(stations):
                far_x = self._find_far_x(bundle, stations, i)
                # bundles of several inner boxes may go through one slot and are one bundle beyond it: the largest of
                # them sets its breadth, the first its position
                previous = wants_by_edge[station.edge].get(station.slot, (0.0, (far_x, *station.slot)))
                wants_by_edge[station.edge][station.slot] = max(previous[0], self._gbps[number]), previous[1]
        slots = {edge: self._share_edge(edge, wants) for edge, wants in wants_by_edge.items()}
        slot_parts = self._divide_slots(slots)
        arcs = [
            (self._find_arc_box(start), abs(slots[end.edge][end.slot][0] - slots[start.edge][start.slot][0]))
            for start, end in (stations for stations, arched in routes if arched)
        ]
        longest_arcs = dict(sorted(arcs))  # the last entry of each box is its longest
        for number, (stations, arched) in enumerate(routes):
            for start, end in pairwise(stations):
                (x0, w0), (x1, w1) = slots[start.edge][start.slot], slots[end.edge][end.slot]
                # at the top of its box, a bundle that shares its slot with others has only its part
                if end is stations[-1] and number in slot_parts:
                    x1, w1 = slot_parts[number]
                y0, y1 = start.y, end.y
                # arcs run from left to right
                if arched and x0 > x1:
                    x0, y0, w0, x1, y1, w1 = x1, y1, w1, x0, y0, w0
                arc = (
                    self._choose_arc_height(start, abs(x1 - x0), longest_arcs[self._find_arc_box(start)])
                    if arched
                    else 0.0
                )
                if arched:
                    w0 = w1 = max(THINNEST, min(w0, w1, arc / 2))
                yield Ribbon(number, x0, y0, w0, x1, y1, w1, arc)

    def _divide_slots(self, slots: dict[Edge, dict[Slot, tuple[float, float]]]) -> dict[int, tuple[float, float]]:
        """Return, by number of each bundle that leaves its box, the (middle x, width) of its part of the slot at the
        box's top.

        Bundles from several inner boxes share a slot; each takes a part in proportion to its bandwidth, in the order of
        the inner boxes.
        """
        sharing: dict[tuple[int, Slot], list[int]] = defaultdict(list)
        for number, bundle in enumerate(self._scene.bundles):
            if bundle.leaves:
                sharing[bundle.box, bundle.lane].append(number)
        part_by_bundle = {}
        for (box, lane), numbers in sharing.items():
            middle, width = slots[TOP, box, 0][lane]
            total, x = sum(self._gbps[number] for number in numbers), middle - width / 2
            for number in sorted(
                numbers, key=lambda number: (self._find_source_x(self._scene.bundles[number]), number)
            ):
                part_width = width * self._gbps[number] / total
                part_by_bundle[number] = x + part_width / 2, part_width
                x += part_width
        return part_by_bundle

    def _find_route(self, number: int, bundle: DrawnBundle) -> tuple[list[_Station], bool]:
        """Return the stations that bundle `number` goes by, from its lower end on, and whether it is an arc of two."""
        box, slot = bundle.box, (number,)
        start = self._find_end_station(box, bundle.child, bundle.lower, bundle.lane, (number, 0))
        tiers = self._tiers.get((box, self._scene.networks[bundle.upper]), [])
        network = self._scene.networks[bundle.upper]
        is_from_switches = bundle.child == OWN_BAND and self._bands[box, bundle.lower].y < self._scene.heads[box]
        lane = self._scene.lanes.get((box, network))
        # the lane is entered above the band that the links leave, or at its foot if they come from inner boxes or nodes
        lane_foot = start.y - GAP if is_from_switches else lane.bottom if lane else 0.0
        if bundle.leaves:
            # straight up from the uppermost band of a network, else by way of the lane
            end = _Station((TOP, box, 0), bundle.lane, float(self._scene.box_y[box]))
            lower_tiers = self._tiers.get((box, self._scene.networks[bundle.lower]), [])
            if lane is None or (is_from_switches and lower_tiers[:1] == [bundle.lower]):
                return [start, end], False
            return [start, *self._follow_lane(box, network, slot, lane_foot, lane.top), end], False
        upper_band = self._bands.get((box, bundle.upper)) if bundle.other == OWN_BAND else None
        foot = self._bands[box, bundle.lower].y + self._bands[box, bundle.lower].h if is_from_switches else 0.0
        if is_from_switches and upper_band is not None and upper_band.y >= foot:
            # what manages a switch hangs below it: the links go down from the foot of the upper band
            return [
                _Station((ABOVE, box, bundle.upper), (number, 1), upper_band.y),
                _Station((BELOW, box, bundle.lower), slot, foot),
            ], False
        # bands that only touch leave no way up, hence the 1e-6; y grows downward
        rises = upper_band is not None and bundle.upper in tiers and upper_band.y + upper_band.h < start.y - 1e-6
        same_column = is_from_switches and bundle.lower in tiers
        if upper_band is None or not rises or (is_from_switches and not same_column):
            return [
                start,
                self._find_end_station(
                    box, bundle.other, bundle.upper, (bundle.segment, bundle.upper, bundle.lower), (number, 1)
                ),
            ], True
        end = _Station((BELOW, box, bundle.upper), slot, upper_band.y + upper_band.h)
        level = tiers.index(bundle.upper)
        # tiers are from the top down: direct is from the next tier below, or from below the lowest tier
        direct = tiers[level + 1 :][:1] == [bundle.lower] if same_column else level + 1 == len(tiers)
        if direct or lane is None:
            return [start, end], False
        below_y = self._bands[box, tiers[level + 1]].y
        return [
            start,
            *self._follow_lane(box, network, slot, lane_foot, (upper_band.y + upper_band.h + below_y) / 2),
            end,
        ], False

    def _follow_lane(self, box: int, network: int, slot: Slot, entry_y: float, exit_y: float) -> list[_Station]:
        """Return the two stations in the lane of a network at which links enter and leave it, in that order."""
        return [_Station((LANE, box, network), slot, y) for y in (entry_y, exit_y)]

    def _find_end_station(self, box: int, place_box: int, cls: int, lane: tuple[int, int, int], slot: Slot) -> _Station:
        """Return the station at which links leave what holds their ends.

        That is an inner box, given by number as `place_box`; all inner boxes of `box` together (ALL_CHILDREN); or the
        band of class `cls` in `box` itself (OWN_BAND). At an inner box, links take the slot of their `lane`, elsewhere
        `slot`.
        """
        scene = self._scene
        if place_box == OWN_BAND:
            return _Station((ABOVE, box, cls), slot, self._bands[box, cls].y)
        if place_box == ALL_CHILDREN:
            return _Station((GRID, box, 0), slot, float(scene.box_y[self._children[box][0]]))
        return _Station((TOP, place_box, 0), lane, float(scene.box_y[place_box]))

    def _find_span(self, edge: Edge) -> tuple[float, float]:
        """Return the x at which an edge begins, and its width."""
        kind, box, number = edge
        scene = self._scene
        if kind in (ABOVE, BELOW):
            return self._bands[box, number].x, self._bands[box, number].w
        if kind == LANE:
            return scene.lanes[box, number].x, scene.lanes[box, number].w
        if kind == TOP:
            return float(scene.box_x[box]), float(scene.box_w[box])
        children = self._children[box]
        left = min(float(scene.box_x[c]) for c in children)
        return left, max(float(scene.box_x[c] + scene.box_w[c]) for c in children) - left

    def _share_edge(
        self, edge: Edge, wants: dict[Slot, tuple[float, tuple[float, ...]]]
    ) -> dict[Slot, tuple[float, float]]:
        """Return the (middle x, width) of each slot of an edge.

        `wants` has, by slot, the bandwidth in Gb/s and the key by which slots are ordered from left to right.
        """
        edge_x, width = self._find_span(edge)
        order = sorted(wants, key=lambda slot: wants[slot][1])
        # broad as the root of the bandwidth: a link of 200G stays visible beside a bundle of 200 Tb/s
        roots = {slot: sqrt(wants[slot][0]) for slot in order}
        total, busiest_root = sum(roots.values()), sqrt(self._most[edge[1]]) or 1.0
        widths = [
            # the slot's share of this edge, but no more than its share beside the busiest bundle of the box: a thin
            # bundle does not fill an edge that it has alone
            max(THINNEST, width * min(FILLED * roots[slot] / total, FILLED * roots[slot] / busiest_root))
            for slot in order
        ]
        gap = max(0.0, width - sum(widths)) / (len(order) + 1)
        slots, x = {}, edge_x + gap
        for slot, w in zip(order, widths, strict=True):
            slots[slot] = x + w / 2, w
            x += w + gap
        return slots

    def _find_far_x(self, bundle: DrawnBundle, stations: list[_Station], index: int) -> float:
        """Return the x by which a bundle is ordered among those at the edge of a station, so that ribbons do not cross
        there.

        `index` is that of the station in `stations`. The x is that of the lane that the bundle passes next, else of its
        other end.
        """
        is_last = index + 1 == len(stations)
        next_edge = stations[index - 1 if is_last else index + 1].edge
        if next_edge[0] == LANE and next_edge != stations[index].edge and stations[index].edge[0] != TOP:
            left, width = self._find_span(next_edge)
            return left + width / 2
        if is_last and not bundle.leaves:
            return self._find_source_x(bundle)
        return self._find_middle_x(bundle.other if bundle.other >= 0 else bundle.target, bundle.upper)

    def _find_source_x(self, bundle: DrawnBundle) -> float:
        """Return the middle x of the inner box or band that holds the lower ends of a bundle."""
        return self._find_middle_x(bundle.child if bundle.child >= 0 else bundle.box, bundle.lower)

    def _find_middle_x(self, box: int, cls: int) -> float:
        """Return the middle x of the band of a class in a box, or of the box if it has no such band."""
        band = self._bands.get((box, cls))
        if band is not None:
            return band.x + band.w / 2
        return float(self._scene.box_x[box] + self._scene.box_w[box] / 2)

    def _find_arc_box(self, station: _Station) -> int:
        """Return the box inside which an arc from a station rises."""
        kind, box, _ = station.edge
        return int(self._scene.places.parent[box]) if kind == TOP else box

    def _choose_arc_height(self, station: _Station, length: float, longest: float) -> float:
        """Return how high an arc rises from a station, in the units of the drawing.

        `length` is its width, `longest` that of the widest arc of the box. The widest takes most of the height above
        the station, to the foot of the box's head or to the top of the box; narrower arcs take less of it.
        """
        box = self._find_arc_box(station)
        floor = float(self._scene.heads[box])
        height_above = station.y - (floor if station.y > floor else float(self._scene.box_y[box]))
        height_share = ARC_LOW + (1 - ARC_LOW) * length / (longest or 1.0)
        return max(THINNEST, min(ARC_STEEP * length, ARC_ROOM * height_above * height_share))

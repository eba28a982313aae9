"""Ribbons: a bundle drawn as a band of even breadth between edges: tops of boxes, both sides of bands, lanes.

Where several bundles begin or end at one edge they share it out in the order of where they go to, so that they do not
cross there, each as broad as the root of its bandwidth asks. Links within a box that have nothing to rise to are arcs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from fabricgen.cluster import Cluster
from fabricgen.export.view.bundles import ALL_CHILDREN, OWN_BAND, DrawnBundle
from fabricgen.export.view.layout import GAP, Band, Scene

FILLED, THINNEST = 0.85, 0.4
"""How much of an edge its ribbons take at most, and the least width of one, in units."""

TOP, GRID, ABOVE, BELOW, LANE = range(5)
"""Edges: the top of a box, of all its places, of a band, the foot of a band, a lane."""

ARC_STEEP, ARC_ROOM, ARC_LOW = 0.25, 0.8, 0.4
"""Height of an arc as a share of its length, and of the room above it: of the longest there; as a share of that, of the
shortest.
"""

Edge = tuple[int, int, int]
"""What kind of edge, its box, and the class of a band or the network of a lane."""

Slot = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A piece of a bundle (its number in `Scene.bundles`) between two edges: middle x, y and width of both.

    `arc` is the height of an arc over both ends, 0 for a piece that rises.
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
    """Where a bundle meets an edge: its place among others there, and at which y if not the edge's own."""

    edge: Edge
    slot: Slot
    y: float


def draw_ribbons(cluster: Cluster, scene: Scene) -> tuple[Ribbon, ...]:
    """The ribbons of a scene in the order of its bundles."""
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
        """Every bundle: from station to station, each at its slot of an edge."""
        routes = [self._find_route(number, bundle) for number, bundle in enumerate(self._scene.bundles)]
        wants_by_edge: dict[Edge, dict[Slot, tuple[float, tuple[float, ...]]]] = defaultdict(dict)
        for number, (bundle, (stations, _)) in enumerate(zip(self._scene.bundles, routes, strict=True)):
            for i, station in enumerate(stations):
                far = self._find_far_x(bundle, stations, i)
                # bundles of several places may go through one slot, and beyond it they are one: the largest says how
                # broad it is, the first where it is
                previous = wants_by_edge[station.edge].get(station.slot, (0.0, (far, *station.slot)))
                wants_by_edge[station.edge][station.slot] = max(previous[0], self._gbps[number]), previous[1]
        slots = {edge: self._share_edge(edge, wants) for edge, wants in wants_by_edge.items()}
        parts = self._divide_slots(slots)
        arcs = [
            (self._find_arc_box(a), abs(slots[b.edge][b.slot][0] - slots[a.edge][a.slot][0]))
            for a, b in (stations for stations, arched in routes if arched)
        ]
        longest = dict(sorted(arcs))  # of each box the last, which is the longest
        for number, (stations, arched) in enumerate(routes):
            for a, b in pairwise(stations):
                (x0, w0), (x1, w1) = slots[a.edge][a.slot], slots[b.edge][b.slot]
                if b is stations[-1] and number in parts:
                    x1, w1 = parts[number]
                y0, y1 = a.y, b.y
                if arched and x0 > x1:
                    x0, y0, w0, x1, y1, w1 = x1, y1, w1, x0, y0, w0
                arc = self._choose_arc_height(a, abs(x1 - x0), longest[self._find_arc_box(a)]) if arched else 0.0
                if arched:
                    w0 = w1 = max(THINNEST, min(w0, w1, arc / 2))
                yield Ribbon(number, x0, y0, w0, x1, y1, w1, arc)

    def _divide_slots(self, slots: dict[Edge, dict[Slot, tuple[float, float]]]) -> dict[int, tuple[float, float]]:
        """(middle, width) of each bundle that leaves a box, of the slot that it shares with those of other places."""
        sharing: dict[tuple[int, Slot], list[int]] = defaultdict(list)
        for number, bundle in enumerate(self._scene.bundles):
            if bundle.leaves:
                sharing[bundle.box, bundle.lane].append(number)
        parts = {}
        for (box, lane), numbers in sharing.items():
            middle, width = slots[TOP, box, 0][lane]
            total, x = sum(self._gbps[number] for number in numbers), middle - width / 2
            for number in sorted(
                numbers, key=lambda number: (self._find_source_x(self._scene.bundles[number]), number)
            ):
                part_width = width * self._gbps[number] / total
                parts[number] = x + part_width / 2, part_width
                x += part_width
        return parts

    def _find_route(self, number: int, bundle: DrawnBundle) -> tuple[list[_Station], bool]:
        """The edges that a bundle goes by, and whether it is an arc between two."""
        box, slot = bundle.box, (number,)
        start = self._find_end_station(box, bundle.child, bundle.lower, bundle.lane, (number, 0))
        tiers = self._tiers.get((box, self._scene.networks[bundle.upper]), [])
        network = self._scene.networks[bundle.upper]
        head = bundle.child == OWN_BAND and self._bands[box, bundle.lower].y < self._scene.heads[box]
        lane = self._scene.lanes.get((box, network))
        bottom = lane.bottom if lane else 0.0
        if bundle.leaves:
            end = _Station((TOP, box, 0), bundle.lane, float(self._scene.box_y[box]))
            lower_tiers = self._tiers.get((box, self._scene.networks[bundle.lower]), [])
            if lane is None or (head and lower_tiers[:1] == [bundle.lower]):
                return [start, end], False
            low = start.y - GAP if head else bottom
            return [start, *self._follow_lane(box, network, slot, low, lane.top), end], False
        goal = self._bands.get((box, bundle.upper)) if bundle.other == OWN_BAND else None
        if head and goal is not None and goal.y >= self._bands[box, bundle.lower].y + self._bands[box, bundle.lower].h:
            # what manages a switch hangs below it: down from its foot
            foot = self._bands[box, bundle.lower].y + self._bands[box, bundle.lower].h
            top = _Station((ABOVE, box, bundle.upper), (number, 1), goal.y)
            return [top, _Station((BELOW, box, bundle.lower), slot, foot)], False
        # a hair more than touching, which is no way up; y grows downward
        rises = goal is not None and bundle.upper in tiers and goal.y + goal.h < start.y - 1e-6
        same_column = head and bundle.lower in tiers
        if goal is None or not rises or (head and not same_column):
            far = (bundle.segment, bundle.upper, bundle.lower)
            return [start, self._find_end_station(box, bundle.other, bundle.upper, far, (number, 1))], True
        end = _Station((BELOW, box, bundle.upper), slot, goal.y + goal.h)
        level = tiers.index(bundle.upper)
        direct = tiers[level + 1 :][:1] == [bundle.lower] if same_column else level + 1 == len(tiers)
        if direct or lane is None:
            return [start, end], False
        below_y = self._bands[box, tiers[level + 1]].y
        low = start.y - GAP if head else bottom
        return [start, *self._follow_lane(box, network, slot, low, (goal.y + goal.h + below_y) / 2), end], False

    def _follow_lane(self, box: int, network: int, slot: Slot, low: float, high: float) -> list[_Station]:
        """Along the lane of a network from a y up to another."""
        return [_Station((LANE, box, network), slot, y) for y in (low, high)]

    def _find_end_station(self, box: int, place_box: int, cls: int, lane: tuple[int, int, int], slot: Slot) -> _Station:
        """Where links leave a place of a box, all of them, or a band of its own."""
        scene = self._scene
        if place_box == OWN_BAND:
            return _Station((ABOVE, box, cls), slot, self._bands[box, cls].y)
        if place_box == ALL_CHILDREN:
            return _Station((GRID, box, 0), slot, float(scene.box_y[self._children[box][0]]))
        return _Station((TOP, place_box, 0), lane, float(scene.box_y[place_box]))

    def _find_span(self, edge: Edge) -> tuple[float, float]:
        """(left, width) of an edge."""
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
        """(middle, width) of each slot of an edge, in the order of where they go."""
        left, width = self._find_span(edge)
        order = sorted(wants, key=lambda slot: wants[slot][1])
        # broad as the root of the bandwidth: a link of 200G stays visible beside a bundle of 200 Tb/s
        roots = {slot: sqrt(wants[slot][0]) for slot in order}
        total, most = sum(roots.values()), sqrt(self._most[edge[1]]) or 1.0
        widths = [
            # its share of this edge, but no broader than it is beside the busiest bundle of the box: a thin bundle does
            # not fill an edge that it has for itself
            max(THINNEST, width * min(FILLED * roots[slot] / total, FILLED * roots[slot] / most))
            for slot in order
        ]
        gap = max(0.0, width - sum(widths)) / (len(order) + 1)
        shares, x = {}, left + gap
        for slot, w in zip(order, widths, strict=True):
            shares[slot] = x + w / 2, w
            x += w + gap
        return shares

    def _find_far_x(self, bundle: DrawnBundle, stations: list[_Station], index: int) -> float:
        """The x by which a bundle has its place at an edge: of the lane next to it, else of its other end."""
        last = index + 1 == len(stations)
        near = stations[index - 1 if last else index + 1].edge
        if near[0] == LANE and near != stations[index].edge and stations[index].edge[0] != TOP:
            left, width = self._find_span(near)
            return left + width / 2
        return self._find_source_x(bundle) if last and not bundle.leaves else self._find_goal_x(bundle)

    def _find_goal_x(self, bundle: DrawnBundle) -> float:
        """The x of where the upper ends of a bundle are."""
        box = bundle.other if bundle.other >= 0 else bundle.target
        return self._find_middle_x(box, bundle.upper)

    def _find_source_x(self, bundle: DrawnBundle) -> float:
        return self._find_middle_x(bundle.child if bundle.child >= 0 else bundle.box, bundle.lower)

    def _find_middle_x(self, box: int, cls: int) -> float:
        band = self._bands.get((box, cls))
        if band is not None:
            return band.x + band.w / 2
        return float(self._scene.box_x[box] + self._scene.box_w[box] / 2)

    def _find_arc_box(self, station: _Station) -> int:
        """The box in whose room an arc from a station rises."""
        kind, box, _ = station.edge
        return int(self._scene.places.parent[box]) if kind == TOP else box

    def _choose_arc_height(self, station: _Station, length: float, longest: float) -> float:
        """How high an arc from a station rises: over its length, within the room above, the longest there highest."""
        box = self._find_arc_box(station)
        floor = float(self._scene.heads[box])
        room = station.y - (floor if station.y > floor else float(self._scene.box_y[box]))
        share = ARC_LOW + (1 - ARC_LOW) * length / (longest or 1.0)
        return max(THINNEST, min(ARC_STEEP * length, ARC_ROOM * room * share))

"""Ribbons: all links of one kind between two bands, or on their way up through the box that they leave.

Links of a device to a tier of a wider place pass every box between. In each of these they are one ribbon to its top; in
the box of the upper tier one ribbon to the tier's band. Places that stand in one row have a ribbon each, those in
several rows one together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.view.layout import Band, Scene
from fabricgen.export.view.places import LEVELS
from fabricgen.wiring.tables import Ints

ALL_CHILDREN, OWN_BAND = -2, -1
"""Where a ribbon begins, in place of one child: at all of them, or at a band of its own box."""


@dataclass(frozen=True, slots=True)
class Ribbon:
    """Links in a box, from below upward; a trapezoid with curved sides between two edges, each its middle and width.

    `lower` and `upper` are classes of devices; `upper_box` is the box of the upper band: `box`, or one around it.
    `child` is the box that it begins at, or `ALL_CHILDREN`, or `OWN_BAND`.
    """

    box: int
    child: int
    lower: int
    upper: int
    upper_box: int
    fabric: str
    links: int
    gbps: float
    x0: float
    y0: float
    w0: float
    x1: float
    y1: float
    w1: float


@dataclass(frozen=True, slots=True)
class _Bundle:
    """Links of one kind in a box."""

    box: int
    child: int
    lower: int
    upper: int
    upper_box: int
    segment: int
    links: int


def ribbons_of(cluster: Cluster, scene: Scene) -> tuple[Ribbon, ...]:
    """The ribbons of a scene, wide places first."""
    bundles = _merged(cluster, scene)
    return tuple(_Drawing(cluster, scene).ribbons(bundles))


def _merged(cluster: Cluster, scene: Scene) -> list[_Bundle]:
    """Links counted by box, place that they come from, classes at both ends and segment."""
    places, links, devices = scene.places, cluster.plan.links, cluster.plan.devices
    ancestors, in_rows = places.ancestors, _in_one_row(scene)
    found: list[_Bundle] = []
    for number in range(len(links.segments)):
        rows = links.rows_of(number)
        a, b = links.a_device[rows], links.b_device[rows]
        low, high = places.device_box[a], places.device_box[b]
        swap = places.level[low] < places.level[high]
        a, b, low, high = (
            np.where(swap, b, a),
            np.where(swap, a, b),
            np.where(swap, high, low),
            np.where(swap, low, high),
        )
        classes = devices.device_class[a], devices.device_class[b]
        for level in LEVELS:
            here = np.flatnonzero((places.level[low] >= level) & (places.level[high] <= level))
            here = here[ancestors[low[here], level] >= 0]
            if len(here):
                child = _child(ancestors, places.level, low[here], level)
                box = ancestors[low[here], level]
                child = np.where((child >= 0) & ~in_rows[box], ALL_CHILDREN, child)
                found += _counted(box, child, classes[0][here], classes[1][here], high[here], number)
    return sorted(found, key=lambda bundle: (bundle.box, bundle.segment, bundle.child))


def _child(ancestors: Ints, levels: Ints, low: Ints, level: int) -> Ints:
    """The place below a level that each box is in, or is; `OWN_BAND` where the box is of that level itself."""
    found = np.full(len(low), OWN_BAND, dtype=np.int32)
    for below in reversed(range(level + 1, len(LEVELS))):
        inside = (levels[low] >= below) & (ancestors[low, below] >= 0)
        found[inside] = ancestors[low[inside], below]
    return found


def _counted(box: Ints, child: Ints, lower: Ints, upper: Ints, upper_box: Ints, segment: int) -> list[_Bundle]:
    rows = np.stack([box, child, lower, upper, upper_box], axis=1).astype(np.int64)
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    return [
        _Bundle(own, below, a, b, around, segment, count)
        for (own, below, a, b, around), count in zip(kinds.tolist(), counts.tolist(), strict=True)
    ]


def _in_one_row(scene: Scene) -> np.ndarray:
    """Whether the places of each box stand in one row; bool."""
    found = np.ones(len(scene.places), dtype=bool)
    first: dict[int, float] = {}
    for box, parent in enumerate(scene.places.parent.tolist()):
        if parent >= 0 and first.setdefault(parent, scene.box_y[box]) != scene.box_y[box]:
            found[parent] = False
    return found


class _Drawing:
    """Where ribbons begin and end."""

    def __init__(self, cluster: Cluster, scene: Scene) -> None:
        self._cluster, self._scene = cluster, scene
        self._bands: dict[tuple[int, int], Band] = {(band.box, band.cls): band for band in scene.bands}
        self._children: dict[int, list[int]] = {}
        for box, parent in enumerate(scene.places.parent.tolist()):
            self._children.setdefault(parent, []).append(box)

    def ribbons(self, bundles: list[_Bundle]) -> list[Ribbon]:
        """Every bundle as a ribbon, those that leave a box in the order of segments along its top."""
        passing: dict[int, list[tuple[int, int, int]]] = {}
        for one in bundles:
            if one.upper_box != one.box:
                lanes = passing.setdefault(one.box, [])
                if (key := (one.segment, one.lower, one.upper)) not in lanes:
                    lanes.append(key)
        found = []
        segments = self._cluster.plan.links.segments
        for one in bundles:
            x0, y0, w0 = self._start(one, passing)
            x1, y1, w1 = self._end(one, passing)
            segment = segments[one.segment]
            gbps = one.links * segment.speed_gbps
            found.append(
                Ribbon(
                    one.box, one.child, one.lower, one.upper, one.upper_box, segment.fabric, one.links, gbps,
                    x0, y0, w0, x1, y1, w1,
                )
            )  # fmt: skip
        return found

    def _start(self, one: _Bundle, passing: dict[int, list[tuple[int, int, int]]]) -> tuple[float, float, float]:
        scene = self._scene
        if one.child == OWN_BAND:
            band = self._bands[one.box, one.lower]
            return band.x + band.w / 2, band.y, band.w * 0.9
        if one.child == ALL_CHILDREN:
            boxes = np.array(self._children[one.box])
            left, right = scene.box_x[boxes].min(), (scene.box_x[boxes] + scene.box_w[boxes]).max()
            at, width = self._lane(one, passing, int(boxes[0]))
            return float(left + (right - left) * at), float(scene.box_y[boxes].min()), float((right - left) * width)
        at, width = self._lane(one, passing, one.child)
        w = scene.box_w[one.child]
        return float(scene.box_x[one.child] + w * at), float(scene.box_y[one.child]), float(w * width)

    def _end(self, one: _Bundle, passing: dict[int, list[tuple[int, int, int]]]) -> tuple[float, float, float]:
        scene = self._scene
        if one.upper_box != one.box:
            at, width = self._lane(one, passing, one.box)
            w = scene.box_w[one.box]
            return float(scene.box_x[one.box] + w * at), float(scene.box_y[one.box]), float(w * width)
        band = self._bands[one.box, one.upper]
        if one.child < 0:
            return band.x + band.w / 2, band.y + band.h, band.w * 0.9
        children = self._children[one.box]
        share = band.w / len(children)
        return band.x + share * (children.index(one.child) + 0.5), band.y + band.h, share * 0.9

    def _lane(self, one: _Bundle, passing: dict[int, list[tuple[int, int, int]]], box: int) -> tuple[float, float]:
        """(middle, width) of the place at the top of a box where links leave it, as shares of its width."""
        lanes = passing.get(box, [])
        key = (one.segment, one.lower, one.upper)
        number, count = (lanes.index(key), len(lanes)) if key in lanes else (0, 1)
        return (number + 1) / (count + 1), 0.5 / (count + 1)

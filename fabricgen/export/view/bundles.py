"""Bundles: the links of one kind in a box, counted: between two of its bands or places, or on their way out of it.

Links between devices of different boxes meet in the narrowest box that holds both. In every box below, on either side,
they are one bundle to its top; where they meet, one bundle between the bands or places of both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.view.places import LEVELS, BoxTree
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64
from fabricgen.wiring.tables import SWITCH

OWN_BAND, ALL_CHILDREN, OUTSIDE = -1, -2, -3
"""An end that is no single place: a band of the box itself, all of its places together, what is beyond its top."""

LOWEST = (OUTSIDE, OUTSIDE, 0, OUTSIDE, 0, OUTSIDE)
"""The lowest value of what a bundle is known by: places may be one of the above, classes count from 0."""

MOST_IN_A_ROW = 4
"""Places that stand in one row; where there are more, a bundle is of all of them together."""


ALIKE = ("rail", "plane", "medium", "length_m")
"""What links of a bundle may be alike in; rails and planes from 1, -1 for the medium of a link without a cable."""


@dataclass(frozen=True, slots=True)
class DrawnBundle:
    """Links of a segment in a box. `lower` and `upper` are the classes of the devices at both ends.

    `child` and `other` are the places of the box that hold the two ends, or what the constants above say. `target` is
    the box that `upper` is in: that of its band, or where links from other places meet.
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
    """The least of its links in each of `ALIKE`, and the most."""
    most: tuple[float, ...] = ()

    @property
    def leaves(self) -> bool:
        """Whether the links leave the box through its top."""
        return self.other == OUTSIDE

    @property
    def joins_all(self) -> bool:
        """Whether it is of links between all places of the box, where these are too many for a bundle of every two."""
        return self.child == self.other == ALL_CHILDREN

    @property
    def place(self) -> tuple[int, ...]:
        """What a bundle is known by."""
        return self.box, self.child, self.lower, self.other, self.upper, self.segment

    @property
    def lane(self) -> tuple[int, int, int]:
        """Bundles of one lane through the top of a box are the same links."""
        return self.segment, self.lower, self.upper


def make_bundles(cluster: Cluster, places: BoxTree, is_included: Flags | None = None) -> tuple[DrawnBundle, ...]:
    """The bundles of a cluster, or of some of its links, by box, segment and ends; wide places first."""
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
        low, high = np.where(swap, b, a), np.where(swap, a, b)
        counter.add(
            number,
            [column[rows] for column in alike_columns],
            (places.device_box[low], devices.device_class[low]),
            (places.device_box[high], devices.device_class[high]),
        )
    return tuple(
        sorted(
            counter.bundles,
            key=lambda bundle: (bundle.box, bundle.segment, bundle.child, bundle.other, bundle.lower, bundle.upper),
        )
    )


def list_oversubscription(cluster: Cluster) -> dict[frozenset[int], float]:
    """Oversubscription of links from a tier to what it is oversubscribed towards, by the classes of both ends.

    That is the tier above, perhaps another fabric's, or for spans between sites the tier itself. Of a tier whose
    switches differ it is the worst.
    """
    classes = [(number, cls.key) for number, cls in enumerate(cluster.plan.devices.classes) if cls.kind == SWITCH]
    ratios: dict[frozenset[int], float] = {}
    for tier in cluster.design.tiers:
        if tier.oversubscription is not None:
            above = tier.uplink.upper if tier.uplink else tier.key
            lower, upper = ([number for number, key in classes if key == tier_key] for tier_key in (tier.key, above))
            ratio = round(float(tier.oversubscription), 4)
            ratios |= {frozenset((low, high)): ratio for low in lower for high in upper}
    return ratios


def _make_alike_columns(cluster: Cluster) -> list[Ints | Floats]:
    """Columns over links of what `ALIKE` names."""
    links, cables = cluster.plan.links, cluster.plan.cables
    wired = links.cable >= 0
    medium, length = np.full(len(links), -1, dtype=np.int32), np.zeros(len(links))
    medium[wired], length[wired] = cables.medium[links.cable[wired]], cables.length_m[links.cable[wired]]
    return [links.rail, links.plane, medium, length]


class _Counter:
    """Counts links by what a bundle is known by."""

    def __init__(self, places: BoxTree, classes: int) -> None:
        self._places, self._classes = places, classes
        self._ancestors = places.ancestors
        self._grid = np.bincount(places.parent[1:], minlength=len(places)) > MOST_IN_A_ROW
        self.bundles: list[DrawnBundle] = []

    def add(self, segment: int, alike: list[Ints | Floats], low: tuple[Ints, Ints], high: tuple[Ints, Ints]) -> None:
        """Count links of a segment by the box and class of the devices at both ends; `alike` are columns of them."""
        (low_box, low_class), (high_box, high_class) = low, high
        low_up, high_up = self._ancestors[low_box], self._ancestors[high_box]
        is_shared = (low_up == high_up) & (low_up >= 0)
        # the narrowest box that holds both: the last level at which they agree, so the first from behind
        meeting = len(LEVELS) - 1 - np.argmax(is_shared[:, ::-1], axis=1)
        meeting_box = low_up[np.arange(len(low_box)), meeting]
        child, other = (_find_child(up, box, meeting) for up, box in ((low_up, low_box), (high_up, high_box)))
        in_grid = self._grid[meeting_box]
        child, other = (np.where((end >= 0) & in_grid, ALL_CHILDREN, end) for end in (child, other))
        self._append_bundles(segment, alike, meeting_box, child, low_class, other, high_class, meeting_box)
        # both ends together: where switches meet as equals, a place has some links by one end, and some by the other
        up, box, own_class, far_class = map(
            np.concatenate, ((low_up, high_up), (low_box, high_box), (low_class, high_class), (high_class, low_class))
        )
        meeting, meeting_box = np.tile(meeting, 2), np.tile(meeting_box, 2)
        for level in LEVELS:
            rows = np.flatnonzero((meeting < level) & (up[:, level] >= 0))
            if len(rows):
                boxes = up[rows, level]
                inner = _find_child(up[rows], box[rows], np.full(len(rows), level))
                inner = np.where((inner >= 0) & self._grid[boxes], ALL_CHILDREN, inner)
                outside = np.full(len(rows), OUTSIDE)
                row_alike = [column[rows % len(low_box)] for column in alike]
                self._append_bundles(
                    segment, row_alike, boxes, inner, own_class[rows], outside, far_class[rows], meeting_box[rows]
                )

    def _append_bundles(self, segment: int, alike: list[Ints | Floats], *columns: Ints | Ints64) -> None:
        boxes, classes = len(self._places) - OUTSIDE, self._classes
        key = np.zeros(len(columns[0]), dtype=np.int64)
        sizes = (boxes, boxes, classes, boxes, classes, boxes)
        for column, size, lowest in zip(columns, sizes, LOWEST, strict=True):
            # all columns as the digits of one number, each digit from 0: one sort instead of six
            key = key * size + column - lowest
        order = np.argsort(key, kind="stable")
        key = key[order]
        starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]][: len(key)])
        keys, counts = key[starts], np.diff(np.r_[starts, len(key)])
        least, most = (
            zip(*(end.reduceat(column[order], starts).tolist() for column in alike), strict=True)
            for end in (np.minimum, np.maximum)
        )
        parts: list[list[int]] = []
        for size, lowest in zip(reversed(sizes), reversed(LOWEST), strict=True):
            # the digits again, the last column first
            parts.append((keys % size + lowest).tolist())
            keys = keys // size
        for box, child, lower, other, upper, target, links, low, high in zip(
            *reversed(parts), counts.tolist(), least, most, strict=True
        ):
            self.bundles.append(DrawnBundle(box, child, lower, other, upper, target, segment, links, low, high))


def _find_child(up: Ints, box: Ints, level: Ints64) -> Ints:
    """The place next below a level that each box is in, or is; `OWN_BAND` where the box is of that level itself."""
    children = np.full(len(box), OWN_BAND, dtype=np.int32)
    for child_level in reversed(LEVELS[1:]):
        is_inside = (level < child_level) & (up[:, child_level] >= 0)
        children[is_inside] = up[is_inside, child_level]
    return children

"""Where everything of the fabric view is drawn: boxes within boxes, bands of devices in them, lanes for links.

One layout for all zooms, in units of its own. At the foot of a box are its nodes or its places, and extra devices
beside them; above that a gap for ribbons and its switches: a column for each network, its tiers stacked from below
upward, and beside it a lane where links pass that end elsewhere. The name of a box stands below, where no link passes.
Devices of a band stand in a grid in the order of the device table: places, then rails and planes, then numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.export.view.bundles import MOST_IN_A_ROW, OUTSIDE, OWN_BAND, DrawnBundle, make_bundles
from fabricgen.export.view.places import CLUSTER, BoxTree, make_places
from fabricgen.wiring.arrays import Floats, Ints
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH

CELL_W, CELL_H, CELL_GAP = 12.0, 5.0, 2.0
"""A node, or a switch among nodes, and the gap between devices."""

HEADER, MARGIN, HEADER_SHARE = 4.0, 1.5, 0.014
"""The line of a band's name, and its margin on the other sides; like its devices, larger in wide places."""

BAR, BAR_SHARE = 2.0, 0.4
"""Room below the switches of a band, and how much of it the bar at its foot takes, in which links of all of them begin.
"""

LARGEST, FILLED = 12.0, 0.8
"""Devices of wide places are drawn larger, at most so many times, until their bands fill this share of the box."""

PAD, GAP, FOOT = 4.0, 6.0, 9.0
"""Least margin inside a box, gap between boxes and between bands, and line of a box's name."""

PAD_SHARE, GAP_SHARE, FOOT_SHARE, RIBBON_SHARE, ARC_SHARE = 0.006, 0.01, 0.022, 0.1, 0.03
"""The same, the gap for ribbons, and the room for arcs above, as shares of the width of a box."""

LANE_SHARE, WIDE_LANE_SHARE, EXTRA_SHARE = 0.025, 0.08, 0.2
"""Width of a lane beside bands, and where its network has none here; of extra devices beside places."""

FLATTEST, LONGEST_SHARE = 2.2, 0.2
"""Gaps for ribbons are higher where a box is flatter than so, up to this share of its width."""

PASSING_SHARE = 0.04
"""Room above the switches of a box, or its places where it has none, for links that leave it."""

ASPECT, WIDER = 1.7, 1.8
"""Width over height that grids aim at; nodes are so many times wider where switches above them need it."""


@dataclass(frozen=True, slots=True)
class Band:
    """Devices of one class in one box, in rows of a grid; `first` to `last` - 1 are its rows of `Scene.order`."""

    box: int
    cls: int
    x: float
    y: float
    w: float
    h: float
    first: int
    last: int
    scale: float
    """Size of its devices, in cells."""
    columns: int
    """How many devices stand side by side."""
    header: float
    """Height of the line of its name."""


@dataclass(frozen=True, slots=True)
class Lane:
    """Where links of a network pass the switches of a box: from `top` to `bottom`, or to a gap between tiers."""

    x: float
    w: float
    top: float
    bottom: float


@dataclass(frozen=True)
class Scene:
    """The drawing: float64 columns x, y (top left), w and h of boxes and devices; y grows downward.

    `order` are the devices band by band. `heads` is by box the y at which its switches end, `box_foot`
    the height of the line of its name. `lanes` are by box and
    network; `networks` are by class of device.
    """

    places: BoxTree
    bundles: tuple[DrawnBundle, ...]
    box_x: Floats
    box_y: Floats
    box_w: Floats
    box_h: Floats
    heads: Floats
    box_foot: Floats
    bands: tuple[Band, ...]
    lanes: dict[tuple[int, int], Lane]
    networks: tuple[int, ...]
    device_x: Floats
    device_y: Floats
    order: Ints

    @property
    def width(self) -> float:
        """Width of the whole drawing."""
        return float(self.box_w[CLUSTER])

    @property
    def height(self) -> float:
        """Height of the whole drawing."""
        return float(self.box_h[CLUSTER])


def lay_out_scene(cluster: Cluster) -> Scene:
    """Lay the fabric view of a cluster out."""
    return _SceneLayout(cluster).lay_out()


@dataclass(slots=True)
class _PlacedBand:
    """A band before its box has a place: where it is in its box, with its name and margins."""

    cls: int
    rows: Ints
    columns: int = 1
    w: float = 0.0
    h: float = 0.0
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    header: float = HEADER
    bar: float = 0.0

    def arrange(self, columns: int, scale: float = 1.0, header: float = 0.0) -> None:
        """Set size and shape for so many devices side by side, or as few as fill the same rows."""
        self.header = max(header, scale * HEADER)
        lines = ceil(len(self.rows) / max(1, min(columns, len(self.rows))))
        self.columns, self.scale = ceil(len(self.rows) / lines), scale
        self.w = scale * (self.columns * (CELL_W + CELL_GAP) - CELL_GAP + 2 * MARGIN)
        self.h = scale * (lines * (CELL_H + CELL_GAP) - CELL_GAP + MARGIN + self.bar) + self.header


@dataclass(slots=True)
class _NetworkColumn:
    """The bands of a network in a box, uppermost first, and whether its links pass beside them."""

    network: int
    blocks: list[_PlacedBand] = field(default_factory=list)
    lane: bool = False

    @property
    def most(self) -> int:
        """Devices of its largest band."""
        return max((len(block.rows) for block in self.blocks), default=0)


def _choose_column_count(count: int) -> int:
    """Devices or places side by side, so that a grid of so many cells is about `ASPECT` wide."""
    return max(1, round(sqrt(count * ASPECT * (CELL_H + CELL_GAP) / (CELL_W + CELL_GAP))))


class _SceneLayout:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._devices = cluster, cluster.plan.devices
        self._places = make_places(cluster)
        self._bundles: dict[int, list[DrawnBundle]] = defaultdict(list)
        for bundle in make_bundles(cluster, self._places):
            self._bundles[bundle.box].append(bundle)
        self._networks = _number_networks(cluster)
        self._blocks: dict[int, list[_PlacedBand]] = defaultdict(list)
        self._children: dict[int, list[int]] = defaultdict(list)
        for box, parent in enumerate(self._places.parent.tolist()):
            if parent >= 0:
                self._children[parent].append(box)
        self._x, self._y, self._w, self._h, self._heads, self._foot = (np.zeros(len(self._places)) for _ in range(6))
        self._lanes: dict[tuple[int, int], Lane] = {}

    def lay_out(self) -> Scene:
        self._collect_blocks()
        # parents come before their children: from behind, children have sizes before their parent needs these
        for box in reversed(range(len(self._places))):
            self._lay_out(box)
        for box in range(len(self._places)):
            for child in self._children[box]:
                self._x[child] += self._x[box]
                self._y[child] += self._y[box]
        return self._make_scene()

    def _collect_blocks(self) -> None:
        """Sort the devices into blocks, by box and class."""
        key = self._places.device_box.astype(np.int64) * len(self._devices.classes) + self._devices.device_class
        order = np.argsort(key, kind="stable").astype(np.int32)
        # where another box or class begins
        ends = np.flatnonzero(np.diff(key[order])) + 1
        for rows in np.split(order, ends):
            if len(rows):
                cls = int(self._devices.device_class[rows[0]])
                is_foot = self._devices.classes[cls].kind in (NODE, EXTRA)
                block = _PlacedBand(cls, rows, bar=0.0 if is_foot else BAR)
                block.arrange(_choose_column_count(len(rows)))
                self._blocks[int(self._places.device_box[rows[0]])].append(block)

    def _lay_out(self, box: int) -> None:
        """Place children and bands in a box, from its corner; its children are done."""
        columns = self._list_columns(box)
        feet = [b for b in self._blocks[box] if self._devices.classes[b.cls].kind in (NODE, EXTRA)]
        grid_w, grid_h = self._place_grid(self._children[box])
        natural = sum(c.most * (CELL_W + CELL_GAP) + 2 * MARGIN + 2 * GAP for c in columns)
        if grid_w:
            _shape_extras(feet, grid_w, grid_h)
        else:
            _widen_feet(feet, natural)
        gap = max(2 * GAP, GAP_SHARE * grid_w)
        widths = [*([grid_w] if grid_w else []), *(block.w for block in feet)]
        bottom_w, bottom_h = sum(widths) + gap * (len(widths) - 1), max([grid_h, *(block.h for block in feet)])
        heads_w, heads_h = (
            self._stack_bands(box, columns, max(bottom_w, CELL_W), 1.0 if grid_w else WIDER) if columns else (0.0, 0.0)
        )
        inner = max(bottom_w, heads_w, CELL_W)
        pad = max(PAD, PAD_SHARE * inner)
        top, ribbons = self._choose_gaps(box, columns, inner, (heads_h, bottom_h))
        for column in columns:
            for block in column.blocks:
                block.x, block.y = block.x + pad + (inner - heads_w) / 2, block.y + top
            if (lane := self._lanes.get((box, column.network))) is not None:
                x = lane.x + pad + (inner - heads_w) / 2
                self._lanes[box, column.network] = Lane(x, lane.w, top, top + heads_h)
        y, x = top + heads_h + ribbons, pad + (inner - bottom_w) / 2
        for child in self._children[box]:
            self._x[child] += x
            self._y[child] += y
        x += grid_w + gap if grid_w else 0.0
        for block in feet:
            block.x, block.y = x, y
            x += block.w + gap
        self._heads[box] = top + heads_h if heads_h else 0.0
        self._w[box] = inner + 2 * pad
        self._foot[box] = max(FOOT, FOOT_SHARE * inner)
        self._h[box] = y + bottom_h + pad + self._foot[box]

    def _choose_gaps(
        self, box: int, columns: Sequence[_NetworkColumn], inner: float, heights: tuple[float, float]
    ) -> tuple[float, float]:
        """Room of a box above its switches, and between these and its foot, by the heights of both."""
        heads_h, bottom_h = heights
        bundles = self._bundles[box]
        leaves = any(bundle.leaves for bundle in bundles)
        top = max(PAD, PAD_SHARE * inner)
        if any(self._is_arched(bundle, columns) for bundle in bundles if not bundle.leaves):
            top += max(2 * GAP, ARC_SHARE * inner)
        if leaves and heads_h:
            top += PASSING_SHARE * inner
        if heads_h and bottom_h:
            # what is missing until the box is no flatter than it may be
            room = inner / FLATTEST - top - heads_h - bottom_h
            return top, max(2 * GAP, RIBBON_SHARE * inner, min(LONGEST_SHARE * inner, room))
        return top, max(GAP, PASSING_SHARE * inner) if leaves and self._children[box] else 0.0

    def _place_grid(self, children: Sequence[int]) -> tuple[float, float]:
        """Place the places of a box in rows, each as high as its own; returns (width, height)."""
        if not children:
            return 0.0, 0.0
        w, h = (np.array([size[c] for c in children]) for size in (self._w, self._h))
        gap = max(GAP, GAP_SHARE * float(w.max()))
        per_row = len(children)
        if per_row > MOST_IN_A_ROW:
            per_row = max(1, round(sqrt(per_row * ASPECT * (h.max() + gap) / (w.max() + gap))))
            even_counts = [
                n
                for n in (per_row, per_row + 1, per_row - 1, per_row + 2, per_row - 2)
                if n > 1 and len(children) % n == 0
            ]
            # a number near by with which all rows are full, else rows as equal as can be
            per_row = even_counts[0] if even_counts else ceil(len(children) / ceil(len(children) / per_row))
        widths = [float(w[i::per_row].max()) for i in range(per_row)]
        heights = [float(h[i : i + per_row].max()) for i in range(0, len(children), per_row)]
        for i, child in enumerate(children):
            self._x[child] = sum(widths[: i % per_row]) + gap * (i % per_row)
            self._y[child] = sum(heights[: i // per_row]) + gap * (i // per_row)
        return sum(widths) + gap * (per_row - 1), sum(heights) + gap * (len(heights) - 1)

    def _list_columns(self, box: int) -> list[_NetworkColumn]:
        """The columns of a box in the order of networks; none where it has no switches."""
        columns: dict[int, _NetworkColumn] = {}
        heads = [b for b in self._blocks[box] if self._devices.classes[b.cls].kind not in (NODE, EXTRA)]
        # bands stand from the highest tier down, in the column of their network
        for block in sorted(heads, key=lambda b: -self._find_level(b.cls)):
            network = self._networks[block.cls]
            columns.setdefault(network, _NetworkColumn(network)).blocks.append(block)
        if columns:
            positions = {block.cls: (c.network, i) for c in list(columns.values()) for i, block in enumerate(c.blocks)}
            for bundle in self._bundles[box]:
                network = self._networks[bundle.upper]
                if self._is_passing(bundle, positions, columns):
                    columns.setdefault(network, _NetworkColumn(network)).lane = True
        return [column for _, column in sorted(columns.items())]

    def _is_passing(
        self, bundle: DrawnBundle, positions: dict[int, tuple[int, int]], columns: dict[int, _NetworkColumn]
    ) -> bool:
        """Whether links have to pass beside bands to where they go."""
        head = positions.get(bundle.lower) if bundle.child == OWN_BAND else None
        if bundle.other == OUTSIDE:
            # links that leave the box rise freely from the highest band alone
            return head is None or head[1] > 0
        goal = positions.get(bundle.upper) if bundle.other == OWN_BAND else None
        if goal is None or bundle.lower == bundle.upper:
            return False
        if head is None:
            # from places below: only the lowest band of a column is next to them
            return goal[1] + 1 < len(columns[goal[0]].blocks)
        # within a column, past the bands in between
        return head[0] == goal[0] and head[1] > goal[1] + 1

    def _is_arched(self, bundle: DrawnBundle, columns: Sequence[_NetworkColumn]) -> bool:
        """Whether links inside a box go from side to side rather than up."""
        column = {block.cls: column.network for column in columns for block in column.blocks}
        if bundle.child == OWN_BAND and bundle.lower in column:
            return bundle.lower == bundle.upper or column[bundle.lower] != column.get(bundle.upper)
        return bundle.other != OWN_BAND or bundle.upper not in column

    def _stack_bands(
        self, box: int, columns: Sequence[_NetworkColumn], width: float, wider: float
    ) -> tuple[float, float]:
        """Place bands of switches: a column for each network, its tiers from below upward; returns (width, height).

        They are to be as wide as the box's foot, or so many times wider if they must not be in rows.
        """
        lanes = {
            c.network: max(CELL_W / 2, (LANE_SHARE if c.blocks else WIDE_LANE_SHARE) * width) for c in columns if c.lane
        }
        banded = [c for c in columns if c.blocks]
        total = sum(c.most for c in banded)
        margins = len(banded) * (2 * MARGIN + 2 * GAP)
        natural = total * (CELL_W + CELL_GAP) + margins
        # lanes may take half of the width at most: bands are what one looks for
        room = max(width - sum(lanes.values()), width / 2)
        scale = max(1.0, min(LARGEST, FILLED * room / natural))
        x, heights = 0.0, []
        for column in columns:
            per_row = column.most
            # devices that were made larger fit in one row each; others are folded into rows, two devices in each at
            # least
            if scale == 1:
                free_width = max(room, min(natural, wider * width)) - margins
                per_row = max(min(2, per_row), int(free_width * per_row / total / (CELL_W + CELL_GAP)))
            for block in column.blocks:
                block.arrange(per_row, scale, HEADER_SHARE * width)
            column_w, y = max((b.w for b in column.blocks), default=0.0), 0.0
            row_gap = max(2 * GAP, RIBBON_SHARE * column_w)
            for block in column.blocks:
                block.x, block.y = x + (column_w - block.w) / 2, y
                y += block.h + row_gap
            heights.append(max(0.0, y - row_gap))
            x += column_w
            if column.lane:
                self._lanes[box, column.network] = Lane(x + GAP, lanes[column.network], 0.0, 0.0)
                x += GAP + lanes[column.network]
            x += 2 * GAP
        for column, column_height in zip(columns, heights, strict=True):
            for block in column.blocks:
                # columns stand on one line at their feet, where links to what is below begin
                block.y += max(heights) - column_height
        return max(0.0, x - 2 * GAP), max(heights)

    def _find_level(self, cls: int) -> int:
        device_class = self._devices.classes[cls]
        return self._cluster.design.levels.get(device_class.key, 0) if device_class.kind == SWITCH else 0

    def _make_scene(self) -> Scene:
        device_x, device_y = np.zeros(len(self._devices)), np.zeros(len(self._devices))
        bands, order, first = [], [], 0
        for box in range(len(self._places)):
            for block in self._blocks[box]:
                x, y = self._x[box] + block.x, self._y[box] + block.y
                index = np.arange(len(block.rows))
                left, top = x + MARGIN * block.scale, y + block.header
                device_x[block.rows] = left + index % block.columns * (CELL_W + CELL_GAP) * block.scale
                device_y[block.rows] = top + index // block.columns * (CELL_H + CELL_GAP) * block.scale
                last = first + len(block.rows)
                bands.append(
                    Band(box, block.cls, x, y, block.w, block.h, first, last, block.scale, block.columns, block.header)
                )
                order.append(block.rows)
                first = last
        lanes = {
            (box, network): Lane(lane.x + self._x[box], lane.w, lane.top + self._y[box], lane.bottom + self._y[box])
            for (box, network), lane in self._lanes.items()
        }
        bundles = tuple(bundle for box in range(len(self._places)) for bundle in self._bundles[box])
        return Scene(
            self._places, bundles, self._x, self._y, self._w, self._h, self._heads + self._y, self._foot,
            tuple(bands), lanes,            tuple(self._networks), device_x, device_y, np.concatenate(order),
        )  # fmt: skip


def _shape_extras(extras: Sequence[_PlacedBand], grid_w: float, grid_h: float) -> None:
    """Shape the extra devices that stand beside the places of a box: no higher than these."""
    if not extras:
        return
    scale = EXTRA_SHARE * grid_w / sum(CELL_W + 2 * MARGIN + 2 * GAP for _ in extras)
    scale = max(1.0, min(LARGEST, scale, grid_h / (HEADER + CELL_H + MARGIN)))
    for block in extras:
        room = (grid_h - max(HEADER * scale, HEADER_SHARE * grid_w)) / scale - MARGIN + CELL_GAP
        lines = max(1, int(room / (CELL_H + CELL_GAP)))
        block.arrange(ceil(len(block.rows) / lines), scale, HEADER_SHARE * grid_w)


def _widen_feet(feet: Sequence[_PlacedBand], natural: float) -> None:
    """Shape nodes wider where the switches above them need it."""
    width = sum(block.w for block in feet)
    if feet and natural > width:
        for block in feet:
            block.arrange(max(block.columns, int(block.columns * min(WIDER, natural / width))))


def _number_networks(cluster: Cluster) -> list[int]:
    """By class of device, a number: fabrics that share or link tiers have one; then scale-up domains, then nodes."""
    groups = group_linked_fabrics(cluster.design.loaded.blueprint.fabrics)
    number_by_fabric = {name: i for i, names in enumerate(groups) for name in names}
    for domain in cluster.design.scale_up:
        number_by_fabric[domain.name] = len(groups)
    return [number_by_fabric.get(cls.fabric, len(groups) + 1) for cls in cluster.plan.devices.classes]

"""Where everything of the fabric view is drawn: boxes within boxes, bands of devices in boxes, lanes for links.

There is one layout for all zooms, in units of its own. At the foot of a box stand its nodes or its inner boxes, with
extra devices beside them. Above the foot are a gap for ribbons and the switches of the box: a column for each network,
whose tiers are stacked from below upward, and beside a column a lane for links that pass the column on their way. The
name of a box stands below everything else, where no link passes. Devices of a band stand in a grid in the order of the
device table: by place, then rail and plane, then number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.export.view.boxes import (
    CLUSTER,
    MOST_IN_A_ROW,
    OUTSIDE,
    OWN_BAND,
    BoxTree,
    DrawnBundle,
    make_bundles,
    make_places,
)
from fabricgen.wiring.arrays import Floats, Ints
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH

CELL_W, CELL_H, CELL_GAP = 12.0, 5.0, 2.0
"""Width and height of a node, or of a switch among nodes, and the gap between devices."""

HEADER, MARGIN, HEADER_SHARE = 4.0, 1.5, 0.014
"""Height of the line with a band's name, and the margin on a band's other sides.

HEADER_SHARE is the height of that line as a share of the width of a wide box.
"""

BAR, BAR_SHARE = 2.0, 0.4
"""Height of the strip below the switches of a band, and the share of the strip that the bar at its foot takes; links of
all switches of the band begin in that bar.
"""

LARGEST, FILLED = 12.0, 0.8
"""Devices in wide boxes are drawn up to LARGEST times larger, until their bands fill this share of the box."""

PAD, GAP, FOOT = 4.0, 6.0, 9.0
"""Least margin inside a box, least gap between boxes and between bands, and least height of the line with a box's name.
"""

PAD_SHARE, GAP_SHARE, FOOT_SHARE, RIBBON_SHARE, ARC_SHARE = 0.006, 0.01, 0.022, 0.1, 0.03
"""Shares of the width of a box: the three lengths above, the gap for ribbons, and the room for arcs at the top."""

LANE_SHARE, WIDE_LANE_SHARE, EXTRA_SHARE = 0.025, 0.08, 0.2
"""Shares of the width of a box: of a lane beside bands, of a lane whose network has no bands in the box, and of the
extra devices beside inner boxes.
"""

FLATTEST, LONGEST_SHARE = 2.2, 0.2
"""A box that is flatter (width by height) than this gets a higher gap for ribbons, up to this share of its width."""

PASSING_SHARE = 0.04
"""Height, as a share of a box's width, that is left above its switches (or its inner boxes, if it has no switches) for
links that leave the box.
"""

ASPECT, WIDER = 1.7, 1.8
"""Width by height that grids aim at, and how many times wider nodes may be if the switches above them need the width.
"""


@dataclass(frozen=True, slots=True)
class Band:
    """Devices of one class in one box, in rows of a grid; they are the rows `first` to `last` - 1 of `Scene.order`."""

    box: int
    cls: int
    x: float
    y: float
    w: float
    h: float
    first: int
    last: int
    scale: float
    """Width and height of a device, as multiples of CELL_W and CELL_H."""
    columns: int
    """How many devices stand side by side."""
    header: float
    """Height of the line with the band's name."""


@dataclass(frozen=True, slots=True)
class Lane:
    """Where links of a network pass the switches of a box: from y `top` down to y `bottom`."""

    x: float
    w: float
    top: float
    bottom: float


@dataclass(frozen=True)
class Scene:
    """The laid-out fabric view, in units of the drawing; y grows downward.

    `box_x`, `box_y` (top left corner), `box_w` and `box_h` are float64, one value a box; `device_x` and `device_y` are
    float64, one value a device. `order` has the rows of the devices, band by band. `heads` has the y at which the
    switches of each box end, `box_foot` the height of the line with each box's name. `lanes` is keyed by (box,
    network). `networks` has the number of the network of each device class.
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
    """Return the fabric view of a cluster, with a position for each box, band, device and lane."""
    return _SceneLayout(cluster).lay_out()


@dataclass(slots=True)
class _PlacedBand:
    """A band whose box has no position yet: x and y are relative to the box; w and h include its name and margins."""

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
        """Set the size of the band with up to `columns` devices side by side.

        The band has as many rows as that needs, and then as few columns as these rows need. Devices, margins and name
        are `scale` times as large as usual, the name at least `header` high.
        """
        self.header = max(header, scale * HEADER)
        lines = ceil(len(self.rows) / max(1, min(columns, len(self.rows))))
        self.columns, self.scale = ceil(len(self.rows) / lines), scale
        self.w = scale * (self.columns * (CELL_W + CELL_GAP) - CELL_GAP + 2 * MARGIN)
        self.h = scale * (lines * (CELL_H + CELL_GAP) - CELL_GAP + MARGIN + self.bar) + self.header


@dataclass(slots=True)
class _NetworkColumn:
    """The bands of one network in a box, uppermost first, and whether a lane for passing links stands beside them."""

    network: int
    bands: list[_PlacedBand] = field(default_factory=list)
    lane: bool = False

    @property
    def largest_band(self) -> int:
        """Number of devices in the column's largest band."""
        return max((len(band.rows) for band in self.bands), default=0)


def _choose_column_count(count: int) -> int:
    """Return how many of `count` devices stand side by side, so that their grid is about `ASPECT` times as wide as
    high.
    """
    return max(1, round(sqrt(count * ASPECT * (CELL_H + CELL_GAP) / (CELL_W + CELL_GAP))))


class _SceneLayout:
    """Lays out one cluster: collects the bands of each box, sizes boxes from the innermost outward, then adds up
    positions.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._devices = cluster, cluster.plan.devices
        self._places = make_places(cluster)
        self._bundles: dict[int, list[DrawnBundle]] = defaultdict(list)
        for bundle in make_bundles(cluster, self._places):
            self._bundles[bundle.box].append(bundle)
        self._networks = _number_networks(cluster)
        self._bands: dict[int, list[_PlacedBand]] = defaultdict(list)
        self._children: dict[int, list[int]] = defaultdict(list)
        for box, parent in enumerate(self._places.parent.tolist()):
            if parent >= 0:
                self._children[parent].append(box)
        self._x, self._y, self._w, self._h, self._heads, self._foot = (np.zeros(len(self._places)) for _ in range(6))
        self._lanes: dict[tuple[int, int], Lane] = {}

    def lay_out(self) -> Scene:
        """Return the scene; runs once."""
        self._collect_bands()
        # boxes are listed parents first: in reverse, the children have sizes before their parent is laid out
        for box in reversed(range(len(self._places))):
            self._lay_out_box(box)
        for box in range(len(self._places)):
            for child in self._children[box]:
                self._x[child] += self._x[box]
                self._y[child] += self._y[box]
        return self._make_scene()

    def _collect_bands(self) -> None:
        """Make a band of the devices of each class in each box, and file it under its box."""
        band_key = self._places.device_box.astype(np.int64) * len(self._devices.classes) + self._devices.device_class
        order = np.argsort(band_key, kind="stable").astype(np.int32)
        # the positions at which another box or another class begins
        for rows in np.split(order, np.flatnonzero(np.diff(band_key[order])) + 1):
            if len(rows):
                cls = int(self._devices.device_class[rows[0]])
                band = _PlacedBand(cls, rows, bar=0.0 if (self._devices.classes[cls].kind in (NODE, EXTRA)) else BAR)
                band.arrange(_choose_column_count(len(rows)))
                self._bands[int(self._places.device_box[rows[0]])].append(band)

    def _lay_out_box(self, box: int) -> None:
        """Set the size of a box and the positions of its children and bands relative to its corner.

        The children of the box must have been laid out. Switches stand at the top; inner boxes and nodes stand at the
        foot.
        """
        columns = self._list_columns(box)
        foot_bands = [b for b in self._bands[box] if self._devices.classes[b.cls].kind in (NODE, EXTRA)]
        children_w, children_h = self._place_grid(self._children[box])
        columns_w = sum(c.largest_band * (CELL_W + CELL_GAP) + 2 * MARGIN + 2 * GAP for c in columns)
        if children_w:
            _shape_extras(foot_bands, children_w, children_h)
        else:
            _widen_feet(foot_bands, columns_w)
        gap = max(2 * GAP, GAP_SHARE * children_w)
        widths = [*([children_w] if children_w else []), *(band.w for band in foot_bands)]
        bottom_w, bottom_h = sum(widths) + gap * (len(widths) - 1), max([children_h, *(band.h for band in foot_bands)])
        heads_w, heads_h = (
            self._stack_bands(box, columns, max(bottom_w, CELL_W), 1.0 if children_w else WIDER)
            if columns
            else (0.0, 0.0)
        )
        inner = max(bottom_w, heads_w, CELL_W)
        pad = max(PAD, PAD_SHARE * inner)
        top, ribbons = self._choose_gaps(box, columns, inner, (heads_h, bottom_h))
        # bands and lanes stand relative to the corner of all switches: from here on relative to that of the box
        for column in columns:
            for band in column.bands:
                band.x, band.y = band.x + pad + (inner - heads_w) / 2, band.y + top
            if (lane := self._lanes.get((box, column.network))) is not None:
                x = lane.x + pad + (inner - heads_w) / 2
                self._lanes[box, column.network] = Lane(x, lane.w, top, top + heads_h)
        y, x = top + heads_h + ribbons, pad + (inner - bottom_w) / 2
        for child in self._children[box]:
            self._x[child] += x
            self._y[child] += y
        x += children_w + gap if children_w else 0.0
        for band in foot_bands:
            band.x, band.y = x, y
            x += band.w + gap
        self._heads[box] = top + heads_h if heads_h else 0.0
        self._w[box] = inner + 2 * pad
        self._foot[box] = max(FOOT, FOOT_SHARE * inner)
        self._h[box] = y + bottom_h + pad + self._foot[box]

    def _choose_gaps(
        self, box: int, columns: Sequence[_NetworkColumn], inner: float, heights: tuple[float, float]
    ) -> tuple[float, float]:
        """Return (the height kept free above the switches of a box, the gap between its switches and its foot).

        `inner` is the width inside the margins; `heights` are those of the switches and of the foot, 0 if the box has
        none.
        """
        heads_h, bottom_h = heights
        bundles = self._bundles[box]
        leaves = any(bundle.leaves for bundle in bundles)
        top = max(PAD, PAD_SHARE * inner)
        if any(self._is_arched(bundle, columns) for bundle in bundles if not bundle.leaves):
            top += max(2 * GAP, ARC_SHARE * inner)
        if leaves and heads_h:
            top += PASSING_SHARE * inner
        if heads_h and bottom_h:
            missing_height = inner / FLATTEST - top - heads_h - bottom_h
            return top, max(2 * GAP, RIBBON_SHARE * inner, min(LONGEST_SHARE * inner, missing_height))
        return top, max(GAP, PASSING_SHARE * inner) if leaves and self._children[box] else 0.0

    def _place_grid(self, children: Sequence[int]) -> tuple[float, float]:
        """Set the positions of the child boxes of a box in rows, and return the (width, height) of all rows together.

        A row is as high as its highest box, a column as wide as its widest. The result is (0.0, 0.0) without children.
        """
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
            # the nearest number with which all rows are full, else the number that makes rows as equal as can be
            per_row = even_counts[0] if even_counts else ceil(len(children) / ceil(len(children) / per_row))
        widths = [float(w[i::per_row].max()) for i in range(per_row)]
        heights = [float(h[i : i + per_row].max()) for i in range(0, len(children), per_row)]
        for i, child in enumerate(children):
            self._x[child] = sum(widths[: i % per_row]) + gap * (i % per_row)
            self._y[child] = sum(heights[: i // per_row]) + gap * (i // per_row)
        return sum(widths) + gap * (per_row - 1), sum(heights) + gap * (len(heights) - 1)

    def _list_columns(self, box: int) -> list[_NetworkColumn]:
        """Return the columns of switches in a box, sorted by network; an empty list if the box has no switches."""
        columns: dict[int, _NetworkColumn] = {}
        switch_bands = [b for b in self._bands[box] if self._devices.classes[b.cls].kind not in (NODE, EXTRA)]
        # bands stand from the highest tier down, in the column of their network
        for band in sorted(switch_bands, key=lambda b: -self._find_level(b.cls)):
            network = self._networks[band.cls]
            columns.setdefault(network, _NetworkColumn(network)).bands.append(band)
        if columns:
            positions = {band.cls: (c.network, i) for c in list(columns.values()) for i, band in enumerate(c.bands)}
            for bundle in self._bundles[box]:
                network = self._networks[bundle.upper]
                if self._is_passing(bundle, positions, columns):
                    columns.setdefault(network, _NetworkColumn(network)).lane = True
        return [column for _, column in sorted(columns.items())]

    def _is_passing(
        self, bundle: DrawnBundle, positions: dict[int, tuple[int, int]], columns: dict[int, _NetworkColumn]
    ) -> bool:
        """Whether the links of a bundle have to pass beside bands on their way up, so that they need a lane.

        `positions` has, by device class, the network of the band in this box and the band's index from the top of its
        column.
        """
        lower_position = positions.get(bundle.lower) if bundle.child == OWN_BAND else None
        if bundle.other == OUTSIDE:
            # links that leave the box rise freely from the highest band alone
            return lower_position is None or lower_position[1] > 0
        upper_position = positions.get(bundle.upper) if bundle.other == OWN_BAND else None
        if upper_position is None or bundle.lower == bundle.upper:
            return False
        if lower_position is None:
            # from places below: only the lowest band of a column is next to them
            return upper_position[1] + 1 < len(columns[upper_position[0]].bands)
        # within a column, past the bands in between
        return lower_position[0] == upper_position[0] and lower_position[1] > upper_position[1] + 1

    def _is_arched(self, bundle: DrawnBundle, columns: Sequence[_NetworkColumn]) -> bool:
        """Whether the links of a bundle inside a box run sideways in an arc instead of rising."""
        network_by_class = {
            band.cls: network_by_class.network for network_by_class in columns for band in network_by_class.bands
        }
        if bundle.child == OWN_BAND and bundle.lower in network_by_class:
            return bundle.lower == bundle.upper or network_by_class[bundle.lower] != network_by_class.get(bundle.upper)
        return bundle.other != OWN_BAND or bundle.upper not in network_by_class

    def _stack_bands(
        self, box: int, columns: Sequence[_NetworkColumn], width: float, wider: float
    ) -> tuple[float, float]:
        """Set the positions of the bands of switches in a box, and return the (width, height) that they take together.

        There is a column for each network, its tiers stacked from below upward, and a lane beside it if links pass it.
        The bands become as wide as the foot of the box (`width`), or up to `wider` times as wide if that saves folding
        them into rows.
        """
        lanes = {
            c.network: max(CELL_W / 2, (LANE_SHARE if c.bands else WIDE_LANE_SHARE) * width) for c in columns if c.lane
        }
        switch_columns = [c for c in columns if c.bands]
        device_count = sum(c.largest_band for c in switch_columns)
        margins = len(switch_columns) * (2 * MARGIN + 2 * GAP)
        unfolded_width = device_count * (CELL_W + CELL_GAP) + margins
        # lanes may take half of the width at most: bands are what one looks for
        bands_width = max(width - sum(lanes.values()), width / 2)
        scale = max(1.0, min(LARGEST, FILLED * bands_width / unfolded_width))
        x, heights = 0.0, []
        for column in columns:
            per_row = column.largest_band
            # enlarged devices fit in one row; others are folded into rows of at least two
            if scale == 1:
                free_width = max(bands_width, min(unfolded_width, wider * width)) - margins
                per_row = max(min(2, per_row), int(free_width * per_row / device_count / (CELL_W + CELL_GAP)))
            for band in column.bands:
                band.arrange(per_row, scale, HEADER_SHARE * width)
            column_w, y = max((b.w for b in column.bands), default=0.0), 0.0
            row_gap = max(2 * GAP, RIBBON_SHARE * column_w)
            for band in column.bands:
                band.x, band.y = x + (column_w - band.w) / 2, y
                y += band.h + row_gap
            heights.append(max(0.0, y - row_gap))
            x += column_w
            if column.lane:
                self._lanes[box, column.network] = Lane(x + GAP, lanes[column.network], 0.0, 0.0)
                x += GAP + lanes[column.network]
            x += 2 * GAP
        for column, column_height in zip(columns, heights, strict=True):
            for band in column.bands:
                # columns stand on one line at their feet, where links to what is below begin
                band.y += max(heights) - column_height
        return max(0.0, x - 2 * GAP), max(heights)

    def _find_level(self, cls: int) -> int:
        """Return the height of a device class in its fabric: 0 for anything that is not a switch of a tier."""
        device_class = self._devices.classes[cls]
        return self._cluster.design.levels.get(device_class.key, 0) if device_class.kind == SWITCH else 0

    def _make_scene(self) -> Scene:
        """Return the scene, after the positions of bands and lanes were made absolute."""
        device_x, device_y = np.zeros(len(self._devices)), np.zeros(len(self._devices))
        bands, rows_in_order, first_cell = [], [], 0
        for box in range(len(self._places)):
            for band in self._bands[box]:
                x, y = self._x[box] + band.x, self._y[box] + band.y
                cell = np.arange(len(band.rows))
                cells_x, cells_y = x + MARGIN * band.scale, y + band.header
                device_x[band.rows] = cells_x + cell % band.columns * (CELL_W + CELL_GAP) * band.scale
                device_y[band.rows] = cells_y + cell // band.columns * (CELL_H + CELL_GAP) * band.scale
                end_cell = first_cell + len(band.rows)
                bands.append(
                    Band(
                        box, band.cls, x, y, band.w, band.h, first_cell, end_cell, band.scale, band.columns, band.header
                    )
                )
                rows_in_order.append(band.rows)
                first_cell = end_cell
        lanes = {
            (box, network): Lane(lane.x + self._x[box], lane.w, lane.top + self._y[box], lane.bottom + self._y[box])
            for (box, network), lane in self._lanes.items()
        }
        bundles = tuple(bundle for box in range(len(self._places)) for bundle in self._bundles[box])
        return Scene(
            self._places, bundles, self._x, self._y, self._w, self._h, self._heads + self._y, self._foot,
            tuple(bands), lanes,            tuple(self._networks), device_x, device_y, np.concatenate(rows_in_order),
        )  # fmt: skip


def _shape_extras(extras: Sequence[_PlacedBand], grid_w: float, grid_h: float) -> None:
    """Set the sizes of the bands of extra devices that stand beside the inner boxes of a box: no higher than these, if
    possible.

    `grid_w` and `grid_h` are the width and height that the inner boxes take.
    """
    if not extras:
        return
    scale = EXTRA_SHARE * grid_w / sum(CELL_W + 2 * MARGIN + 2 * GAP for _ in extras)
    scale = max(1.0, min(LARGEST, scale, grid_h / (HEADER + CELL_H + MARGIN)))
    for band in extras:
        cells_height = (grid_h - max(HEADER * scale, HEADER_SHARE * grid_w)) / scale - MARGIN + CELL_GAP
        lines = max(1, int(cells_height / (CELL_H + CELL_GAP)))
        band.arrange(ceil(len(band.rows) / lines), scale, HEADER_SHARE * grid_w)


def _widen_feet(foot_bands: Sequence[_PlacedBand], switches_width: float) -> None:
    """Widen the bands of nodes at the foot of a box towards the width of the switches above them (`switches_width`).

    Up to WIDER times as many nodes stand side by side; bands that are wide enough stay.
    """
    width = sum(band.w for band in foot_bands)
    if foot_bands and switches_width > width:
        for band in foot_bands:
            band.arrange(max(band.columns, int(band.columns * min(WIDER, switches_width / width))))


def _number_networks(cluster: Cluster) -> list[int]:
    """Return a number for each device class.

    Fabrics that share or link tiers have one number, all scale-up domains the next one, and nodes the last one.
    """
    groups = group_linked_fabrics(cluster.design.loaded.blueprint.fabrics)
    number_by_fabric = {name: i for i, names in enumerate(groups) for name in names}
    for domain in cluster.design.scale_up:
        number_by_fabric[domain.name] = len(groups)
    return [number_by_fabric.get(cls.fabric, len(groups) + 1) for cls in cluster.plan.devices.classes]

"""Where everything of the fabric view is drawn: boxes within boxes, bands of switches in them, ribbons between bands.

One layout for all zooms, in units of its own. A box has its places in a grid at its foot; above that a gap for ribbons
and its bands: a column for each network, its tiers stacked from below upward. Nodes are a band at the foot of a box.
Devices of a band stand in a grid in the order of the device table: places, then rails and planes, then numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.linked import linked_fabrics
from fabricgen.export.view.places import CLUSTER, Places, places_of
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY, Floats, Ints

CELL_W, CELL_H, CELL_GAP = 12.0, 5.0, 2.0
"""A node, or a switch among nodes, and the gap between devices."""

LARGEST, FILLED = 12.0, 0.8
"""Switches of wide places are drawn larger, at most so many times, until a band fills this share of its box."""

PAD, HEAD, GAP = 4.0, 6.0, 6.0
"""Margin inside a box, the line of its name, and the gap between boxes and between columns of bands."""

RIBBON_SHARE = 0.1
"""Height of the gap for ribbons as a share of the width of its box."""

ASPECT = 1.7
"""Width over height that grids aim at."""


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


@dataclass(frozen=True)
class Scene:
    """The drawing: float64 columns x, y (top left), w and h of boxes and devices; y grows downward.

    `order` are the devices band by band.
    """

    places: Places
    box_x: Floats
    box_y: Floats
    box_w: Floats
    box_h: Floats
    bands: tuple[Band, ...]
    device_x: Floats
    device_y: Floats
    order: Ints
    width: float
    height: float


def scene_of(cluster: Cluster) -> Scene:
    """Lay the fabric view of a cluster out."""
    return _Layout(cluster).scene()


@dataclass(slots=True)
class _Block:
    """A grid of devices of one class: its size, and where it is in its box."""

    cls: int
    rows: Ints
    columns: int
    w: float
    h: float
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0


def _grid(count: int, w: float, h: float, gap: float, *, columns: int | None = None) -> tuple[int, float, float]:
    """(columns, width, height) of a grid of so many cells of a size, about `ASPECT` wide unless `columns` says it."""
    if columns is None:
        columns = max(1, round(sqrt(count * ASPECT * (h + gap) / (w + gap))))
    columns = max(1, min(columns, count))
    lines = ceil(count / columns)
    columns = ceil(count / lines)
    return columns, columns * (w + gap) - gap, lines * (h + gap) - gap


class _Layout:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._devices = cluster, cluster.plan.devices
        self._places = places_of(cluster)
        self._networks = _networks(cluster)
        self._blocks: dict[int, list[_Block]] = defaultdict(list)
        self._children: dict[int, list[int]] = defaultdict(list)
        for box, parent in enumerate(self._places.parent.tolist()):
            if parent >= 0:
                self._children[parent].append(box)
        count = len(self._places)
        self._x, self._y, self._w, self._h = (np.zeros(count) for _ in range(4))
        self._at: dict[int, tuple[float, float]] = {}

    def scene(self) -> Scene:
        self._collect()
        for box in reversed(range(len(self._places))):
            self._lay_out(box)
        for box in range(len(self._places)):
            for child in self._children[box]:
                self._x[child] += self._x[box]
                self._y[child] += self._y[box]
        return self._placed()

    def _collect(self) -> None:
        """Sort the devices into blocks, by box and class."""
        key = self._places.device_box.astype(np.int64) * len(self._devices.classes) + self._devices.device_class
        order = np.argsort(key, kind="stable").astype(np.int32)
        ends = np.flatnonzero(np.diff(key[order])) + 1
        for rows in np.split(order, ends):
            if len(rows):
                cls = int(self._devices.device_class[rows[0]])
                columns, w, h = _grid(len(rows), CELL_W, CELL_H, CELL_GAP)
                self._blocks[int(self._places.device_box[rows[0]])].append(_Block(cls, rows, columns, w, h))

    def _lay_out(self, box: int) -> None:
        """Place children and bands in a box, from its corner; its children are done."""
        children = self._children[box]
        grid_w = grid_h = 0.0
        spots: list[tuple[int, float, float]] = []
        if children:
            cell_w, cell_h = max(self._w[c] for c in children), max(self._h[c] for c in children)
            columns = len(children) if len(children) <= MOST_IN_A_ROW else None
            columns, grid_w, grid_h = _grid(len(children), cell_w, cell_h, GAP, columns=columns)
            for i, child in enumerate(children):
                spots.append((child, i % columns * (cell_w + GAP), i // columns * (cell_h + GAP)))
        feet: list[_Block] = []
        heads: list[_Block] = []
        for block in self._blocks[box]:
            (feet if self._devices.classes[block.cls].kind in (NODE, EXTRA) else heads).append(block)
        heads_w, heads_h = self._stack(heads, max(grid_w, _width(feet)))
        feet_w, feet_h = _side_by_side(feet)
        inner = max(grid_w, heads_w, feet_w, CELL_W)
        ribbons = max(2 * GAP, RIBBON_SHARE * inner) if heads and (children or feet) else 0.0
        top = HEAD + PAD
        for block in heads:
            block.x += PAD + (inner - heads_w) / 2
            block.y += top
        y = top + heads_h + ribbons
        for child, dx, dy in spots:
            self._x[child], self._y[child] = PAD + (inner - grid_w) / 2 + dx, y + dy
        y += grid_h + (GAP if children and feet else 0.0)
        for block in feet:
            block.x += PAD + (inner - feet_w) / 2
            block.y += y
        self._w[box], self._h[box] = inner + 2 * PAD, y + feet_h + PAD

    def _stack(self, heads: Sequence[_Block], width: float) -> tuple[float, float]:
        """Place bands of switches: a column for each network, its tiers from below upward; returns (width, height)."""
        columns: dict[int, list[_Block]] = defaultdict(list)
        for block in heads:
            columns[self._network(block.cls)].append(block)
        total = sum(max(len(b.rows) for b in blocks) for blocks in columns.values())
        natural = total * (CELL_W + CELL_GAP) + (len(columns) - 1) * 2 * GAP
        scale = max(1.0, min(LARGEST, FILLED * width / natural)) if columns else 1.0
        x = 0.0
        heights = []
        for _, blocks in sorted(columns.items()):
            most = max(len(b.rows) for b in blocks)
            across = most if scale > 1 else max(1, int((width * most / total - GAP) / (CELL_W + CELL_GAP)))
            for block in blocks:
                block.scale = scale
                size = CELL_W * scale, CELL_H * scale, CELL_GAP * scale
                block.columns, block.w, block.h = _grid(len(block.rows), *size, columns=across)
            column_w, y = max(b.w for b in blocks), 0.0
            for block in sorted(blocks, key=lambda b: -self._level(b.cls)):
                block.x, block.y = x + (column_w - block.w) / 2, y
                y += block.h + max(2 * GAP, RIBBON_SHARE * column_w)
            heights.append(y - max(2 * GAP, RIBBON_SHARE * column_w))
            x += column_w + 2 * GAP
        height = max(heights, default=0.0)
        for (_, blocks), own in zip(sorted(columns.items()), heights, strict=True):
            for block in blocks:
                block.y += height - own
        return max(0.0, x - 2 * GAP), height

    def _network(self, cls: int) -> int:
        one = self._devices.classes[cls]
        return self._networks.get(one.fabric, len(self._networks))

    def _level(self, cls: int) -> int:
        one = self._devices.classes[cls]
        return self._cluster.design.levels.get(one.key, 0) if one.kind == SWITCH else 0

    def _placed(self) -> Scene:
        device_x, device_y = np.zeros(len(self._devices)), np.zeros(len(self._devices))
        bands, order, first = [], [], 0
        for box in range(len(self._places)):
            for block in self._blocks[box]:
                x, y = self._x[box] + block.x, self._y[box] + block.y
                at = np.arange(len(block.rows))
                device_x[block.rows] = x + at % block.columns * (CELL_W + CELL_GAP) * block.scale
                device_y[block.rows] = y + at // block.columns * (CELL_H + CELL_GAP) * block.scale
                bands.append(Band(box, block.cls, x, y, block.w, block.h, first, first + len(block.rows), block.scale))
                order.append(block.rows)
                first += len(block.rows)
        return Scene(
            self._places,
            self._x,
            self._y,
            self._w,
            self._h,
            tuple(bands),
            device_x,
            device_y,
            np.concatenate(order),
            float(self._w[CLUSTER]),
            float(self._h[CLUSTER]),
        )


MOST_IN_A_ROW = 4
"""Places that stand in one row."""


def _width(blocks: Sequence[_Block]) -> float:
    return sum(block.w + 2 * GAP for block in blocks)


def _side_by_side(blocks: Sequence[_Block]) -> tuple[float, float]:
    """Place blocks in a row, at its foot; returns (width, height)."""
    x, height = 0.0, max((block.h for block in blocks), default=0.0)
    for block in blocks:
        block.x, block.y = x, height - block.h
        x += block.w + 2 * GAP
    return max(0.0, x - 2 * GAP), height


def _networks(cluster: Cluster) -> dict[str, int]:
    """A number for each fabric or scale-up domain: those that share or link tiers have one number."""
    groups = linked_fabrics(cluster.design.loaded.blueprint.fabrics)
    found = {name: i for i, names in enumerate(groups) for name in names}
    for domain in cluster.design.scale_up:
        found[domain.name] = len(groups)
    return found


__all__ = ["TRAY", "Band", "Scene", "scene_of"]

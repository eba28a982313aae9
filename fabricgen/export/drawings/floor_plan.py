"""Floor plan: a hall from above, with rows, racks by contents, aisles, trays over rows, feeds, units, and
a scale bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fabricgen.design.floor.halls import face_of
from fabricgen.export.drawings.rack_kinds import RackKinds
from fabricgen.export.drawings.svg import GLYPH, box, drawing, label, number, path, rect, safe
from fabricgen.export.drawings.wrap import Groups, narrowest, wrapped
from fabricgen.export.locations import column_label, row_label
from fabricgen.wiring.tables import RackTable

DETAIL = 1000 / 60
"""The scale at which rack names are legible, in mm on paper for a metre: 1:60."""

PAGE_WIDTH, PAGE_HEIGHT = 277.0, 186.0
"""Usable area of a landscape A4 page, mm."""

_LEFT, _TOP, _RIGHT, _BOTTOM = 14.0, 14.0, 3.0, 16.0
"""Margins around the racks for row numbers, title, colour key and scale bar, mm."""

_KEY = "a rack's thick edge is its front; double line: tray over the row; dashed: unit"
_COLD, _HOT = "#DCEBFA", "#FBE3DA"
_BARS_M = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_NAME = 2.6
"""The largest text size of rack names, mm."""

_NUMBER = 3.0
"""The least width on paper that the number of a place takes, mm."""

_DISTINCT = 2.5
"""The smallest width of a rack on paper, mm, at which fronts, trays and units are drawn."""


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a hall that is drawn: rows as they lie, columns, and mm on paper for a metre."""

    hall: int
    rows: tuple[int, ...]
    columns: range
    scale: float


def whole_hall(table: RackTable, hall: int) -> Window:
    """All of a hall at the scale of details: within its walls or, if its size is not stated, as far as racks stand."""
    spec, here = table.halls[hall], np.flatnonzero(table.hall == hall)
    if spec.rows:
        first = int(table.column[here].min(initial=0))  # patch racks stand before the first place
        return Window(hall, tuple(range(spec.rows)), range(min(0, first), spec.racks_per_row), DETAIL)
    rows = tuple(sorted(set(table.row[here].tolist())))
    return Window(hall, rows, range(int(table.column[here].min()), int(table.column[here].max()) + 1), DETAIL)


def racks_in(table: RackTable, window: Window) -> list[int]:
    """The racks of a window."""
    rows = np.isin(table.row, np.array(window.rows, dtype=np.int32))
    columns = (table.column >= window.columns.start) & (table.column < window.columns.stop)
    found: list[int] = np.flatnonzero((table.hall == window.hall) & rows & columns).tolist()
    return found


def on_one_page(table: RackTable, hall: int) -> Window:
    """All of a hall, as large as fits on a page."""
    whole = whole_hall(table, hall)
    across, along = _extent_m(table, whole)
    scale = min((PAGE_WIDTH - _LEFT - _RIGHT) / along, (PAGE_HEIGHT - _TOP - _BOTTOM) / across, DETAIL)
    return Window(hall, whole.rows, whole.columns, scale)


def pages(table: RackTable, hall: int) -> Iterator[Window]:
    """A hall at the scale of details in parts of a page each, cut between rows and columns; none for a hall without
    racks.
    """
    whole = whole_hall(table, hall)
    pitch = table.halls[hall].rack_pitch_m
    each = max(1, int((PAGE_WIDTH - _LEFT - _RIGHT) / DETAIL / pitch))
    taken = set(table.row[table.hall == hall].tolist())
    for rows in _rows_by_page(table, whole):
        for first in range(whole.columns.start, whole.columns.stop, each) if taken.intersection(rows) else ():
            window = Window(hall, rows, range(first, min(whole.columns.stop, first + each)), DETAIL)
            if racks_in(table, window):
                yield window


def _rows_by_page(table: RackTable, whole: Window) -> Iterator[tuple[int, ...]]:
    held: tuple[int, ...] = ()
    for row in whole.rows:
        more = (*held, row)
        across, _ = _extent_m(table, Window(whole.hall, more, whole.columns, DETAIL))
        if held and across * DETAIL > PAGE_HEIGHT - _TOP - _BOTTOM:
            yield held
            more = (row,)
        held = more
    yield held


def _extent_m(table: RackTable, window: Window) -> tuple[float, float]:
    """(across the rows, along them) of a window, m."""
    hall = table.halls[window.hall]
    ends = [float(hall.y_of(row)) for row in (window.rows[0], window.rows[-1])]
    return ends[1] - ends[0] + hall.rack_depth_m + 1.2, len(window.columns) * hall.rack_pitch_m


def floor_plan(kinds: RackKinds, window: Window, *, alone: bool = False) -> str:
    """A window as SVG; `alone` makes it a complete file."""
    plan = _Plan(kinds, window)
    return drawing(plan.width, plan.height, plan.body(), title=plan.title, alone=alone)


class _Plan:
    def __init__(self, kinds: RackKinds, window: Window) -> None:
        self._kinds, self._window = kinds, window
        self._table = kinds.table
        self._hall = self._table.halls[window.hall]
        across, along = _extent_m(self._table, window)
        self.width = max(_LEFT + along * window.scale + _RIGHT, 130.0)
        self.height = _TOP + across * window.scale + _BOTTOM
        self._y0 = float(self._hall.y_of(window.rows[0])) - self._hall.rack_depth_m / 2 - 0.6
        self._x0 = float(self._hall.x_of(window.columns.start)) - self._hall.rack_pitch_m / 2
        self.title = f"Floor plan {kinds.hall_name(window.hall)}"

    @property
    def _distinct(self) -> bool:
        return self._hall.rack_pitch_m * self._window.scale >= _DISTINCT

    @property
    def _detailed(self) -> bool:
        return self._window.scale >= DETAIL

    def body(self) -> str:
        """The whole drawing, from the background up."""
        racks = racks_in(self._table, self._window)
        ground = [self._head(), *self._aisles(), *self._walls(), *(self._units(racks) if self._distinct else [])]
        above = [
            *self._boxes(racks),
            *(self._trays() if self._distinct else []),
            *self._rows(),
            *self._columns(),
            *self._key(),
            self._scale_bar(),
        ]
        return "".join([*ground, *above, *(self._names(racks) if self._detailed else [])])

    def _x(self, x_m: float) -> float:
        return _LEFT + (x_m - self._x0) * self._window.scale

    def _y(self, y_m: float) -> float:
        return _TOP + (y_m - self._y0) * self._window.scale

    @property
    def _right(self) -> float:
        """The x coordinate of the end of the last column, mm."""
        return _LEFT + len(self._window.columns) * self._hall.rack_pitch_m * self._window.scale

    def _walls(self) -> Iterator[str]:
        """The outline of a hall of stated size, if all of it is drawn."""
        if self._hall.rows and self._window.rows == whole_hall(self._table, self._window.hall).rows:
            top = self._y(self._y0) + 0.2
            yield rect(_LEFT - 0.4, top, self._right - _LEFT + 0.8, self.height - _BOTTOM - top)

    def _head(self) -> str:
        window = self._window
        ends = window.rows[0], window.rows[-1], window.columns.start, window.columns.stop - 1
        told = "rows {} to {}, places {} to {}".format(*map(row_label, ends[:2]), *map(column_label, ends[2:]))
        told += f"; scale 1:{1000 / window.scale:.0f}"
        return label(0.5, 3, self.title, 3.8, "b", self.width - 1) + label(0.5, 7.8, told, 2.4, "g", self.width - 1)

    def _aisles(self) -> Iterator[str]:
        """The aisles between rows: cold where fronts face each other, hot where backs do."""
        hall, scale = self._hall, self._window.scale
        left, right = self._x(self._x0), self._right
        for one, other in pairwise(self._window.rows):
            top = float(hall.y_of(one)) + hall.rack_depth_m / 2
            bottom = float(hall.y_of(other)) - hall.rack_depth_m / 2
            if bottom <= top or other - one > 1:
                continue
            cold = face_of(one) > 0
            height = (bottom - top) * scale
            yield path([box(left, self._y(top), right - left, height)], "f", _COLD if cold else _HOT)
            word = f"{'cold' if cold else 'hot'} aisle {bottom - top:.1f} m"
            if height > 1.6:
                yield label((left + right) / 2, self._y(top) + height / 2, word, min(2.4, height * 0.7), "m g")

    def _units(self, racks: Sequence[int]) -> Iterator[str]:
        """An outline around the racks of each unit that stand side by side, with its name."""
        hall, scale, table = self._hall, self._window.scale, self._table
        pieces, names = [], []
        for unit, run in self._kinds.runs_by_unit(racks):
            left = float(table.x_m[run[0]]) - hall.rack_pitch_m / 2
            top = float(table.y_m[run[0]]) - hall.rack_depth_m / 2 - 0.12
            width = len(run) * hall.rack_pitch_m * scale
            x, y = self._x(left) + 0.15, self._y(top)
            pieces.append(box(x, y, width - 0.3, (hall.rack_depth_m + 0.24) * scale))
            if self._detailed:
                names.append(label(x + 0.4, y - 1.3, unit, 1.9, "b g", width))
        yield path(pieces, "d")
        yield from names

    def _boxes(self, racks: Sequence[int]) -> Iterator[str]:
        """Racks in the colour of their contents, with a stripe along the front for each fabric with switches there."""
        scale, table = self._window.scale, self._table
        fills: dict[str, list[str]] = {}
        stripes: dict[str, list[str]] = {}
        outlines, fronts = [], []
        for rack in racks:
            kind = table.kinds[int(table.kind[rack])]
            width = min(kind.width_m, self._hall.rack_pitch_m) * scale * 0.94
            depth = min(kind.depth_m, self._hall.rack_depth_m) * scale
            x, y = self._x(float(table.x_m[rack])) - width / 2, self._y(float(table.y_m[rack])) - depth / 2
            held = self._kinds.of(rack)
            fills.setdefault(held.fill, []).append(box(x, y, width, depth))
            outlines.append(box(x, y, width, depth))
            to_bottom = int(table.faces[rack]) > 0
            fronts.append(f"M{number(x)} {number(y + depth if to_bottom else y)}h{number(width)}")
            stripe, each = depth * 0.12, width / max(1, len(held.stripes))
            for i, fill in enumerate(held.stripes):
                at = y + depth - stripe if to_bottom else y
                stripes.setdefault(fill, []).append(box(x + i * each, at, each, stripe))
        for fill, pieces in (*sorted(fills.items()), *sorted(stripes.items())):
            yield path(pieces, "f", fill)
        if self._distinct:
            yield path(outlines, "l" if self._detailed else "h")
            yield path(fronts, "r")

    def _names(self, racks: Sequence[int]) -> list[str]:
        """Names and feeds of racks along their depth; inside the rotated group x and y are swapped."""
        table = self._table
        texts = {rack: ((table.names[rack],), *self._kinds.feeds(rack)) for rack in racks}
        letters, size = self._name_size(list(texts.values()))
        found = []
        for rack in racks:
            told = wrapped(texts[rack], letters)
            x, y = self._x(float(table.x_m[rack])), self._y(float(table.y_m[rack]))
            style = ' class="m w"' if self._kinds.of(rack).is_dark else ' class="m"'
            for i, line in enumerate(told):
                at = x + (i - (len(told) - 1) / 2) * size * 1.12
                found.append(f'<text x="{number(-y)}" y="{number(at)}"{style}>{safe(line)}</text>')
        return [f'<g transform="rotate(-90)" font-size="{number(size)}">{"".join(found)}</g>'] if found else []

    def _name_size(self, texts: Sequence[Groups]) -> tuple[int, float]:
        """(characters on a line, text size in mm), with the number of lines that allows the largest text."""
        depth, width = self._hall.rack_depth_m * DETAIL * 0.74, self._hall.rack_pitch_m * DETAIL * 0.9
        fewest = max(map(len, texts), default=1)
        fits = []
        for lines in range(fewest, fewest + 4):
            letters = narrowest(texts, lines)
            fits.append((min(depth / letters / GLYPH, width / lines / 1.12, _NAME), -lines, letters))
        size, _, letters = max(fits)
        return letters, size

    def _trays(self) -> Iterator[str]:
        """The tray over each row, as a double line."""
        right, pieces = self._right, []
        for row in self._window.rows:
            for side in (-0.15, 0.15):
                pieces.append(f"M{number(_LEFT)} {number(self._y(float(self._hall.y_of(row)) + side))}H{number(right)}")
        yield path(pieces, "t")

    def _rows(self) -> Iterator[str]:
        """Row numbers on the left, as many as fit."""
        free = -100.0
        for row in self._window.rows:
            y = self._y(float(self._hall.y_of(row)))
            if y - free >= 2.4:
                yield label(_LEFT - 1, y, row_label(row), 2.3, "e", _LEFT - 1.5)
                free = y

    def _columns(self) -> Iterator[str]:
        """The numbers of places above the first row and below the last, as many as fit."""
        pitch = self._hall.rack_pitch_m * self._window.scale
        step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 1000) if n * pitch >= _NUMBER or n == 1000)
        depth = self._hall.rack_depth_m / 2
        top = self._y(float(self._hall.y_of(self._window.rows[0])) - depth) - 3.2
        bottom = self._y(float(self._hall.y_of(self._window.rows[-1])) + depth) + 2.6
        for column in self._window.columns:
            if column in (0, self._window.columns.start) or (column + 1) % step == 0:
                x = self._x(float(self._hall.x_of(column)))
                yield from (label(x, y, column_label(column), 2.0, "m g") for y in (top, bottom))

    def _key(self) -> Iterator[str]:
        """What the colours of racks and stripes mean, on one line."""
        key = self._kinds.key()
        y, each = self.height - 11.5, (self.width - _LEFT - 1) / len(key)
        for i, (fill, what) in enumerate(key):
            x = _LEFT + i * each
            yield rect(x, y - 1.2, 2.4, 2.4, fill, "h")
            yield label(x + 3.2, y, what, 2.1, "", each - 4)

    def _scale_bar(self) -> str:
        scale = self._window.scale
        metres = max((bar for bar in _BARS_M if bar * scale <= 60), default=1)
        y, width = self.height - 6, metres * scale
        ends = [f"M{number(_LEFT)} {number(y)}h{number(width)}"]
        ends += [f"M{number(_LEFT + at)} {number(y - 1)}v2" for at in (0, width)]
        told = (
            "a rack's thick edge is its front; double line: tray over the row; dashed: unit" if self._distinct else ""
        )
        return (
            path(ends, "l")
            + label(_LEFT + width + 2, y, f"{metres} m", 2.3)
            + label(_LEFT, self.height - 2.4, told, 2.1, "g", self.width - _LEFT - 1)
        )

"""The parts of a hall that floor plans show: all of it, as large as a page takes, or cut between rows and places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fabricgen.design.floor.halls import Hall
from fabricgen.export.locations import column_label, row_label
from fabricgen.wiring.tables import RackTable

DETAIL = 1000 / 60
"""The scale at which rack names are legible, in mm on paper for a metre: 1:60."""

LEFT, TOP, RIGHT, BOTTOM = 14.0, 14.0, 3.0, 20.0
"""Margins around the racks for row numbers, title, colour keys and scale bar, mm."""

ZONES = 8.0
"""Width of the strip on the right of an overview that says which sheet shows which rows, mm."""

AROUND_M = 0.6
"""What is drawn in front of the first and behind the last row, m."""


@dataclass(frozen=True, slots=True)
class Paper:
    """The usable area of a page, mm."""

    width: float
    height: float

    @property
    def upright(self) -> Paper:
        """The page turned by a quarter."""
        return Paper(self.height, self.width)

    @property
    def drawn(self) -> Paper:
        """What the margins of a plan leave for the hall."""
        return Paper(self.width - LEFT - RIGHT, self.height - TOP - BOTTOM)


A4 = Paper(277.0, 186.0)
"""A landscape page of the book: 297 x 210 mm (ISO 216) within margins of 10 mm."""

A3 = Paper(400.0, 277.0)
"""A landscape sheet of a plan on its own: 420 x 297 mm (ISO 216) within margins of 10 mm."""


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a hall that is drawn: rows as they lie, columns, and mm on paper for a metre."""

    hall: int
    rows: tuple[int, ...]
    columns: range
    scale: float

    @property
    def zone(self) -> str:
        """The first and the last row: `R01-R08`."""
        ends = [row_label(row) for row in (self.rows[0], self.rows[-1])]
        return "-".join(dict.fromkeys(ends))

    @property
    def places(self) -> str:
        """The first and the last place: `01-32`."""
        return f"{column_label(self.columns.start)}-{column_label(self.columns.stop - 1)}"


@dataclass(frozen=True, slots=True)
class Frame:
    """An area of the floor in the frame of its site, m."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Along the rows."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Across the rows."""
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page of a plan: its name behind that of the hall ("" for the first), and what it shows."""

    name: str
    window: Window


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


def frame_of(table: RackTable, window: Window) -> Frame:
    """What a window shows: its rows and columns with some room before and behind them, and the room up to the walls
    where it reaches the outermost of them.
    """
    return _frame(table.halls[window.hall], window, whole_hall(table, window.hall))


def on_one_page(table: RackTable, hall: int, paper: Paper = A4) -> Window:
    """All of a hall, as large as fits on a page."""
    whole = whole_hall(table, hall)
    frame, room = frame_of(table, whole), paper.drawn
    scale = min(room.width / frame.width, room.height / frame.height, DETAIL)
    return Window(hall, whole.rows, whole.columns, scale)


def pages(table: RackTable, hall: int, paper: Paper = A4) -> Iterator[Window]:
    """A hall at the scale of details in parts of a page each, cut between rows and columns; none for a hall without
    racks.
    """
    whole, spec, room = whole_hall(table, hall), table.halls[hall], paper.drawn
    taken = set(table.row[table.hall == hall].tolist())

    def high(rows: Sequence[int]) -> bool:
        frame = _frame(spec, Window(hall, tuple(rows), whole.columns, DETAIL), whole)
        return frame.height * DETAIL > room.height

    def wide(columns: Sequence[int]) -> bool:
        frame = _frame(spec, Window(hall, whole.rows, _range(columns), DETAIL), whole)
        return frame.width * DETAIL > room.width

    strips = [_range(columns) for columns in _cut(whole.columns, wide)]
    for rows in _cut(whole.rows, high):
        for columns in strips if taken.intersection(rows) else ():
            window = Window(hall, tuple(rows), columns, DETAIL)
            if racks_in(table, window):
                yield window


def sheets(table: RackTable, hall: int, papers: Sequence[Paper]) -> list[Sheet]:
    """The plan of a hall on sheets of a size: one where that takes all of it with the names of racks; else an overview,
    and one for each zone of rows, named after it. Of several `papers` that one which shows more, or takes fewer.
    """
    whole = max((on_one_page(table, hall, paper) for paper in papers), key=lambda window: window.scale)
    if whole.scale >= DETAIL:
        return [Sheet("", whole)]
    spared = [replace(paper, width=paper.width - ZONES) for paper in papers]
    whole = max((on_one_page(table, hall, paper) for paper in spared), key=lambda window: window.scale)
    zones = min((list(pages(table, hall, paper)) for paper in papers), key=len)
    cut = len({zone.columns for zone in zones}) > 1
    return [Sheet("", whole), *(Sheet(f"{zone.zone}{f'.{zone.places}' if cut else ''}", zone) for zone in zones)]


def _frame(hall: Hall, window: Window, whole: Window) -> Frame:
    left, right = (float(hall.x_of(column)) for column in (window.columns.start, window.columns.stop - 1))
    top, bottom = (float(hall.y_of(window.rows[end])) for end in (0, -1))
    around = hall.rack_depth_m / 2 + AROUND_M
    frame = Frame(left - hall.rack_pitch_m / 2, top - around, right + hall.rack_pitch_m / 2, bottom + around)
    walls = hall.walls
    if walls is None:
        return frame
    return Frame(
        min(frame.left, walls[0]) if window.columns.start == whole.columns.start else frame.left,
        min(frame.top, walls[1]) if window.rows[0] == whole.rows[0] else frame.top,
        max(frame.right, walls[2]) if window.columns.stop == whole.columns.stop else frame.right,
        max(frame.bottom, walls[3]) if window.rows[-1] == whole.rows[-1] else frame.bottom,
    )


def _range(columns: Sequence[int]) -> range:
    return range(columns[0], columns[-1] + 1)


def _cut(items: Sequence[int], too_many: Callable[[Sequence[int]], bool]) -> Iterator[Sequence[int]]:
    """Runs of items, each as long as is not too many, of at least one."""
    start = 0
    for end in range(1, len(items)):
        if too_many(items[start : end + 1]):
            yield items[start:end]
            start = end
    yield items[start:]

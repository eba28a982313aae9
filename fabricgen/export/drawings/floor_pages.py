"""The parts of a hall that floor plans show: all of it as large as a page takes, or cut between rows and places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from fabricgen.design.floor.halls import Hall, find_facing
from fabricgen.export.locations import format_column, format_row
from fabricgen.wiring.tables import RackTable

DETAIL = 1000 / 60
"""The scale at which rack names are legible, in mm on paper for a metre: 1:60."""

LEFT, TOP, RIGHT, BOTTOM = 14.0, 14.0, 3.0, 20.0
"""Margins around the racks for row numbers, title, colour keys and scale bar, mm."""

ZONES = 8.0
"""Width of the strip on the right of an overview that names the sheet of each group of rows, mm."""

AROUND_M = 0.6
"""Depth of floor that is drawn in front of the first row and behind the last one, m."""


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
        """The area that the margins of a plan leave for the hall."""
        return Paper(self.width - LEFT - RIGHT, self.height - TOP - BOTTOM)


A4 = Paper(277.0, 186.0)
"""A landscape page of the book: 297 x 210 mm (ISO 216) within margins of 10 mm."""

A3 = Paper(400.0, 277.0)
"""A landscape sheet of a plan on its own: 420 x 297 mm (ISO 216) within margins of 10 mm."""


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a hall that is drawn: its rows and columns, and the scale in mm on paper for a metre."""

    hall: int
    rows: tuple[int, ...]
    columns: range
    scale: float

    @property
    def zone(self) -> str:
        """The first and the last row: `R01-R08`."""
        return "-".join(dict.fromkeys([format_row(row) for row in (self.rows[0], self.rows[-1])]))

    @property
    def places(self) -> str:
        """The first and the last place: `01-32`."""
        return f"{format_column(self.columns.start)}-{format_column(self.columns.stop - 1)}"


@dataclass(frozen=True, slots=True)
class Frame:
    """An area of the floor in the frame of its site, m."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Its length along the rows, m."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Its length across the rows, m."""
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class FloorAisle:
    """An aisle along a row, from y `top` to y `bottom` in the frame of its site, m; cold if fronts face it.

    `is_whole` says that it reaches to the next row or to a stated wall.
    """

    top: float
    bottom: float
    cold: bool
    is_whole: bool


@dataclass(frozen=True, slots=True)
class FloorSheet:
    """A page of a plan: its name after that of the hall ("" for the first page), and the part of the hall that it
    shows.
    """

    name: str
    window: Window


def find_whole_hall(table: RackTable, hall: int) -> Window:
    """Return all of a hall at the scale of details: within its walls or, if its size is not stated, as far as racks
    stand.
    """
    spec, hall_racks = table.halls[hall], np.flatnonzero(table.hall == hall)
    if spec.rows:
        first_column = int(table.column[hall_racks].min(initial=0))  # patch racks stand before the first place
        return Window(hall, tuple(range(spec.rows)), range(min(0, first_column), spec.racks_per_row), DETAIL)
    return Window(
        hall,
        tuple(sorted(set(table.row[hall_racks].tolist()))),
        range(int(table.column[hall_racks].min()), int(table.column[hall_racks].max()) + 1),
        DETAIL,
    )


def list_window_racks(table: RackTable, window: Window) -> list[int]:
    """Return the rows, in the rack table, of the racks in a window."""
    rows = np.isin(table.row, np.array(window.rows, dtype=np.int32))
    columns = (table.column >= window.columns.start) & (table.column < window.columns.stop)
    return np.flatnonzero((table.hall == window.hall) & rows & columns).tolist()


def find_frame(table: RackTable, window: Window) -> Frame:
    """Return the area that a window shows.

    It has some floor before and behind its rows, and reaches to the walls at the ends of the hall.
    """
    return _bound_window(table.halls[window.hall], window, find_whole_hall(table, window.hall))


def list_aisles(table: RackTable, window: Window) -> Iterator[FloorAisle]:
    """Yield the aisles of a window: before the first row, between neighbouring rows, and behind the last row."""
    hall, rows, frame = table.halls[window.hall], window.rows, find_frame(table, window)
    ends, half, walls = find_whole_hall(table, window.hall).rows, hall.rack_depth_m / 2, hall.walls
    # walls are (left, top, right, bottom); None if the drawing does not reach the wall
    top_wall = walls[1] if walls and rows[0] == ends[0] else None
    bottom_wall = walls[3] if walls and rows[-1] == ends[-1] else None
    top = frame.top if top_wall is None else max(frame.top, top_wall)
    bottom = frame.bottom if bottom_wall is None else min(frame.bottom, bottom_wall)
    edges = [float(hall.find_y(row)) for row in rows]
    # a row that faces -1 has its fronts, and so a cold aisle, at its upper side; one that faces 1 at its lower side
    yield FloorAisle(top, edges[0] - half, find_facing(rows[0]) < 0, top_wall is not None)
    for (row, y), (next_row, next_y) in pairwise(zip(rows, edges, strict=True)):
        if next_row - row == 1:
            yield FloorAisle(y + half, next_y - half, find_facing(row) > 0, True)
    yield FloorAisle(edges[-1] + half, bottom, find_facing(rows[-1]) > 0, bottom_wall is not None)


def fit_on_page(table: RackTable, hall: int, paper: Paper = A4) -> Window:
    """Return all of a hall, as large as fits on a page."""
    hall_window = find_whole_hall(table, hall)
    frame, drawn_area = find_frame(table, hall_window), paper.drawn
    scale = min(drawn_area.width / frame.width, drawn_area.height / frame.height, DETAIL)
    return Window(hall, hall_window.rows, hall_window.columns, scale)


def split_hall(table: RackTable, hall: int, paper: Paper = A4) -> Iterator[Window]:
    """Yield a hall at the scale of details in parts that fill a page each, cut between rows and columns.

    A hall without racks has no parts.
    """
    hall_window, spec, drawn_area = find_whole_hall(table, hall), table.halls[hall], paper.drawn
    occupied_rows = set(table.row[table.hall == hall].tolist())

    def is_too_high(rows: Sequence[int]) -> bool:
        frame = _bound_window(spec, Window(hall, tuple(rows), hall_window.columns, DETAIL), hall_window)
        return frame.height * DETAIL > drawn_area.height

    def is_too_wide(columns: Sequence[int]) -> bool:
        frame = _bound_window(spec, Window(hall, hall_window.rows, _make_range(columns), DETAIL), hall_window)
        return frame.width * DETAIL > drawn_area.width

    strips = [_make_range(columns) for columns in _split_runs(hall_window.columns, is_too_wide)]
    for rows in _split_runs(hall_window.rows, is_too_high):
        for columns in strips if occupied_rows.intersection(rows) else ():
            window = Window(hall, tuple(rows), columns, DETAIL)
            if list_window_racks(table, window):
                yield window


def plan_sheets(table: RackTable, hall: int, papers: Sequence[Paper]) -> list[FloorSheet]:
    """Return the sheets of a hall's plan.

    If a page takes the whole hall with the names of racks, it is the only sheet; otherwise the first sheet is an
    overview and each further one a zone of rows, named after it. Among `papers`, the one that shows more, or needs
    fewer sheets, is taken.
    """
    overview = max((fit_on_page(table, hall, paper) for paper in papers), key=lambda window: window.scale)
    if overview.scale >= DETAIL:
        return [FloorSheet("", overview)]
    narrowed_papers = [replace(paper, width=paper.width - ZONES) for paper in papers]
    overview = max((fit_on_page(table, hall, paper) for paper in narrowed_papers), key=lambda window: window.scale)
    # zones take whole pages: only an overview has their names at its edge
    zones = min((list(split_hall(table, hall, paper)) for paper in papers), key=len)
    is_cut = len({zone.columns for zone in zones}) > 1
    return [
        FloorSheet("", overview),
        *(FloorSheet(f"{zone.zone}{f'.{zone.places}' if is_cut else ''}", zone) for zone in zones),
    ]


def _bound_window(hall: Hall, window: Window, hall_window: Window) -> Frame:
    """Return the frame of a window on paper, in m; at the ends of the hall it reaches to the walls."""
    left, right = (float(hall.find_x(column)) for column in (window.columns.start, window.columns.stop - 1))
    top, bottom = (float(hall.find_y(window.rows[end])) for end in (0, -1))
    margin = hall.rack_depth_m / 2 + AROUND_M
    frame = Frame(left - hall.rack_pitch_m / 2, top - margin, right + hall.rack_pitch_m / 2, bottom + margin)
    walls = hall.walls
    if walls is None:
        return frame
    return Frame(
        # walls are (left, top, right, bottom)
        min(frame.left, walls[0]) if window.columns.start == hall_window.columns.start else frame.left,
        min(frame.top, walls[1]) if window.rows[0] == hall_window.rows[0] else frame.top,
        max(frame.right, walls[2]) if window.columns.stop == hall_window.columns.stop else frame.right,
        max(frame.bottom, walls[3]) if window.rows[-1] == hall_window.rows[-1] else frame.bottom,
    )


def _make_range(columns: Sequence[int]) -> range:
    return range(columns[0], columns[-1] + 1)


def _split_runs(numbers: Sequence[int], too_many: Callable[[Sequence[int]], bool]) -> Iterator[Sequence[int]]:
    """Yield consecutive runs of numbers, each of at least one and as long as possible without being `too_many`."""
    start = 0
    for end in range(1, len(numbers)):
        if too_many(numbers[start : end + 1]):
            yield numbers[start:end]
            start = end
    yield numbers[start:]

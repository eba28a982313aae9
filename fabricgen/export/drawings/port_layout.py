"""How the front of a switch is laid out on pages: widths of columns, heights of cells, and where it is cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fabricgen.export.drawings.faces import Column, Panel
from fabricgen.export.drawings.svg import GLYPH
from fabricgen.export.drawings.switch_ports import Port
from fabricgen.export.drawings.wrap import Groups, narrowest

PAGE_WIDTH, PAGE_HEIGHT = 277.0, 188.0
"""Room on a landscape A4 page, mm."""

SIZES = (1.9, 1.75)
"""Of the text of far ends, mm: 5.4 points, or 5 where a front then takes fewer pages."""

LEADING = 1.12
"""From line to line, in sizes of the text."""

NUMBER = 3.4
"""Height of the number of a cage, mm."""

PAD = 0.9
HEAD = 11.0
GAP = 2.5
"""Between cages of different kinds, mm."""

PLANE = 1.2
"""Height of the pattern of a plane, mm."""

IDLE = 7.0
"""Width of a column of a kind of cage of which none carries a cable, mm."""

_LINES = 4
"""Lines of text in a port that are enough, where there is room for more."""

_MOST_CUTS = 8

_REMEMBERED = 1 << 12
"""Layouts, and texts without their letters, that are kept."""

Shapes = tuple[tuple[int, tuple[Port, ...]], ...]
"""By split of the cage: ports whose texts break otherwise."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Measures of a panel, mm: size of text, width of columns in use, height of cells, of the band of a port.

    `letters` on a line of a far end and `band_letters` of a band, by the split of the cage.
    """

    size: float
    column: float
    cell: float
    band: float
    letters: Mapping[int, int]
    band_letters: Mapping[int, int]
    idle: frozenset[int]
    """Kinds of cages of which none carries a cable."""

    def width(self, column: Column) -> float:
        """Width of a column, mm."""
        return IDLE if column.kind in self.idle else self.column

    @property
    def line(self) -> float:
        """From line to line, mm."""
        return self.size * LEADING

    def lines(self, ways: int) -> int:
        """Lines that a port of a cage so split has room for, at least one."""
        return max(1, int((self.column / ways - 0.3) / self.line))


@dataclass(frozen=True, slots=True)
class Layout:
    """A grid, and over how many drawings the columns and the rows of a panel are dealt."""

    grid: Grid
    columns_each: int
    rows_each: int

    def sheets(self, panel: Panel) -> Iterator[tuple[Sequence[Column], range]]:
        """Columns and rows of each drawing."""
        for row in range(0, panel.rows, self.rows_each):
            for first in range(0, len(panel.columns), self.columns_each):
                columns = panel.columns[first : first + self.columns_each]
                yield columns, range(row, min(panel.rows, row + self.rows_each))


def far_end(port: Port, lines: int) -> Groups:
    """What is at the far end: the device, then its cage and port, rack and unit, on another line where there is one."""
    rest = (port.place, port.rack, f"U{port.u}")
    return ((port.device,), rest) if lines > 1 else ((port.device, *rest),)


def band_text(port: Port, lines: int) -> Groups:
    """What the band of a port says: its role, and letters for fabric, rail and plane."""
    return ((port.role,), (port.tag,)) if lines > 1 else ((port.role, port.tag),)


def lay_out(panel: Panel, of_cage: Mapping[int, Sequence[Port]]) -> Layout:
    """The layout that takes the fewest drawings; of such that with the fewest cuts between columns, in larger text."""
    ports = [port for column in panel.columns for cage in column.cages for port in of_cage.get(cage, ())]
    used = {column.kind for column in panel.columns if any(of_cage.get(cage) for cage in column.cages)}
    return _laid_out(panel, _shapes(ports), frozenset(column.kind for column in panel.columns) - used)


@lru_cache(_REMEMBERED)
def _laid_out(panel: Panel, shapes: Shapes, idle: frozenset[int]) -> Layout:
    """The layout for ports of some shapes: most switches of a tier have the same."""
    found: list[tuple[tuple[int, int, float], Layout]] = []
    for size in SIZES:
        for cuts in range(1, min(_MOST_CUTS, len(panel.columns)) + 1):
            layout = _cut(panel, dict(shapes), idle, -(-len(panel.columns) // cuts), size)
            found.append(((cuts * -(-panel.rows // layout.rows_each), cuts, -size), layout))
            if cuts * -(-panel.rows // layout.rows_each) == 1:
                return layout
    return min(found, key=lambda each: each[0])[1]


def _shapes(ports: Iterable[Port]) -> Shapes:
    """By split of the cage: ports whose texts break otherwise, each once, in the order in which they are met."""
    found: dict[int, dict[Port, None]] = defaultdict(dict)
    for port in ports:
        found[port.ways].setdefault(_shape(port))
    return tuple((ways, tuple(found[ways])) for ways in sorted(found))


def _shape(port: Port) -> Port:
    """A port with texts that break like its own and are otherwise the same for all."""
    texts = _masked(port.device), _masked(port.place), _masked(port.rack), 10 if port.u > 9 else 1
    return Port(0, 0, port.ways, port.role, _masked(port.tag), "", port.pattern and "x", *texts)


@lru_cache(_REMEMBERED)
def _masked(text: str) -> str:
    return "-".join("x" * len(piece) for piece in text.split("-"))


def _cut(
    panel: Panel, shapes: Mapping[int, Sequence[Port]], idle: frozenset[int], columns_each: int, size: float
) -> Layout:
    """The layout with so many columns side by side, in text of a size."""
    kinds = {column.kind for column in panel.columns}
    resting = sum(column.kind in idle for column in panel.columns)
    most = max(shapes, default=1)
    wide = min(columns_each, max(1, len(panel.columns) - resting))
    room = (PAGE_WIDTH - 1 - GAP * (len(kinds) - 1) - IDLE * min(resting, columns_each)) / wide
    column = min(room, max(12.0, most * (_LINES * size * LEADING + 0.4)))
    bare = Grid(size, column, 0, 0, {}, {}, idle)
    lines = {ways: bare.lines(ways) for ways in shapes}
    letters = {n: narrowest((far_end(port, lines[n]) for port in shapes[n]), lines[n]) for n in lines}
    bands = {n: narrowest((band_text(port, lines[n]) for port in shapes[n]), min(lines[n], 2)) for n in lines}
    plane = PLANE if any(port.pattern for ports in shapes.values() for port in ports) else 0.0
    band = max(bands.values(), default=0) * GLYPH * size + 2 * PAD + plane
    text = max(letters.values(), default=6) * GLYPH * size + 2 * PAD
    cell = min(NUMBER + band + text, PAGE_HEIGHT - HEAD - 1)
    high = max(1, int((PAGE_HEIGHT - HEAD) / cell))
    crowded = column / most < bare.line * 0.95
    rows_each = 1 if crowded else -(-panel.rows // -(-panel.rows // high))
    return Layout(Grid(size, column, cell, band, letters, bands, idle), columns_each, rows_each)

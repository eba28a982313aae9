"""Floor plan: a hall from above, with rows, racks by contents, aisles, trays over rows, feeds, units, and
a scale bar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from fabricgen.blueprint.sections.floor import Kind
from fabricgen.design.floor.halls import Hall, HallFixture, face_of
from fabricgen.export.drawings.floor_pages import (
    BOTTOM,
    DETAIL,
    LEFT,
    RIGHT,
    TOP,
    ZONES,
    Frame,
    Window,
    frame_of,
    racks_in,
    whole_hall,
)
from fabricgen.export.drawings.rack_kinds import RackKinds
from fabricgen.export.drawings.svg import (
    GLYPH,
    Groups,
    box,
    drawing,
    label,
    narrowest,
    number,
    path,
    rect,
    safe,
    width_of,
    wrapped,
)
from fabricgen.export.locations import column_label, row_label

SMALLEST = 1.77
"""The smallest text, mm: 5 points."""

_COLD, _HOT = "#DCEBFA", "#FBE3DA"
_BARS_M = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_NAME = 2.6
"""The largest text size of rack names, mm."""

_UNIT_M = 0.12
"""From the racks of a unit to its outline, m."""

_NUMBER = 3.0
"""The least width on paper that the number of a place takes, mm."""

_KEPT = 0.86
"""Width of the outline of a place that is kept, in parts of the place."""

_DISTINCT = 2.5
"""The smallest width of a rack on paper, mm, at which fronts, trays and units are drawn."""


def floor_plan(kinds: RackKinds, window: Window, zones: Sequence[Window] = (), *, alone: bool = False) -> str:
    """A window as SVG; an overview names `zones` that have sheets of their own; `alone` makes it a complete file."""
    plan = _Plan(kinds, window, zones)
    return drawing(plan.width, plan.height, plan.body(), title=plan.title, alone=alone)


class _Plan:
    def __init__(self, kinds: RackKinds, window: Window, zones: Sequence[Window]) -> None:
        self._kinds, self._window, self._zones = kinds, window, zones
        self._table = kinds.table
        self._hall = self._table.halls[window.hall]
        self._frame = frame_of(self._table, window)
        self._drawn = LEFT + self._frame.width * window.scale
        self.width = max(self._drawn + RIGHT + (ZONES if zones else 0), 130.0)
        self.height = TOP + self._frame.height * window.scale + BOTTOM
        self._fixtures = FixturePen(self._hall, self._frame, self._x, self._y)
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
        ground = [self._head(), *self._aisles(), *self._walls(), *self._fixtures.on_the_floor()]
        above = [
            *(self._units(racks) if self._distinct else []),
            *self._kept_places(),
            *self._boxes(racks),
            *(self._trays() if self._distinct else []),
            *self._fixtures.above(),
            *self._rows(),
            *self._columns(),
            *self._zone_names(),
            *self._key(),
            self._scale_bar(),
        ]
        return "".join([*ground, *above, *(self._names(racks) if self._detailed else [])])

    @cached_property
    def _kept(self) -> dict[tuple[int, int], str]:
        """(row, column) of the places in the window that are kept for racks to come -> for which."""
        rows, columns = set(self._window.rows), self._window.columns
        found = self._kinds.kept.items()
        return {
            (r, c): name for (hall, r, c), name in found if hall == self._window.hall and r in rows and c in columns
        }

    def _kept_places(self) -> Iterator[str]:
        """Dashed outlines of places that are kept for network racks to come."""
        hall, scale = self._hall, self._window.scale
        width, depth = hall.rack_pitch_m * scale * _KEPT, hall.rack_depth_m * scale * 0.94
        pieces = [
            box(self._x(float(hall.x_of(c))) - width / 2, self._y(float(hall.y_of(r))) - depth / 2, width, depth)
            for r, c in self._kept
        ]
        yield path(pieces, "d")

    def _x(self, x_m: float) -> float:
        return LEFT + (x_m - self._frame.left) * self._window.scale

    def _y(self, y_m: float) -> float:
        return TOP + (y_m - self._frame.top) * self._window.scale

    @property
    def _ends(self) -> tuple[float, float]:
        """The x coordinates of the begin of the first column and of the end of the last one, mm."""
        columns, half = self._window.columns, self._hall.rack_pitch_m / 2
        left, right = (float(self._hall.x_of(column)) for column in (columns.start, columns.stop - 1))
        return self._x(left - half), self._x(right + half)

    def _walls(self) -> Iterator[str]:
        """The outline of a hall of stated size, if all of it is drawn."""
        if self._hall.rows and self._window.rows == whole_hall(self._table, self._window.hall).rows:
            yield rect(LEFT - 0.4, TOP + 0.2, self._drawn - LEFT + 0.8, self.height - BOTTOM - TOP - 0.2)

    def _head(self) -> str:
        window = self._window
        ends = window.rows[0], window.rows[-1], window.columns.start, window.columns.stop - 1
        told = "rows {} to {}, places {} to {}".format(*map(row_label, ends[:2]), *map(column_label, ends[2:]))
        told += f"; scale 1:{1000 / window.scale:.0f}"
        return label(0.5, 3, self.title, 3.8, "b", self.width - 1) + label(0.5, 7.8, told, 2.4, "g", self.width - 1)

    def _aisles(self) -> Iterator[str]:
        """The aisles between rows: cold where fronts face each other, hot where backs do."""
        hall, scale = self._hall, self._window.scale
        left, right = self._ends
        for one, other in pairwise(self._window.rows):
            top = float(hall.y_of(one)) + hall.rack_depth_m / 2
            bottom = float(hall.y_of(other)) - hall.rack_depth_m / 2
            if other - one > 1:
                yield self._empty(other - one - 1, top, bottom)
            if bottom <= top or other - one > 1:
                continue
            cold = face_of(one) > 0
            height = (bottom - top) * scale
            yield path([box(left, self._y(top), right - left, height)], "f", _COLD if cold else _HOT)
            word = f"{'cold' if cold else 'hot'} aisle {bottom - top:.1f} m"
            if height * 0.7 >= SMALLEST:
                yield label((left + right) / 2, self._y(top) + height / 2, word, min(2.4, height * 0.7), "m g")

    def _empty(self, rows: int, top: float, bottom: float) -> str:
        """What is between two rows that are no neighbours, m: rows that are kept for units to come."""
        left, _ = self._ends
        told = f"{rows} empty row{'s' if rows > 1 else ''}, {bottom - top:.1f} m"
        return label(left + 1, self._y((top + bottom) / 2), told, 2.4, "g", self.width - left - 2)

    def _units(self, racks: Sequence[int]) -> Iterator[str]:
        """An outline around the racks of each unit that stand side by side, with its name."""
        hall, scale, table = self._hall, self._window.scale, self._table
        pieces, names = [], []
        for unit, run in self._kinds.runs_by_unit(racks):
            left = float(table.x_m[run[0]]) - hall.rack_pitch_m / 2
            top = float(table.y_m[run[0]]) - hall.rack_depth_m / 2 - _UNIT_M
            width = len(run) * hall.rack_pitch_m * scale
            x, y = self._x(left) + 0.15, self._y(top)
            pieces.append(box(x, y, width - 0.3, (hall.rack_depth_m + 2 * _UNIT_M) * scale))
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
        """Names and feeds of racks along their depth, and what kept places are for."""
        table, hall = self._table, self._hall
        texts = [((table.names[rack],), *self._kinds.feeds(rack)) for rack in racks]
        styles = ["m w" if self._kinds.of(rack).is_dark else "m" for rack in racks]
        spots = [(float(table.x_m[rack]), float(table.y_m[rack])) for rack in racks]
        kept = [(("kept", "for", *name.split()),) for name in self._kept.values()]
        free = [(float(hall.x_of(column)), float(hall.y_of(row))) for row, column in self._kept]
        grey = self._along_depth(kept, ["m g"] * len(kept), free, room=_KEPT - 0.04)
        return [*self._along_depth(texts, styles, spots), *grey]

    def _along_depth(
        self, texts: Sequence[Groups], styles: Sequence[str], spots: Sequence[tuple[float, float]], room: float = 0.9
    ) -> Iterator[str]:
        """Texts in racks or places for racks, all of one size, on so much of a place's width; inside the rotated group
        x and y are swapped.
        """
        letters, size = self._name_size(texts, room)
        found = []
        for text, style, (x_m, y_m) in zip(texts, styles, spots, strict=True):
            told = wrapped(text, letters)
            x, y = self._x(x_m), self._y(y_m)
            for i, line in enumerate(told):
                at = x + (i - (len(told) - 1) / 2) * size * 1.12
                found.append(f'<text x="{number(-y)}" y="{number(at)}" class="{style}">{safe(line)}</text>')
        if found:
            yield f'<g transform="rotate(-90)" font-size="{number(size)}">{"".join(found)}</g>'

    def _name_size(self, texts: Sequence[Groups], room: float) -> tuple[int, float]:
        """(characters on a line, text size in mm), with the number of lines that allows the largest text."""
        depth, width = self._hall.rack_depth_m * DETAIL * 0.74, self._hall.rack_pitch_m * DETAIL * room
        fewest = max(map(len, texts), default=1)
        fits = []
        for lines in range(fewest, fewest + 4):
            letters = narrowest(texts, lines)
            fits.append((min(depth / letters / GLYPH, width / lines / 1.12, _NAME), -lines, letters))
        size, _, letters = max(fits)
        return letters, size

    def _trays(self) -> Iterator[str]:
        """The tray over each row, as a double line."""
        (left, right), pieces = self._ends, []
        for row in self._window.rows:
            for side in (-0.15, 0.15):
                pieces.append(f"M{number(left)} {number(self._y(float(self._hall.y_of(row)) + side))}H{number(right)}")
        yield path(pieces, "t")

    def _rows(self) -> Iterator[str]:
        """Row numbers on the left, as many as fit."""
        free = -100.0
        for row in self._window.rows:
            y = self._y(float(self._hall.y_of(row)))
            if y - free >= 2.4:
                yield label(LEFT - 1, y, row_label(row), 2.3, "e", LEFT - 1.5)
                free = y

    def _columns(self) -> Iterator[str]:
        """The numbers of places above the first row and below the last, as many as fit: all, or 01, 03, 05, or 01, 05,
        10 and so on, without one that is too near to that before it.
        """
        pitch = self._hall.rack_pitch_m * self._window.scale
        step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 1000) if n * pitch >= _NUMBER or n == 1000)
        top, bottom = self._number_lines()
        free = -100.0
        for column in self._window.columns:
            x = self._x(float(self._hall.x_of(column)))
            turn = column % 2 == 0 if step == 2 else (column + 1) % step == 0
            if (turn or column in (0, self._window.columns.start)) and x >= free:
                yield from (label(x, y, column_label(column), 2.0, "m g") for y in (top, bottom))
                free = x + _NUMBER - 0.01

    def _number_lines(self) -> tuple[float, float]:
        """Where the numbers of places stand above the first row and below the last: beyond outlines of units and their
        names, or beyond the walls where these are nearer than that.
        """
        edge, scale = self._hall.rack_depth_m / 2 + _UNIT_M, self._window.scale
        top = self._y(float(self._hall.y_of(self._window.rows[0])) - edge) - (3.5 if self._detailed else 1.5)
        bottom = self._y(float(self._hall.y_of(self._window.rows[-1])) + edge) + 1.6
        end = TOP + self._frame.height * scale
        return (TOP - 1.4 if top < TOP + 1.2 else top), (end + 1.4 if bottom > end - 1.2 else bottom)

    def _zone_names(self) -> Iterator[str]:
        """On the right of an overview, the rows of each sheet, turned if there is room; there x and y are swapped."""
        x, turned = self._drawn + 3, []
        of_rows: dict[tuple[int, ...], list[Window]] = {}
        for zone in self._zones:
            of_rows.setdefault(zone.rows, []).append(zone)
        for window, *others in of_rows.values():
            frame = frame_of(self._table, window)
            top, bottom = self._y(frame.top), self._y(frame.bottom)
            yield path([f"M{number(x - 1)} {number(top + 0.3)}h1V{number(bottom - 0.3)}h-1"], "l")
            name = f"sheet {window.zone}"
            if others:
                name = f"sheets {window.zone}.{', '.join(one.places for one in (window, *others))}"
            high, wide = bottom - top - 1, self.width - x - 2
            if high >= min(width_of(name, 2.3), wide):
                turned.append(label(-(top + bottom) / 2, x + 2.4, name, 2.3, "m", high))
            else:
                yield label(x + 1.5, (top + bottom) / 2, name, 2.3, "", wide)
        if turned:
            yield f'<g transform="rotate(-90)">{"".join(turned)}</g>'

    def _key(self) -> Iterator[str]:
        """What the colours of racks and stripes mean, on one line, and above it those of fixtures, if there are any."""
        key = [(*entry, "h") for entry in self._kinds.key()]
        key += [("none", "kept for racks to come", "d")] if self._kept else []
        room, wants = self.width - LEFT - 1, [width_of(what, 2.1) + 7 for _, what, _ in key]
        shrink, x, y = min(1.0, room / sum(wants)), LEFT, self.height - 11.5
        for (fill, what, style), want in zip(key, wants, strict=True):
            yield rect(x, y - 1.2, 2.4, 2.4, fill, style)
            yield label(x + 3.2, y, what, 2.1, "", want * shrink - 4)
            x += want * shrink
        each_fixture = room / len(LOOKS)
        for i, kind in enumerate(self._fixtures.kinds()):
            x, y = LEFT + i * min(each_fixture, 40.0), self.height - 15.5
            yield from fixture(kind, x, y - 1.2, 2.4, 2.4)
            yield label(x + 3.2, y, LOOKS[kind][1], 2.1, "", each_fixture - 4)

    def _scale_bar(self) -> str:
        scale = self._window.scale
        metres = max((bar for bar in _BARS_M if bar * scale <= 60), default=1)
        y, width = self.height - 6, metres * scale
        ends = [f"M{number(LEFT)} {number(y)}h{number(width)}"]
        ends += [f"M{number(LEFT + at)} {number(y - 1)}v2" for at in (0, width)]
        told = (
            "a rack's thick edge is its front; double line: tray over the row; dashed: unit" if self._distinct else ""
        )
        return (
            path(ends, "l")
            + label(LEFT + width + 2, y, f"{metres} m", 2.3)
            + label(LEFT, self.height - 2.4, told, 2.1, "g", self.width - LEFT - 1)
        )


# What the building has in a hall, as floor plans show it: doors, columns, cooling units and power.

LOOKS: dict[Kind, tuple[str, str]] = {
    "door": ("#FFFFFF", "door"),
    "column": ("#8C8C8C", "column"),
    "cooling": ("#A8E0E6", "cooling"),
    "power": ("#F7D154", "power"),
    "busway": ("", "busway, above"),
}
"""(fill, what the key says) of each kind."""

_LARGEST, _SMALLEST = 2.3, 1.77
"""Size of names, mm: 5 points at least."""

_CHARACTER = 1.1
"""The least width of a character that is squeezed, mm."""


@dataclass(frozen=True)
class FixturePen:
    """Draws the fixtures of a hall within a frame; `x` and `y` are places on paper, mm, of metres."""

    hall: Hall
    frame: Frame
    x: Callable[[float], float]
    y: Callable[[float], float]

    def kinds(self) -> list[Kind]:
        """The kinds that there are, as the key lists them."""
        there = {one.kind for one in self.hall.fixtures}
        return [kind for kind in LOOKS if kind in there]

    def on_the_floor(self) -> Iterator[str]:
        """Everything but busways, which lie above racks."""
        yield from self._drawn([one for one in self.hall.fixtures if one.kind != "busway"])

    def above(self) -> Iterator[str]:
        """Busways: an outline, and their names."""
        yield from self._drawn([one for one in self.hall.fixtures if one.kind == "busway"])

    def _drawn(self, fixtures: list[HallFixture]) -> Iterator[str]:
        for one in fixtures:
            left, top = self.x(max(one.area[0], self.frame.left)), self.y(max(one.area[1], self.frame.top))
            width = self.x(min(one.area[2], self.frame.right)) - left
            height = self.y(min(one.area[3], self.frame.bottom)) - top
            if width > 0 and height > 0:
                yield from fixture(one.kind, left, top, width, height)
                yield self._name(one, left, top, width, height)

    def _name(self, one: HallFixture, left: float, top: float, width: float, height: float) -> str:
        """The name and feed of a fixture; that of a busway behind its end, where it hides no rack, if there is room."""
        name = one.title + (f" ({one.feed})" if one.feed else "")
        room = self.x(self.frame.right) - left - width - 1
        if one.kind == "busway" and width > height and room >= width_of(name, _LARGEST):
            return label(left + width + 0.8, top + height / 2, name, _LARGEST)
        return _inside(name, left, top, width, height)


def fixture(kind: Kind, left: float, top: float, width: float, height: float) -> Iterator[str]:
    """A fixture without its name; each kind has a sign of its own beside its colour."""
    fill, _ = LOOKS[kind]
    outline = box(left, top, width, height)
    if fill:
        yield path([outline], "f", fill)
    if kind == "column":  # crossed, as on plans of buildings
        outline += f"M{number(left)} {number(top)}l{number(width)} {number(height)}"
        outline += f"M{number(left)} {number(top + height)}l{number(width)} {number(-height)}"
    if kind == "door":
        outline += f"M{number(left)} {number(top + height)}l{number(width)} {number(-height)}"
    if kind == "power":
        outline += f"M{number(left + width / 2)} {number(top)}v{number(height)}"
    yield path([outline], "u" if kind == "busway" else "l")


def _inside(text: str, left: float, top: float, width: float, height: float) -> str:
    """A name inside its box, along its longer side, on a white ground; "" where it does not fit."""
    room, depth = max(width, height) - 0.6, min(width, height)
    size = min(_LARGEST, depth - 0.2)
    if size < _SMALLEST or room < len(text) * _CHARACTER:
        return ""
    x, y, long = left + width / 2, top + height / 2, min(room, width_of(text, size)) + 0.6
    upright = height > width + 0.1
    ground = box(x - size / 2, y - long / 2, size, long) if upright else box(x - long / 2, y - size / 2, long, size)
    written = label(-y, x, text, size, "m", room) if upright else label(x, y, text, size, "m", room)
    return path([ground], "f", "#FFFFFF") + (f'<g transform="rotate(-90)">{written}</g>' if upright else written)

"""Floor plan: a hall from above, with rows, racks by contents, aisles, trays over rows, feeds, units, and a
scale bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from fabricgen.export.drawings.floor_marks import LOOKS, FixturePen, RackKinds, draw_fixture
from fabricgen.export.drawings.floor_pages import (
    BOTTOM,
    DETAIL,
    LEFT,
    RIGHT,
    TOP,
    ZONES,
    Window,
    find_frame,
    find_whole_hall,
    list_aisles,
    list_window_racks,
)
from fabricgen.export.drawings.svg import (
    GLYPH,
    MIDDLE,
    Groups,
    draw_label,
    draw_path,
    draw_rect,
    escape_text,
    find_narrowest_width,
    format_number,
    make_svg,
    measure_text,
    trace_box,
    wrap_words,
)
from fabricgen.export.locations import format_column, format_row

SMALLEST = 1.77
"""The smallest text size, mm: 5 points."""

_COLD, _HOT = "#DCEBFA", "#FBE3DA"
_BARS_M = (1, 2, 5, 10, 20, 50, 100, 200, 500)
_NAME = 2.6
"""The largest text size of rack names, mm."""

_UNIT_M = 0.12
"""Distance from the racks of a unit to its outline, m."""

_NUMBER = 3.0
"""The least width on paper for the number of a place, mm."""

_KEPT_SHARE = 0.86
"""Width of the outline of a kept place, as a share of the width of the place."""

_DISTINCT = 2.5
"""Width of a rack on paper, mm, from which fronts, trays and units are drawn."""


def draw_floor_plan(kinds: RackKinds, window: Window, zones: Sequence[Window] = (), *, alone: bool = False) -> str:
    """Return a window of a hall as SVG.

    An overview names the `zones` that have sheets of their own; `alone` makes it a complete file.
    """
    plan = _FloorDrawing(kinds, window, zones)
    return make_svg(plan.width, plan.height, plan.draw_body(), title=plan.title, alone=alone)


class _FloorDrawing:
    def __init__(self, kinds: RackKinds, window: Window, zones: Sequence[Window]) -> None:
        self._kinds, self._window, self._zones = kinds, window, zones
        self._table = kinds.table
        self._hall = self._table.halls[window.hall]
        self._frame = find_frame(self._table, window)
        self._drawn = LEFT + self._frame.width * window.scale
        self.width = max(self._drawn + RIGHT + (ZONES if zones else 0), 130.0)
        self.height = TOP + self._frame.height * window.scale + BOTTOM
        self._fixtures = FixturePen(self._hall, self._frame, self._to_paper_x, self._to_paper_y)
        self.title = f"Floor plan {kinds.name_hall(window.hall)}"

    @property
    def _distinct(self) -> bool:
        return self._hall.rack_pitch_m * self._window.scale >= _DISTINCT

    @property
    def _detailed(self) -> bool:
        return self._window.scale >= DETAIL

    def draw_body(self) -> str:
        """Return the elements of the whole drawing, from the background up."""
        racks = list_window_racks(self._table, self._window)
        background = [
            self._draw_head(),
            *self._draw_aisles(),
            *self._draw_walls(),
            *self._fixtures.draw_fixtures(above=False),
        ]
        foreground = [
            *(self._draw_units(racks) if self._distinct else []),
            *self._draw_kept_places(),
            *self._draw_racks(racks),
            *(self._draw_trays() if self._distinct else []),
            *self._fixtures.draw_fixtures(above=True),
            *self._draw_row_numbers(),
            *self._draw_column_numbers(),
            *self._draw_zone_names(),
            *self._draw_key(),
            self._draw_scale_bar(),
        ]
        return "".join([*background, *foreground, *(self._draw_names(racks) if self._detailed else [])])

    @cached_property
    def _kept_racks(self) -> dict[tuple[int, int], str]:
        """(row, column) of the places in the window that are kept for future racks -> for which rack."""
        rows, columns = set(self._window.rows), self._window.columns
        return {
            (r, c): name
            for (hall, r, c), name in self._kinds.kept.items()
            if hall == self._window.hall and r in rows and c in columns
        }

    def _draw_kept_places(self) -> Iterator[str]:
        """Yield dashed outlines of the places that are kept for future network racks."""
        hall, scale = self._hall, self._window.scale
        width, depth = hall.rack_pitch_m * scale * _KEPT_SHARE, hall.rack_depth_m * scale * 0.94
        yield draw_path(
            [
                trace_box(
                    self._to_paper_x(float(hall.find_x(c))) - width / 2,
                    self._to_paper_y(float(hall.find_y(r))) - depth / 2,
                    width,
                    depth,
                )
                for r, c in self._kept_racks
            ],
            "d",
        )

    def _to_paper_x(self, x_m: float) -> float:
        return LEFT + (x_m - self._frame.left) * self._window.scale

    def _to_paper_y(self, y_m: float) -> float:
        return TOP + (y_m - self._frame.top) * self._window.scale

    @property
    def _row_ends(self) -> tuple[float, float]:
        """The x of the start of the first column and of the end of the last one, mm on paper."""
        columns, half = self._window.columns, self._hall.rack_pitch_m / 2
        left, right = (float(self._hall.find_x(column)) for column in (columns.start, columns.stop - 1))
        return self._to_paper_x(left - half), self._to_paper_x(right + half)

    def _draw_walls(self) -> Iterator[str]:
        """Yield the outline of a hall of stated size, if all of the hall is drawn."""
        if self._hall.rows and self._window.rows == find_whole_hall(self._table, self._window.hall).rows:
            yield draw_rect(LEFT - 0.4, TOP + 0.2, self._drawn - LEFT + 0.8, self.height - BOTTOM - TOP - 0.2)

    def _draw_head(self) -> str:
        """Return the title, and below it the rows and places that are shown and the scale."""
        window = self._window
        ends = window.rows[0], window.rows[-1], window.columns.start, window.columns.stop - 1
        subtitle = "rows {} to {}, places {} to {}".format(*map(format_row, ends[:2]), *map(format_column, ends[2:]))
        subtitle += f"; scale 1:{1000 / window.scale:.0f}"
        return draw_label(0.5, 3, self.title, 3.8, "b", self.width - 1) + draw_label(
            0.5, 7.8, subtitle, 2.4, "g", self.width - 1
        )

    def _draw_aisles(self) -> Iterator[str]:
        """Yield the aisles along rows, cold at fronts and hot at backs, with their widths, and the ends of rows.

        Aisles between rows and walls are included.
        """
        left, right = self._row_ends
        yield from self._draw_empty_rows()
        number_lines = self._place_number_lines()
        for aisle in list_aisles(self._table, self._window):
            top, bottom = self._to_paper_y(aisle.top), self._to_paper_y(aisle.bottom)
            if bottom <= top:
                continue
            yield draw_path([trace_box(left, top, right - left, bottom - top)], "f", _COLD if aisle.cold else _HOT)
            word = f"{'cold' if aisle.cold else 'hot'} aisle"
            word += f" {aisle.bottom - aisle.top:.1f} m" if aisle.is_whole else ""
            # before the first row and behind the last one, the numbers of places stand in the aisle
            middle = (top + bottom) / 2
            top = max([top, *(line + 1.2 for line in number_lines if line < middle)])
            bottom = min([bottom, *(line - 1.2 for line in number_lines if line > middle)])
            size = min(2.4, (bottom - top) * 0.7)
            if size >= SMALLEST:
                yield draw_label((left + right) / 2, (top + bottom) / 2, word, size, "m g")
        yield from self._draw_row_ends()

    def _draw_row_ends(self) -> Iterator[str]:
        """Yield how wide the floor is between the ends of rows and the walls; in turned text, x and y are swapped."""
        walls, row_ends = self._hall.walls, self._row_ends
        whole = find_whole_hall(self._table, self._window.hall).columns
        columns, middle = self._window.columns, self._to_paper_y((self._frame.top + self._frame.bottom) / 2)
        # walls are (left, top, right, bottom): 2 * 0 is the left one, 2 * 1 the right one
        for end_index, is_drawn in ((0, columns.start == whole.start), (1, columns.stop == whole.stop)):
            wall = self._to_paper_x(walls[2 * end_index]) if walls and is_drawn else row_ends[end_index]
            width = abs(wall - row_ends[end_index])
            if (wall < row_ends[end_index]) == (end_index == 0) and width * 0.7 >= SMALLEST:
                word = f"aisle {width / self._window.scale:.1f} m"
                text = draw_label(-middle, (wall + row_ends[end_index]) / 2, word, min(2.4, width * 0.7), "m g")
                yield f'<g transform="rotate(-90)">{text}</g>'

    def _draw_empty_rows(self) -> Iterator[str]:
        """Yield a note between two rows that are not neighbours: the rows between them are kept for future units."""
        (left, _), hall = self._row_ends, self._hall
        for row, next_row in pairwise(self._window.rows):
            rows, (y, next_y) = next_row - row - 1, (float(hall.find_y(end)) for end in (row, next_row))
            text = f"{rows} empty row{'s' if rows > 1 else ''}, {next_y - y - hall.rack_depth_m:.1f} m"
            if rows:
                yield draw_label(left + 1, self._to_paper_y((y + next_y) / 2), text, 2.4, "g", self.width - left - 2)

    def _draw_units(self, racks: Sequence[int]) -> Iterator[str]:
        """Yield an outline around the racks of each unit that stand side by side, with the unit's name."""
        hall, scale, table = self._hall, self._window.scale, self._table
        pieces, names = [], []
        for unit, unit_racks in self._kinds.split_by_unit(racks):
            left = float(table.x_m[unit_racks[0]]) - hall.rack_pitch_m / 2
            top = float(table.y_m[unit_racks[0]]) - hall.rack_depth_m / 2 - _UNIT_M
            width = len(unit_racks) * hall.rack_pitch_m * scale
            x, y = self._to_paper_x(left) + 0.15, self._to_paper_y(top)
            pieces.append(trace_box(x, y, width - 0.3, (hall.rack_depth_m + 2 * _UNIT_M) * scale))
            if self._detailed:
                names.append(draw_label(x + 0.4, y - 1.3, unit, 1.9, "b g", width))
        yield draw_path(pieces, "d")
        yield from names

    def _draw_racks(self, racks: Sequence[int]) -> Iterator[str]:
        """Yield racks in the colour of their contents.

        Each has a stripe for each fabric with switches in it, on the side of their ports.
        """
        scale, table = self._window.scale, self._table
        fills: dict[str, list[str]] = {}
        stripes: dict[str, list[str]] = {}
        outlines, fronts = [], []
        for rack in racks:
            kind = table.kinds[int(table.kind[rack])]
            width = min(kind.width_m, self._hall.rack_pitch_m) * scale * 0.94
            depth = min(kind.depth_m, self._hall.rack_depth_m) * scale
            x, y = (
                self._to_paper_x(float(table.x_m[rack])) - width / 2,
                self._to_paper_y(float(table.y_m[rack])) - depth / 2,
            )
            rack_kind = self._kinds.find_kind(rack)
            fills.setdefault(rack_kind.fill, []).append(trace_box(x, y, width, depth))
            outlines.append(trace_box(x, y, width, depth))
            to_bottom = int(table.faces[rack]) > 0
            fronts.append(f"M{format_number(x)} {format_number(y + depth if to_bottom else y)}h{format_number(width)}")
            stripe, stripe_width = depth * 0.12, width / max(1, len(rack_kind.stripes))
            for i, (fill, is_rear) in enumerate(rack_kind.stripes):
                # at the lower edge are the fronts of racks that face down, and the rears of those that face up
                stripe_top = y + depth - stripe if to_bottom != is_rear else y
                stripes.setdefault(fill, []).append(trace_box(x + i * stripe_width, stripe_top, stripe_width, stripe))
        for fill, pieces in (*sorted(fills.items()), *sorted(stripes.items())):
            yield draw_path(pieces, "f", fill)
        if self._distinct:
            yield draw_path(outlines, "l" if self._detailed else "h")
            yield draw_path(fronts, "r")

    def _draw_names(self, racks: Sequence[int]) -> list[str]:
        """Return the names and feeds of racks, and the names of future racks in places kept for them, along the depth
        of racks.
        """
        table, hall = self._table, self._hall
        texts = [((table.names[rack],), *self._kinds.format_feeds(rack)) for rack in racks]
        styles = ["m w" if self._kinds.find_kind(rack).is_dark else "m" for rack in racks]
        centres = [(float(table.x_m[rack]), float(table.y_m[rack])) for rack in racks]
        kept_texts = [(("kept", "for", *name.split()),) for name in self._kept_racks.values()]
        kept_centres = [(float(hall.find_x(column)), float(hall.find_y(row))) for row, column in self._kept_racks]
        kept_names = self._draw_along_depth(
            kept_texts, ["m g"] * len(kept_texts), kept_centres, hall.rack_depth_m, room=_KEPT_SHARE - 0.04
        )
        # the shallowest rack decides: what fits a deeper one would stand on its stripes
        kinds = {int(table.kind[rack]) for rack in racks}
        shallowest_m = min((table.kinds[kind].depth_m for kind in kinds), default=hall.rack_depth_m)
        return [*self._draw_along_depth(texts, styles, centres, min(shallowest_m, hall.rack_depth_m)), *kept_names]

    def _draw_along_depth(
        self,
        texts: Sequence[Groups],
        styles: Sequence[str],
        centres: Sequence[tuple[float, float]],
        depth_m: float,
        room: float = 0.9,
    ) -> Iterator[str]:
        """Yield one SVG group of texts of one size, written along the depth of racks or places and centred on them.

        `styles` has the CSS classes of each text, `depth_m` is that depth; `room` is the share of a place's width that
        the texts may take. Inside the rotated group x and y are swapped.
        """
        line_length, size = self._choose_name_size(texts, depth_m, room)
        elements = []
        for text, style, (x_m, y_m) in zip(texts, styles, centres, strict=True):
            lines = wrap_words(text, line_length)
            x, y = self._to_paper_x(x_m), self._to_paper_y(y_m)
            for i, line in enumerate(lines):
                line_y = format_number(x + (i - (len(lines) - 1) / 2) * size * 1.12 + MIDDLE * size)
                elements.append(
                    f'<text x="{format_number(-y)}" y="{line_y}" class="{style}">{escape_text(line)}</text>'
                )
        if elements:
            yield f'<g transform="rotate(-90)" font-size="{format_number(size)}">{"".join(elements)}</g>'

    def _choose_name_size(self, texts: Sequence[Groups], depth_m: float, width_share: float) -> tuple[int, float]:
        """Return how many characters a line of a rack's name has, and the size of the text in mm.

        A name is broken into lines along the depth of its rack, `depth_m`, between its stripes; together its lines may
        take `width_share` of the width of a rack's place. The number of lines is the one that allows the largest text;
        of several, the fewest.
        """
        depth, width = depth_m * DETAIL * 0.74, self._hall.rack_pitch_m * DETAIL * width_share
        fewest_lines = max(map(len, texts), default=1)
        # (text size, -lines, characters on a line)
        choices = []
        for lines in range(fewest_lines, fewest_lines + 4):
            letters = find_narrowest_width(texts, lines)
            choices.append((min(depth / letters / GLYPH, width / lines / 1.12, _NAME), -lines, letters))
        size, _, letters = max(choices)
        return letters, size

    def _draw_trays(self) -> Iterator[str]:
        """Yield the tray over each row, as a double line."""
        (left, right), pieces = self._row_ends, []
        for row in self._window.rows:
            for offset_m in (-0.15, 0.15):
                y = self._to_paper_y(float(self._hall.find_y(row)) + offset_m)
                pieces.append(f"M{format_number(left)} {format_number(y)}H{format_number(right)}")
        yield draw_path(pieces, "t")

    def _draw_row_numbers(self) -> Iterator[str]:
        """Yield the row numbers on the left, as many as fit."""
        last_y = -100.0
        for row in self._window.rows:
            y = self._to_paper_y(float(self._hall.find_y(row)))
            if y - last_y >= 2.4:
                yield draw_label(LEFT - 1, y, format_row(row), 2.3, "e", LEFT - 1.5)
                last_y = y

    def _draw_column_numbers(self) -> Iterator[str]:
        """Yield the numbers of places above the first row and below the last one, as many as fit.

        These are all, or 01, 03, 05, or 01, 05, 10 and so on; a number too near to the one before it is left out.
        """
        pitch = self._hall.rack_pitch_m * self._window.scale
        step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 1000) if n * pitch >= _NUMBER or n == 1000)
        top, bottom = self._place_number_lines()
        # left of the page: the first number always has room
        next_x = -100.0
        for column in self._window.columns:
            x = self._to_paper_x(float(self._hall.find_x(column)))
            # columns count from 0, their names from 1: every second name is 01, 03; larger steps give round names
            is_on_step = column % 2 == 0 if step == 2 else (column + 1) % step == 0
            if (is_on_step or column in (0, self._window.columns.start)) and x >= next_x:
                yield from (draw_label(x, y, format_column(column), 2.0, "m g") for y in (top, bottom))
                # minus a hundredth: neighbours at exactly that distance must not fail by rounding
                next_x = x + _NUMBER - 0.01

    def _place_number_lines(self) -> tuple[float, float]:
        """Return the y of the numbers of places above the first row and of those below the last one, mm.

        They stand beyond the outlines and names of units, or beyond the walls if the walls are nearer.
        """
        edge, scale = self._hall.rack_depth_m / 2 + _UNIT_M, self._window.scale
        top = self._to_paper_y(float(self._hall.find_y(self._window.rows[0])) - edge) - (3.5 if self._detailed else 1.5)
        bottom = self._to_paper_y(float(self._hall.find_y(self._window.rows[-1])) + edge) + 1.6
        frame_bottom = TOP + self._frame.height * scale
        return (TOP - 1.4 if top < TOP + 1.2 else top), (frame_bottom + 1.4 if bottom > frame_bottom - 1.2 else bottom)

    def _draw_zone_names(self) -> Iterator[str]:
        """Yield, on the right of an overview, the name of the sheet of each group of rows; turned if there is room.

        In turned text x and y are swapped.
        """
        x, turned = self._drawn + 3, []
        zones_by_rows: dict[tuple[int, ...], list[Window]] = {}
        for zone in self._zones:
            zones_by_rows.setdefault(zone.rows, []).append(zone)
        for first_window, *other_windows in zones_by_rows.values():
            frame = find_frame(self._table, first_window)
            top, bottom = self._to_paper_y(frame.top), self._to_paper_y(frame.bottom)
            yield draw_path(
                [f"M{format_number(x - 1)} {format_number(top + 0.3)}h1V{format_number(bottom - 0.3)}h-1"], "l"
            )
            places = ", ".join(window.places for window in (first_window, *other_windows))
            name = f"sheets {first_window.zone}.{places}" if other_windows else f"sheet {first_window.zone}"
            max_height, max_width = bottom - top - 1, self.width - x - 2
            if max_height >= min(measure_text(name, 2.3), max_width):
                turned.append(draw_label(-(top + bottom) / 2, x + 2.4, name, 2.3, "m", max_height))
            else:
                yield draw_label(x + 1.5, (top + bottom) / 2, name, 2.3, "", max_width)
        if turned:
            yield f'<g transform="rotate(-90)">{"".join(turned)}</g>'

    def _draw_key(self) -> Iterator[str]:
        """Yield the meaning of the colours of racks and stripes on one line, and above it that of fixtures, if there
        are any.
        """
        key = [(*entry, "h") for entry in self._kinds.list_colours()]
        key += [("none", "kept for racks to come", "d")] if self._kept_racks else []
        key_width, entry_widths = self.width - LEFT - 1, [measure_text(meaning, 2.1) + 7 for _, meaning, _ in key]
        shrink, x, y = min(1.0, key_width / sum(entry_widths)), LEFT, self.height - 11.5
        for (fill, meaning, style), entry_width in zip(key, entry_widths, strict=True):
            yield draw_rect(x, y - 1.2, 2.4, 2.4, fill, style)
            yield draw_label(x + 3.2, y, meaning, 2.1, "", entry_width * shrink - 4)
            x += entry_width * shrink
        fixture_width = key_width / len(LOOKS)
        for i, kind in enumerate(self._fixtures.list_kinds()):
            x, y = LEFT + i * min(fixture_width, 40.0), self.height - 15.5
            yield from draw_fixture(kind, x, y - 1.2, 2.4, 2.4)
            yield draw_label(x + 3.2, y, LOOKS[kind][1], 2.1, "", fixture_width - 4)

    def _draw_scale_bar(self) -> str:
        """Return the longest bar of a round number of metres that is at most 60 mm on paper, and the meaning
        of lines.
        """
        scale = self._window.scale
        metres = max((bar for bar in _BARS_M if bar * scale <= 60), default=1)
        y, width = self.height - 6, metres * scale
        ends = [f"M{format_number(LEFT)} {format_number(y)}h{format_number(width)}"]
        ends += [f"M{format_number(LEFT + offset)} {format_number(y - 1)}v2" for offset in (0, width)]
        fronts = "a rack's thick edge is its front; stripes: fabrics, on the side of their ports"
        note = f"{fronts}; double line: tray over the row; dashed: unit" if self._distinct else ""
        return (
            draw_path(ends, "l")
            + draw_label(LEFT + width + 2, y, f"{metres} m", 2.3)
            + draw_label(LEFT, self.height - 2.4, note, 2.1, "g", self.width - LEFT - 1)
        )

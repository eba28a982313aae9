"""Rack elevation: front and rear of a rack side by side, each as seen by someone who stands before it, with totals
below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.export.drawings.port_layout import Panel, list_cage_groups, list_panels
from fabricgen.export.drawings.rack_contents import (
    EMPTY,
    PLUGGED,
    READY,
    FilledRack,
    Item,
    RackTotal,
    format_total,
    is_over_budget,
    is_unknown,
)
from fabricgen.export.drawings.svg import (
    GLYPH,
    draw_label,
    draw_path,
    draw_rect,
    find_narrowest_width,
    format_number,
    make_svg,
    measure_text,
    trace_box,
    wrap_words,
)

WIDTH, HEIGHT = 136.0, 183.0
"""Size of the drawing, mm: two racks side by side on a landscape A4 page."""

_SIDES = {"front": (5.0, "cold"), "rear": (73.0, "hot")}
"""For each face of a rack, its left edge in mm and the aisle before it."""

_BODY = 58.0
_HEAD, _FOOT = 13.0, 15.0
_TALLEST_UNIT = 3.2
"""The largest height of a rack unit on paper, mm: about a fourteenth of its true size."""

_NOTE, _NOTES = 1.9, 6
"""Text size of the notes below a rack in mm, and the most lines that they take."""

_BAR = 11.0
"""Width of the bar of a budget, mm."""

_WARNING = "#D00000"

_PORT, _SMALLEST = 2.2, 1.77
"""Text size of the names of ports, and the smallest one, 5 points; mm."""

_PORT_LINE, _NIC_LINE = 1.4, 1.05
"""Height of a cage with its name, and what the name of its NIC adds, as multiples of the text size."""

_BARE = 1.6
"""Width and height of a cage without a name, mm."""

_WIDEST = 3.0
"""The largest width of a cage of a switch, mm."""

_STYLES = {EMPTY: ("v", ""), READY: ("c", ""), PLUGGED: ("f", "#333333")}
"""By state, how a position is drawn: class and colour."""

_ROWS = 3
"""Rows of positions in a rack unit, as in panels of 72 positions in 1 U; profiles do not tell the true arrangement."""

_Box = tuple[float, float, float, float]
"""Left, top, width and height, mm."""


def draw_elevation(rack: FilledRack, *, alike: int = 1, alone: bool = False) -> str:
    """Return a rack as SVG: both faces with their items, its name above and its totals below.

    `alike` is the number of racks that the drawing stands for, this one included; `alone` makes it a complete file.
    """
    unit = min(_TALLEST_UNIT, (HEIGHT - _HEAD - _FOOT) / rack.units)
    faces = [_RackFace(rack, side, face_left, unit) for side, (face_left, _) in _SIDES.items()]
    body = [*_draw_head(rack, alike), *chain.from_iterable(face.draw_lines() for face in faces)]
    body += _draw_foot(rack, _HEAD + rack.units * unit + 2)
    return make_svg(WIDTH, HEIGHT, "".join(body), title=f"Rack {rack.name}", alone=alone)


def _draw_head(rack: FilledRack, alike: int) -> Iterator[str]:
    """Yield the name and position of a rack, `x 3 like this` if the drawing stands for several, and over each face its
    aisle and the places of the racks to its left and right.
    """
    count = f"x {alike} like this" if alike > 1 else ""
    # the margin is the left edge of the first face
    middle, margin = WIDTH / 2, next(iter(_SIDES.values()))[0]
    title_width = WIDTH - 2 * (margin + measure_text(count, 2.8) + 1)
    yield draw_label(middle, 3, rack.name, 3.6, "b m", title_width)
    yield draw_label(middle, 7.2, rack.place, 2.4, "m g", title_width)
    if count:
        yield draw_label(WIDTH - margin, 3, count, 2.8, "b e")
    # from behind, left and right are exchanged
    for (side, (face_left, aisle)), (left_place, right_place) in zip(
        _SIDES.items(), (rack.beside, rack.beside[::-1]), strict=True
    ):
        yield draw_label(face_left + _BODY / 2, 10.8, f"{side}, from the {aisle} aisle", 2.2, "m")
        yield draw_label(face_left, 10.8, left_place and f"< {left_place}", 2, "g")
        yield draw_label(face_left + _BODY, 10.8, right_place and f"{right_place} >", 2, "e g")


@dataclass(frozen=True, slots=True)
class _RackFace:
    """One face of a rack. `left` is its left edge and `unit` the height of a rack unit, in mm."""

    rack: FilledRack
    side: str
    left: float
    unit: float

    def draw_lines(self) -> Iterator[str]:
        """Yield the elements of the face: rack units with their numbers on both sides, then its items."""
        yield draw_path(
            [
                f"M{format_number(self.left)} {format_number(self._find_top(u))}h{format_number(_BODY)}"
                for u in range(1, self.rack.units)
            ],
            "h",
        )
        for u in range(1, self.rack.units + 1):
            middle, size = self._find_top(u) + self.unit / 2, min(2.1, self.unit * 0.72)
            yield draw_label(self.left - 0.8, middle, str(u), size, "e")
            yield draw_label(self.left + _BODY + 0.8, middle, str(u), size)
        yield draw_rect(self.left, _HEAD, _BODY, self.rack.units * self.unit)
        for item in self.rack.items:
            yield from self._draw_item(item)

    def _find_top(self, u: int) -> float:
        """Return the y of the upper edge of a rack unit, mm."""
        return _HEAD + (self.rack.units - u) * self.unit

    def _draw_item(self, item: Item) -> Iterator[str]:
        """Yield the elements of a device or panel on this face: its box, the code of its fabric in a corner, its name
        and model.

        A panel also shows its positions, beside the names. A device shows its cages on the face where its ports are:
        below the names if it is higher than two rack units, else beside them.
        """
        top, height = self._find_top(item.u + item.height - 1), item.height * self.unit
        size = min(2.2, self.unit * 0.74)
        ink, text_left, text_width = " w" if item.swatch.ink == "#FFFFFF" else "", self.left + 1, _BODY - 2
        yield draw_rect(self.left, top, _BODY, height, item.swatch.fill)
        if item.swatch.code:
            yield draw_label(text_left, top + self.unit / 2, item.swatch.code, size, f"b{ink}")
            text_left, text_width = text_left + 3.4, text_width - 3.4
        # index 0 (False) is the side of its ports, 1 (True) the one behind, as in `positions`
        if states := item.positions[item.side != self.side]:
            width = min(30.0, max(14.0, text_width - measure_text(item.name, size) - 1))
            yield from self._draw_names(
                item, (text_left, top, text_width - width - 1, height), size, ink, name_only=item.height == 1
            )
            box = (text_left + text_width - width, top + 0.3, width, height - 0.5)
            yield from draw_positions(states, box, item.height, mirrored=self.side == "rear")
        elif item.profile is None or item.side != self.side:
            yield from self._draw_names(item, (text_left, top, text_width, height), size, ink)
        elif item.height > 2:
            yield from self._draw_names(item, (text_left, top, text_width, self.unit), size, ink)
            yield from _draw_cages(item.profile, (text_left, top + self.unit, text_width, height - self.unit - 0.4))
        else:
            width = max(14.0, text_width - measure_text(item.name, size) - 1)
            width = width if isinstance(item.profile, NodeProfile) else min(24.0, width)
            yield from self._draw_names(
                item, (text_left, top, text_width - width - 1, height), size, ink, name_only=item.height == 1
            )
            yield from _draw_cages(item.profile, (text_left + text_width - width, top + 0.25, width, height - 0.5))

    def _draw_names(self, item: Item, box: _Box, size: float, ink: str, *, name_only: bool = False) -> Iterator[str]:
        """Yield the name and model of an item in a box (left, top, width, height; mm): one below the other if the box
        is higher than one and a half rack units, else side by side.

        `name_only` leaves the model out of a low box.
        """
        left, top, box_width, height = box
        middle, text = top + height / 2, item.describe_model(self.side)
        if height > self.unit * 1.5:
            yield draw_label(left, middle - size * 0.65, item.name, size, f"b{ink}", box_width)
            yield draw_label(left, middle + size * 0.65, text, size * 0.9, ink.strip(), box_width)
            return
        if measure_text(item.name, size) + 1 + measure_text(text, size * 0.85) > box_width:
            text = item.model
        # a short description may take a third of the box, a full one as much as it needs
        most = box_width * 0.36 if text == item.model else box_width
        model_width = 0.0 if name_only else min(measure_text(text, size * 0.85), most)
        yield draw_label(left, middle, item.name, size, f"b{ink}", box_width - model_width - 0.8)
        if model_width:
            yield draw_label(left + box_width, middle, text, size * 0.85, f"e{ink}", model_width)


def _draw_cages(profile: NodeProfile | SwitchProfile, box: _Box) -> Iterator[str]:
    """Yield the cages of a device in a box, as seen from their side."""
    if isinstance(profile, SwitchProfile):
        yield draw_path(list(_trace_switch_cages(list_panels(profile), box)), "c")
    else:
        yield from _draw_node_cages(profile, box)


def _trace_switch_cages(panels: Sequence[Panel], box: _Box) -> Iterator[str]:
    """Yield path pieces of cages in rows and columns, the panels of a chassis one below the other."""
    left, top, width, height = box
    step = min(
        _WIDEST, width / max(len(panel.columns) + 0.5 * len({c.kind for c in panel.columns}) for panel in panels)
    )
    row = min(height / sum(panel.rows for panel in panels), step * 1.6)
    for panel in panels:
        for i, column in enumerate(panel.columns):
            # half a column of space before the cages of each kind
            x = left + (i + 0.5 * len({c.kind for c in panel.columns[: i + 1]})) * step
            for n in range(len(column.cages)):
                yield trace_box(x - 0.5 * step, top + n * row, step * 0.86, row * 0.86)
        top += panel.rows * row


def _draw_node_cages(profile: NodeProfile, box: _Box) -> Iterator[str]:
    """Yield the cages of a node in groups from left to right, with the longest names for which there is room.

    Cages whose position is not published have a dashed edge.
    """
    left, top, width, height = box
    groups = [(published, names) for _, published, names in list_cage_groups(profile)]
    for labels, size in _list_label_choices(profile, groups):
        most_lines = max(map(len, labels.values()), default=0)
        step = size * (_PORT_LINE + (most_lines - 1) * _NIC_LINE) if most_lines else _BARE
        cells = list(_flow_cages(groups, labels, width, size, step))
        used_height = max(y + step for *_, y, _ in cells)
        row = {cage: y for cage, _, _, y, _ in cells}
        is_broken = any(published and row[names[0]] != row[names[-1]] for published, names in groups)
        # smaller names rather than a group on two rows
        if not labels or (used_height <= height and not (is_broken and size > _SMALLEST)):
            break
    # a box with room for a single row has it in its middle
    if height < 2 * step:
        top += max(0.0, height - used_height) / 2
    # cages whose position is not published have a dashed edge
    for style, is_published in (("c", True), ("v", False)):
        pieces = [
            trace_box(left + x, top + y, w, step - 0.2) for _, published, x, y, w in cells if published == is_published
        ]
        yield draw_path(pieces, style)
    for cage, _, x, y, w in cells:
        for i, text in enumerate(labels.get(cage, ())):
            middle = top + y + size * (_PORT_LINE / 2 + i * _NIC_LINE) - 0.1
            yield draw_label(left + x + w / 2, middle, text, size, "m g" if i else "m")


def _list_label_choices(
    profile: NodeProfile, groups: Iterable[tuple[bool, Sequence[str]]]
) -> Iterator[tuple[Mapping[str, tuple[str, ...]], float]]:
    """Yield (texts by cage, text size) in the order in which they are to be tried, the most text first.

    These are names with NICs, names, names without the prefix of their group, names of BlueField ports alone, and no
    names.
    """
    nics = {port.cage: port.nic for role in profile.roles.values() for port in role.ports}
    with_nics = {cage: (cage, nic) if nic else (cage,) for cage, nic in nics.items()}
    yield from ((with_nics, size) for size in (_PORT, _SMALLEST))
    yield {cage: (cage,) for cage in nics}, _SMALLEST
    short: dict[str, tuple[str, ...]] = {}
    for published, names in groups:
        prefix = f"{names[0].partition('-')[0]}-"  # `left-` of left-P3, where all cages of a group have it
        is_common = published and all(name.startswith(prefix) for name in names)
        short |= {name: (name.removeprefix(prefix) if is_common else name,) for name in names}
    yield short, _SMALLEST
    yield {cage: short[cage] for cage, nic in nics.items() if nic.startswith("bf")}, _SMALLEST
    yield {}, _SMALLEST


def _flow_cages(
    groups: Iterable[tuple[bool, Sequence[str]]],
    labels: Mapping[str, tuple[str, ...]],
    width: float,
    size: float,
    step: float,
) -> Iterator[tuple[str, bool, float, float, float]]:
    """Yield (cage, whether its position is published, left, top, width) of cages, set in rows of height `step`; mm.

    A row is at most `width` wide. `groups` are (whether published, cages); `labels` has the lines of text in each cage,
    and `size` is that of the text.
    """
    x = y = 0.0
    for published, names in groups:
        widths = [max([_BARE, *(len(text) * GLYPH * size + 0.5 for text in labels.get(name, ()))]) for name in names]
        if x and x + sum(widths) + 0.2 * (len(names) - 1) > width:
            x, y = 0.0, y + step
        for name, cage_width in zip(names, widths, strict=True):
            if x and x + cage_width > width:
                x, y = 0.0, y + step
            yield name, published, x, y, cage_width
            x += cage_width + 0.2
        x += 0.7


def _draw_foot(rack: FilledRack, top: float) -> Iterator[str]:
    """Yield the totals of a rack, each with its budget and a bar for the share used, and beside them how they are made
    up.
    """
    left, notes_left = (left for left, _ in _SIDES.values())
    for i, (unit, total) in enumerate((("U", rack.used_u), ("kg", rack.weight_kg), ("kW", rack.power_kw))):
        line_y = top + 1.2 + i * 3.2
        with_rack = " with the rack" if unit == "kg" and rack.complete else ""
        of_devices = " of devices" if unit == "kg" and not with_rack else ""
        unlimited = ", no limit stated" if total.budget is None and not with_rack and not is_unknown(total) else ""
        text, bar = f"{unit:2}{of_devices} {format_total(total)}{with_rack}{unlimited}", _draw_bar(total, left, line_y)
        style, text_width = "b" if is_over_budget(total) else "", _BODY - _BAR - 1 if bar else _BODY
        yield draw_label(left, line_y, text, 2.3, style, text_width)
        yield from bar
    feeds = f"feeds {' + '.join(rack.feeds)}" if rack.feeds else "feeds not stated"
    optics = f"{rack.optics_kw:.1f} kW of it optics; " if round(rack.optics_kw, 1) else ""
    yield draw_label(left, top + 10.7, optics + feeds, 2.3, "", _BODY)
    notes = (
        rack.ports and f"ports: {rack.ports}",
        rack.basis and f"kW by {rack.basis}",
        rack.missing and f"+ without {rack.missing}",
    )
    for i, line in enumerate(_break_notes([note for note in notes if note])):
        yield draw_label(notes_left, top + 1 + i * 2.1, line, _NOTE, "g", _BODY)


def _break_notes(notes: Sequence[str]) -> list[str]:
    """Return the notes as at most `_NOTES` lines, in their order: one line each, and more lines for the longest notes
    while there are lines left.
    """
    letters_per_line, lines_left = int(_BODY / GLYPH / _NOTE), _NOTES - len(notes)
    lines = {note: [note] for note in notes}
    for note in sorted(notes, key=len, reverse=True):
        words = (tuple(note.split()),)
        line_count = min(len(wrap_words(words, letters_per_line)), 1 + lines_left)
        lines[note] = wrap_words(words, find_narrowest_width([words], line_count))
        lines_left -= line_count - 1
    return [line for note_lines in lines.values() for line in note_lines]


def _draw_bar(total: RackTotal, left: float, middle: float) -> list[str]:
    """Return a bar with the used share of a budget; nothing without a budget or a total.

    It ends at the right edge of the face that begins at x `left`; `middle` is the y of its middle, in mm.
    A question mark follows if some devices have no figure.
    """
    if not total.budget or is_unknown(total):
        return []
    bar_left = left + _BODY - _BAR
    used_share = min(1.0, total.value / total.budget)
    colour = _WARNING if is_over_budget(total) else "#777777"
    filled = draw_path([trace_box(bar_left, middle - 1, _BAR * used_share, 2)], "f", colour)
    # beyond six tenths of the bar the mark would run into its end
    unknown_mark = (
        [draw_label(bar_left + _BAR * used_share + 0.5, middle, "+ ?", 2)] if total.unknown and used_share < 0.6 else []
    )
    return [filled, draw_rect(bar_left, middle - 1, _BAR, 2, style="h"), *unknown_mark]


def draw_positions(states: str, box: tuple[float, float, float, float], units: int, *, mirrored: bool) -> Iterator[str]:
    """Yield the positions of a panel of `units` rack units in a box (left, top, width, height; mm).

    They stand in the order of their numbers, row by row from the left, or from the right if `mirrored`, which is the
    view from behind. `states` has the state of each: EMPTY, READY or PLUGGED.
    """
    (left, top, width, height), rows = box, _ROWS * units
    # rounded up
    columns = -(-len(states) // rows)
    cell_width, cell_height = width / columns, height / rows
    pieces: dict[str, list[str]] = {}
    for number, state in enumerate(states):
        row, column = divmod(number, columns)
        x = columns - 1 - column if mirrored else column
        pieces.setdefault(state, []).append(
            trace_box(left + x * cell_width, top + row * cell_height, cell_width * 0.8, cell_height * 0.75)
        )
    for state, boxes in sorted(pieces.items()):
        yield draw_path(boxes, *_STYLES[state])

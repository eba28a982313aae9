"""Rack elevation: the front of a rack, with rack units on both sides, its devices, and totals below."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.export.drawings.rack_contents import Item, Rack, Total
from fabricgen.export.drawings.svg import GLYPH, box, drawing, label, number, path, rect, width_of
from fabricgen.export.drawings.wrap import narrowest, wrapped

WIDTH, HEIGHT = 54.0, 183.0
"""Size of the drawing, mm: five racks side by side on a landscape A4 page."""

_LEFT, _BODY = 5.0, 44.0
_HEAD, _FOOT = 13.0, 22.0
_TALLEST_UNIT = 3.1
"""The largest height of a rack unit, mm, about a fourteenth of its true size."""

_NOTE, _NOTES = 1.9, 4
"""Size of the notes below a rack, mm, and how many lines they take at most."""

_BAR = 11.0
"""Width of the bar of a budget, mm."""

_WARNING = "#D00000"


def elevation(rack: Rack, *, alone: bool = False) -> str:
    """A rack as SVG; `alone` makes it a complete file."""
    unit = min(_TALLEST_UNIT, (HEIGHT - _HEAD - _FOOT) / rack.units)
    body = [*_head(rack), *_frame(rack, unit)]
    for item in rack.items:
        body += _item(item, _top(rack, unit, item.u + item.height - 1), unit)
    body += _foot(rack, _HEAD + rack.units * unit + 2)
    return drawing(WIDTH, HEIGHT, "".join(body), title=f"Rack {rack.name}", alone=alone)


def _top(rack: Rack, unit: float, u: int) -> float:
    """The y coordinate of the upper edge of a rack unit, mm."""
    return _HEAD + (rack.units - u) * unit


def _head(rack: Rack) -> list[str]:
    middle = WIDTH / 2
    return [
        label(middle, 3, rack.name, 3.6, "b m", WIDTH - 2),
        label(middle, 7.6, rack.place, 2.4, "m g", WIDTH - 2),
        label(middle, 10.8, "front", 2, "m g"),
    ]


def _frame(rack: Rack, unit: float) -> list[str]:
    lines = [f"M{number(_LEFT)} {number(_top(rack, unit, u))}h{number(_BODY)}" for u in range(1, rack.units)]
    size = min(2.1, unit * 0.72)
    numbers = []
    for u in range(1, rack.units + 1):
        at = _top(rack, unit, u) + unit / 2
        numbers.append(label(_LEFT - 0.8, at, str(u), size, "e"))
        numbers.append(label(_LEFT + _BODY + 0.8, at, str(u), size))
    outline = rect(_LEFT, _HEAD, _BODY, rack.units * unit)
    return [path(lines, "h"), *numbers, outline]


def _item(item: Item, top: float, unit: float) -> list[str]:
    """A device: its code in a corner, its name, and its model beside it or, if it is high enough, below."""
    height, ink = item.height * unit, " w" if item.swatch.ink == "#FFFFFF" else ""
    size = min(2.2, unit * 0.74)
    left, right = _LEFT + 1, _LEFT + _BODY - 1
    room = _BODY - 2
    found = [rect(_LEFT, top, _BODY, height, item.swatch.fill)]
    if item.swatch.code:
        found.append(label(left, top + unit / 2, item.swatch.code, size, f"b{ink}"))
        left, room = left + 3.4, room - 3.4
    if item.height > 1:
        middle = top + height / 2
        found.append(label(left, middle - size * 0.65, item.name, size, f"b{ink}", room))
        found.append(label(left, middle + size * 0.65, item.text, size * 0.9, ink.strip(), room))
        return found
    told = item.text if width_of(f"{item.name} {item.text}", size) <= room else item.model
    model = min(width_of(told, size * 0.85), room * 0.36 if told == item.model else room)
    found.append(label(left, top + unit / 2, item.name, size, f"b{ink}", room - model - 0.8))
    found.append(label(right, top + unit / 2, told, size * 0.85, f"e{ink}", model))
    return found


def _foot(rack: Rack, top: float) -> list[str]:
    """The totals, each with its budget and a bar for the share used, and what they are made of."""
    rows = (("U", rack.used_u), ("kg", rack.weight_kg), ("kW", rack.power_kw))
    found = []
    for i, (unit, total) in enumerate(rows):
        at = top + 1.2 + i * 3.2
        whole = " with the rack" if unit == "kg" and rack.complete else ""
        of = " of devices" if unit == "kg" and not whole else ""
        unlimited = ", no limit stated" if total.budget is None and not whole and not nothing_known(total) else ""
        text, bar = f"{unit:2}{of} {total_text(total)}{whole}{unlimited}", _bar(total, at)
        found.append(label(_LEFT, at, text, 2.3, "b" if over(total) else "", _BODY - _BAR - 1 if bar else _BODY))
        found += bar
    feeds = f"feeds {' + '.join(rack.feeds)}" if rack.feeds else "feeds not stated"
    optics = f"{rack.optics_kw:.1f} kW of it optics; " if round(rack.optics_kw, 1) else ""
    found.append(label(_LEFT, top + 10.7, optics + feeds, 2.3, "", _BODY))
    notes = (
        rack.ports and f"ports: {rack.ports}",
        rack.basis and f"kW by {rack.basis}",
        rack.missing and f"+ without {rack.missing}",
    )
    for i, line in enumerate(_lines([note for note in notes if note])):
        found.append(label(_LEFT, top + 12.8 + i * 1.9, line, _NOTE, "g", _BODY))
    return found


def _lines(notes: Sequence[str]) -> list[str]:
    """Notes as lines, one each, and the longest ones as more where there is room for these."""
    letters, spare = int(_BODY / GLYPH / _NOTE), _NOTES - len(notes)
    lines = {note: [note] for note in notes}
    for note in sorted(notes, key=len, reverse=True):
        words = (tuple(note.split()),)
        wanted = min(len(wrapped(words, letters)), 1 + spare)
        lines[note] = wrapped(words, narrowest([words], wanted))
        spare -= wanted - 1
    return [line for some in lines.values() for line in some]


def _bar(total: Total, middle: float) -> list[str]:
    """The share of a budget that is used; one that is more, nobody knows by how much, ends in a question mark."""
    if not total.budget or nothing_known(total):
        return []
    left, width = _LEFT + _BODY - _BAR, _BAR
    share = min(1.0, total.value / total.budget)
    colour = _WARNING if over(total) else "#777777"
    filled = path([box(left, middle - 1, width * share, 2)], "f", colour)
    more = [label(left + width * share + 0.5, middle, "+ ?", 2)] if total.unknown and share < 0.6 else []
    return [filled, rect(left, middle - 1, width, 2, style="h"), *more]


def nothing_known(total: Total) -> bool:
    """Whether there are devices in a sum, and none of them has a figure."""
    return total.unknown and not total.value


def over(total: Total) -> bool:
    """Whether a total exceeds its budget."""
    return total.budget is not None and total.value > total.budget + total.rounding


def total_text(total: Total) -> str:
    """A total as text: `12.3+ of 40 OVER`, `not stated` where nothing in it has a figure."""
    if nothing_known(total):
        return "not stated" if total.budget is None else f"not stated, limit {total.budget:g}"
    text = f"{total.value:.1f}".removesuffix(".0") + ("+" if total.unknown else "")
    if total.budget is not None:
        text += f" of {total.budget:g}"
    return text + (" OVER" if over(total) else "")

"""What the building has in a hall, as floor plans show it: doors, columns, cooling units and power."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fabricgen.blueprint.sections.floor import Kind
from fabricgen.design.floor.halls import Hall, HallFixture
from fabricgen.export.drawings.floor_pages import Frame
from fabricgen.export.drawings.svg import box, label, number, path, width_of

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

"""What the building has in a hall, as floor plans show it: doors, columns, cooling units and power."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fabricgen.blueprint.sections.floor import Kind
from fabricgen.design.floor.halls import Hall, HallFixture
from fabricgen.export.drawings.floor_pages import Frame
from fabricgen.export.drawings.svg import draw_label, draw_path, format_number, measure_text, trace_box

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

    def list_kinds(self) -> list[Kind]:
        """The kinds that there are, as the key lists them."""
        present = {hall_fixture.kind for hall_fixture in self.hall.fixtures}
        return [kind for kind in LOOKS if kind in present]

    def draw_on_floor(self) -> Iterator[str]:
        """Everything but busways, which lie above racks."""
        yield from self._draw_fixtures(
            [hall_fixture for hall_fixture in self.hall.fixtures if hall_fixture.kind != "busway"]
        )

    def draw_above(self) -> Iterator[str]:
        """Busways: an outline, and their names."""
        yield from self._draw_fixtures(
            [hall_fixture for hall_fixture in self.hall.fixtures if hall_fixture.kind == "busway"]
        )

    def _draw_fixtures(self, fixtures: list[HallFixture]) -> Iterator[str]:
        for hall_fixture in fixtures:
            left, top = (
                self.x(max(hall_fixture.area[0], self.frame.left)),
                self.y(max(hall_fixture.area[1], self.frame.top)),
            )
            width = self.x(min(hall_fixture.area[2], self.frame.right)) - left
            height = self.y(min(hall_fixture.area[3], self.frame.bottom)) - top
            if width > 0 and height > 0:
                yield from draw_fixture(hall_fixture.kind, left, top, width, height)
                yield self._draw_name(hall_fixture, left, top, width, height)

    def _draw_name(self, hall_fixture: HallFixture, left: float, top: float, width: float, height: float) -> str:
        """The name and feed of a fixture; that of a busway behind its end, where it hides no rack, if there is room."""
        name = hall_fixture.title + (f" ({hall_fixture.feed})" if hall_fixture.feed else "")
        room = self.x(self.frame.right) - left - width - 1
        if hall_fixture.kind == "busway" and width > height and room >= measure_text(name, _LARGEST):
            return draw_label(left + width + 0.8, top + height / 2, name, _LARGEST)
        return _draw_inside(name, left, top, width, height)


def draw_fixture(kind: Kind, left: float, top: float, width: float, height: float) -> Iterator[str]:
    """A fixture without its name; each kind has a sign of its own beside its colour."""
    fill, _ = LOOKS[kind]
    outline = trace_box(left, top, width, height)
    if fill:
        yield draw_path([outline], "f", fill)
    if kind == "column":  # crossed, as on plans of buildings
        outline += f"M{format_number(left)} {format_number(top)}l{format_number(width)} {format_number(height)}"
        outline += (
            f"M{format_number(left)} {format_number(top + height)}l{format_number(width)} {format_number(-height)}"
        )
    if kind == "door":
        outline += (
            f"M{format_number(left)} {format_number(top + height)}l{format_number(width)} {format_number(-height)}"
        )
    if kind == "power":
        outline += f"M{format_number(left + width / 2)} {format_number(top)}v{format_number(height)}"
    yield draw_path([outline], "u" if kind == "busway" else "l")


def _draw_inside(text: str, left: float, top: float, width: float, height: float) -> str:
    """A name inside its box, along its longer side, on a white ground; "" where it does not fit."""
    room, depth = max(width, height) - 0.6, min(width, height)
    size = min(_LARGEST, depth - 0.2)
    if size < _SMALLEST or room < len(text) * _CHARACTER:
        return ""
    x, y, length = left + width / 2, top + height / 2, min(room, measure_text(text, size)) + 0.6
    upright = height > width + 0.1
    ground = (
        trace_box(x - size / 2, y - length / 2, size, length)
        if upright
        else trace_box(x - length / 2, y - size / 2, length, size)
    )
    text_element = draw_label(-y, x, text, size, "m", room) if upright else draw_label(x, y, text, size, "m", room)
    return draw_path([ground], "f", "#FFFFFF") + (
        f'<g transform="rotate(-90)">{text_element}</g>' if upright else text_element
    )

"""Fixtures of the building in a hall, as floor plans show them: doors, columns, cooling units and power."""

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
"""By kind of fixture: its fill, and its word in the key."""

_LARGEST, _SMALLEST = 2.3, 1.77
"""Largest and smallest size of names, mm; the smallest is 5 points."""

_CHARACTER = 1.1
"""The least width of a squeezed character, mm."""


@dataclass(frozen=True)
class FixturePen:
    """Draws the fixtures of a hall within a frame.

    `x` and `y` turn a coordinate of the hall in m into one on paper in mm.
    """

    hall: Hall
    frame: Frame
    x: Callable[[float], float]
    y: Callable[[float], float]

    def list_kinds(self) -> list[Kind]:
        """Return the kinds of fixtures in the hall, in the order of the key."""
        present = {hall_fixture.kind for hall_fixture in self.hall.fixtures}
        return [kind for kind in LOOKS if kind in present]

    def draw_on_floor(self) -> Iterator[str]:
        """Yield all fixtures except busways, which run above racks."""
        yield from self._draw_fixtures([fixture for fixture in self.hall.fixtures if fixture.kind != "busway"])

    def draw_above(self) -> Iterator[str]:
        """Yield the busways: an outline, and their names."""
        yield from self._draw_fixtures([fixture for fixture in self.hall.fixtures if fixture.kind == "busway"])

    def _draw_fixtures(self, fixtures: list[HallFixture]) -> Iterator[str]:
        for fixture in fixtures:
            x, y, far_x, far_y = fixture.area
            left, top = self.x(max(x, self.frame.left)), self.y(max(y, self.frame.top))
            width, height = self.x(min(far_x, self.frame.right)) - left, self.y(min(far_y, self.frame.bottom)) - top
            if width > 0 and height > 0:
                yield from draw_fixture(fixture.kind, left, top, width, height)
                yield self._draw_name(fixture, left, top, width, height)

    def _draw_name(self, fixture: HallFixture, left: float, top: float, width: float, height: float) -> str:
        """Return the name and feed of a fixture; for a busway behind its end, where it hides no rack, if
        there is room.
        """
        name = fixture.title + (f" ({fixture.feed})" if fixture.feed else "")
        width_behind = self.x(self.frame.right) - left - width - 1
        if fixture.kind == "busway" and width > height and width_behind >= measure_text(name, _LARGEST):
            return draw_label(left + width + 0.8, top + height / 2, name, _LARGEST)
        return _draw_inside(name, left, top, width, height)


def draw_fixture(kind: Kind, left: float, top: float, width: float, height: float) -> Iterator[str]:
    """Yield a fixture without its name; each kind has a sign of its own beside its colour."""
    fill, _ = LOOKS[kind]
    outline = trace_box(left, top, width, height)
    if fill:
        yield draw_path([outline], "f", fill)
    if kind == "column":  # crossed, as on plans of buildings
        outline += f"M{format_number(left)} {format_number(top)}l{format_number(width)} {format_number(height)}"
    if kind in ("column", "door"):
        outline += (
            f"M{format_number(left)} {format_number(top + height)}l{format_number(width)} {format_number(-height)}"
        )
    if kind == "power":
        outline += f"M{format_number(left + width / 2)} {format_number(top)}v{format_number(height)}"
    yield draw_path([outline], "u" if kind == "busway" else "l")


def _draw_inside(text: str, left: float, top: float, width: float, height: float) -> str:
    """Return a name inside its box, along its longer side, on a white ground; "" if it does not fit."""
    max_length, depth = max(width, height) - 0.6, min(width, height)
    size = min(_LARGEST, depth - 0.2)
    if size < _SMALLEST or max_length < len(text) * _CHARACTER:
        return ""
    x, y, length = left + width / 2, top + height / 2, min(max_length, measure_text(text, size)) + 0.6
    upright = height > width + 0.1
    ground = (
        trace_box(x - size / 2, y - length / 2, size, length)
        if upright
        else trace_box(x - length / 2, y - size / 2, length, size)
    )
    text_element = (
        draw_label(-y, x, text, size, "m", max_length) if upright else draw_label(x, y, text, size, "m", max_length)
    )
    return draw_path([ground], "f", "#FFFFFF") + (
        f'<g transform="rotate(-90)">{text_element}</g>' if upright else text_element
    )

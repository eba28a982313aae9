"""The front as a drawing: every candidate at its place on two axes, those of the front numbered as in the table."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

from fabricgen.export.drawings.svg import drawing, label, number, rect
from fabricgen.size.front import Candidate
from fabricgen.size.search import Found
from fabricgen.size.wishes import AXES

WIDTH, HEIGHT = 130.0, 84.0
LEFT, RIGHT, TOP, BOTTOM = 22.0, 6.0, 9.0, 14.0
TEXT = 2.6
"""Size of text, mm."""
UNITS = {"power": ", W", "latency": ", ns"}
ON_FRONT, BEATEN = "#206699", "#BBBBBB"


def plot(found: Found, across: str, up: str, *, alone: bool = False) -> str:
    """An SVG of two axes, in mm; candidates whose figures are not known are left out. `alone` makes it a file."""
    drawn = [one for one in (*found.beaten, *found.front) if None not in (one.figures.on(across), one.figures.on(up))]
    x = _Scale([_figure(one, across) for one in drawn], LEFT, WIDTH - RIGHT)
    y = _Scale([_figure(one, up) for one in drawn], HEIGHT - BOTTOM, TOP)
    parts = [rect(LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM)]
    for at, place in ((at, x.at(at)) for at in x.ticks):
        parts += [_line(place, HEIGHT - BOTTOM, place, TOP), label(place, HEIGHT - 10.5, _short(at), TEXT, "m")]
    for at, place in ((at, y.at(at)) for at in y.ticks):
        parts += [_line(LEFT, place, WIDTH - RIGHT, place), label(LEFT - 1.5, place, _short(at), TEXT, "e")]
    parts.append(label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4.5, _words(across), TEXT, "m", WIDTH - LEFT))
    parts.append(label(LEFT, 4.5, _words(up), TEXT, "", WIDTH - LEFT))
    numbers = {one.name: number for number, one in enumerate(found.front, 1)}
    spots: dict[tuple[float, float], list[int]] = {}
    for one in drawn:
        spot = (x.at(_figure(one, across)), y.at(_figure(one, up)))
        if one.name in numbers:
            spots.setdefault(spot, []).append(numbers[one.name])
        else:
            parts.append(_dot(*spot, 0.7, BEATEN))
    for spot, here in spots.items():
        words = ", ".join(map(str, here))
        parts += [_dot(*spot, 1.1, ON_FRONT), label(spot[0] + 1.8, spot[1] - 1.6, words, TEXT, "b")]
    return drawing(WIDTH, HEIGHT, "".join(parts), title=f"{_words(up)} over {_words(across)}", alone=alone)


def _words(axis: str) -> str:
    return AXES[axis] + UNITS.get(axis, "")


def _figure(one: Candidate, axis: str) -> float:
    return one.figures.on(axis) or 0.0


class _Scale:
    """A linear scale from figures to millimetres that begins at 0, with ticks at round figures."""

    def __init__(self, figures: Sequence[float], start: float, end: float) -> None:
        most = max(figures, default=0) or 1.0
        step = 10 ** floor(log10(most / 4))
        step *= next(times for times in (1, 2, 5, 10) if most / (step * times) <= 5)
        self._most = most * 1.06
        self._start, self._end = start, end
        self.ticks = [step * n for n in range(int(self._most / step) + 1)]

    def at(self, figure: float) -> float:
        """Where a figure is, mm."""
        return self._start + (self._end - self._start) * figure / self._most


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path class="h" d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"/>'


def _dot(x: float, y: float, radius: float, fill: str) -> str:
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}"/>'


def _short(figure: float) -> str:
    """A round figure in few letters: 20k, 1.5M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if figure >= size:
            return f"{figure / size:g}{unit}"
    return f"{figure:g}"

"""The front as plots of two axes with every candidate; candidates of the front are numbered as in the table."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

from fabricgen.export.drawings.svg import draw_label, draw_rect, escape_text, format_number, make_svg
from fabricgen.size.front import Candidate
from fabricgen.size.labels import TEXT, place_labels
from fabricgen.size.search import SearchResult
from fabricgen.size.wishes import AXES, USUAL_AXES

WIDTH, HEIGHT = 130.0, 84.0
LEFT, RIGHT, TOP, BOTTOM = 22.0, 6.0, 9.0, 14.0
DOT, BEATEN_DOT = 1.1, 0.7
"""Radius of a point of the front, and of others, mm."""
FRAME = (LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)

UNITS = {"power": ", W", "latency": ", ns"}
ON_FRONT, BEATEN = "#206699", "#BBBBBB"


def draw_panels(result: SearchResult) -> list[str]:
    """Return a plot, as an SVG element, of each axis over the first."""
    return [
        make_svg(
            WIDTH, HEIGHT, _draw_panel(result, across, up), title=f"{_describe_axis(up)} over {_describe_axis(across)}"
        )
        for across, up in _pair_axes(result.axes)
    ]


def draw_sheet(result: SearchResult) -> str:
    """Return all plots as one SVG file, two in each row."""
    pairs = _pair_axes(result.axes)
    columns = min(2, len(pairs))
    rows = -(-len(pairs) // columns)
    body = [draw_rect(0, 0, WIDTH * columns, HEIGHT * rows, "#FFF", "")]
    for index, (across, up) in enumerate(pairs):
        row, column = divmod(index, columns)
        body.append(f'<g transform="translate({format_number(WIDTH * column)} {format_number(HEIGHT * row)})">')
        body.append(f"{_draw_panel(result, across, up)}</g>")
    return make_svg(
        WIDTH * columns, HEIGHT * rows, "".join(body), title=f"{_describe_axis(pairs[0][0])}: the front", alone=True
    )


def _pair_axes(axes: Sequence[str]) -> list[tuple[str, str]]:
    """Return (horizontal axis, vertical axis) of each plot: the first axis with each other one.

    A single axis is paired with one of the usual axes.
    """
    other_axes = axes[1:] or [axis for axis in USUAL_AXES if axis != axes[0]][:1]
    return [(axes[0], other_axis) for other_axis in other_axes]


def _draw_panel(result: SearchResult, across: str, up: str) -> str:
    """Return the SVG elements of a plot of the axis `up` over the axis `across`, in mm.

    Candidates without a figure on either axis are left out. Points of the front are numbered and lie on top.
    """
    drawn = [
        candidate
        for candidate in (*result.beaten, *result.front)
        if None not in (candidate.figures.on(across), candidate.figures.on(up))
    ]
    x_scale = _Scale([_read_figure(candidate, across) for candidate in drawn], LEFT, WIDTH - RIGHT)
    y_scale = _Scale([_read_figure(candidate, up) for candidate in drawn], HEIGHT - BOTTOM, TOP)
    parts = [draw_rect(LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM)]
    for at, position in ((at, x_scale.project_figure(at)) for at in x_scale.ticks):
        parts += [
            _draw_line(position, HEIGHT - BOTTOM, position, TOP),
            draw_label(position, HEIGHT - 10.5, _format_short(at), TEXT, "m"),
        ]
    for at, position in ((at, y_scale.project_figure(at)) for at in y_scale.ticks):
        parts += [
            _draw_line(LEFT, position, WIDTH - RIGHT, position),
            draw_label(LEFT - 1.5, position, _format_short(at), TEXT, "e"),
        ]
    parts.append(
        draw_label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4.5, _describe_axis(across), TEXT, "m", WIDTH - LEFT - RIGHT)
    )
    parts.append(draw_label(LEFT, 4.5, _describe_axis(up), TEXT, "", WIDTH - LEFT - RIGHT))
    if not drawn:
        parts.append(draw_label((LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2, "not known of any", TEXT, "m"))
    numbers = {candidate.name: number for number, candidate in enumerate(result.front, 1)}
    x = [x_scale.project_figure(_read_figure(candidate, across)) for candidate in drawn]
    y = [y_scale.project_figure(_read_figure(candidate, up)) for candidate in drawn]
    points = list(zip(zip(x, y, strict=True), (candidate.name for candidate in drawn), strict=True))
    beaten = [(point, name) for point, name in points if name not in numbers]
    front = sorted((point, name) for point, name in points if name in numbers)
    labels = place_labels([(at, numbers[name]) for at, name in front], DOT, [at for at, _ in beaten], BEATEN_DOT, FRAME)
    # later elements lie on top: points of the front on leader lines, and these on beaten points
    parts += [_draw_dot(*at, BEATEN_DOT, BEATEN, name) for at, name in beaten]
    parts += [_draw_line(*placed.point, *placed.line, "l") for placed in labels if placed.line]
    parts += [_draw_dot(*at, DOT, ON_FRONT, name) for at, name in front]
    for placed in labels:
        left, top, right, bottom = placed.box
        parts.append(draw_rect(left, top, right - left, bottom - top, "#FFF", "n"))
        parts.append(draw_label(left, (top + bottom) / 2, placed.words, TEXT, "b"))
    return "".join(parts)


def _describe_axis(axis: str) -> str:
    return AXES[axis] + UNITS.get(axis, "")


def _read_figure(candidate: Candidate, axis: str) -> float:
    return candidate.figures.on(axis) or 0.0


class _Scale:
    """A linear scale from figures to millimetres that begins at 0, with ticks at round figures."""

    def __init__(self, figures: Sequence[float], start: float, end: float) -> None:
        greatest = max(figures, default=0) or 1.0
        step = 10 ** floor(log10(greatest / 4))
        # the smallest round step of which the figures span no more than five
        step *= next(times for times in (1, 2, 5, 10) if greatest / (step * times) <= 5)
        self._most = greatest * 1.06  # room for the points that lie farthest out, and their labels
        self._start, self._end = start, end
        self.ticks = [step * n for n in range(int(self._most / step) + 1)]

    def project_figure(self, figure: float) -> float:
        """Return the position of a figure, mm."""
        return self._start + (self._end - self._start) * figure / self._most


def _draw_line(x1: float, y1: float, x2: float, y2: float, style: str = "h") -> str:
    return (
        f'<path class="{style}" d="M{format_number(x1)} {format_number(y1)}L{format_number(x2)} {format_number(y2)}"/>'
    )


def _draw_dot(x: float, y: float, radius: float, fill: str, name: str) -> str:
    """Return a point as an SVG circle; a browser shows its name if the pointer rests on it."""
    at = f'cx="{format_number(x)}" cy="{format_number(y)}" r="{format_number(radius)}"'
    return f'<circle {at} fill="{fill}"><title>{escape_text(name)}</title></circle>'


def _format_short(figure: float) -> str:
    """Return a round figure in few letters, such as 20k or 1.5M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if figure >= size:
            return f"{figure / size:g}{unit}"
    return f"{figure:g}"

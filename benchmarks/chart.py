"""A chart of time over size, both by powers of ten, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from benchmarks.cases import FOLDER, REBUILT, SUMMARY, ZST
from fabricgen.export.drawings.svg import draw_label, draw_rect, format_number, make_svg, make_svg_file

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 200.0, 120.0, 16.0, 12.0, 62.0, 14.0
_LINES = {
    "show": ("#0072B2", "show"),
    "lint": ("#009E73", "lint"),
    SUMMARY: ("#CC79A7", "columns only (summary)"),
    REBUILT: ("#E69F00", "rebuild, one unit more"),
    ZST: ("#D55E00", "everything, .tar.zst"),
    FOLDER: ("#000000", "everything, folder"),
}
"""Colour (as Okabe and Ito chose for all eyes) and words of the cases that are drawn."""

_FLOOR = ("#777777", "floor: writing the files")


@dataclass(frozen=True, slots=True)
class _Scale:
    """Powers of ten on a stretch of paper: from `low` at `start` to `high` at `end`, mm."""

    low: int
    high: int
    start: float
    end: float

    def at(self, value: float) -> float:
        return self.start + (log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    def decades(self) -> range:
        return range(self.low, self.high + 1)


def chart(results: Mapping[str, Any]) -> bytes:
    """An SVG file of wall seconds over GPUs; of a single size, points."""
    series = list(_series(results))
    points = [point for *_, line in series for point in line]
    if not points:
        return make_svg_file(make_svg(_WIDTH, _HEIGHT, "", title="nothing was measured", alone=True))
    x = _scale([gpus for gpus, _ in points], _LEFT, _WIDTH - _RIGHT)
    y = _scale([seconds for _, seconds in points], _HEIGHT - _BOTTOM, _TOP)
    title = f"fabricgen: wall seconds over GPUs, {results['about']['date']}"
    paper = draw_rect(0, 0, _WIDTH, _HEIGHT, "#FFF", "")  # or it cannot be read on a dark page
    body = [paper, draw_label(_LEFT, 5, title, 3.4, "b"), *_grid(x, y), *_drawn(series, x, y)]
    return make_svg_file(make_svg(_WIDTH, _HEIGHT, "".join(body), title=title, alone=True))


def _series(results: Mapping[str, Any]) -> Iterator[tuple[str, str, list[tuple[float, float]]]]:
    """(colour, words, [(GPUs, seconds)]) of every line."""
    cases = {(case["size"], case["case"]): case for case in results["cases"]}
    sizes = results["sizes"]
    for name, (colour, words) in _LINES.items():
        found = [(size, cases[size, name]) for size in sizes if (size, name) in cases]
        points = [
            (sizes[size]["gpus"], min(run["wall_s"] for run in case["runs"]))
            for size, case in found
            if not case["problems"]
        ]
        yield colour, words, points
    floors = [(size, _floor_runs(cases.get((size, FOLDER), {"floors": []}))) for size in sizes]
    yield *_FLOOR, [(sizes[size]["gpus"], min(found)) for size, found in floors if found]


def _floor_runs(case: Mapping[str, Any]) -> list[float]:
    return [run["wall_s"] for floors in case["floors"] for run in floors]


def _scale(values: Sequence[float], start: float, end: float) -> _Scale:
    low, high = floor(log10(min(values))), floor(log10(max(values)) - 1e-9) + 1
    return _Scale(low, max(high, low + 1), start, end)


def _grid(x: _Scale, y: _Scale) -> Iterator[str]:
    names = {3: "1k", 4: "10k", 5: "100k", 6: "1M", 7: "10M"}
    for power in x.decades():
        at = format_number(x.at(10.0**power))
        yield f'<path class="h" d="M{at} {format_number(y.end)}V{format_number(y.start)}"/>'
        yield draw_label(x.at(10.0**power), y.start + 4, names.get(power, f"1e{power}"), 3, "m")
    for power in y.decades():
        at = format_number(y.at(10.0**power))
        yield f'<path class="h" d="M{format_number(x.start)} {at}H{format_number(x.end)}"/>'
        yield draw_label(x.start - 2, y.at(10.0**power), f"{10.0**power:g} s", 3, "e")
    yield draw_label((x.start + x.end) / 2, y.start + 9, "GPUs", 3, "m")


def _drawn(series: Sequence[tuple[str, str, list[tuple[float, float]]]], x: _Scale, y: _Scale) -> Iterator[str]:
    """Lines with their words at the right, as high as they end, or lower where another stands there."""
    shown = sorted((s for s in series if s[2]), key=lambda s: y.at(s[2][-1][1]))
    free = 0.0
    for colour, words, points in shown:
        places = [(x.at(gpus), y.at(seconds)) for gpus, seconds in points]
        steps = "L".join(f"{format_number(a)} {format_number(b)}" for a, b in places)
        dashes = ";stroke-dasharray:1.5 1" if (colour, words) == _FLOOR else ""
        yield f'<path d="M{steps}" style="fill:none;stroke:{colour};stroke-width:.6{dashes}"/>'
        yield from (
            f'<circle cx="{format_number(a)}" cy="{format_number(b)}" r=".9" style="fill:{colour}"/>' for a, b in places
        )
        high = max(places[-1][1], free)
        free = high + 4
        last = f"{format_number(places[-1][0])} {format_number(places[-1][1])}"
        yield f'<path d="M{last}L{format_number(x.end + 3)} {format_number(high)}" class="h"/>'
        yield f'<circle cx="{format_number(x.end + 4)}" cy="{format_number(high)}" r=".9" style="fill:{colour}"/>'
        yield draw_label(x.end + 6, high, f"{words} {points[-1][1]:.3g} s", 2.8)

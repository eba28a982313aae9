"""Where the labels of a plot stand: beside their points, apart from each other, from points, and within the frame.

What finds no room beside its point stands farther off, with a line to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from fabricgen.export.drawings.svg import measure_text

TEXT = 2.6
"""Size of text, mm."""
GAP = 0.5
"""Between labels, and between labels and points, mm."""
NEAR = 3.0
"""Points that are nearer than that, mm, share a label."""
RANGES = 3
"""Runs of numbers in a label, at most."""
LED = 1.6
"""A label that is farther from its point than that, mm, has a line to it."""

Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom, mm."""

_ROWS = (0.0, 1.9, -1.9, 3.4, -3.4, 5.2, -5.2, 7.4, -7.4, 10.0, -10.0, 13.0, -13.0, 17.0, -17.0, 22.0, -22.0)
_COLUMNS = (0.0, 4.0, -4.0, 8.0, -8.0, 13.0, -13.0, 20.0, -20.0)


@dataclass(frozen=True)
class Label:
    """A text in its box; `line` is where a line from its point ends at it, None where it stands beside it."""

    words: str
    box: Box
    point: Point
    line: Point | None


def runs(numbers: Sequence[int]) -> str:
    """Numbers in few letters: 1-3, 7."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in found)


def shared(points: Sequence[tuple[Point, int]]) -> list[tuple[Point, list[int]]]:
    """(where, numbers) of labels: points that are near each other have one, unless that grows long."""
    found: list[tuple[Point, list[int]]] = []
    for (x, y), number in points:
        for (x0, y0), numbers in found:
            is_near = abs(x0 - x) < NEAR and abs(y0 - y) < NEAR
            if is_near and runs([*numbers, number]).count(",") < RANGES:
                numbers.append(number)
                break
        else:
            found.append(((x, y), [number]))
    return found


def placed(
    points: Sequence[tuple[Point, int]], dot: float, others: Sequence[Point], other_dot: float, frame: Box
) -> list[Label]:
    """A label for all points and their numbers.

    It covers no point of them and no other label, and none of the other points if there is such a place. Left out is
    what has no place at all.
    """
    solid = [_around(point, dot + GAP) for point, _ in points]
    soft = [_around(point, other_dot) for point in others]
    found: list[Label] = []
    for point, numbers in shared(points):
        taken = [*solid, *(_wider(label.box) for label in found)]
        second = None
        for label in _places(point, runs(numbers), frame):
            if any(_meet(label.box, box) for box in taken) or any(_crosses(label, other) for other in found):
                continue
            second = second or label
            if not any(_meet(label.box, box) for box in soft):
                found.append(label)
                break
        else:
            found += [second] if second else []
    return found


def _places(point: Point, words: str, frame: Box) -> Iterator[Label]:
    """Where a label may stand, the nearest to its point first."""
    wide, (x, y), (left, top, right, bottom) = measure_text(words, TEXT), point, frame
    found = []
    for order, (down, across, start) in enumerate(product(_ROWS, _COLUMNS, (x + LED, x - LED - wide, x - wide / 2))):
        box = (start + across, y + down - TEXT / 2, start + across + wide, y + down + TEXT / 2)
        if box[0] < left + GAP or box[1] < top + GAP or box[2] > right - GAP or box[3] > bottom - GAP:
            continue
        end = (min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3]))
        far = ((end[0] - x) ** 2 + (end[1] - y) ** 2) ** 0.5
        found.append((round(far, 2), order, Label(words, box, point, end if far > LED + 0.3 else None)))
    yield from (label for _, _, label in sorted(found, key=lambda place: place[:2]))


def _around(point: Point, radius: float) -> Box:
    return (point[0] - radius, point[1] - radius, point[0] + radius, point[1] + radius)


def _wider(box: Box) -> Box:
    return (box[0] - GAP - TEXT / 2, box[1] - GAP / 2, box[2] + GAP + TEXT / 2, box[3] + GAP / 2)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _crosses(one: Label, other: Label) -> bool:
    """Whether the line of one label passes the other."""
    return any(
        a.line is not None and any(_meet(_around(at, 0.1), b.box) for at in _along(a.point, a.line))
        for a, b in ((one, other), (other, one))
    )


def _along(start: Point, end: Point) -> Iterator[Point]:
    for step in range(25):
        part = step / 24
        yield (start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part)

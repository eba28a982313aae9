"""Where the labels of a plot stand: beside their points, apart from each other and from points, within the frame.

A label that does not fit beside its point stands farther off, with a line to it.
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
"""The least distance between labels, and between labels and points, mm."""
NEAR = 3.0
"""Points that are nearer to each other than this, mm, share a label."""
RANGES = 3
"""Runs of numbers in a label, at most."""
LEADER_FROM = 1.6
"""How far beside its point a label stands, mm; a label that is more than 0.3 mm farther off has a line to its point."""

Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom, mm."""

# offsets of a label that are tried, mm: of two at the same distance from the point, the earlier is taken
_ROWS = (0.0, 1.9, -1.9, 3.4, -3.4, 5.2, -5.2, 7.4, -7.4, 10.0, -10.0, 13.0, -13.0, 17.0, -17.0, 22.0, -22.0)
_COLUMNS = (0.0, 4.0, -4.0, 8.0, -8.0, 13.0, -13.0, 20.0, -20.0)


@dataclass(frozen=True)
class Label:
    """A text in its box; `line` is the end of the line from its point to it, None if it stands beside the point."""

    words: str
    box: Box
    point: Point
    line: Point | None


def format_runs(numbers: Sequence[int]) -> str:
    """Return numbers in few letters, such as 1-3, 7."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ranges)


def group_near_points(points: Sequence[tuple[Point, int]]) -> list[tuple[Point, list[int]]]:
    """Return (point, numbers) of each label: points near each other share one, of at most `RANGES` runs of numbers."""
    groups: list[tuple[Point, list[int]]] = []
    for (x, y), number in points:
        for (x0, y0), numbers in groups:
            is_near = abs(x0 - x) < NEAR and abs(y0 - y) < NEAR
            if is_near and format_runs([*numbers, number]).count(",") < RANGES:
                numbers.append(number)
                break
        else:
            groups.append(((x, y), [number]))
    return groups


def place_labels(
    points: Sequence[tuple[Point, int]], dot: float, other_points: Sequence[Point], other_dot: float, frame: Box
) -> list[Label]:
    """Return labels for (point, number) pairs; points near each other share a label.

    A label covers none of the points, of radius `dot`, and no other label, and if possible none of the other points, of
    radius `other_dot`. A label that fits nowhere in the frame is left out. All lengths are mm.
    """
    solid = [_make_box(point, dot + GAP) for point, _ in points]
    soft = [_make_box(point, other_dot) for point in other_points]
    labels: list[Label] = []
    for point, numbers in group_near_points(points):
        occupied = [*solid, *(_widen_box(label.box) for label in labels)]
        second_best = None
        for label in _list_label_places(point, format_runs(numbers), frame):
            if any(_boxes_meet(label.box, box) for box in occupied) or any(
                _labels_cross(label, placed_label) for placed_label in labels
            ):
                continue
            second_best = second_best or label
            if not any(_boxes_meet(label.box, box) for box in soft):
                labels.append(label)
                break
        else:
            labels += [second_best] if second_best else []
    return labels


def _list_label_places(point: Point, words: str, frame: Box) -> Iterator[Label]:
    """Yield the places for a label within the frame, the nearest to its point first."""
    width, (x, y), (left, top, right, bottom) = measure_text(words, TEXT), point, frame
    candidates = []
    # `start`: to the right of the point, to the left, or centred on it
    starts = (x + LEADER_FROM, x - LEADER_FROM - width, x - width / 2)
    for order, (dy, dx, start) in enumerate(product(_ROWS, _COLUMNS, starts)):
        box = (start + dx, y + dy - TEXT / 2, start + dx + width, y + dy + TEXT / 2)
        if box[0] < left + GAP or box[1] < top + GAP or box[2] > right - GAP or box[3] > bottom - GAP:
            continue
        # the point of the box that is nearest to its point: a line goes there
        end = (min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3]))
        distance = ((end[0] - x) ** 2 + (end[1] - y) ** 2) ** 0.5
        # rounded, so that the last bit of a distance does not decide the order. No leader line for a label beside its
        # point, or a row above or below it
        leader_end = end if distance > LEADER_FROM + 0.3 else None
        candidates.append((round(distance, 2), order, Label(words, box, point, leader_end)))
    yield from (label for _, _, label in sorted(candidates, key=lambda candidate: candidate[:2]))


def _make_box(point: Point, radius: float) -> Box:
    return (point[0] - radius, point[1] - radius, point[0] + radius, point[1] + radius)


def _widen_box(box: Box) -> Box:
    return (box[0] - GAP - TEXT / 2, box[1] - GAP / 2, box[2] + GAP + TEXT / 2, box[3] + GAP / 2)


def _boxes_meet(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _labels_cross(first: Label, second: Label) -> bool:
    """Whether the line of one label passes the other."""
    return any(
        a.line is not None and any(_boxes_meet(_make_box(at, 0.1), b.box) for at in _list_line_points(a.point, a.line))
        for a, b in ((first, second), (second, first))
    )


def _list_line_points(start: Point, end: Point) -> Iterator[Point]:
    """Yield 25 points at equal distances on a line, both ends included."""
    for step in range(25):
        part = step / 24
        yield (start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part)

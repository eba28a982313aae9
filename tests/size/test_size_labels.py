"""Labels of plots: each number once, within the frame, on no point of the front and no other label."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from fabricgen.size.labels import LEADER_FROM, format_runs, place_labels

FRAME = (22.0, 9.0, 124.0, 70.0)
DOT, SMALL = 1.1, 0.7


def covers(box: tuple[float, float, float, float], point: tuple[float, float], radius: float) -> bool:
    """Whether a box covers some of a disc, by the nearest point of the box."""
    x, y = min(max(point[0], box[0]), box[2]), min(max(point[1], box[1]), box[3])
    return bool((x - point[0]) ** 2 + (y - point[1]) ** 2 < radius**2)


def list_numbers(words: str) -> list[int]:
    ends = [run.split("-") for run in words.split(", ")]
    return [number for end in ends for number in range(int(end[0]), int(end[-1]) + 1)]


@pytest.mark.tenth
@pytest.mark.parametrize("seed", range(12))
def test_labels_lie_on_nothing_and_leave_no_number_out(seed: int) -> None:
    """Points in a heap, on a line and in the corners of the frame."""
    rng = Random(seed)
    flat = seed % 3 == 0
    points = [((rng.uniform(24, 122), 40.0 if flat else rng.uniform(11, 68)), number) for number in range(1, 26)]
    points += [((23.0, 10.0), 26), ((123.0, 69.0), 27), ((123.0, 10.0), 28)]
    beaten = [(rng.uniform(22, 124), rng.uniform(9, 70)) for _ in range(60)]
    labels = place_labels(points, DOT, beaten, SMALL, FRAME)
    assert sorted(number for label in labels for number in list_numbers(label.words)) == list(range(1, 29))
    where = {number: point for point, number in points}
    for label in labels:
        left, top, right, bottom = label.box
        assert FRAME[0] < left < right < FRAME[2]
        assert FRAME[1] < top < bottom < FRAME[3]
        assert not [point for point, _ in points if covers(label.box, point, DOT)]
        assert label.point in [where[number] for number in list_numbers(label.words)]
        assert label.line is not None or covers(label.box, label.point, LEADER_FROM + 0.4)
    for first, second in combinations(labels, 2):
        apart = first.box[2] < second.box[0] or second.box[2] < first.box[0]
        assert apart or first.box[3] < second.box[1] or second.box[3] < first.box[1], (first.words, second.words)


def test_a_label_avoids_beaten_points_where_there_is_room() -> None:
    beaten = [(70.0 + 0.5 * step, 40.0) for step in range(-40, 41)]
    (label,) = place_labels([((70.0, 40.0), 1)], DOT, beaten, SMALL, FRAME)
    assert not any(covers(label.box, point, SMALL) for point in beaten)


def test_numbers_are_told_in_runs() -> None:
    assert format_runs([7, 1, 2, 3]) == "1-3, 7"
    assert list_numbers(format_runs([4, 6, 7])) == [4, 6, 7]

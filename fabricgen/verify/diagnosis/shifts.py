"""Rows of plugs that are off by as much: by ranks, the places of plugs on the front of one device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

LEAST_CLOSED = 3
"""Two plugs that go round are a swap."""
LEAST_OPEN = 2


class Shift(NamedTuple):
    """Plugs that are moved: (rank where each is, rank where it belongs). `closed`: each is where another belongs."""

    moves: Sequence[tuple[int, int]]
    closed: bool


def shift_of(moves: Sequence[tuple[int, int]], closed: bool) -> int:
    """By how many places of the row all plugs of a row are too high (below 0: too low); 0 where they are no shift.

    A row is places at equal distances. In a row that is shifted round, those at its one end are at its other end.
    """
    if len(moves) < (LEAST_CLOSED if closed else LEAST_OPEN):
        return 0
    sources, targets = sorted(source for source, _ in moves), sorted(target for _, target in moves)
    stride = _stride(targets)
    if not stride or len(set(sources)) < len(sources):
        return 0
    offsets = {source - target for source, target in moves}
    if closed:
        count = len(moves)
        if sources != targets or any(offset % stride for offset in offsets):
            return 0
        # round a row of five, four places up and one down are the same
        by = {offset // stride % count for offset in offsets}
        up = by.pop()
        # of the two ways round, the shorter one
        return 0 if by else up if 2 * up <= count else up - count
    return offsets.pop() if len(offsets) == 1 else 0


def shifts_among(rows: Sequence[Shift]) -> Iterator[list[int]]:
    """Which of some rows are one shift together, as indexes; all their plugs are off by the same offsets."""
    closed, opened = ([at for at, row in enumerate(rows) if row.closed is closed] for closed in (True, False))
    if len(closed) > 1 and shift_of([move for at in closed for move in rows[at].moves], closed=True):
        yield closed
    yield from (run for run in _runs(rows, opened) if len(run) > 1)


def _runs(rows: Sequence[Shift], members: Sequence[int]) -> Iterator[list[int]]:
    """Open rows whose targets follow each other at the usual distance."""
    targets = sorted((target, at) for at in members for _, target in rows[at].moves)
    steps = Counter(two[0] - one[0] for one, two in pairwise(targets))
    if not steps:
        return
    usual = min(steps, key=lambda step: (-steps[step], step))
    run: list[int] = []
    last = None
    for target, at in targets:
        if last is not None and target - last != usual:
            yield list(dict.fromkeys(run))
            run = []
        run.append(at)
        last = target
    yield list(dict.fromkeys(run))


def _stride(ranks: Sequence[int]) -> int:
    """The distance between neighbours of a row; 0 where it is not the same everywhere."""
    steps = {two - one for one, two in pairwise(ranks)}
    return steps.pop() if len(steps) == 1 else 0

"""Intervals of integers, and an allocator that gives them out by name.

A name keeps every interval that it was ever given: an allocation that grows is extended in free space. The intervals of
names that nobody asks for any more are holes, which stay reserved until the lock releases them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import NamedTuple, TypeAlias


class Interval(NamedTuple):
    """Consecutive integers: the first one, and how many there are."""

    first: int
    size: int

    @property
    def end(self) -> int:
        """The number after the last one."""
        return self.first + self.size


Intervals: TypeAlias = tuple[Interval, ...]
Allocations: TypeAlias = Mapping[str, Intervals]
"""The intervals of each name, in the order in which they were allocated."""


class AllocationRequest(NamedTuple):
    """A request for `size` numbers in all for a name, inside `windows`; each new interval starts at a multiple of
    `align`.

    With `aligned`, an interval starts at a multiple of its own size, as an IP prefix does; gaps between allocations are
    then used only if no window has room at its end.
    """

    name: str
    size: int
    windows: Intervals
    align: int = 1
    aligned: bool = False


class NoRoomError(Exception):
    """The error if the windows of a request have no free interval of the `missing` numbers that it still needs.

    `largest` is the size of the largest interval that could be given: one that is free and begins where the request
    allows it; for an `aligned` request also a block that is a power of two and begins at a multiple of itself.
    """

    def __init__(self, request: AllocationRequest, missing: int, largest: int) -> None:
        super().__init__(request.name)
        self.request, self.missing, self.largest = request, missing, largest


def count_numbers(intervals: Intervals) -> int:
    """Return how many numbers some intervals, which do not overlap, hold together."""
    return sum(interval.size for interval in intervals)


def allocate_intervals(held: Allocations, requests: Sequence[AllocationRequest]) -> dict[str, Intervals]:
    """Return the intervals of each requested name: those in `held`, extended if a request asks for more.

    Requests are served in order. An extension follows the name's last interval if the space there is free, else it is
    the first free gap that is large enough. Intervals that any name holds are never given to another. Raises
    NoRoomError.
    """
    occupied = _IntervalSet(interval for intervals in held.values() for interval in intervals)
    allocations: dict[str, Intervals] = {}
    for request in requests:
        intervals = allocations.get(request.name, held.get(request.name, ()))
        missing = request.size - count_numbers(intervals)
        if missing > 0:
            intervals = _extend(intervals, occupied.allocate(request, missing, intervals[-1] if intervals else None))
        allocations[request.name] = intervals
    return allocations


def _extend(intervals: Intervals, added: Interval) -> Intervals:
    """Return intervals with one more, which is joined to the last if it follows that."""
    if intervals and intervals[-1].end == added.first:
        return (*intervals[:-1], Interval(intervals[-1].first, intervals[-1].size + added.size))
    return (*intervals, added)


class _IntervalSet:
    """The allocated numbers as a sorted list of intervals, in which adjoining ones are merged."""

    def __init__(self, intervals: Iterable[Interval]) -> None:
        self._sorted: list[Interval] = []
        for interval in sorted(intervals):
            # the interval before it if that overlaps or adjoins it, which both become one; else the interval itself
            preceding = self._sorted.pop() if self._sorted and self._sorted[-1].end >= interval.first else interval
            self._sorted.append(Interval(preceding.first, max(preceding.end, interval.end) - preceding.first))

    def allocate(self, request: AllocationRequest, size: int, after: Interval | None) -> Interval:
        """Allocate `size` numbers right behind the interval `after`, else in the first gap. Raises NoRoomError."""
        # the largest power of two that divides the size
        # size & -size is the largest power of two that divides size
        align = size & -size if request.aligned else request.align
        if after and after.end % align == 0 and self._is_free(Interval(after.end, size), request.windows):
            return self._take(Interval(after.end, size))
        gaps = [gap for window in request.windows for gap in self._list_gaps(window)]
        if request.aligned:
            ends = {window.end for window in request.windows}
            # the free end of each window first (False sorts before True): the blocks beside a hole may grow into it
            gaps.sort(key=lambda gap: gap.end not in ends)
        largest = 0
        for gap in gaps:
            # rounded up to the next multiple
            first = -(-gap.first // align) * align
            largest = max(largest, gap.end - first, _find_largest_aligned(gap) if request.aligned else 0)
            if first + size <= gap.end:
                return self._take(Interval(first, size))
        raise NoRoomError(request, size, largest)

    def _take(self, interval: Interval) -> Interval:
        """Mark a free interval as taken, and return it."""
        # merged with the interval that ends where it begins, and with the one that begins where it ends
        index = bisect_right(self._sorted, interval)
        low = index - 1 if index and self._sorted[index - 1].end == interval.first else index
        high = index + 1 if index < len(self._sorted) and self._sorted[index].first == interval.end else index
        joined = (*self._sorted[low:index], interval, *self._sorted[index:high])
        self._sorted[low:high] = [Interval(joined[0].first, joined[-1].end - joined[0].first)]
        return interval

    def _is_free(self, interval: Interval, windows: Intervals) -> bool:
        """Whether an interval is within one of some windows and not allocated."""
        inside = any(w.first <= interval.first and interval.end <= w.end for w in windows)
        return inside and any(
            gap.first <= interval.first and interval.end <= gap.end for gap in self._list_gaps(interval)
        )

    def _list_gaps(self, window: Interval) -> list[Interval]:
        """Return the free intervals of a window, ascending."""
        free, first = [], window.first
        # a tuple of one sorts before every interval that begins there: this is the last one that begins earlier
        index = max(0, bisect_right(self._sorted, (window.first,)) - 1)
        for interval in islice(self._sorted, index, None):
            if interval.first >= window.end:
                break
            if interval.first > first:
                free.append(Interval(first, interval.first - first))
            first = max(first, interval.end)
        return [*free, Interval(first, window.end - first)] if first < window.end else free


def _find_largest_aligned(gap: Interval) -> int:
    """Return the size of the largest block in a gap: a power of two that begins at a multiple of itself."""
    # the largest power of two that is no greater than the gap; it may still not fit at its own multiple
    size = 1 << (gap.size.bit_length() - 1)
    while -(-gap.first // size) * size + size > gap.end:
        size //= 2
    return size


def find_overlap(held: Allocations) -> tuple[str, str, Interval] | None:
    """Return two names that hold the same numbers, and these numbers, for the lowest conflict; None if no two names
    overlap.
    """
    ordered = sorted((interval, name) for name, intervals in held.items() for interval in intervals)
    for (a, name), (b, second) in pairwise(ordered):
        if b.first < a.end:
            return name, second, Interval(b.first, min(a.end, b.end) - b.first)
    return None


def list_numbers(intervals: Intervals) -> Iterator[int]:
    """Return every number of some intervals, in the order of the intervals."""
    return chain.from_iterable(range(interval.first, interval.end) for interval in intervals)


def list_first_numbers(intervals: Intervals, size: int) -> Iterator[int]:
    """Return the first `size` numbers of some intervals, or all numbers if there are fewer."""
    return islice(list_numbers(intervals), size)


def make_intervals(values: Iterable[int]) -> Intervals:
    """Return numbers as intervals, in their order; consecutive numbers are merged."""
    intervals: list[Interval] = []
    for n in values:
        if intervals and intervals[-1].end == n:
            intervals[-1] = Interval(intervals[-1].first, intervals[-1].size + 1)
        else:
            intervals.append(Interval(n, 1))
    return tuple(intervals)

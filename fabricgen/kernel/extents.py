"""Numbers handed out by name: what was given before stays, what grows goes on in free space, what is gone is a hole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import NamedTuple, TypeAlias


class Extent(NamedTuple):
    """Consecutive numbers: the first one and how many."""

    first: int
    size: int

    @property
    def end(self) -> int:
        """The number after the last one."""
        return self.first + self.size


Extents: TypeAlias = tuple[Extent, ...]
Held: TypeAlias = Mapping[str, Extents]
"""What each name has, in the order in which it was given."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a name needs: so many numbers out of some windows, each piece starting at a multiple of `align`.

    With `aligned` a piece starts at a multiple of its own size, as prefixes do, and gaps between what is given are left
    alone while there is room behind it.
    """

    name: str
    size: int
    windows: Extents
    align: int = 1
    aligned: bool = False


class NoRoomError(Exception):
    """A demand that its windows cannot meet; `missing` in a row are free nowhere, at most `largest` are."""

    def __init__(self, demand: Demand, missing: int, largest: int) -> None:
        super().__init__(demand.name)
        self.demand, self.missing, self.largest = demand, missing, largest


def total(extents: Extents) -> int:
    """How many numbers there are in all."""
    return sum(extent.size for extent in extents)


def settle(held: Held, demands: Sequence[Demand]) -> dict[str, Extents]:
    """Meet demands in their order: as held, then after what is held, else in the first free place that is large enough.

    What other names hold, met or not, is never given away. Raises NoRoomError.
    """
    taken = _Taken(extent for extents in held.values() for extent in extents)
    found: dict[str, Extents] = {}
    for demand in demands:
        extents = found.get(demand.name, held.get(demand.name, ()))
        missing = demand.size - total(extents)
        if missing > 0:
            extents = _extended(extents, taken.give(demand, missing, extents[-1] if extents else None))
        found[demand.name] = extents
    return found


def _extended(extents: Extents, more: Extent) -> Extents:
    if extents and extents[-1].end == more.first:
        return (*extents[:-1], Extent(extents[-1].first, extents[-1].size + more.size))
    return (*extents, more)


class _Taken:
    """What is given, in order; what adjoins is one extent, so that many names in a row cost no more than one."""

    def __init__(self, extents: Iterable[Extent]) -> None:
        self._sorted: list[Extent] = []
        for extent in sorted(extents):
            before = self._sorted.pop() if self._sorted and self._sorted[-1].end >= extent.first else extent
            self._sorted.append(Extent(before.first, max(before.end, extent.end) - before.first))

    def give(self, demand: Demand, size: int, after: Extent | None) -> Extent:
        """Take `size` numbers: right after what the name has, else in the first gap; raises NoRoomError."""
        align = size & -size if demand.aligned else demand.align
        if after and after.end % align == 0 and self._is_free(Extent(after.end, size), demand.windows):
            return self._take(Extent(after.end, size))
        gaps = [gap for window in demand.windows for gap in self._gaps(window)]
        if demand.aligned:
            ends = {window.end for window in demand.windows}
            gaps.sort(key=lambda gap: gap.end not in ends)
        largest = 0
        for gap in gaps:
            first = -(-gap.first // align) * align
            largest = max(largest, gap.end - first)
            if first + size <= gap.end:
                return self._take(Extent(first, size))
        raise NoRoomError(demand, size, largest)

    def _take(self, extent: Extent) -> Extent:
        at = bisect_right(self._sorted, extent)
        low = at - 1 if at and self._sorted[at - 1].end == extent.first else at
        high = at + 1 if at < len(self._sorted) and self._sorted[at].first == extent.end else at
        joined = (*self._sorted[low:at], extent, *self._sorted[at:high])
        self._sorted[low:high] = [Extent(joined[0].first, joined[-1].end - joined[0].first)]
        return extent

    def _is_free(self, extent: Extent, windows: Extents) -> bool:
        inside = any(w.first <= extent.first and extent.end <= w.end for w in windows)
        return inside and any(gap.first <= extent.first and extent.end <= gap.end for gap in self._gaps(extent))

    def _gaps(self, window: Extent) -> list[Extent]:
        """What is free in a window, in order."""
        free, first = [], window.first
        at = max(0, bisect_right(self._sorted, (window.first,)) - 1)
        for extent in islice(self._sorted, at, None):
            if extent.first >= window.end:
                break
            if extent.first > first:
                free.append(Extent(first, extent.first - first))
            first = max(first, extent.end)
        return [*free, Extent(first, window.end - first)] if first < window.end else free


def overlap(held: Held) -> tuple[str, str, Extent] | None:
    """Two names that hold the same numbers, and which; None where all are apart."""
    ordered = sorted((extent, name) for name, extents in held.items() for extent in extents)
    for (one, name), (other, second) in pairwise(ordered):
        if other.first < one.end:
            return name, second, Extent(other.first, min(one.end, other.end) - other.first)
    return None


def numbers(extents: Extents) -> Iterator[int]:
    """Every number, in the order in which it was given."""
    return chain.from_iterable(range(extent.first, extent.end) for extent in extents)


def first(extents: Extents, size: int) -> Iterator[int]:
    """The first so many numbers."""
    return islice(numbers(extents), size)


def compressed(given: Iterable[int]) -> Extents:
    """Numbers as extents, in their order."""
    found: list[Extent] = []
    for n in given:
        if found and found[-1].end == n:
            found[-1] = Extent(found[-1].first, found[-1].size + 1)
        else:
            found.append(Extent(n, 1))
    return tuple(found)

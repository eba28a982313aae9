"""The rows of a hall that shared network racks stand in: which floor row is which, and whose places are whose.

Places of the rows are numbered row by row. Without anything stated these rows lie before those of nodes, numbered away
from them, and each run of racks has one to itself, so that either may grow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabricgen.design.floor.halls import ENDLESS, Hall
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    Intervals,
    allocate_intervals,
    numbers,
    total,
)
from fabricgen.kernel.units import power_of_two_at_least

_MOST_PLACES = 1 << 40


@dataclass(frozen=True, slots=True)
class NetworkArea:
    """`rows` (0: none among the others) of a hall from floor row `first` on, and what does not fit in them behind.

    In a hall without end what overflows goes before its first row, else to its last rows. From the `centre` of a row,
    where it is said, racks are placed outwards.
    """

    hall: Hall
    first: int
    rows: int
    outwards: bool

    def node_row(self, row: Any) -> Any:
        """The floor row of a row of nodes (both from 0), or of a column of them."""
        return row + (row >= self.first) * self.rows

    def spot(self, place: int) -> tuple[int, int]:
        """(floor row, column) of a place; rows before the first are negative."""
        row, column = divmod(place, self.hall.racks_per_row)
        if self.outwards:
            column = outwards(column, self.hall.racks_per_row)
        if row < self.rows:
            return self.first + row, column
        behind = row - self.rows
        return (-1 - behind if self.hall.rows == ENDLESS else self.hall.rows - 1 - behind), column

    def overflow(self, places: int) -> int:
        """Rows that so many places take beyond those kept for them."""
        return max(0, -(-places // self.hall.racks_per_row) - self.rows)


def outwards(place: int, length: int) -> int:
    """The column of a place where they are counted from the middle of a row, one side and the other in turn."""
    middle = (length - 1) // 2
    return middle + (place + 1) // 2 if place % 2 else middle - place // 2


def rows_alone(wanted: Mapping[str, int], per_row: int) -> dict[str, Intervals]:
    """Places of runs that each have rows to themselves: the first row of every run before the second of any."""
    runs = len(wanted)
    found = {}
    for number, (name, racks) in enumerate(wanted.items()):
        rows = range(max(1, -(-racks // per_row)))
        found[name] = tuple(Interval((number + wrap * runs) * per_row, per_row) for wrap in rows)
    return found


def places_of(held: Allocations, wanted: Mapping[str, int], per_row: int, *, shared: bool) -> dict[str, Intervals]:
    """Places of each run of racks, as they are held; new ones where there is room.

    Runs that share rows have room for twice as many racks, or nearly; others whole rows.
    """
    if not held and not shared:
        return rows_alone(wanted, per_row)
    window = (Interval(0, _MOST_PLACES),)
    demands = []
    for name, racks in wanted.items():
        have = total(held.get(name, ()))
        room = power_of_two_at_least(max(1, racks)) if shared else -(-max(1, racks) // per_row) * per_row
        demands.append(
            AllocationRequest(
                name, have if have >= racks and have else max(room, have), window, 1 if shared else per_row
            )
        )
    return allocate_intervals(held, demands)


def highest(places: Mapping[str, Intervals], wanted: Mapping[str, int]) -> int:
    """One more than the highest place that a rack stands in."""
    return max((n + 1 for name, racks in wanted.items() for n in _some(places[name], racks)), default=0)


def _some(intervals: Intervals, count: int) -> Sequence[int]:
    return [n for n, _ in zip(numbers(intervals), range(count), strict=False)]

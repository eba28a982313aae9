"""The rows of a hall for shared network racks: which floor rows they are, and which run of racks has which places.

Places are numbered row by row. By default these rows lie before those of nodes and are numbered away from them, and
each run of racks has a row of its own, so that either can grow.
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
    """Network rows of a hall: `rows` rows from floor row `first` on (0: none between node rows), and an overflow area.

    Racks that do not fit overflow before the first row in a hall without limits, else into its last rows. With
    `outwards` racks are placed from the middle of a row to both sides.
    """

    hall: Hall
    first: int
    rows: int
    outwards: bool

    def node_row(self, row: Any) -> Any:
        """The floor row of a row of nodes, or of an array of rows, both from 0."""
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
        """How many rows so many places take beyond those kept for them."""
        return max(0, -(-places // self.hall.racks_per_row) - self.rows)


def outwards(place: int, length: int) -> int:
    """The column of a place when places count from the middle of a row, alternating between both sides."""
    middle = (length - 1) // 2
    return middle + (place + 1) // 2 if place % 2 else middle - place // 2


def rows_alone(wanted: Mapping[str, int], per_row: int) -> dict[str, Intervals]:
    """Places of runs that have rows of their own: the first row of every run comes before the second of any."""
    runs = len(wanted)
    found = {}
    for number, (name, racks) in enumerate(wanted.items()):
        rows = range(max(1, -(-racks // per_row)))
        found[name] = tuple(Interval((number + wrap * runs) * per_row, per_row) for wrap in rows)
    return found


def places_of(held: Allocations, wanted: Mapping[str, int], per_row: int, *, shared: bool) -> dict[str, Intervals]:
    """Places of each run of racks: those in the lock, and new ones where there is room.

    Where runs share rows each gets room for up to twice as many racks (the next power of two), else whole rows.
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
    """One more than the highest place that holds a rack."""
    return max((n + 1 for name, racks in wanted.items() for n in _some(places[name], racks)), default=0)


def _some(intervals: Intervals, count: int) -> Sequence[int]:
    return [n for n, _ in zip(numbers(intervals), range(count), strict=False)]

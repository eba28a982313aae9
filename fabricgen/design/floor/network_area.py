"""The rows of a hall for shared network racks: which floor rows they are, and which run of racks has which places.

Places are numbered row by row. By default these rows lie before those of nodes and are numbered away from them, and
runs of racks fill them together: those that go into one row share rows, larger ones have rows of their own behind.
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

KIND = "floor"
"""Kind of lock entry: places of racks in the network rows of a hall."""

PLANE, PART = " plane ", " part "
"""What stands before the number of a plane, and then the letter of a part, in the lock key of a run."""


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


def places_together(
    held: Allocations, wanted: Mapping[str, int], room: Mapping[str, int], per_row: int
) -> dict[str, Intervals]:
    """Places of runs that fill rows together: those in the lock, and for others the first row with room for all of it.

    `wanted` are racks that a run has, `room` those that it will have with the reserve. Runs that need more than a row
    have rows of their own behind. Parts that a tier is split into, and odd and even planes, stand in different rows:
    the loss of one leaves the others.
    """
    found: dict[str, Intervals] = {}
    size = {name: total(held.get(name, ())) for name in wanted}
    most = {name: min(room[name], per_row) if racks <= per_row else room[name] for name, racks in wanted.items()}
    size = {name: have if have >= max(1, wanted[name]) else max(1, most[name]) for name, have in size.items()}
    for name in sorted((name for name in wanted if size[name] <= per_row), key=_lane):
        given = {**held, **found}
        request = AllocationRequest(name, size[name], _rows_open_to(name, given, per_row))
        found |= allocate_intervals(given, [request])
    large = {name: size[name] for name in wanted if size[name] > per_row}
    if not held:
        behind = _rows_of({**held, **found}, per_row) * per_row
        for name, places in rows_alone(large, per_row).items():
            found[name] = tuple(Interval(first + behind, count) for first, count in places)
        return {name: found[name] for name in wanted}
    for name, racks in large.items():
        given, have = {**held, **found}, total(held.get(name, ()))
        whole = have + -(-(racks - have) // per_row) * per_row
        found |= allocate_intervals(given, [AllocationRequest(name, whole, (Interval(0, _MOST_PLACES),), per_row)])
    return {name: found[name] for name in wanted}


def _lane(name: str) -> str:
    """Which rows a run may share with others, by its lock key: those of its part, else those of odd or even planes.

    What is not split stands with the first part and the odd planes.
    """
    if PART in name:
        return name.rpartition(PART)[2]
    return "b" if PLANE in name and int(name.rpartition(PLANE)[2]) % 2 == 0 else "a"


def _rows_of(given: Allocations, per_row: int) -> int:
    """How many rows have places of some runs, up to the last."""
    last = max((interval.end for places in given.values() for interval in places), default=0)
    return -(-last // per_row)


def _rows_open_to(name: str, given: Allocations, per_row: int) -> Intervals:
    """The rows in which a run may have places: those where no other lane has any, the first empty row included."""
    lane = _lane(name)
    others = {
        row
        for other, places in given.items()
        if _lane(other) != lane
        for interval in places
        for row in range(interval.first // per_row, -(-interval.end // per_row))
    }
    rows = range(_rows_of(given, per_row) + 1)
    return tuple(Interval(row * per_row, per_row) for row in rows if row not in others)


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

"""Places for shared network racks at the ends of the rows of nodes, in columns that no unit takes.

They are numbered row by row. As many columns are kept as the racks need: the fewest with which the rows of nodes, which
are longer or more for it, have a place for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fabricgen.design.floor.network_area import highest, places_together
from fabricgen.kernel.intervals import Allocations, Intervals

KIND = "floor row ends"
"""Kind of lock entry, and count in the lock: places at the ends of rows, and how many each row has."""


@dataclass(frozen=True, slots=True)
class RowEnds:
    """The last places of the rows of nodes of a hall: `columns` of each, from column `first` on (0: none); by lock key,
    those of each run of racks.
    """

    first: int = 0
    columns: int = 0
    places: Mapping[str, Intervals] = field(default_factory=dict)

    def spot(self, place: int) -> tuple[int, int]:
        """(row of nodes, column) of a place, from 0."""
        return place // self.columns, self.first + place % self.columns


def row_ends(
    held: Allocations,
    wanted: Mapping[str, int],
    room: Mapping[str, int],
    columns: range,
    rows: Callable[[int], int],
) -> tuple[int, dict[str, Intervals]] | None:
    """(columns, places by lock key) of runs at row ends: of the first number of `columns` whose places suffice.

    `rows(columns)` are the rows of nodes when so many columns are kept; `wanted` and `room` are racks of each run, now
    and with the reserve. None where no number of columns suffices.
    """
    for kept in columns:
        places = places_together(held, wanted, room, kept)
        if highest(places, wanted) <= rows(kept) * kept:
            return kept, places
    return None

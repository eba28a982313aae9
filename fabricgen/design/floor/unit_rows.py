"""Where racks of units stand in the rows of nodes, by the unit's number in its hall; for single racks and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fabricgen.blueprint.sections.floor import Stand


@dataclass(frozen=True, slots=True)
class UnitRows:
    """How units are laid out in rows: one after the other, or `per_row` whole units in each row (if above 0).

    `columns` is an int array: the column of each rack, counted from the start of the row for the racks of the first
    unit of a row, then of the next unit. Where rows do not hold units together it counts from the start of the unit.
    """

    racks: int
    racks_per_row: int
    per_row: int
    columns: Any

    def spot(self, position: Any, rack: Any) -> tuple[Any, Any]:
        """(row of nodes, column) of a rack, all from 0; `position` is the number of its unit in the hall, `rack` its
        number in the unit. Takes ints or int arrays.
        """
        if not self.per_row:
            place = position * self.racks + self.columns[rack]
            return place // self.racks_per_row, place % self.racks_per_row
        return position // self.per_row, self.columns[position % self.per_row * self.racks + rack]

    def rows_for(self, units: int) -> int:
        """How many rows so many units take."""
        if self.per_row:
            return -(-units // self.per_row)
        return -(-units * self.racks // self.racks_per_row)

    def units_in(self, rows: int) -> int:
        """How many whole units fit in so many rows."""
        return rows * self.per_row if self.per_row else rows * self.racks_per_row // self.racks


def unit_rows(node_racks: int, stands: Sequence[Stand], racks_per_row: int, *, whole: bool) -> UnitRows:
    """Lay out units of `node_racks` node racks and one network rack for each of `stands`, which are numbered after
    them. With `whole` no unit is cut that a row could hold.
    """
    racks = node_racks + len(stands)
    own = _own_order(node_racks, stands)
    shared = [i for i, stand in enumerate(stands) if stand.startswith("row")]
    if not shared and not (whole and racks <= racks_per_row):
        return UnitRows(racks, racks_per_row, 0, _places(own, racks))
    per_row = max(1, racks_per_row // racks)
    if not shared:
        each = [unit * racks + rack for unit in range(per_row) for rack in own]
        return UnitRows(racks, racks_per_row, per_row, _places(each, per_row * racks))
    order: list[int] = []
    for stand in ("row-middle", "row-end"):
        here = [node_racks + i for i in shared if stands[i] == stand]
        together = [unit * racks + rack for unit in range(per_row) for rack in here]
        if stand == "row-middle":
            half = -(-per_row // 2)
            before, after = (
                [u * racks + r for u in units for r in own] for units in (range(half), range(half, per_row))
            )
            order = [*before, *together, *after]
        else:
            order += together
    return UnitRows(racks, racks_per_row, per_row, _places(order, per_row * racks))


def _own_order(node_racks: int, stands: Sequence[Stand]) -> list[int]:
    """Numbers of a unit's racks in the order they stand: its network racks in the middle or at the end."""
    middle = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-middle"]
    end = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-end"]
    half = -(-node_racks // 2) if middle else node_racks
    return [*range(half), *middle, *range(half, node_racks), *end]


def _places(order: Sequence[int], count: int) -> list[int]:
    """The position of each rack in an order."""
    found = [0] * count
    for place, rack in enumerate(order):
        found[rack] = place
    return found

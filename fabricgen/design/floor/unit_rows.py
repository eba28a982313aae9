"""Where the racks of units stand in rows of nodes, by the unit's number in its hall; one rack or columns of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fabricgen.blueprint.sections.floor import Stand


@dataclass(frozen=True, slots=True)
class UnitRows:
    """Units one after the other through the rows, or so many whole ones in each (`per_row` above 0).

    `columns` are, for the racks of the first unit of a row, then of the next, their places from the start of the row;
    where units are not held together by rows, from the start of the unit.
    """

    racks: int
    racks_per_row: int
    per_row: int
    columns: Any

    def spot(self, position: Any, rack: Any) -> tuple[Any, Any]:
        """(row of nodes, column) of a rack of a unit by its number in the hall; all from 0."""
        if not self.per_row:
            place = position * self.racks + self.columns[rack]
            return place // self.racks_per_row, place % self.racks_per_row
        return position // self.per_row, self.columns[position % self.per_row * self.racks + rack]

    def rows_for(self, units: int) -> int:
        """Rows that so many units take."""
        if self.per_row:
            return -(-units // self.per_row)
        return -(-units * self.racks // self.racks_per_row)

    def units_in(self, rows: int) -> int:
        """Whole units that go into so many rows."""
        return rows * self.per_row if self.per_row else rows * self.racks_per_row // self.racks


def unit_rows(node_racks: int, stands: Sequence[Stand], racks_per_row: int) -> UnitRows:
    """Rows of units of some node racks and of network racks that stand so; these are numbered after the others."""
    racks = node_racks + len(stands)
    own = _own_order(node_racks, stands)
    shared = [i for i, stand in enumerate(stands) if stand.startswith("row")]
    if not shared:
        return UnitRows(racks, racks_per_row, 0, _places(own, racks))
    per_row = max(1, racks_per_row // racks)
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
    """Racks of a unit that stand together, in their order: its network racks in the middle or at the end."""
    middle = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-middle"]
    end = [node_racks + i for i, stand in enumerate(stands) if stand == "unit-end"]
    half = -(-node_racks // 2) if middle else node_racks
    return [*range(half), *middle, *range(half, node_racks), *end]


def _places(order: Sequence[int], count: int) -> list[int]:
    """The place of each rack, from their order."""
    found = [0] * count
    for place, rack in enumerate(order):
        found[rack] = place
    return found

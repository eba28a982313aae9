"""The rows of each hall: network rows, with the places of every run of racks, and node rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from fabricgen.blueprint.sections.floor import Stand
from fabricgen.design.floor.hall_units import HallCapacity
from fabricgen.design.floor.halls import ENDLESS, Hall
from fabricgen.design.floor.network_area import NetworkArea, highest, places_of
from fabricgen.design.floor.network_runs import NetworkRun
from fabricgen.design.floor.run_places import RunPlaces
from fabricgen.design.floor.unit_rows import UnitRows, unit_rows
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import Allocations, Intervals

KIND = "floor"
"""Kind of lock entry: places of racks in the network rows of a hall."""

UNIT_RACKS, ROWS, ROWS_FROM = "floor unit racks", "floor network rows", "floor rows before networks"
"""Counts in the lock: racks that each unit has places for, rows kept for networks, and node rows before these."""

FURTHER = "further unit racks"
"""Lock key of the places for racks that units have beyond the ones they have places for."""


class HallAreas:
    """Node rows and network rows of all halls of a design."""

    def __init__(self, design: Design, halls: Sequence[Hall], shared: RunPlaces, stands: Sequence[Stand]) -> None:
        self._design, self._layout, self._halls, self._shared = design, design.layout, halls, shared
        self._stands = tuple(stands)
        self._lock = design.layout.lock
        self._spec = design.loaded.blueprint.floor.network_rows
        racks = self._layout.racks_per_su + len(self._stands)
        self.unit_places = min(self._lock.rooms.get(UNIT_RACKS, racks), racks)
        """Racks of a unit that stand among its others."""
        self._racks = racks
        if self.unit_places < self._layout.racks_per_su:
            self.unit_places = self._layout.racks_per_su

    @cached_property
    def rows(self) -> tuple[UnitRows, ...]:
        """By hall, how units are laid out in its node rows."""
        stands = self._stands[: self.unit_places - self._layout.racks_per_su]
        for hall in self._halls:
            if self.unit_places > hall.racks_per_row and any(stand.startswith("row") for stand in stands):
                raise fault(
                    "FG068",
                    f"a row of {hall.racks_per_row} racks holds no whole unit of {self.unit_places}, and network racks "
                    "of rows go with whole units",
                    path=("floor", "racks_per_row"),
                    hint=f"racks_per_row: {self.unit_places} or more, or let the switches `stand: unit-end`",
                )
        return tuple(unit_rows(self._layout.racks_per_su, stands, hall.racks_per_row) for hall in self._halls)

    @cached_property
    def wanted(self) -> tuple[dict[str, int], ...]:
        """By hall, the number of racks of every run in its network rows, by lock key."""
        found: tuple[dict[str, int], ...] = tuple({} for _ in self._halls)
        for run in self._shared.runs:
            found[run.hall][run.holder] = self._shared.rack_count(run)
        further = self._racks - self.unit_places
        for hall, held in enumerate(found) if further else ():
            held[FURTHER] = further * self._site_slots(hall)
        return found

    def _site_slots(self, hall: int) -> int:
        return self._layout.numbering.span("units", self._layout.sites[self._halls[hall].site], "site")

    @cached_property
    def places(self) -> tuple[dict[str, Intervals], ...]:
        """By hall, the places of every run in its network rows."""
        shared = self._spec is not None and self._spec.rows is not None
        return tuple(
            places_of(self._lock.of(self.kind(i)), wanted, self._halls[i].racks_per_row, shared=shared)
            for i, wanted in enumerate(self.wanted)
        )

    @cached_property
    def areas(self) -> tuple[NetworkArea, ...]:
        """The network rows of every hall."""
        return tuple(self._area(i) for i in range(len(self._halls)))

    def _area(self, number: int) -> NetworkArea:
        hall, at = self._halls[number], self._spec.at if self._spec else "first"
        rows = self._rows_kept(number)
        first = 0
        if at != "first" and hall.rows != ENDLESS:
            first = hall.rows - rows if at == "last" else (hall.rows - rows) // 2
        elif at != "first":
            nodes = self.rows[number].rows_for(self._site_slots(number))
            usual = nodes if at == "last" else -(-nodes // 2)
            first = self._lock.rooms.get(ROWS_FROM + self._shared.suffix(number), max(1, usual))
        if hall.rows != ENDLESS and rows > hall.rows:
            raise self._full(number, f"{rows} rows of network racks do not fit in its {hall.rows} rows")
        return NetworkArea(hall, first, rows, outwards=at == "middle")

    def _rows_kept(self, number: int) -> int:
        """Rows kept for networks between node rows: as stated, else as many as were needed first."""
        hall = self._halls[number]
        if not self.wanted[number] or (self._spec is None and hall.rows == ENDLESS):
            return 0
        if self._spec and self._spec.rows:
            return self._spec.rows
        needed = -(-highest(self.places[number], self.wanted[number]) // hall.racks_per_row)
        return self._lock.rooms.get(ROWS + self._shared.suffix(number), needed)

    def overflow(self, number: int) -> int:
        """Rows that network racks of a hall take beyond those kept for them."""
        area = self.areas[number]
        if not area.rows and area.hall.rows == ENDLESS:
            return 0
        return area.overflow(highest(self.places[number], self.wanted[number]))

    @property
    def hall_capacities(self) -> list[HallCapacity]:
        """How many units each hall takes."""
        found = []
        for i, hall in enumerate(self._halls):
            left = hall.rows - self.areas[i].rows - self.overflow(i)
            if hall.rows != ENDLESS and left < 0:
                raise self._full(i, f"{hall.rows - left} rows of network racks do not fit in its {hall.rows} rows")
            found.append(HallCapacity(i, None if hall.rows == ENDLESS else self.rows[i].units_in(left)))
        return found

    def _full(self, number: int, why: str) -> Exception:
        name = self._halls[number].name
        return fault("FG067", f"hall {name} is too small: {why}", path=("floor", "halls", name), hint="more `rows`")

    def unit_spots(self, hall: Any, position: Any, rack: Any) -> tuple[Any, Any]:
        """(rows, columns), int32, of racks of units; takes int arrays of one length."""
        import numpy as np

        row, column = np.zeros_like(hall), np.zeros_like(hall)
        for i, rows in enumerate(self.rows):
            here = np.flatnonzero((hall == i) & (rack < self.unit_places))
            inside = replace(rows, columns=np.array(rows.columns, dtype=np.int32))
            node_row, column[here] = inside.spot(position[here], rack[here])
            row[here] = self.areas[i].node_row(node_row)
        for at in np.flatnonzero(rack >= self.unit_places).tolist():
            row[at], column[at] = self.unit_spot(int(hall[at]), int(position[at]), int(rack[at]))
        return row, column

    def unit_spot(self, hall: int, position: int, rack: int) -> tuple[int, int]:
        """(row, column) of a rack of a unit, by the hall and the unit's number there."""
        if rack >= self.unit_places:
            further = self._racks - self.unit_places
            index = position * further + rack - self.unit_places
            return self.areas[hall].spot(_nth(self.places[hall][FURTHER], index))
        row, column = self.rows[hall].spot(position, rack)
        return self.areas[hall].node_row(row), column

    def shared_spot(self, run: NetworkRun, place: int) -> tuple[int, int]:
        """(row, column) of a rack of a run."""
        return self.areas[run.hall].spot(_nth(self.places[run.hall][run.holder], place))

    def kind(self, hall: int) -> str:
        """Kind of lock entry for the places of a hall."""
        return KIND + self._shared.suffix(hall)

    def held(self) -> dict[str, Allocations]:
        """The places of all runs by kind of lock entry, including runs that are gone."""
        return {
            self.kind(i): {**self._lock.of(self.kind(i)), **places} for i, places in enumerate(self.places) if places
        }

    def kept_counts(self) -> dict[str, int]:
        """Counts of rows and racks that a lock keeps, by name."""
        found = {UNIT_RACKS: self.unit_places}
        for i, area in enumerate(self.areas):
            if area.rows and not (self._spec and self._spec.rows):
                found[ROWS + self._shared.suffix(i)] = area.rows
            if area.rows and area.first and area.hall.rows == ENDLESS:
                found[ROWS_FROM + self._shared.suffix(i)] = area.first
        return found


def _nth(intervals: Intervals, index: int) -> int:
    for interval in intervals:
        if index < interval.size:
            return interval.first + index
        index -= interval.size
    raise IndexError(index)

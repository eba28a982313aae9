"""The rows of each hall: network rows, with the places of every run of racks, and node rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.blueprint.sections.floor import Stand
from fabricgen.design.floor.hall_units import ROWS as NODE_ROWS
from fabricgen.design.floor.hall_units import HallRoom, UnitPlace
from fabricgen.design.floor.halls import ENDLESS, Hall
from fabricgen.design.floor.network_area import NetworkArea, highest, places_of, places_together
from fabricgen.design.floor.network_runs import NetworkRun
from fabricgen.design.floor.run_places import RunPlaces
from fabricgen.design.floor.unit_plan import UnitPlan
from fabricgen.design.floor.unit_rows import UnitRows, unit_rows
from fabricgen.design.floor.usual_floor import Laying, kept_rules, stands_together
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import Allocations, Intervals

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]

KIND = "floor"
"""Kind of lock entry: places of racks in the network rows of a hall."""

UNIT_RACKS, ROWS, ROWS_FROM = "floor unit racks", "floor network rows", "floor rows before networks"
"""Counts in the lock: racks that each unit has places for, rows kept for networks, and node rows before these."""

FURTHER = "further unit racks"
"""Lock key of the places for racks that units have beyond the ones they have places for."""


class HallAreas:
    """Node rows and network rows of all halls of a design."""

    def __init__(
        self, design: Design, halls: Sequence[Hall], shared: RunPlaces, plans: Sequence[UnitPlan], laying: Laying
    ) -> None:
        self._design, self._layout, self._halls, self._shared = design, design.layout, halls, shared
        self._plans, self._laying = tuple(plans), laying
        self._lock = design.layout.lock
        self._spec = design.loaded.blueprint.floor.network_rows
        self._largest = tuple(
            max((p for p in plans if p.kind.name == kind.name), key=lambda p: p.racks) for kind in self._layout.kinds
        )
        """By kind of unit, the plan of the part of the cluster whose units have most racks."""
        kinds = [kind.name for kind in self._layout.kinds]
        self._kind_of = tuple(kinds.index(plan.kind.name) for plan in self._plans)
        self.unit_places = tuple(self._places_of(plan) for plan in self._largest)
        """By kind of unit, racks of a unit that stand among its others."""

    def _places_of(self, plan: UnitPlan) -> int:
        held = self._lock.rooms.get(UNIT_RACKS + plan.kind.suffix, plan.racks)
        return max(min(held, plan.racks), plan.kind.racks)

    @cached_property
    def rows(self) -> tuple[tuple[UnitRows, ...], ...]:
        """By hall and kind of unit, how units are laid out in node rows."""
        for hall in self._halls:
            for plan, places in zip(self._largest, self.unit_places, strict=True):
                if places > hall.racks_per_row and any(stand.startswith("row") for stand in self._stands(plan, places)):
                    raise fault(
                        "FG068",
                        f"a row of {hall.racks_per_row} racks holds no whole unit of {places}, and network racks of "
                        "rows go with whole units",
                        path=("floor", "racks_per_row"),
                        hint=f"racks_per_row: {places} or more, or let the switches `stand: unit-end`",
                    )
        return tuple(
            tuple(
                unit_rows(plan.kind.racks, self._stands(plan, places), hall.racks_per_row, whole=self._laying.whole)
                for plan, places in zip(self._largest, self.unit_places, strict=True)
            )
            for hall in self._halls
        )

    @staticmethod
    def _stands(plan: UnitPlan, places: int) -> Sequence[Stand]:
        """Where the network racks of a unit stand that stand among its others."""
        return plan.stack.stands[: places - plan.kind.racks]

    @cached_property
    def wanted(self) -> tuple[dict[str, int], ...]:
        """By hall, the number of racks of every run in its network rows, by lock key."""
        return self._racks(self._shared.rack_count)

    def _racks(self, count: Callable[[NetworkRun], int]) -> tuple[dict[str, int], ...]:
        found: tuple[dict[str, int], ...] = tuple({} for _ in self._halls)
        for run in self._shared.runs:
            found[run.hall][run.holder] = count(run)
        for plan, places in zip(self._largest, self.unit_places, strict=True):
            for hall, held in enumerate(found) if plan.racks > places else ():
                held[FURTHER + plan.kind.suffix] = (plan.racks - places) * self._site_slots(hall)
        return found

    def _site_slots(self, hall: int) -> int:
        """How many slots units have at the site of a hall; those of one kind are no more."""
        return self._layout.numbering.span("units", self._layout.sites[self._halls[hall].site], "site")

    def _node_rows(self, hall: int) -> int:
        """How many node rows units need if all of the site stand in one hall."""
        kinds, rows = self._layout.kinds, self.rows[hall]
        if not self._layout.numbering.parts:
            return rows[0].rows_for(self._site_slots(hall))
        site, found = self._layout.sites[self._halls[hall].site], 0
        for kind, inside in zip(kinds, rows, strict=True):
            of_pods = zip(self._layout.pods, self._layout.kind_of_pod, strict=True)
            slots = sum(pod.slots for pod, other in of_pods if pod.site == site and other.name == kind.name)
            found += inside.rows_for(slots)
        return found

    @cached_property
    def places(self) -> tuple[dict[str, Intervals], ...]:
        """By hall, the places of every run in its network rows."""
        shared = self._spec is not None and self._spec.rows is not None
        held = [self._lock.of(self.kind(i)) for i in range(len(self._halls))]
        lengths = [hall.racks_per_row for hall in self._halls]
        if shared or not stands_together(self._lock):
            some = zip(held, self.wanted, lengths, strict=True)
            return tuple(places_of(given, wanted, length, shared=shared) for given, wanted, length in some)
        room = self._racks(self._shared.racks_with_reserve)
        every = zip(held, self.wanted, room, lengths, strict=True)
        return tuple(places_together(given, wanted, most, length) for given, wanted, most, length in every)

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
            nodes = self._node_rows(number)
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
    def rooms(self) -> list[HallRoom]:
        """The room that each hall has for units."""
        found = []
        for i, hall in enumerate(self._halls):
            left = hall.rows - self.areas[i].rows - self.overflow(i)
            if hall.rows != ENDLESS and left < 0:
                raise self._full(i, f"{hall.rows - left} rows of network racks do not fit in its {hall.rows} rows")
            rows = None if hall.rows == ENDLESS else left
            found.append(HallRoom(i, rows, self.rows[i], NODE_ROWS + self._shared.suffix(i)))
        return found

    def _full(self, number: int, why: str) -> Exception:
        name = self._halls[number].name
        return fault("FG067", f"hall {name} is too small: {why}", path=("floor", "halls", name), hint="more `rows`")

    def unit_spots(self, part: int, places: Sequence[UnitPlace]) -> tuple[Ints, Ints]:
        """(rows, columns) of all racks of some units of a part of the cluster; int32, a row for each unit."""
        import numpy as np

        hall, _, first, number = np.array(places, dtype=np.int32).T[:, :, None]
        rack = np.arange(self._plans[part].racks, dtype=np.int32)[None, :]
        row, column = (np.zeros((len(places), rack.shape[1]), dtype=np.int32) for _ in range(2))
        kind = self._kind_of[part]
        near = min(self.unit_places[kind], rack.shape[1])
        for i, layouts in enumerate(self.rows):
            here = np.flatnonzero(hall[:, 0] == i)
            inside = replace(layouts[kind], columns=np.array(layouts[kind].columns, dtype=np.int32))
            node_row, column[here, :near] = inside.spot(number[here], rack[:, :near])
            row[here, :near] = self.areas[i].node_row(first[here] + node_row)
        for at, place in enumerate(places):
            for beyond in range(near, rack.shape[1]):
                row[at, beyond], column[at, beyond] = self.unit_spot(part, place, beyond)
        return row, column

    def unit_spot(self, part: int, place: UnitPlace, rack: int) -> tuple[int, int]:
        """(row, column) of a rack of a unit of a part of the cluster."""
        kind = self._kind_of[part]
        near, largest = self.unit_places[kind], self._largest[kind]
        if rack >= near:
            index = place.position * (largest.racks - near) + rack - near
            places = self.places[place.hall][FURTHER + largest.kind.suffix]
            return self.areas[place.hall].spot(_nth(places, index))
        row, column = self.rows[place.hall][kind].spot(place.number, rack)
        return self.areas[place.hall].node_row(place.row + row), column

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
        pairs = zip(self._layout.kinds, self.unit_places, strict=True)
        found = {UNIT_RACKS + kind.suffix: places for kind, places in pairs}
        found |= kept_rules(self._design, self._halls[0].racks_per_row, self._laying)
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

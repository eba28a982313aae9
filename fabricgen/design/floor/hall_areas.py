"""The rows of each hall: network rows, with the places of every run of racks, and node rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from fabricgen.blueprint.sections.floor import Stand
from fabricgen.design.floor.hall_units import MOST_ROWS, HallRoom, UnitPlace
from fabricgen.design.floor.hall_units import ROWS as NODE_ROWS
from fabricgen.design.floor.halls import ENDLESS, Hall
from fabricgen.design.floor.network_runs import (
    KIND,
    NetworkArea,
    NetworkRun,
    highest,
    places_of,
    places_together,
    shared_name,
)
from fabricgen.design.floor.run_places import RunPlaces
from fabricgen.design.floor.unit_plan import UnitPlan
from fabricgen.design.floor.unit_racks import UnitRows, unit_rows
from fabricgen.design.floor.usual_floor import Laying, kept_rules, stands_together
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import Allocations, Intervals, count_numbers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]

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
        return tuple(self._layouts(i, ends.columns) for i, ends in enumerate(self.ends))

    def _length(self, hall: int, ends: int) -> int:
        """Racks of units in a row: where nothing says how long rows are, racks at row ends stand beyond these."""
        stated = self._halls[hall].rows or self._design.loaded.blueprint.floor.racks_per_row
        return self._halls[hall].racks_per_row - (ends if stated else 0)

    def _layouts(self, hall: int, ends: int) -> tuple[UnitRows, ...]:
        """By kind of unit, how units are laid out in node rows of a hall whose last `ends` columns are kept."""
        length, found = self._length(hall, ends), []
        for plan, places in zip(self._largest, self.unit_places, strict=True):
            stands = self._stands(plan, places)
            if places > length and any(stand.startswith("row") for stand in stands):
                raise fault(
                    "FG068",
                    f"a row of {length} racks holds no whole unit of {places}, and network racks of rows go with whole "
                    "units",
                    path=("floor", "racks_per_row"),
                    hint=f"racks_per_row: {places} or more, or let the switches `stand: unit-end`",
                )
            found.append(unit_rows(plan.kind.racks, stands, length, whole=self._laying.whole))
        return tuple(found)

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
            if not self._is_placed_by_hand(run):
                found[run.hall][run.holder] = count(run)
        for plan, places in zip(self._largest, self.unit_places, strict=True):
            for hall, held in enumerate(found) if plan.racks > places else ():
                held[FURTHER + plan.kind.suffix] = (plan.racks - places) * self._site_slots(hall)
        return found

    def _site_slots(self, hall: int) -> int:
        """How many slots units have at the site of a hall; those of one kind are no more."""
        return self._layout.numbering.span("units", self._layout.sites[self._halls[hall].site], "site")

    def _is_placed_by_hand(self, run: NetworkRun) -> bool:
        """Whether the blueprint states a place for every rack of a run, so that it needs no other."""
        stated, names = self._design.loaded.blueprint.floor.racks, self._design.loaded.blueprint.names.racks
        if not stated or names or run.holder in self._lock.of(self.kind_of(run.hall, run.holder)):
            return False
        return all(shared_name(run, place) in stated for place in range(self._shared.rack_count(run)))

    @cached_property
    def _at_ends(self) -> frozenset[tuple[int, str]]:
        """(hall, lock key) of runs whose racks stand at the ends of node rows."""
        every = self._laying.ends or (self._spec is not None and self._spec.at == "row-ends")
        found = {(run.hall, run.holder) for run in self._shared.runs if every or run.at_ends}
        further = {(i, FURTHER + kind.suffix) for i in range(len(self._halls)) for kind in self._layout.kinds}
        return frozenset(found | (further if every else set()))

    def _some(self, hall: int, wanted: Mapping[str, int], *, ends: bool) -> dict[str, int]:
        """Those of some racks of a hall that stand at row ends, or those that do not."""
        return {name: racks for name, racks in wanted.items() if ((hall, name) in self._at_ends) == ends}

    @cached_property
    def ends(self) -> tuple[RowEnds, ...]:
        """By hall, the ends of its node rows."""
        room = self._racks(self._shared.racks_with_reserve)
        return tuple(self._row_ends(i, room[i]) for i in range(len(self._halls)))

    def _row_ends(self, number: int, room: Mapping[str, int]) -> RowEnds:
        hall, suffix = self._halls[number], self._shared.suffix(number)
        wanted = self._some(number, self.wanted[number], ends=True)
        if not wanted:
            return RowEnds()
        kept = self._lock.rooms.get(ROW_KIND + suffix)
        columns = range(kept, kept + 1) if kept else range(1, hall.racks_per_row)
        found = row_ends(self._lock.of(ROW_KIND + suffix), wanted, room, columns, partial(self._rows_beside, number))
        if not found:
            racks = sum(wanted.values())
            there = f"{hall.rows} of {hall.racks_per_row} racks, which units take but for their ends"
            raise self._full(number, f"{racks} network racks do not fit at the ends of its rows, {there}")
        return RowEnds(self._length(number, found[0]), *found)

    def _rows_beside(self, number: int, ends: int) -> int:
        """Node rows of a hall when so many columns are kept at their ends."""
        hall = self._halls[number]
        if hall.rows == ENDLESS:
            kept = ROW_KIND + self._shared.suffix(number) in self._lock.rooms  # what comes later stands in further rows
            return MOST_ROWS if kept else self._node_rows(number, self._layouts(number, ends))
        in_rows = self._some(number, self.wanted[number], ends=False)
        filled = -(-highest(self._in_rows[number], in_rows) // hall.racks_per_row)
        return hall.rows - max(filled, self._rows_kept(number))

    def _node_rows(self, hall: int, rows: Sequence[UnitRows]) -> int:
        """How many node rows units need if all of the site stand in one hall."""
        kinds = self._layout.kinds
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
        """By hall, the places of every run: in its network rows, or at the ends of its node rows."""
        return tuple({**rows, **ends.places} for rows, ends in zip(self._in_rows, self.ends, strict=True))

    @cached_property
    def _in_rows(self) -> tuple[dict[str, Intervals], ...]:
        """By hall, the places of every run in its network rows."""
        shared = self._spec is not None and self._spec.rows is not None
        held = [self._lock.of(self.kind(i)) for i in range(len(self._halls))]
        lengths = [hall.racks_per_row for hall in self._halls]
        racks = [self._some(i, wanted, ends=False) for i, wanted in enumerate(self.wanted)]
        if shared or not stands_together(self._lock):
            some = zip(held, racks, lengths, strict=True)
            return tuple(places_of(given, wanted, length, shared=shared) for given, wanted, length in some)
        room = self._racks(self._shared.racks_with_reserve)
        every = zip(held, racks, room, lengths, strict=True)
        return tuple(places_together(given, wanted, most, length) for given, wanted, most, length in every)

    @cached_property
    def areas(self) -> tuple[NetworkArea, ...]:
        """The network rows of every hall."""
        return tuple(self._area(i) for i in range(len(self._halls)))

    def _area(self, number: int) -> NetworkArea:
        hall, at = self._halls[number], self._spec.at if self._spec else "first"
        at = "first" if at == "row-ends" else at
        rows = self._rows_kept(number)
        first = 0
        if at != "first" and hall.rows != ENDLESS:
            first = hall.rows - rows if at == "last" else (hall.rows - rows) // 2
        elif at != "first":
            nodes = self._node_rows(number, self.rows[number])
            usual = nodes if at == "last" else -(-nodes // 2)
            first = self._lock.rooms.get(ROWS_FROM + self._shared.suffix(number), max(1, usual))
        if hall.rows != ENDLESS and rows > hall.rows:
            raise self._full(number, f"{rows} rows of network racks do not fit in its {hall.rows} rows")
        return NetworkArea(hall, first, rows, outwards=at == "middle")

    def _rows_kept(self, number: int) -> int:
        """Rows kept for networks between node rows: as stated, else as many as were needed first."""
        hall = self._halls[number]
        wanted = self._some(number, self.wanted[number], ends=False)
        if not wanted or (self._spec is None and hall.rows == ENDLESS):
            return 0
        if self._spec and self._spec.rows:
            return self._spec.rows
        needed = -(-highest(self._in_rows[number], wanted) // hall.racks_per_row)
        return self._lock.rooms.get(ROWS + self._shared.suffix(number), needed)

    def overflow(self, number: int) -> int:
        """Rows that network racks of a hall take beyond those kept for them."""
        area = self.areas[number]
        if not area.rows and area.hall.rows == ENDLESS:
            return 0
        wanted = self._some(number, self.wanted[number], ends=False)
        return area.overflow(highest(self._in_rows[number], wanted))

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
            return self._spot(place.hall, FURTHER + largest.kind.suffix, index)
        row, column = self.rows[place.hall][kind].spot(place.number, rack)
        return self.areas[place.hall].node_row(place.row + row), column

    def shared_spot(self, run: NetworkRun, place: int) -> tuple[int, int]:
        """(row, column) of a rack of a run."""
        return self._spot(run.hall, run.holder, place)

    def spots(self, hall: int) -> Iterator[tuple[str, int, int]]:
        """(lock key of a run, row, column) of all places of a hall that runs of racks have, with a rack or without."""
        for holder, places in self.places[hall].items():
            for index in range(count_numbers(places)):
                yield holder, *self._spot(hall, holder, index)

    def _spot(self, hall: int, holder: str, index: int) -> tuple[int, int]:
        place = _nth(self.places[hall][holder], index)
        if (hall, holder) not in self._at_ends:
            return self.areas[hall].spot(place)
        row, column = self.ends[hall].spot(place)
        return self.areas[hall].node_row(row), column

    def kind(self, hall: int) -> str:
        """Kind of lock entry for the places of a hall in its network rows."""
        return KIND + self._shared.suffix(hall)

    def kind_of(self, hall: int, holder: str) -> str:
        """Kind of lock entry for the places of a run of racks."""
        return (ROW_KIND if (hall, holder) in self._at_ends else KIND) + self._shared.suffix(hall)

    def held(self) -> dict[str, Allocations]:
        """The places of all runs by kind of lock entry, including runs that are gone."""
        found: dict[str, Allocations] = {}
        for i, places in enumerate(self.places):
            for holder, some in places.items():
                kind = self.kind_of(i, holder)
                found[kind] = {**found.get(kind, self._lock.of(kind)), holder: some}
        return found

    def kept_counts(self) -> dict[str, int]:
        """Counts of rows and racks that a lock keeps, by name."""
        pairs = zip(self._layout.kinds, self.unit_places, strict=True)
        found = {UNIT_RACKS + kind.suffix: places for kind, places in pairs}
        found |= kept_rules(self._design, self._halls[0].racks_per_row, self._laying)
        for i, area in enumerate(self.areas):
            if area.rows and not (self._spec and self._spec.rows):
                found[ROWS + self._shared.suffix(i)] = area.rows
            if self.ends[i].columns:
                found[ROW_KIND + self._shared.suffix(i)] = self.ends[i].columns
            if area.rows and area.first and area.hall.rows == ENDLESS:
                found[ROWS_FROM + self._shared.suffix(i)] = area.first
        return found


def _nth(intervals: Intervals, index: int) -> int:
    for interval in intervals:
        if index < interval.size:
            return interval.first + index
        index -= interval.size
    raise IndexError(index)


# Places for shared network racks at the ends of the rows of nodes, in columns that no unit takes.
# They are numbered row by row. As many columns are kept as the racks need: the fewest with which the rows of nodes,
# which are longer or more for it, have a place for each.

ROW_KIND = "floor row ends"
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

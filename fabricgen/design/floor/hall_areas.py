"""The rows of each hall: network rows, with the places of every run of racks, and node rows.

A run is network racks side by side, which hold switches of a tier (or extra devices, or scale-up trays); its lock key
is the name by which the lock has its places, such as `compute spine`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.design.floor.hall_units import MAX_ROWS, HallRoom, UnitPlace
from fabricgen.design.floor.hall_units import ROWS as NODE_ROWS
from fabricgen.design.floor.halls import ENDLESS, Hall
from fabricgen.design.floor.network_runs import (
    KIND,
    NetworkArea,
    RackRun,
    allocate_places,
    allocate_together,
    find_highest_place,
    name_usual_rack,
)
from fabricgen.design.floor.run_places import RunPlaces
from fabricgen.design.floor.unit_plan import UnitPlan
from fabricgen.design.floor.unit_racks import UnitRows, lay_out_unit_rows
from fabricgen.design.floor.usual_floor import Laying, has_middle_of_rows, keeps_units_whole, list_kept_rules
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import Allocations, Intervals, count_numbers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int32]

UNIT_RACKS, ROWS, ROWS_FROM = "floor unit racks", "floor network rows", "floor rows before networks"
"""Counts in the lock: racks that each unit has places for, rows kept for networks, and node rows before the network
rows.
"""

FURTHER = "further unit racks"
"""Lock key of the places, in network rows, of racks that came to units after their places in node rows were fixed."""


class HallAreas:
    """Node rows and network rows of all halls of a design; `hall` and `number` in its methods are the index of one."""

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
        """For each kind of unit, the plan of the part of the cluster whose units have the most racks."""
        kinds = [kind.name for kind in self._layout.kinds]
        self._kind_of = tuple(kinds.index(plan.kind.name) for plan in self._plans)
        self.unit_places = tuple(self._count_unit_places(plan) for plan in self._largest)
        """For each kind of unit, how many racks of a unit stand together in the unit's place in node rows."""

    def _count_unit_places(self, plan: UnitPlan) -> int:
        kept = self._lock.rooms.get(UNIT_RACKS + plan.kind.suffix, plan.racks)
        return max(min(kept, plan.racks), plan.kind.racks)

    @cached_property
    def rows(self) -> tuple[tuple[UnitRows, ...], ...]:
        """For each hall and kind of unit, how units are laid out in node rows."""
        return tuple(self._lay_out_units(i, ends.columns) for i, ends in enumerate(self.ends))

    def _count_racks_per_row(self, hall: int, kept_columns: int) -> int:
        """Return how many racks of units a row takes if its last `kept_columns` places are kept for network racks.

        If nothing states the length of rows, the kept places lengthen them.
        """
        rows_stated = self._halls[hall].rows or self._design.loaded.blueprint.floor.racks_per_row
        return self._halls[hall].racks_per_row - (kept_columns if rows_stated else 0)

    def _lay_out_units(self, hall: int, kept_columns: int) -> tuple[UnitRows, ...]:
        """Return, for each kind of unit, how units are laid out in node rows of a hall whose last `kept_columns`
        columns are kept for network racks.

        Raises InputError (FG068) if network racks belong to rows and a row holds no whole unit.
        """
        row_length, layouts = self._count_racks_per_row(hall, kept_columns), []
        for plan, unit_racks in zip(self._largest, self.unit_places, strict=True):
            # where network racks of a unit stand that have places in node rows
            network_stands = plan.stack.stands[: unit_racks - plan.kind.racks]
            if unit_racks > row_length and any(stand.startswith("row") for stand in network_stands):
                raise fault(
                    "FG068",
                    f"a row of {row_length} racks holds no whole unit of {unit_racks}, and network racks of rows go "
                    "with whole units",
                    path=("floor", "racks_per_row"),
                    hint=f"racks_per_row: {unit_racks} or more, or let the switches `stand: unit-end`",
                )
            halved = has_middle_of_rows(self._lock)
            layouts.append(
                lay_out_unit_rows(
                    plan.kind.racks, network_stands, row_length, whole_units=self._laying.whole, halved=halved
                )
            )
        return tuple(layouts)

    @cached_property
    def wanted(self) -> tuple[dict[str, int], ...]:
        """For each hall, how many racks every run has now in its network rows or at its row ends, by lock key (`compute
        spine`).
        """
        return self._count_racks_by_run(self._shared.count_racks)

    def _count_racks_by_run(self, count: Callable[[RackRun], int]) -> tuple[dict[str, int], ...]:
        """Return, for each hall, how many racks each run has by lock key, counted with `count`; runs placed by hand are
        left out.

        Racks that units gained after their places in node rows were fixed are a run of their own.
        """
        racks_by_hall: tuple[dict[str, int], ...] = tuple({} for _ in self._halls)
        for run in self._shared.rack_runs:
            if not self._is_placed_by_hand(run):
                racks_by_hall[run.hall][run.holder] = count(run)
        for plan, places in zip(self._largest, self.unit_places, strict=True):
            for hall, racks_of_hall in enumerate(racks_by_hall) if plan.racks > places else ():
                racks_of_hall[FURTHER + plan.kind.suffix] = (plan.racks - places) * self._count_site_slots(hall)
        return racks_by_hall

    def _count_site_slots(self, hall: int) -> int:
        """Return how many slots for units of all kinds are numbered at the site of a hall, reserved ones included."""
        return self._layout.numbering.find_span("units", self._layout.sites[self._halls[hall].site], "site")

    def _is_placed_by_hand(self, run: RackRun) -> bool:
        """Whether the blueprint states a position for every rack of a run, so that the run needs no place in network
        rows.
        """
        stated, names = self._design.loaded.blueprint.floor.racks, self._design.loaded.blueprint.names.racks
        # renamed racks are not found by their usual names; a run in the lock keeps the places that it has there
        if not stated or names or run.holder in self._lock.find_allocations(self.find_lock_kind(run.hall, run.holder)):
            return False
        return all(name_usual_rack(run, number) in stated for number in range(self._shared.count_racks(run)))

    @cached_property
    def _at_ends(self) -> frozenset[tuple[int, str]]:
        """(hall, lock key) of runs whose racks stand at the ends of node rows."""
        all_at_ends = self._laying.ends or (self._spec is not None and self._spec.at == "row-ends")
        at_ends = {(run.hall, run.holder) for run in self._shared.rack_runs if all_at_ends or run.at_ends}
        further_racks = {(i, FURTHER + kind.suffix) for i in range(len(self._halls)) for kind in self._layout.kinds}
        return frozenset(at_ends | (further_racks if all_at_ends else set()))

    def _select_racks(self, hall: int, wanted: Mapping[str, int], *, ends: bool) -> dict[str, int]:
        """Return the entries of `wanted` for runs that stand at row ends (`ends`), or for all other runs."""
        return {name: racks for name, racks in wanted.items() if ((hall, name) in self._at_ends) == ends}

    @cached_property
    def ends(self) -> tuple[RowEnds, ...]:
        """For each hall, the columns at the ends of its node rows that are kept for network racks."""
        racks_with_reserve = self._count_racks_by_run(self._shared.count_racks_with_reserve)
        return tuple(self._find_row_ends(i, racks_with_reserve[i]) for i in range(len(self._halls)))

    def _find_row_ends(self, number: int, racks_with_reserve: Mapping[str, int]) -> RowEnds:
        """Return the columns at the ends of a hall's node rows that are kept for network racks, with the places of each
        run of racks in them; no columns if no run stands there.

        Raises InputError (FG067) if the hall has no room for them.
        """
        hall, suffix = self._halls[number], self._shared.make_key_suffix(number)
        wanted = self._select_racks(number, self.wanted[number], ends=True)
        if not wanted:
            return RowEnds()
        kept_columns = self._lock.rooms.get(ROW_KIND + suffix)
        # with a lock the columns stay what they were
        columns = range(kept_columns, kept_columns + 1) if kept_columns else range(1, hall.racks_per_row)
        columns_and_places = choose_row_ends(
            self._lock.find_allocations(ROW_KIND + suffix),
            wanted,
            racks_with_reserve,
            columns,
            partial(self._count_rows_with_ends, number),
        )
        if not columns_and_places:
            racks = sum(wanted.values())
            size = f"{hall.rows} of {hall.racks_per_row} racks, which units take but for their ends"
            raise self._explain_full(number, f"{racks} network racks do not fit at the ends of its rows, {size}")
        return RowEnds(self._count_racks_per_row(number, columns_and_places[0]), *columns_and_places)

    def _count_rows_with_ends(self, number: int, kept_columns: int) -> int:
        """Return how many node rows a hall has if `kept_columns` columns at the end of each row are kept for network
        racks.

        A hall without end has as many rows as its units need, or, with a lock, as many as may ever be.
        """
        hall = self._halls[number]
        if hall.rows == ENDLESS:
            # with a lock, what comes later stands in further rows
            lock_has_ends = ROW_KIND + self._shared.make_key_suffix(number) in self._lock.rooms
            return (
                MAX_ROWS if lock_has_ends else self._count_node_rows(number, self._lay_out_units(number, kept_columns))
            )
        in_rows = self._select_racks(number, self.wanted[number], ends=False)
        rows_of_network_racks = -(-find_highest_place(self._in_rows[number], in_rows) // hall.racks_per_row)
        return hall.rows - max(rows_of_network_racks, self._count_network_rows(number))

    def _count_node_rows(self, hall: int, layouts: Sequence[UnitRows]) -> int:
        """Return how many node rows the units need if all units of the site stand in one hall."""
        kinds = self._layout.kinds
        if not self._layout.numbering.parts:
            return layouts[0].count_rows(self._count_site_slots(hall))
        site, rows_needed = self._layout.sites[self._halls[hall].site], 0
        for kind, layout in zip(kinds, layouts, strict=True):
            pods_and_kinds = zip(self._layout.pods, self._layout.kind_of_pod, strict=True)
            slots = sum(
                pod.slots for pod, pod_kind in pods_and_kinds if pod.site == site and pod_kind.name == kind.name
            )
            rows_needed += layout.count_rows(slots)
        return rows_needed

    @cached_property
    def places(self) -> tuple[dict[str, Intervals], ...]:
        """For each hall, the places of every run by lock key, in network rows or at the ends of node rows."""
        return tuple({**rows, **ends.places} for rows, ends in zip(self._in_rows, self.ends, strict=True))

    @cached_property
    def _in_rows(self) -> tuple[dict[str, Intervals], ...]:
        """For each hall, the places of every run in its network rows, by lock key."""
        rows_are_stated = self._spec is not None and self._spec.rows is not None
        places_kept = [self._lock.find_allocations(self.make_lock_kind(i)) for i in range(len(self._halls))]
        racks_per_row = [hall.racks_per_row for hall in self._halls]
        racks_by_run = [self._select_racks(i, wanted, ends=False) for i, wanted in enumerate(self.wanted)]
        if rows_are_stated or not keeps_units_whole(self._lock):
            halls_kept = zip(places_kept, racks_by_run, racks_per_row, strict=True)
            return tuple(
                allocate_places(kept_places, wanted, row_length, shared=rows_are_stated)
                for kept_places, wanted, row_length in halls_kept
            )
        racks_with_reserve = self._count_racks_by_run(self._shared.count_racks_with_reserve)
        halls_new = zip(places_kept, racks_by_run, racks_with_reserve, racks_per_row, strict=True)
        return tuple(
            allocate_together(kept_places, wanted, racks_grown, row_length)
            for kept_places, wanted, racks_grown, row_length in halls_new
        )

    @cached_property
    def areas(self) -> tuple[NetworkArea, ...]:
        """The network rows of every hall."""
        return tuple(self._make_area(i) for i in range(len(self._halls)))

    def _make_area(self, number: int) -> NetworkArea:
        """Choose which rows of a hall are network rows; raises InputError (FG067) if the hall has too few rows.

        Racks at row ends need no rows; those that stand in rows nevertheless are put before the node rows.
        """
        hall, position = self._halls[number], self._spec.at if self._spec else "first"
        position = "first" if position == "row-ends" else position
        network_rows = self._count_network_rows(number)
        first_row = 0
        if position != "first" and hall.rows != ENDLESS:
            first_row = hall.rows - network_rows if position == "last" else (hall.rows - network_rows) // 2
        # a hall without end has no last row: networks stand behind or amid the node rows that there were at first, as
        # the lock has it
        elif position != "first":
            node_rows = self._count_node_rows(number, self.rows[number])
            usual_first_row = node_rows if position == "last" else -(-node_rows // 2)
            first_row = self._lock.rooms.get(ROWS_FROM + self._shared.make_key_suffix(number), max(1, usual_first_row))
        if hall.rows != ENDLESS and network_rows > hall.rows:
            raise self._explain_full(number, f"{network_rows} rows of network racks do not fit in its {hall.rows} rows")
        return NetworkArea(hall, first_row, network_rows, outwards=position == "middle")

    def _count_network_rows(self, number: int) -> int:
        """Return how many rows are kept for network racks: as stated, else as the lock has it, else as many as racks
        fill now.
        """
        hall = self._halls[number]
        wanted = self._select_racks(number, self.wanted[number], ends=False)
        if not wanted or (self._spec is None and hall.rows == ENDLESS):
            return 0
        if self._spec and self._spec.rows:
            return self._spec.rows
        needed = -(-find_highest_place(self._in_rows[number], wanted) // hall.racks_per_row)
        return self._lock.rooms.get(ROWS + self._shared.make_key_suffix(number), needed)

    def count_overflow_rows(self, number: int) -> int:
        """Return how many rows the network racks of a hall take beyond the rows kept for them."""
        area = self.areas[number]
        if not area.rows and area.hall.rows == ENDLESS:
            return 0
        wanted = self._select_racks(number, self.wanted[number], ends=False)
        return area.count_overflow_rows(find_highest_place(self._in_rows[number], wanted))

    @property
    def rooms(self) -> list[HallRoom]:
        """The node rows that each hall has left beside its network rows.

        Raises InputError (FG067) if the network racks do not fit into a hall.
        """
        rooms = []
        for i, hall in enumerate(self._halls):
            rows_left = hall.rows - self.areas[i].rows - self.count_overflow_rows(i)
            if hall.rows != ENDLESS and rows_left < 0:
                raise self._explain_full(
                    i, f"{hall.rows - rows_left} rows of network racks do not fit in its {hall.rows} rows"
                )
            rows = None if hall.rows == ENDLESS else rows_left
            rooms.append(HallRoom(i, rows, self.rows[i], NODE_ROWS + self._shared.make_key_suffix(i)))
        return rooms

    def _explain_full(self, number: int, why: str) -> Exception:
        name = self._halls[number].name
        return fault("FG067", f"hall {name} is too small: {why}", path=("floor", "halls", name), hint="more `rows`")

    def locate_unit_racks(self, part_number: int, units: Sequence[UnitPlace]) -> tuple[Ints, Ints]:
        """Return (rows, columns) of all racks of some units of a part of the cluster, given by its index; int32 arrays
        of shape (units, racks of a unit), from 0.
        """
        import numpy as np

        # the fields of `UnitPlace`, each of shape (units, 1), to be combined with `racks` of shape (1, racks)
        hall_of_unit, _, first_row, number_in_stretch = np.array(units, dtype=np.int32).T[:, :, None]
        racks = np.arange(self._plans[part_number].racks, dtype=np.int32)[None, :]
        row, column = (np.zeros((len(units), racks.shape[1]), dtype=np.int32) for _ in range(2))
        kind_number = self._kind_of[part_number]
        racks_in_place = min(self.unit_places[kind_number], racks.shape[1])
        for i, layouts in enumerate(self.rows):
            units_here = np.flatnonzero(hall_of_unit[:, 0] == i)
            layout = layouts[kind_number]._replace(columns=np.array(layouts[kind_number].columns, dtype=np.int32))
            node_row, column[units_here, :racks_in_place] = layout.locate_rack(
                number_in_stretch[units_here], racks[:, :racks_in_place]
            )
            row[units_here, :racks_in_place] = self.areas[i].find_floor_row(first_row[units_here] + node_row)
        for index, unit in enumerate(units):
            for rack in range(racks_in_place, racks.shape[1]):
                row[index, rack], column[index, rack] = self.locate_unit_rack(part_number, unit, rack)
        return row, column

    def locate_unit_rack(self, part_number: int, unit: UnitPlace, rack: int) -> tuple[int, int]:
        """Return (row, column) of a rack of a unit; `part_number` is the index of the unit's part of the cluster.

        Racks that came to units after their places in node rows were fixed stand in network rows.
        """
        kind_number = self._kind_of[part_number]
        racks_in_place, largest = self.unit_places[kind_number], self._largest[kind_number]
        if rack >= racks_in_place:
            further_rack = unit.position * (largest.racks - racks_in_place) + rack - racks_in_place
            return self._locate_rack(unit.hall, FURTHER + largest.kind.suffix, further_rack)
        row, column = self.rows[unit.hall][kind_number].locate_rack(unit.number, rack)
        return self.areas[unit.hall].find_floor_row(unit.row + row), column

    def locate_run_rack(self, run: RackRun, number: int) -> tuple[int, int]:
        """Return (row, column) of a rack of a run, by its number in the run from 0."""
        return self._locate_rack(run.hall, run.holder, number)

    def list_run_positions(self, hall: int) -> Iterator[tuple[str, int, int]]:
        """Yield (lock key of the run, row, column) of all places that runs of racks have in a hall, with a rack or
        without.
        """
        for holder, places in self.places[hall].items():
            for index in range(count_numbers(places)):
                yield holder, *self._locate_rack(hall, holder, index)

    def _locate_rack(self, hall: int, holder: str, index: int) -> tuple[int, int]:
        """Return (row, column) of the place with this index among the places of a run, by the run's lock key."""
        place = _find_nth(self.places[hall][holder], index)
        if (hall, holder) not in self._at_ends:
            return self.areas[hall].locate_place(place)
        row, column = self.ends[hall].locate_place(place)
        return self.areas[hall].find_floor_row(row), column

    def make_lock_kind(self, hall: int) -> str:
        """Return the kind of lock entry for places in the network rows of a hall."""
        return KIND + self._shared.make_key_suffix(hall)

    def find_lock_kind(self, hall: int, holder: str) -> str:
        """Return the kind of lock entry for the places of a run of racks."""
        return (ROW_KIND if (hall, holder) in self._at_ends else KIND) + self._shared.make_key_suffix(hall)

    def list_lock_entries(self) -> dict[str, Allocations]:
        """Return the places of all runs by kind of lock entry, including runs that are gone."""
        allocations: dict[str, Allocations] = {}
        for i, places in enumerate(self.places):
            for holder, intervals in places.items():
                kind = self.find_lock_kind(i, holder)
                allocations[kind] = {**allocations.get(kind, self._lock.find_allocations(kind)), holder: intervals}
        return allocations

    def list_kept_counts(self) -> dict[str, int]:
        """Return the counts of rows and racks that a lock keeps, by name."""
        pairs = zip(self._layout.kinds, self.unit_places, strict=True)
        counts = {UNIT_RACKS + kind.suffix: places for kind, places in pairs}
        counts |= list_kept_rules(self._design, self._halls[0].racks_per_row, self._laying)
        for i, area in enumerate(self.areas):
            if area.rows and not (self._spec and self._spec.rows):
                counts[ROWS + self._shared.make_key_suffix(i)] = area.rows
            if self.ends[i].columns:
                counts[ROW_KIND + self._shared.make_key_suffix(i)] = self.ends[i].columns
            if area.rows and area.first and area.hall.rows == ENDLESS:
                counts[ROWS_FROM + self._shared.make_key_suffix(i)] = area.first
        return counts


def _find_nth(intervals: Intervals, index: int) -> int:
    """Return the number with this index in intervals; raises IndexError if they have fewer numbers."""
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


class RowEnds(NamedTuple):
    """The last places of the node rows of a hall that are kept for network racks."""

    first: int = 0
    """The first kept column."""
    columns: int = 0
    """How many columns are kept; 0 for a hall without network racks at row ends."""
    places: Mapping[str, Intervals] = {}
    """The places of each run of racks, by lock key."""

    def locate_place(self, place: int) -> tuple[int, int]:
        """Return (node row, column) of a place; all count from 0."""
        return place // self.columns, self.first + place % self.columns


def choose_row_ends(
    places_kept: Allocations,
    wanted: Mapping[str, int],
    racks_with_reserve: Mapping[str, int],
    columns: range,
    count_rows: Callable[[int], int],
) -> tuple[int, dict[str, Intervals]] | None:
    """Return (columns, places by lock key) of runs at row ends, for the first number in `columns` with which all racks
    find a place; None if there is none. The number says how many columns at the end of each node row are kept for
    network racks.

    `count_rows` returns how many node rows there are if that number of columns is kept. `wanted` and
    `racks_with_reserve` are the racks of each run, now and with all reserved units.
    """
    for count in columns:
        places = allocate_together(places_kept, wanted, racks_with_reserve, count)
        if find_highest_place(places, wanted) <= count_rows(count) * count:
            return count, places
    return None

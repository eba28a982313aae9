"""The hall and the node rows that each unit stands in. The halls of a site are filled one after the other, with whole
units.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from fabricgen.blueprint.models import Pod
from fabricgen.design.floor.halls import Hall
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.floor.unit_racks import UnitRows
from fabricgen.design.layout import Layout, PodLayout
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    NoRoomError,
    allocate_intervals,
    count_numbers,
    list_first_numbers,
)

KIND = "halls"
"""Kind of lock entry: slots of units in the halls that pods name, and in all other halls of their site."""

ROWS = "rows"
"""Kind of lock entry: the node rows that each kind of unit has in a hall, if there are several kinds."""

_ALL_SLOTS = (Interval(0, 1 << 40),)
MAX_ROWS = 1 << 23
"""More node rows than a hall of unlimited size can need."""


class UnitPlace(NamedTuple):
    """Where a unit stands. All fields count from 0."""

    hall: int
    """The index of its hall."""
    position: int
    """Its number in the hall among the units of its kind."""
    row: int
    """The first node row of the stretch of rows that it stands in."""
    number: int
    """Its number among the units of that stretch."""


class UnitHalls(NamedTuple):
    """The place of every unit of the cluster, and `held`, the lock entries of these places by kind of entry."""

    places: tuple[UnitPlace, ...]
    held: Mapping[str, Allocations]


class HallRoom(NamedTuple):
    """The room of a hall, by its index, for units: how many node rows it has (`rows`, None without limit), how each
    kind of unit is laid out in them (`layouts`), and the kind of lock entry for its rows.
    """

    hall: int
    rows: int | None
    layouts: tuple[UnitRows, ...]
    kind: str


class _Stretch(NamedTuple):
    """Node rows of a hall, from `row` on, that take units of one kind one after the other."""

    hall: int
    row: int
    units: int | None
    """How many units the rows take; None if there is no limit."""


def find_stated_halls(pods: Mapping[str, Pod], layout: Layout, halls: Sequence[Hall]) -> dict[str, int]:
    """Return the index of the hall that each pod states, by the pod's name; pods that state none are left out.

    Raises InputError (FG016) for a hall that the pod's site does not have.
    """
    hall_of_pod = {}
    for pod in layout.pods:
        name = pods[pod.name].hall
        if name is None:
            continue
        halls_of_site = {hall.name: i for i, hall in enumerate(halls) if layout.sites[hall.site] == pod.site}
        if name not in halls_of_site:
            raise fault(
                "FG016",
                f"pod {pod.name} is to stand in hall '{name}', and {pod.site} has no such hall",
                path=("pods",),
                hint=did_you_mean(name, halls_of_site),
            )
        hall_of_pod[pod.name] = halls_of_site[name]
    return hall_of_pod


def place_units(
    layout: Layout, halls: Sequence[Hall], hall_rooms: Sequence[HallRoom], hall_of_pod: Mapping[str, int]
) -> UnitHalls:
    """Put every unit into a hall: pods that state one into that hall, other pods into the halls of their site that no
    pod states.

    `hall_of_pod` is the index of the hall that a pod states, by the pod's name. Returns the place of every unit, pod by
    pod, and the lock entries of these places.

    Raises InputError (FG067) if the halls of a site are too small.
    """
    filling = _HallFilling(layout, halls, hall_rooms)
    for site_number, site in enumerate(layout.sites):
        pods = [pod for pod in layout.pods if pod.site == site]
        for hall in sorted({hall_of_pod[pod.name] for pod in pods if pod.name in hall_of_pod}):
            pods_of_hall = [pod for pod in pods if hall_of_pod.get(pod.name) == hall]
            filling.assign_pods(f"{KIND} {halls[hall].name}", pods_of_hall, [hall_rooms[hall]])
        other_pods = [pod for pod in pods if pod.name not in hall_of_pod]
        rooms_without_stated_pods = [
            hall_room
            for hall_room in hall_rooms
            if halls[hall_room.hall].site == site_number and hall_room.hall not in hall_of_pod.values()
        ]
        filling.assign_pods(
            f"{KIND} {'rest' if len(other_pods) < len(pods) else 'all'} of {site}",
            other_pods,
            rooms_without_stated_pods,
        )
    unit_places = tuple(unit_place for pod in layout.pods for unit_place in filling.places[pod.name])
    return UnitHalls(unit_places, filling.held | {kind: rows for kind, rows in filling.rows.items() if rows})


def name_rows_holder(kind: UnitKind) -> str:
    """Return the name under which a lock keeps the node rows of a kind of unit."""
    return f"units {kind.name}".rstrip()


class _HallFilling:
    """The halls of a cluster while they are filled with units: units of a kind fill the first hall, then the second,
    and so on.

    If there are several kinds, each has node rows to itself, so that all can grow. Kinds follow one another in the
    order of the page, unless the lock has them in another order.
    """

    def __init__(self, layout: Layout, halls: Sequence[Hall], hall_rooms: Sequence[HallRoom]) -> None:
        self._layout, self._halls = layout, halls
        self.places: dict[str, list[UnitPlace]] = {}
        self.held: dict[str, Allocations] = {}
        self.rows: dict[str, Allocations] = {
            hall_room.kind: layout.lock.find_allocations(hall_room.kind) for hall_room in hall_rooms
        }

    def assign_pods(self, lock_kind: str, pods: Sequence[PodLayout], hall_rooms: Sequence[HallRoom]) -> None:
        """Put pods into some halls of a site; `lock_kind` is the kind of lock entry for their slots in these halls.

        The pods are taken kind by kind, in the order of the page. Raises InputError (FG067) if the halls are too small.
        """
        kind_by_pod = {pod.name: kind for pod, kind in zip(self._layout.pods, self._layout.kind_of_pod, strict=True)}
        for kind_number, kind in sorted(
            enumerate(self._layout.kinds), key=lambda number_and_kind: number_and_kind[1].rank_on_page
        ):
            pods_of_kind = [pod for pod in pods if kind_by_pod[pod.name].name == kind.name]
            if not pods_of_kind:
                continue
            slots_of_pods = self._allocate_slots(lock_kind, kind, pods_of_kind)
            end_slot = max(interval.end for pod in pods_of_kind for interval in slots_of_pods[pod.name])
            stretches = self._find_stretches(kind_number, end_slot, hall_rooms)
            self._check_room(kind_number, pods_of_kind, end_slot, stretches, hall_rooms)
            for pod in pods_of_kind:
                slots = list_first_numbers(slots_of_pods[pod.name], pod.su)
                self.places[pod.name] = [_find_unit_place(stretches, slot) for slot in slots]

    def _allocate_slots(self, key: str, kind: UnitKind, pods: Sequence[PodLayout]) -> Allocations:
        """Return the slots (numbered places for units) of pods of one kind of unit in some halls, by pod. `key` is the
        kind of lock entry for these halls, without the suffix of the kind of unit.

        At a site with one kind of units that uses all halls, the slots are those that the site itself counts. If a
        second kind came later, the kind without a name keeps the slots that it had as the only one.
        """
        numbering, lock, all_of_site = self._layout.numbering, self._layout.lock, key.startswith(f"{KIND} all of ")
        if all_of_site and not numbering.parts:
            return {pod.name: numbering.find_numbers("units", pod.name, "site") for pod in pods}
        lock_kind = key + kind.suffix
        kept_slots = lock.find_allocations(lock_kind)
        if all_of_site and not kind.name and lock_kind not in lock.held:
            earlier = lock.find_allocations(f"units {pods[0].site}") or lock.find_allocations("units")
            kept_slots = {pod.name: earlier[pod.name] for pod in pods if pod.name in earlier}
        requests = [AllocationRequest(pod.name, pod.slots, _ALL_SLOTS) for pod in pods]
        self.held[lock_kind] = {**kept_slots, **allocate_intervals(kept_slots, requests)}
        return self.held[lock_kind]

    def _find_stretches(self, kind: int, units: int, hall_rooms: Sequence[HallRoom]) -> list[_Stretch]:
        """Give a kind of unit, by its index in `Layout.kinds`, node rows for `units` units, as far as the halls have
        room. Return all stretches of rows that it has then.

        If the cluster has had only one kind so far, that kind has all node rows of the halls. Else rows in the lock
        stay, and further rows are taken hall by hall: as many as are missing, or as fit; rows that make no further unit
        are given back.
        """
        if not self._layout.numbering.parts:
            return [_make_stretch(hall_room, kind, 0, hall_room.rows) for hall_room in hall_rooms]
        holder = name_rows_holder(self._layout.kinds[kind])
        missing_units = units - sum(self._count_units(hall_room, kind, holder) for hall_room in hall_rooms)
        for hall_room in hall_rooms:
            units_before, rows_kept = self._count_units(hall_room, kind, holder), self.rows[hall_room.kind]
            rows_wanted = hall_room.layouts[kind].count_rows(missing_units) if missing_units > 0 else 0
            # as many rows as fit, trying the highest number first
            for added_rows in range(rows_wanted if hall_room.rows is None else min(rows_wanted, hall_room.rows), 0, -1):
                rows_in_all = count_numbers(rows_kept.get(holder, ())) + added_rows
                window = (Interval(0, MAX_ROWS if hall_room.rows is None else hall_room.rows),)
                with suppress(NoRoomError):
                    allocated = allocate_intervals(rows_kept, [AllocationRequest(holder, rows_in_all, window)])
                    self.rows[hall_room.kind] = {**rows_kept, **allocated}
                    break
            if self._count_units(hall_room, kind, holder) == units_before:
                self.rows[hall_room.kind] = rows_kept  # the added rows are too few for a unit
            missing_units -= self._count_units(hall_room, kind, holder) - units_before
        return [
            _make_stretch(hall_room, kind, rows.first, rows.size)
            for hall_room in hall_rooms
            for rows in self._list_rows(hall_room, holder)
        ]

    def _list_rows(self, room: HallRoom, holder: str) -> Iterator[Interval]:
        """Yield the intervals of rows that a kind has in a hall, cut at the end of the hall."""
        for rows in self.rows[room.kind].get(holder, ()):
            end = rows.end if room.rows is None else min(rows.end, room.rows)
            if end > rows.first:
                yield Interval(rows.first, end - rows.first)

    def _count_units(self, room: HallRoom, kind: int, holder: str) -> int:
        """Return how many units of a kind fit in the rows that the kind has in a hall."""
        return sum(room.layouts[kind].count_units(rows.size) for rows in self._list_rows(room, holder))

    def _check_room(
        self,
        kind_number: int,
        pods: Sequence[PodLayout],
        units_wanted: int,
        stretches: Sequence[_Stretch],
        hall_rooms: Sequence[HallRoom],
    ) -> None:
        """Raise InputError (FG067) if the stretches take fewer units of a kind than `units_wanted`."""
        if any(stretch.units is None for stretch in stretches):
            return
        units_possible = sum(stretch.units or 0 for stretch in stretches)
        if units_wanted > units_possible:
            names = ", ".join(self._halls[r.hall].name for r in hall_rooms) or "none is left for pods that name no hall"
            kind_name = self._layout.kinds[kind_number].name
            of_kind = f" of the kind {kind_name}" if kind_name else ""
            rows = hall_rooms[-1].layouts[kind_number].count_rows(units_wanted - units_possible) if hall_rooms else 0
            more_rows = (
                f"{rows} more `rows` of {self._halls[hall_rooms[-1].hall].name}" if hall_rooms else "more `rows`"
            )
            raise fault(
                "FG067",
                f"{units_wanted} scalable units{of_kind}, reserved ones included, do not fit in the halls of "
                f"{pods[0].site} ({names}): these take {units_possible}"
                f"{self._describe_rack_needs(kind_number, hall_rooms)}",
                path=("floor", "halls"),
                hint=f"room for {units_wanted - units_possible} more is needed: {more_rows}, another hall, or a "
                "smaller `reserve`",
            )

    def _describe_rack_needs(self, kind_number: int, hall_rooms: Sequence[HallRoom]) -> str:
        """Return how many racks a unit of a kind takes, and how many rows and racks for units each hall has, as the end
        of a message; "" if there is no hall.
        """
        if not hall_rooms:
            return ""
        racks_per_unit = hall_rooms[0].layouts[kind_number].racks
        network_racks = racks_per_unit - self._layout.kinds[kind_number].racks
        clauses = [
            f"; a unit takes {racks_per_unit} racks"
            + (f", {network_racks} of switches among them" if network_racks else "")
        ]
        for hall_room in hall_rooms:
            hall, racks_for_units = self._halls[hall_room.hall], hall_room.layouts[kind_number].racks_per_row
            end_places = hall.racks_per_row - racks_for_units
            end_places_text = f", {end_places} of each kept for network racks at row ends" if end_places else ""
            clauses.append(
                f"{hall.name} has {hall_room.rows} rows of {hall.racks_per_row} racks for units{end_places_text}"
            )
        return ", ".join(clauses)


def _make_stretch(room: HallRoom, kind: int, row: int, rows: int | None) -> _Stretch:
    return _Stretch(room.hall, row, None if rows is None else room.layouts[kind].count_units(rows))


def _find_unit_place(stretches: Sequence[_Stretch], number: int) -> UnitPlace:
    """Return the place of a unit by its number, from 0, over all stretches, which are filled one after the other.

    Raises IndexError if the stretches have no place for it.
    """
    units_before: Counter[int] = Counter()
    for hall, row, units in stretches:
        if units is None or number < units:
            return UnitPlace(hall, units_before[hall] + number, row, number)
        number -= units
        units_before[hall] += units
    raise IndexError(number)

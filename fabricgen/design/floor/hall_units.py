"""Which hall each unit stands in, and its number there: halls of a site are filled in turn, no unit is in two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabricgen.blueprint.models import Pod
from fabricgen.design.floor.halls import Hall
from fabricgen.design.layout import Layout, PodLayout
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    Intervals,
    allocate_intervals,
    first_numbers,
)

KIND = "halls"
"""Of the lock: slots of units in the halls that pods name, and in all others of their site."""

_ALL = (Interval(0, 1 << 40),)


@dataclass(frozen=True, slots=True)
class UnitHomes:
    """The hall of every unit of the cluster and its number in it; `slots` of each hall, those kept for growth too.

    `held` is what a lock keeps of this, by kind.
    """

    hall: tuple[int, ...]
    position: tuple[int, ...]
    slots: Mapping[int, int]
    held: Mapping[str, Allocations]


@dataclass(frozen=True, slots=True)
class Room:
    """A hall as units see it: its index, and how many it takes (None: as many as there are)."""

    hall: int
    units: int | None


def stated_halls(pods: Mapping[str, Pod], layout: Layout, halls: Sequence[Hall]) -> dict[str, int]:
    """Pod -> the hall that it states; raises InputError (FG016) for one that its site has not."""
    found = {}
    for pod in layout.pods:
        name = pods[pod.name].hall
        if name is None:
            continue
        here = {hall.name: i for i, hall in enumerate(halls) if layout.sites[hall.site] == pod.site}
        if name not in here:
            raise fault(
                "FG016",
                f"pod {pod.name} stands in hall '{name}', which {pod.site} has not",
                path=("pods",),
                hint=did_you_mean(name, here),
            )
        found[pod.name] = here[name]
    return found


def unit_homes(layout: Layout, halls: Sequence[Hall], rooms: Sequence[Room], stated: Mapping[str, int]) -> UnitHomes:
    """Put every unit into a hall; raises InputError (FG067) where the halls of a site are too small."""
    homes: dict[str, list[tuple[int, int]]] = {}
    held: dict[str, Allocations] = {}
    slots = dict.fromkeys(range(len(halls)), 0)
    for site, site_name in enumerate(layout.sites):
        pods = [pod for pod in layout.pods if pod.site == site_name]
        for hall in sorted({stated[pod.name] for pod in pods if pod.name in stated}):
            mine = [pod for pod in pods if stated.get(pod.name) == hall]
            held[f"{KIND} {halls[hall].name}"] = given = _numbered(layout, f"{KIND} {halls[hall].name}", mine)
            _fill(homes, slots, mine, given, [rooms[hall]], halls)
        others = [pod for pod in pods if pod.name not in stated]
        free = [room for room in rooms if halls[room.hall].site == site and room.hall not in stated.values()]
        if others and len(others) == len(pods):
            _fill(
                homes,
                slots,
                others,
                {pod.name: layout.numbering.of("units", pod.name, "site") for pod in others},
                free,
                halls,
            )
        elif others:
            kind = f"{KIND} rest of {site_name}"
            held[kind] = given = _numbered(layout, kind, others)
            _fill(homes, slots, others, given, free, halls)
    all_homes = [home for pod in layout.pods for home in homes[pod.name][: pod.su]]
    return UnitHomes(tuple(h for h, _ in all_homes), tuple(n for _, n in all_homes), slots, held)


def _numbered(layout: Layout, kind: str, pods: Sequence[PodLayout]) -> Allocations:
    before = layout.lock.of(kind)
    return {**before, **allocate_intervals(before, [AllocationRequest(pod.name, pod.slots, _ALL) for pod in pods])}


def _fill(
    homes: dict[str, list[tuple[int, int]]],
    slots: dict[int, int],
    pods: Sequence[PodLayout],
    given: Mapping[str, Intervals],
    rooms: Sequence[Room],
    halls: Sequence[Hall],
) -> None:
    """Turn numbers of units into halls and numbers in these: so many in the first hall, the next in the second."""
    last = max((interval.end for pod in pods for interval in given[pod.name]), default=0)
    _check_room(pods, last, rooms, halls)
    for pod in pods:
        homes[pod.name] = [_home(rooms, number) for number in first_numbers(given[pod.name], pod.su)]
    before = 0
    for room in rooms:
        size = last - before if room.units is None else min(room.units, last - before)
        slots[room.hall] += max(0, size)
        before += max(0, size)


def _home(rooms: Sequence[Room], number: int) -> tuple[int, int]:
    for room in rooms:
        if room.units is None or number < room.units:
            return room.hall, number
        number -= room.units
    raise IndexError(number)


def _check_room(pods: Sequence[PodLayout], last: int, rooms: Sequence[Room], halls: Sequence[Hall]) -> None:
    if any(room.units is None for room in rooms):
        return
    room = sum(room.units or 0 for room in rooms)
    if last > room:
        names = ", ".join(halls[r.hall].name for r in rooms) or "none is left for pods that name no hall"
        raise fault(
            "FG067",
            f"{last} scalable units, reserved ones included, do not go into the halls of {pods[0].site} ({names}): "
            f"these take {room}",
            path=("floor", "halls"),
            hint=f"room for {last - room} more is needed: more `rows`, another hall, or a smaller `reserve`",
        )

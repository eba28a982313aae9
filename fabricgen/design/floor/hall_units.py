"""Which hall each unit stands in, and its number there: the halls of a site are filled one after the other, with whole
units.
"""

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
"""Kind of lock entry: slots of units in the halls that pods name, and in all other halls of their site."""

_ALL = (Interval(0, 1 << 40),)


@dataclass(frozen=True, slots=True)
class UnitHalls:
    """By unit of the cluster: `hall`, the index of its hall, and `position`, its number in that hall, both from 0.

    `slots` is, by hall, how many unit slots it has, those kept for growth included; `held` are the entries that a lock
    keeps of this, by kind.
    """

    hall: tuple[int, ...]
    position: tuple[int, ...]
    slots: Mapping[int, int]
    held: Mapping[str, Allocations]


@dataclass(frozen=True, slots=True)
class HallCapacity:
    """How many scalable units a hall takes: `hall` is its index, `units` None for a hall without limit."""

    hall: int
    units: int | None


def stated_halls(pods: Mapping[str, Pod], layout: Layout, halls: Sequence[Hall]) -> dict[str, int]:
    """Pod -> the hall that it states; raises InputError (FG016) for a hall that its site lacks."""
    found = {}
    for pod in layout.pods:
        name = pods[pod.name].hall
        if name is None:
            continue
        here = {hall.name: i for i, hall in enumerate(halls) if layout.sites[hall.site] == pod.site}
        if name not in here:
            raise fault(
                "FG016",
                f"pod {pod.name} is to stand in hall '{name}', and {pod.site} has no such hall",
                path=("pods",),
                hint=did_you_mean(name, here),
            )
        found[pod.name] = here[name]
    return found


def unit_halls(
    layout: Layout, halls: Sequence[Hall], capacities: Sequence[HallCapacity], stated: Mapping[str, int]
) -> UnitHalls:
    """Put every unit into a hall; raises InputError (FG067) where the halls of a site are too small."""
    halls_of: dict[str, list[tuple[int, int]]] = {}
    held: dict[str, Allocations] = {}
    slots = dict.fromkeys(range(len(halls)), 0)
    for site, site_name in enumerate(layout.sites):
        pods = [pod for pod in layout.pods if pod.site == site_name]
        for hall in sorted({stated[pod.name] for pod in pods if pod.name in stated}):
            mine = [pod for pod in pods if stated.get(pod.name) == hall]
            held[f"{KIND} {halls[hall].name}"] = given = _numbered(layout, f"{KIND} {halls[hall].name}", mine)
            _fill(halls_of, slots, mine, given, [capacities[hall]], halls)
        others = [pod for pod in pods if pod.name not in stated]
        free = [c for c in capacities if halls[c.hall].site == site and c.hall not in stated.values()]
        if others and len(others) == len(pods):
            _fill(
                halls_of,
                slots,
                others,
                {pod.name: layout.numbering.of("units", pod.name, "site") for pod in others},
                free,
                halls,
            )
        elif others:
            kind = f"{KIND} rest of {site_name}"
            held[kind] = given = _numbered(layout, kind, others)
            _fill(halls_of, slots, others, given, free, halls)
    pairs = [pair for pod in layout.pods for pair in halls_of[pod.name][: pod.su]]
    return UnitHalls(tuple(hall for hall, _ in pairs), tuple(number for _, number in pairs), slots, held)


def _numbered(layout: Layout, kind: str, pods: Sequence[PodLayout]) -> Allocations:
    before = layout.lock.of(kind)
    return {**before, **allocate_intervals(before, [AllocationRequest(pod.name, pod.slots, _ALL) for pod in pods])}


def _fill(
    halls_of: dict[str, list[tuple[int, int]]],
    slots: dict[int, int],
    pods: Sequence[PodLayout],
    given: Mapping[str, Intervals],
    capacities: Sequence[HallCapacity],
    halls: Sequence[Hall],
) -> None:
    """Turn numbers of units into (hall, number in the hall): the first hall is filled, then the second, and so on."""
    last = max((interval.end for pod in pods for interval in given[pod.name]), default=0)
    _check_room(pods, last, capacities, halls)
    for pod in pods:
        halls_of[pod.name] = [_hall_of(capacities, number) for number in first_numbers(given[pod.name], pod.su)]
    before = 0
    for capacity in capacities:
        size = last - before if capacity.units is None else min(capacity.units, last - before)
        slots[capacity.hall] += max(0, size)
        before += max(0, size)


def _hall_of(capacities: Sequence[HallCapacity], number: int) -> tuple[int, int]:
    """(hall, number in it) of a unit by its number over all these halls, which are filled one after the other."""
    for capacity in capacities:
        if capacity.units is None or number < capacity.units:
            return capacity.hall, number
        number -= capacity.units
    raise IndexError(number)


def _check_room(
    pods: Sequence[PodLayout], last: int, capacities: Sequence[HallCapacity], halls: Sequence[Hall]
) -> None:
    if any(capacity.units is None for capacity in capacities):
        return
    room = sum(capacity.units or 0 for capacity in capacities)
    if last > room:
        names = ", ".join(halls[r.hall].name for r in capacities) or "none is left for pods that name no hall"
        raise fault(
            "FG067",
            f"{last} scalable units, reserved ones included, do not fit in the halls of {pods[0].site} ({names}): "
            f"these take {room}",
            path=("floor", "halls"),
            hint=f"room for {last - room} more is needed: more `rows`, another hall, or a smaller `reserve`",
        )

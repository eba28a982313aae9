"""The arithmetic of `per`: how many groups a tier has, and which group a coordinate falls in.

The same expressions serve single coordinates here and whole numpy columns in the plan. Places nest from wide to narrow
as `blueprint.dimensions` has them: those that span scalable units of a pod, units, and parts of the racks of a unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from math import prod
from typing import Any

from fabricgen.blueprint.dimensions import WHOLE, find_dimension, is_told, list_leg_dimensions, list_scopes
from fabricgen.design.layout import Layout
from fabricgen.kernel.intervals import Interval, Intervals, count_numbers


def scope_of(per: Sequence[str]) -> str:
    """The narrowest place a tier is grouped by, or `all`."""
    return next((scope for scope in reversed(list_scopes()) if scope in per), WHOLE)


def depth(scope: str) -> int:
    """How narrow a scope is: 0 for `all`, then one more for each place that is narrower."""
    return list_scopes().index(scope)


def spans_units(per: Sequence[str]) -> bool:
    """Whether the switches of a tier's group serve several scalable units."""
    return not within_unit(scope_of(per))


def within_unit(scope: str) -> bool:
    """Whether a place is a scalable unit or a part of one."""
    return scope == "su" or is_part_of_unit(scope)


def units_below(layout: Layout, per: Sequence[str], *, by_slot: bool) -> int:
    """The most scalable units that a group of a tier serves, with `by_slot` all reserved ones."""
    if not spans_units(per):
        return 1
    return max(one.span for one in child_numbers(layout, "su", scope_of(per), by_slot=by_slot))


def units_each(layout: Layout, scope: str) -> int:
    """How many units of a pod make up a place; 1 for a unit and its parts, 0 for places that are not counted so."""
    if within_unit(scope):
        return 1
    units = find_dimension(scope).units if scope != WHOLE else None
    return units(layout) if units else 0


def racks_each(layout: Layout, scope: str) -> int:
    """How many racks of a unit make up a place within one; all racks for a unit and for wider places."""
    racks = find_dimension(scope).racks if scope != WHOLE else None
    return racks(layout) if racks else layout.racks_per_su


def parts_of_unit(layout: Layout, scope: str) -> int:
    """Into how many places of a scope the racks of a unit fall; the last may have fewer racks."""
    return -(-layout.racks_per_su // racks_each(layout, scope)) if is_part_of_unit(scope) else 1


def is_part_of_unit(scope: str) -> bool:
    """Whether a place is a part of the racks of a unit."""
    return scope != WHOLE and find_dimension(scope).racks is not None


def places_in_pod(layout: Layout, scope: str, units: int) -> int:
    """How many places of a scope, a pod or narrower, a pod of so many units has."""
    if scope == "pod":
        return 1
    return -(-units // units_each(layout, scope)) * parts_of_unit(layout, scope)


def scope_count(layout: Layout, scope: str) -> int:
    """How many places of a scope there are."""
    if scope == WHOLE:
        return 1
    if scope == "site":
        return len(layout.sites)
    sizes = Counter(pod.su for pod in layout.pods)
    return sum(places_in_pod(layout, scope, units) * pods for units, pods in sizes.items())


def scope_index(layout: Layout, scope: str, coordinates: Mapping[str, Any]) -> Any:
    """The number of the place a coordinate lies in; site, pod, unit (in the cluster), rack (in the unit) from 0.

    A place that is counted in units or racks stands among the coordinates of what serves all of it, under its own name
    (in the cluster for those of units, in the unit for those of racks); else it follows from the unit or the rack.
    """
    if scope == WHOLE:
        return coordinates["pod"] * 0
    if scope == "su":
        return coordinates["unit"]
    if is_part_of_unit(scope):
        part = coordinates[scope] if scope in coordinates else coordinates["rack"] // racks_each(layout, scope)
        return coordinates["unit"] * parts_of_unit(layout, scope) + part
    if scope in coordinates:
        return coordinates[scope]
    pod, each = coordinates["pod"], units_each(layout, scope)
    starts = list(accumulate((places_in_pod(layout, scope, p.su) for p in layout.pods), initial=0))
    return _picked(starts, pod) + (coordinates["unit"] - _picked([p.first_su for p in layout.pods], pod)) // each


def _picked(values: Sequence[int], index: Any) -> Any:
    """One value for an index, or a column of values for a column of them."""
    if isinstance(index, int):
        return values[index]
    import numpy as np

    return np.array(values, dtype=np.int32)[index]


def group_count(layout: Layout, per: Sequence[str], sizes: Mapping[str, int]) -> int:
    """How many groups a tier has; `sizes` gives rail, plane, port and each lower tier's switches per group."""
    return scope_count(layout, scope_of(per)) * prod(sizes[d] for d in inner(per))


def inner(per: Sequence[str]) -> tuple[str, ...]:
    """The dimensions of `per` that are no places: those of legs (rail, plane and so on), then tiers by name."""
    first, places = [d for d in list_leg_dimensions() if d in per], list_scopes()
    return (*first, *sorted(d for d in per if d not in places and d not in first))


Coarser = Mapping[str, tuple[int, ...]]
"""Leg dimension that follows from a finer one -> its number for each number of the finer one; all from 0."""


def met(lower_per: Sequence[str], lower_name: str, upper_per: Sequence[str]) -> tuple[str, ...]:
    """The inner dimensions of an upper tier of which a lower switch meets every value: those that it does not tell."""
    return tuple(d for d in inner(upper_per) if not is_told(d, (*lower_per, lower_name)))


def met_together(dimension: str, upper_per: Sequence[str], count: int, coarser: Coarser) -> tuple[tuple[int, ...], ...]:
    """The numbers of an inner dimension of a lower tier, `count` of them, by the upper group that they meet in.

    All meet in one group, unless the upper tier is grouped by what follows from the dimension: rails by rail group.
    """
    of = next((coarser[d] for d in upper_per if d in coarser and find_dimension(d).follows == dimension), (0,) * count)
    return tuple(tuple(n for n in range(count) if of[n] == group) for group in range(max(of[:count]) + 1))


def group_index(layout: Layout, per: Sequence[str], sizes: Mapping[str, int], coordinates: Mapping[str, Any]) -> Any:
    """The number of the group that a coordinate (or column of coordinates) falls in; all count from 0."""
    index = scope_index(layout, scope_of(per), coordinates)
    for dimension_name in inner(per):
        index = index * sizes[dimension_name] + coordinates[dimension_name]
    return index


@dataclass(frozen=True, slots=True)
class ChildNumbers:
    """The numbers that the places of a narrower scope have in each of `places` wider ones that look alike.

    `span` counts to the last number that a narrower place has or had, reserved slots included where they are counted.
    """

    places: int
    numbers: Intervals
    span: int


def child_numbers(layout: Layout, lower: str, upper: str, *, by_slot: bool) -> list[ChildNumbers]:
    """How places of a lower scope are numbered in each place of an upper one, which is not narrower.

    Units are numbered by reserved slot, or as those there are. Where upper places span units, each has its own entry,
    in the order of the layout.
    """
    if within_unit(upper):
        each, racks = racks_each(layout, lower), racks_each(layout, upper)
        parts = Counter(part * each // racks for part in range(parts_of_unit(layout, lower)))
        alike = Counter(parts.values())
        return [ChildNumbers(layout.units * n, (Interval(0, size),), size) for size, n in alike.items()]
    if (lower, upper) == ("site", WHOLE):
        sites = sorted(layout.site_numbers)
        return [ChildNumbers(1, tuple(Interval(n, 1) for n in sites), layout.numbering.span("sites", "", WHOLE))]
    if lower in (WHOLE, "site") or lower == upper:
        return [ChildNumbers(scope_count(layout, upper), (Interval(0, 1),), 1)]
    each = parts_of_unit(layout, lower)
    numbers = unit_group_numbers(layout, lower, upper, by_slot=by_slot)
    inside = _numbers_by_place(layout, lower, upper, numbers)
    spans = (_span(layout, lower, upper, place, by_slot=by_slot) for place in range(len(inside)))
    return [ChildNumbers(1, _joined(sorted(n), each), span * each) for n, span in zip(inside, spans, strict=True)]


def _numbers_by_place(layout: Layout, lower: str, upper: str, numbers: Sequence[int]) -> list[list[int]]:
    """By upper place, the numbers of the lower ones in it; parts of units count as their unit."""
    found: list[list[int]] = [[] for _ in range(scope_count(layout, upper))]
    each = units_each(layout, lower)
    rows = iter(numbers)
    for at, pod in enumerate(layout.pods):
        here = range(0, pod.su, each) if each else range(1)
        step = len(here) if upper in (WHOLE, "site", "pod") else 1
        for unit in here[::step]:
            coordinates = {"site": layout.sites.index(pod.site), "pod": at, "unit": pod.first_su + unit}
            found[scope_index(layout, upper, coordinates)].extend(islice(rows, step))
    return found


def _span(layout: Layout, lower: str, upper: str, place: int, *, by_slot: bool) -> int:
    """One more than the last number that a pod, a unit or several units of it have or had in a wider place."""
    kind = "pods" if lower == "pod" else "units" if by_slot else "ports"
    each = units_each(layout, lower)
    if upper not in (WHOLE, "site", "pod"):
        units = next(_units_of_run(layout, upper, place, by_slot=by_slot))
        return -(-len(units) // each)
    if upper == "pod":
        return -(-count_numbers(layout.numbering.of(kind, layout.pods[place].name, WHOLE)) // each)
    site = layout.sites[place] if upper == "site" else ""
    if each > 1:
        if by_slot:
            return layout.numbering.span("pods", site, upper) * _most_in_pod(layout, lower)
        return sum(places_in_pod(layout, lower, pod.su) for pod in layout.pods if site in ("", pod.site))
    return layout.numbering.span(kind, site, upper)


def _units_of_run(layout: Layout, scope: str, place: int, *, by_slot: bool = False) -> Iterator[range]:
    """The units (in the cluster) of the places from one on that are so many units each; with free slots if so asked."""
    each = units_each(layout, scope)
    for pod in layout.pods:
        here = places_in_pod(layout, scope, pod.su)
        size = pod.slots if by_slot else pod.su
        for nth in range(place, here):
            yield range(pod.first_su + nth * each, pod.first_su + min(size, (nth + 1) * each))
        place = max(0, place - here)


def _most_in_pod(layout: Layout, scope: str) -> int:
    """Places of several units each that the pod with most slots has room for."""
    return max(-(-pod.slots // units_each(layout, scope)) for pod in layout.pods)


def unit_group_numbers(layout: Layout, lower: str, upper: str, *, by_slot: bool) -> tuple[int, ...]:
    """The number of every pod, run of units or unit (also for a part of it) within its place of a wider scope.

    Runs of several units are numbered pod by pod: by slot with room for those of the pod that has most slots, else as
    those there are.
    """
    if lower == "pod":
        return layout.pod_numbers(upper)
    each, inside = units_each(layout, lower), units_each(layout, upper)
    if upper not in (WHOLE, "site", "pod"):
        return tuple(unit % inside // each for pod in layout.pods for unit in range(0, pod.su, each))
    if each == 1:
        return layout.unit_numbers(upper, by_slot=by_slot)
    starts = [0] * len(layout.pods) if upper == "pod" else _starts_of_pods(layout, lower, upper, by_slot=by_slot)
    return tuple(
        first + i
        for pod, first in zip(layout.pods, starts, strict=True)
        for i in range(places_in_pod(layout, lower, pod.su))
    )


def _starts_of_pods(layout: Layout, lower: str, upper: str, *, by_slot: bool) -> list[int]:
    """By pod, the number of its first place of several units each within the site or the cluster."""
    numbers = layout.pod_numbers(upper)
    if by_slot:
        return [number * _most_in_pod(layout, lower) for number in numbers]
    found = [0] * len(numbers)
    next_free: Counter[str] = Counter()
    for at in sorted(range(len(numbers)), key=lambda at: numbers[at]):
        pod = layout.pods[at]
        site = pod.site if upper == "site" else ""
        found[at] = next_free[site]
        next_free[site] += places_in_pod(layout, lower, pod.su)
    return found


def place_numbers(layout: Layout, scope: str, upper: str = WHOLE, *, by_slot: bool = True) -> tuple[int, ...]:
    """The number of every place of a scope within its place of a wider one, in the order of the layout."""
    if scope in (WHOLE, upper):
        return (0,) * scope_count(layout, scope)
    if scope == "site":
        return layout.site_numbers
    if within_unit(upper):
        each, racks = racks_each(layout, scope), racks_each(layout, upper)
        parts = [part - -(-(part * each // racks) * racks // each) for part in range(parts_of_unit(layout, scope))]
        return tuple(parts) * layout.units
    numbers, each = unit_group_numbers(layout, scope, upper, by_slot=by_slot), parts_of_unit(layout, scope)
    return numbers if each == 1 else tuple(number * each + part for number in numbers for part in range(each))


def reserved_places(layout: Layout, scope: str) -> int:
    """Numbers that are given to places of a scope in the cluster, reserved ones included."""
    if scope == WHOLE:
        return 1
    if scope == "site":
        return layout.numbering.span("sites", "", WHOLE)
    return _span(layout, scope, WHOLE, 0, by_slot=True) * parts_of_unit(layout, scope)


def _joined(numbers: list[int], each: int) -> Intervals:
    """Numbers in ascending order, each of so many places, as runs of consecutive ones."""
    found: list[Interval] = []
    for n in numbers:
        if found and found[-1].end == n * each:
            found[-1] = Interval(found[-1].first, found[-1].size + each)
        else:
            found.append(Interval(n * each, each))
    return tuple(found)


def units_of(layout: Layout, scope: str, place: int) -> Iterator[int]:
    """The scalable units in a place, by its number among those of its scope; of a part of a unit, that unit."""
    if within_unit(scope):
        yield place // parts_of_unit(layout, scope)
    elif units_each(layout, scope):
        yield from next(_units_of_run(layout, scope, place))
    else:
        site = layout.sites[place] if scope == "site" else ""
        for pod in [layout.pods[place]] if scope == "pod" else layout.pods:
            if site in ("", pod.site):
                yield from range(pod.first_su, pod.first_su + pod.su)


def pod_of_unit(layout: Layout, unit: int) -> int:
    """The number of the pod that a unit (in the cluster) is of."""
    return next(i for i, pod in enumerate(layout.pods) if pod.first_su <= unit < pod.first_su + pod.su)


def site_of_place(layout: Layout, scope: str, place: int) -> int:
    """The number of the site that a place of a scope lies in; the first where a scope spans sites."""
    if scope in (WHOLE, "site"):
        return place
    pod = place if scope == "pod" else pod_of_unit(layout, next(units_of(layout, scope, place)))
    return layout.sites.index(layout.pods[pod].site)


def place_names(layout: Layout, scope: str) -> dict[str, list[str | int]]:
    """What each place of a scope, a pod or narrower, is called: by dimension from the site down to the scope, a column.

    Sites and pods have names; the others have numbers from 1, of units in their pod, of parts in their unit.
    """
    units, racks = units_each(layout, scope), racks_each(layout, scope)
    rows = [
        (pod, unit, rack)
        for pod in layout.pods
        for unit in (range(0, pod.su, units) if units else (0,))
        for rack in range(0, layout.racks_per_su, racks)
    ]
    found: dict[str, list[str | int]] = {
        "site": [pod.site for pod, _, _ in rows],
        "pod": [pod.name for pod, _, _ in rows],
    }
    for name in list_scopes()[depth("pod") + 1 : depth(scope) + 1]:
        if is_part_of_unit(name):
            found[name] = [rack // racks_each(layout, name) + 1 for _, _, rack in rows]
        else:
            found[name] = [unit // units_each(layout, name) + 1 for _, unit, _ in rows]
    return found

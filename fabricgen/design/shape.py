"""The arithmetic of `per`: how many groups a tier has, and which group a coordinate falls in.

The same expressions serve single coordinates here and whole numpy columns in the plan. Places nest from wide to narrow
in the order of `blueprint.dimensions`: places that span units of a pod, units, and parts of the racks of a unit.

A scope is a kind of place: `all`, `site`, `pod`, `su`, `rack` and others. Its places are numbered from 0 in the order
of the layout. Inner dimensions of `per` are no places: rail, plane and so on, or a tier, by its switches' numbers.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice, product
from math import prod
from typing import Any, NamedTuple, Protocol

from fabricgen.blueprint.dimensions import WHOLE, find_dimension, is_told, list_leg_dimensions, list_scopes
from fabricgen.design.layout import Layout
from fabricgen.kernel.intervals import Interval, Intervals, count_numbers, make_intervals


def find_scope(per: Sequence[str]) -> str:
    """Return the narrowest place that a tier is grouped by, or `all`."""
    return next((scope for scope in reversed(list_scopes()) if scope in per), WHOLE)


def find_depth(scope: str) -> int:
    """Return how narrow a scope is: 0 for `all`, then one more for each narrower place."""
    return list_scopes().index(scope)


def spans_units(per: Sequence[str]) -> bool:
    """Whether the switches of a tier's group serve several scalable units."""
    return not is_within_unit(find_scope(per))


def is_within_unit(scope: str) -> bool:
    """Whether a place is a scalable unit or a part of one."""
    return scope == "su" or is_part_of_unit(scope)


def count_units_below(layout: Layout, per: Sequence[str], *, by_slot: bool) -> int:
    """Return how many units the largest group of a tier has numbers for, units that are gone and, with `by_slot`,
    reserved ones included; 1 for a group within a unit.
    """
    if not spans_units(per):
        return 1
    return max(numbering.span for numbering in number_children(layout, "su", find_scope(per), by_slot=by_slot))


def count_units_per_place(layout: Layout, scope: str) -> int:
    """Return how many units of a pod make up a place of a scope; 1 for a unit and its parts, 0 for a pod and wider
    places.
    """
    if is_within_unit(scope):
        return 1
    units = find_dimension(scope).units if scope != WHOLE else None
    return units(layout) if units else 0


def count_racks_per_place(layout: Layout, scope: str) -> int:
    """Return how many racks of a unit make up a place within a unit; all racks for a unit and for wider places."""
    racks = find_dimension(scope).racks if scope != WHOLE else None
    return racks(layout) if racks else layout.racks_per_su


def count_parts_of_unit(layout: Layout, scope: str) -> int:
    """Return into how many places of a scope the racks of a unit fall; the last place may have fewer racks."""
    return -(-layout.racks_per_su // count_racks_per_place(layout, scope)) if is_part_of_unit(scope) else 1


def is_part_of_unit(scope: str) -> bool:
    """Whether a place is a part of the racks of a unit."""
    return scope != WHOLE and find_dimension(scope).racks is not None


def count_places_in_pod(layout: Layout, scope: str, units: int) -> int:
    """Return how many places of a scope (a pod or narrower) a pod of `units` scalable units has, rounded up."""
    if scope == "pod":
        return 1
    return -(-units // count_units_per_place(layout, scope)) * count_parts_of_unit(layout, scope)


def count_places(layout: Layout, scope: str) -> int:
    """Return how many places of a scope there are."""
    if scope == WHOLE:
        return 1
    if scope == "site":
        return len(layout.sites)
    sizes = Counter(pod.su for pod in layout.pods)
    return sum(count_places_in_pod(layout, scope, units) * pods for units, pods in sizes.items())


def find_place_number(layout: Layout, scope: str, coordinates: Mapping[str, Any]) -> Any:
    """Return the number of the place of a scope in which coordinates lie; takes ints or int arrays.

    Coordinates are by dimension and count from 0: site, pod, unit (in the cluster), rack (in the unit). A device that
    serves a whole place of several units or racks states that place under the name of the scope, counted in the cluster
    for units, in the unit for racks; else the place follows from the unit or the rack.
    """
    if scope == WHOLE:
        return coordinates["pod"] * 0  # 0, or an array of zeros
    if scope == "su":
        return coordinates["unit"]
    if is_part_of_unit(scope):
        part = (
            coordinates[scope] if scope in coordinates else coordinates["rack"] // count_racks_per_place(layout, scope)
        )
        return coordinates["unit"] * count_parts_of_unit(layout, scope) + part
    if scope in coordinates:
        return coordinates[scope]
    pod, units_per_place = coordinates["pod"], count_units_per_place(layout, scope)
    first_places = list(accumulate((count_places_in_pod(layout, scope, p.su) for p in layout.pods), initial=0))
    return (
        _pick_values(first_places, pod)
        + (coordinates["unit"] - _pick_values([p.first_su for p in layout.pods], pod)) // units_per_place
    )


def _pick_values(choices: Sequence[int], index: Any) -> Any:
    """Return one value for an index, or an int32 array of values for an array of indices."""
    if isinstance(index, int):
        return choices[index]
    import numpy as np

    return np.array(choices, dtype=np.int32)[index]


def count_groups(layout: Layout, per: Sequence[str], sizes: Mapping[str, int]) -> int:
    """Return how many groups a tier has; `sizes` is how many values rail, plane and port have, and how many switches a
    group of each lower tier.
    """
    return count_places(layout, find_scope(per)) * prod(sizes[d] for d in list_inner_dimensions(per))


def list_inner_dimensions(per: Sequence[str]) -> tuple[str, ...]:
    """Return the dimensions of `per` that are no places: those of legs (rail, plane and so on), then tiers by name."""
    leg_dimensions, places = [d for d in list_leg_dimensions() if d in per], list_scopes()
    return (*leg_dimensions, *sorted(d for d in per if d not in places and d not in leg_dimensions))


Coarser = Mapping[str, tuple[int, ...]]
"""For each leg dimension that follows from a finer one, its number for each number of the finer one, all from 0:
`{"rail_group": (0, 0, 1, 1)}` for rails in two groups.
"""


def list_met_dimensions(lower_per: Sequence[str], lower_name: str, upper_per: Sequence[str]) -> tuple[str, ...]:
    """Return the inner dimensions of an upper tier that do not follow from the `per` of a lower tier. A lower switch is
    linked to an upper group for each of their values: a leaf of all planes to the spines of each plane.
    """
    return tuple(d for d in list_inner_dimensions(upper_per) if not is_told(d, (*lower_per, lower_name)))


def group_met_numbers(
    dimension: str, upper_per: Sequence[str], count: int, coarser: Coarser
) -> tuple[tuple[int, ...], ...]:
    """Return the numbers from 0 to `count` - 1 of an inner dimension of a lower tier, grouped by the upper group in
    which switches of these numbers meet.

    All meet in one group, unless the upper tier is grouped by a dimension that follows from this one: with rail groups
    of two rails, four rails give ((0, 1), (2, 3)).
    """
    coarser_numbers = next(
        (coarser[d] for d in upper_per if d in coarser and find_dimension(d).follows == dimension), (0,) * count
    )
    return tuple(
        tuple(n for n in range(count) if coarser_numbers[n] == group)
        for group in range(max(coarser_numbers[:count]) + 1)
    )


def find_group_number(
    layout: Layout, per: Sequence[str], sizes: Mapping[str, int], coordinates: Mapping[str, Any]
) -> Any:
    """Return the number of the group that coordinates, ints or int arrays by dimension, fall in; all count from 0."""
    index = find_place_number(layout, find_scope(per), coordinates)
    for dimension_name in list_inner_dimensions(per):
        index = index * sizes[dimension_name] + coordinates[dimension_name]
    return index


class ChildNumbers(NamedTuple):
    """The numbers that places of a narrower scope (such as units) have within a place of a wider one (such as a pod).
    In `places` wider places they are the same.

    `span` is one more than the last number that a narrower place has or had; with reserved slots if these are counted.
    """

    places: int
    numbers: Intervals
    span: int


def number_children(layout: Layout, lower: str, upper: str, *, by_slot: bool) -> list[ChildNumbers]:
    """Return how places of a lower scope are numbered in each place of an upper one, which is not narrower.

    Units are numbered by reserved slot (`by_slot`), or as the units that exist. If upper places span units, each has an
    entry to itself, in the order of the layout.
    """
    if is_within_unit(upper):
        racks_per_part, racks = count_racks_per_place(layout, lower), count_racks_per_place(layout, upper)
        parts_by_upper = Counter(
            part_number * racks_per_part // racks for part_number in range(count_parts_of_unit(layout, lower))
        )
        sizes = Counter(parts_by_upper.values())
        return [ChildNumbers(layout.units * n, (Interval(0, size),), size) for size, n in sizes.items()]
    if (lower, upper) == ("site", WHOLE):
        sites = sorted(layout.site_numbers)
        return [ChildNumbers(1, tuple(Interval(n, 1) for n in sites), layout.numbering.find_span("sites", "", WHOLE))]
    if lower in (WHOLE, "site") or lower == upper:
        return [ChildNumbers(count_places(layout, upper), (Interval(0, 1),), 1)]
    racks_per_part = count_parts_of_unit(layout, lower)
    numbers = number_unit_groups(layout, lower, upper, by_slot=by_slot)
    numbers_by_place = _group_numbers_by_place(layout, lower, upper, numbers)
    spans = (_count_span(layout, lower, upper, place, by_slot=by_slot) for place in range(len(numbers_by_place)))
    return [
        ChildNumbers(1, _join_runs(sorted(n), racks_per_part), span * racks_per_part)
        for n, span in zip(numbers_by_place, spans, strict=True)
    ]


def _group_numbers_by_place(layout: Layout, lower: str, upper: str, numbers: Sequence[int]) -> list[list[int]]:
    """Return, for each place of the scope `upper`, the `numbers` of the places of the scope `lower` in it. `numbers`
    has all places of the lower scope in the order of the layout; for parts of a unit it has the units.
    """
    numbers_by_upper: list[list[int]] = [[] for _ in range(count_places(layout, upper))]
    units_per_place = count_units_per_place(layout, lower)
    next_numbers = iter(numbers)
    for pod_number, pod in enumerate(layout.pods):
        units_of_pod = range(0, pod.su, units_per_place) if units_per_place else range(1)
        # if the upper place holds the whole pod, all numbers of the pod's units go to it at once
        step = len(units_of_pod) if upper in (WHOLE, "site", "pod") else 1
        for unit in units_of_pod[::step]:
            coordinates = {"site": layout.sites.index(pod.site), "pod": pod_number, "unit": pod.first_su + unit}
            numbers_by_upper[find_place_number(layout, upper, coordinates)].extend(islice(next_numbers, step))
    return numbers_by_upper


def _count_span(layout: Layout, lower: str, upper: str, place: int, *, by_slot: bool) -> int:
    """Return one more than the last number that a pod, a unit, or a group of units (`lower`) has or had in a wider
    place, given by its scope `upper` and its number there, from 0.
    """
    kind = "pods" if lower == "pod" else "units" if by_slot else "ports"
    units_per_place = count_units_per_place(layout, lower)
    if upper not in (WHOLE, "site", "pod"):
        return -(-len(_find_units_of_place(layout, upper, place, by_slot=by_slot)) // units_per_place)
    if upper == "pod":
        return -(-count_numbers(layout.numbering.find_numbers(kind, layout.pods[place].name, WHOLE)) // units_per_place)
    site = layout.sites[place] if upper == "site" else ""
    if units_per_place > 1:
        if by_slot:
            return layout.numbering.find_span("pods", site, upper) * _count_places_in_largest_pod(layout, lower)
        return sum(count_places_in_pod(layout, lower, pod.su) for pod in layout.pods if site in ("", pod.site))
    return layout.numbering.find_span(kind, site, upper)


def _find_units_of_place(layout: Layout, scope: str, place: int, *, by_slot: bool = False) -> range:
    """Return the units (in the cluster) of a place that spans several units, by its number among the places of its
    scope; with `by_slot`, including free slots. Raises IndexError if there is no such place.
    """
    units_per_place = count_units_per_place(layout, scope)
    for pod in layout.pods:
        if place < (places_of_pod := count_places_in_pod(layout, scope, pod.su)):
            units_of_pod = range(pod.first_su, pod.first_su + (pod.slots if by_slot else pod.su))
            return units_of_pod[place * units_per_place : (place + 1) * units_per_place]
        place -= places_of_pod
    raise IndexError(place)


def _count_places_in_largest_pod(layout: Layout, scope: str) -> int:
    """Return how many places, of several units each, the pod with the most slots has room for."""
    return max(-(-pod.slots // count_units_per_place(layout, scope)) for pod in layout.pods)


def number_unit_groups(layout: Layout, lower: str, upper: str, *, by_slot: bool) -> tuple[int, ...]:
    """Return the number, from 0, of every place of the scope `lower` within its place of the wider scope `upper`, in
    the order of the layout. A lower place is a pod, a group of units or a unit; for parts of a unit, units are
    numbered.

    Groups of several units are numbered pod by pod: by slot, with as many numbers for each pod as the pod with the most
    slots needs; else as the groups that exist.
    """
    if lower == "pod":
        return layout.number_pods(upper)
    units_per_place, units_per_upper = count_units_per_place(layout, lower), count_units_per_place(layout, upper)
    if upper not in (WHOLE, "site", "pod"):
        return tuple(
            unit % units_per_upper // units_per_place
            for pod in layout.pods
            for unit in range(0, pod.su, units_per_place)
        )
    if units_per_place == 1:
        return layout.number_units(upper, by_slot=by_slot)
    starts = [0] * len(layout.pods) if upper == "pod" else _find_pod_starts(layout, lower, upper, by_slot=by_slot)
    return tuple(
        start + i
        for pod, start in zip(layout.pods, starts, strict=True)
        for i in range(count_places_in_pod(layout, lower, pod.su))
    )


def _find_pod_starts(layout: Layout, lower: str, upper: str, *, by_slot: bool) -> list[int]:
    """Return, for each pod, the number of its first place of several units within the site or the cluster."""
    numbers = layout.number_pods(upper)
    if by_slot:
        return [number * _count_places_in_largest_pod(layout, lower) for number in numbers]
    starts = [0] * len(numbers)
    next_free: Counter[str] = Counter()
    for pod_number in sorted(range(len(numbers)), key=lambda pod_index: numbers[pod_index]):
        pod = layout.pods[pod_number]
        site = pod.site if upper == "site" else ""
        starts[pod_number] = next_free[site]
        next_free[site] += count_places_in_pod(layout, lower, pod.su)
    return starts


def number_places(layout: Layout, scope: str, upper: str = WHOLE, *, by_slot: bool = True) -> tuple[int, ...]:
    """Return the number, from 0, of every place of a scope within its place of a wider one, in the layout's order."""
    if scope in (WHOLE, upper):
        return (0,) * count_places(layout, scope)
    if scope == "site":
        return layout.site_numbers
    if is_within_unit(upper):
        racks_per_part, racks = count_racks_per_place(layout, scope), count_racks_per_place(layout, upper)
        # the number of a part less the number of the first part in the same wider part
        number_of_part = [
            part - -(-(part * racks_per_part // racks) * racks // racks_per_part)
            for part in range(count_parts_of_unit(layout, scope))
        ]
        return tuple(number_of_part) * layout.units
    numbers, racks_per_part = (
        number_unit_groups(layout, scope, upper, by_slot=by_slot),
        count_parts_of_unit(layout, scope),
    )
    return (
        numbers
        if racks_per_part == 1
        else tuple(number * racks_per_part + part for number in numbers for part in range(racks_per_part))
    )


def count_reserved_places(layout: Layout, scope: str) -> int:
    """Return how many numbers places of a scope have in the cluster, including reserved ones."""
    if scope == WHOLE:
        return 1
    if scope == "site":
        return layout.numbering.find_span("sites", "", WHOLE)
    return _count_span(layout, scope, WHOLE, 0, by_slot=True) * count_parts_of_unit(layout, scope)


def _join_runs(numbers: list[int], size: int) -> Intervals:
    """Return ascending numbers as intervals, where each number stands for `size` consecutive places."""
    return tuple(Interval(run.first * size, run.size * size) for run in make_intervals(numbers))


def list_units_of_place(layout: Layout, scope: str, place: int) -> Iterator[int]:
    """Yield the numbers (in the cluster) of the scalable units in a place, given by its number among the places of its
    scope; a place that is a part of a unit has that unit.
    """
    if is_within_unit(scope):
        yield place // count_parts_of_unit(layout, scope)
    elif count_units_per_place(layout, scope):
        yield from _find_units_of_place(layout, scope, place)
    else:
        site = layout.sites[place] if scope == "site" else ""
        for pod in [layout.pods[place]] if scope == "pod" else layout.pods:
            if site in ("", pod.site):
                yield from range(pod.first_su, pod.first_su + pod.su)


def find_pod_of_place(layout: Layout, scope: str, place: int) -> int:
    """Return the index of the pod that a place of a scope (a pod or narrower) lies in."""
    unit = layout.pods[place].first_su if scope == "pod" else next(list_units_of_place(layout, scope, place))
    return next(i for i, pod in enumerate(layout.pods) if pod.first_su <= unit < pod.first_su + pod.su)


def find_site_of_place(layout: Layout, scope: str, place: int) -> int:
    """Return the index of the site that a place of a scope lies in; the first site for a scope that spans sites."""
    if scope in (WHOLE, "site"):
        return place
    return layout.sites.index(layout.pods[find_pod_of_place(layout, scope, place)].site)


def name_places(layout: Layout, scope: str) -> dict[str, list[str | int]]:
    """Return what each place of a scope (a pod or narrower) is called: for each dimension from the site down to the
    scope, a column of names.

    Sites and pods have names; others have numbers from 1, of units in their pod, of parts in their unit.
    """
    units_per_place, racks_per_place = count_units_per_place(layout, scope), count_racks_per_place(layout, scope)
    pods_units_and_racks = [
        (pod, unit, rack)
        for pod in layout.pods
        for unit in (range(0, pod.su, units_per_place) if units_per_place else (0,))
        for rack in range(0, layout.racks_per_su, racks_per_place)
    ]
    columns: dict[str, list[str | int]] = {
        "site": [pod.site for pod, _, _ in pods_units_and_racks],
        "pod": [pod.name for pod, _, _ in pods_units_and_racks],
    }
    for name in list_scopes()[find_depth("pod") + 1 : find_depth(scope) + 1]:
        if is_part_of_unit(name):
            columns[name] = [rack // count_racks_per_place(layout, name) + 1 for _, _, rack in pods_units_and_racks]
        else:
            columns[name] = [unit // count_units_per_place(layout, name) + 1 for _, unit, _ in pods_units_and_racks]
    return columns


# Which lower switches meet in a group of the tier above, and the ranks (numbers from 0) that they have there.


class Grouped(Protocol):
    """A tier, as written or as designed: its name, what it is grouped by, and the units that it serves."""

    @property
    def name(self) -> str:
        """Its name in its fabric."""

    @property
    def per(self) -> tuple[str, ...]:
        """The dimensions that it is grouped by."""

    @property
    def layout(self) -> Layout:
        """The units that it serves."""


def count_lowers(
    lower: Grouped, count: int, upper: Grouped, sizes: Mapping[str, int], coarser: Coarser
) -> tuple[int, int, int]:
    """Return how many lower switches the fullest upper group has: (now, with all reserved slots, up to the last slot in
    use). `count` is how many switches a lower group has; `sizes` and `coarser` are those of the lower tier.
    """
    lowers_per_place = max(len(ranks) for ranks in list_ranks(lower.per, lower.name, count, upper.per, sizes, coarser))
    scopes = find_scope(lower.per), find_scope(upper.per)
    by_unit, by_slot = (number_children(lower.layout, *scopes, by_slot=by_slot) for by_slot in (False, True))
    in_use = (place_numbers.numbers[-1].end for place_numbers in by_slot if place_numbers.numbers)
    span_now, span_of_slots = (
        max(place_numbers.span for place_numbers in numberings) for numberings in (by_unit, by_slot)
    )
    return span_now * lowers_per_place, span_of_slots * lowers_per_place, max(in_use, default=0) * lowers_per_place


def list_ranks(
    per: tuple[str, ...],
    name: str,
    count: int,
    upper_per: tuple[str, ...],
    sizes: Mapping[str, int],
    coarser: Coarser,
) -> list[tuple[int, ...]]:
    """Return the ranks (numbers from 0) that lower switches of one place have in an upper group, a tuple for each kind
    of upper group. `per`, `name` and `count`, the switches of a group, are those of the lower tier.

    Kinds differ if the upper tier is grouped by a dimension that follows from one of the lower tier, and groups have
    different numbers of its values: four rails in groups of three and one. `sizes` and `coarser` are those of the lower
    tier's fabric.
    """
    # dimensions that both tiers are grouped by are the same for all lower switches of a group
    dimensions = [d for d in list_inner_dimensions(per) if d not in upper_per]
    met_numbers = [group_met_numbers(d, upper_per, sizes[d], coarser) for d in dimensions]
    ranks_shape = [max(map(len, groups)) for groups in met_numbers] + ([] if name in upper_per else [count])
    ranks_by_kind = []
    for numbers_of_group in product(*met_numbers):
        positions_by_dimension = [range(len(numbers)) for numbers in numbers_of_group] + (
            [] if name in upper_per else [range(count)]
        )
        ranks_by_kind.append(tuple(_find_rank(position, ranks_shape) for position in product(*positions_by_dimension)))
    return ranks_by_kind


def list_group_ranks(
    lower: Grouped,
    count: int,
    upper: Grouped,
    sizes: Mapping[str, int],
    coarser: Coarser,
    *,
    by_slot: bool = True,
) -> Iterator[tuple[list[int], int]]:
    """Yield (ranks of the lower switches in an upper group, how many upper places have a group with these ranks), for
    every kind of upper place and group (`list_ranks`). `count` is how many switches a lower group has.
    """
    kinds = list_ranks(lower.per, lower.name, count, upper.per, sizes, coarser)
    ranks_per_place = max(max(ranks, default=-1) for ranks in kinds) + 1
    for child_numbers in number_children(lower.layout, find_scope(lower.per), find_scope(upper.per), by_slot=by_slot):
        numbers = [number for run in child_numbers.numbers for number in range(run.first, run.end)]
        for ranks in kinds:
            yield [number * ranks_per_place + rank for number in numbers for rank in ranks], child_numbers.places


def _find_rank(position: Sequence[int], shape: Sequence[int]) -> int:
    """Return the number of a position in an array of this shape."""
    rank = 0
    for coordinate, size in zip(position, shape, strict=True):
        # mixed radix, the last dimension fastest, as rows are numbered in the device table
        rank = rank * size + coordinate
    return rank

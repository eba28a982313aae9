"""The arithmetic of `per`: how many groups a tier has, and which group a coordinate falls in.

The same expressions serve single coordinates here and whole numpy columns in the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from fabricgen.design.layout import Layout, PodLayout
from fabricgen.kernel.intervals import total

SCOPES = ("all", "site", "pod", "su", "rack")
"""From wide to narrow: where the switches of a tier's group stand."""


LEG_DIMENSIONS = ("rail", "rail-group", "plane", "port")
"""What tells the ports of a node apart."""


def scope_of(per: Sequence[str]) -> str:
    """The narrowest place a tier is grouped by, or `all`."""
    return next((s for s in reversed(SCOPES) if s in per), "all")


def spans_units(per: Sequence[str]) -> bool:
    """Whether the switches of a tier's group serve several scalable units."""
    return scope_of(per) not in ("su", "rack")


def scope_count(layout: Layout, scope: str) -> int:
    """How many places of a scope there are."""
    return {
        "all": 1,
        "site": len(layout.sites),
        "pod": len(layout.pods),
        "su": layout.units,
        "rack": layout.units * layout.racks_per_su,
    }[scope]


def scope_index(layout: Layout, scope: str, coordinates: Mapping[str, Any]) -> Any:
    """The number of the place a coordinate lies in; site, pod, unit (in the cluster), rack (in the unit) from 0."""
    if scope == "all":
        return coordinates["pod"] * 0
    if scope == "rack":
        return coordinates["unit"] * layout.racks_per_su + coordinates["rack"]
    return coordinates["unit" if scope == "su" else scope]


def group_count(layout: Layout, per: Sequence[str], sizes: Mapping[str, int]) -> int:
    """How many groups a tier has; `sizes` gives rail, plane, port and each lower tier's switches per group."""
    return scope_count(layout, scope_of(per)) * prod(sizes[d] for d in inner(per))


def inner(per: Sequence[str]) -> tuple[str, ...]:
    """The dimensions of `per` that are no places: rail, rail-group, plane, port and tier names, in a fixed order."""
    first = [d for d in LEG_DIMENSIONS if d in per]
    return (*first, *sorted(d for d in per if d not in SCOPES and d not in first))


def group_index(layout: Layout, per: Sequence[str], sizes: Mapping[str, int], coordinates: Mapping[str, Any]) -> Any:
    """The number of the group that a coordinate (or column of coordinates) falls in; all count from 0."""
    index = scope_index(layout, scope_of(per), coordinates)
    for dimension in inner(per):
        index = index * sizes[dimension] + coordinates[dimension]
    return index


@dataclass(frozen=True, slots=True)
class Block:
    """Lower places with consecutive numbers in one upper place."""

    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Lodging:
    """How lower places lie in `places` upper ones that look alike: where they are, and how many numbers are given.

    `span` counts to the last number that a lower place has or had, reserved slots included where they are counted.
    """

    places: int
    blocks: tuple[Block, ...]
    span: int


def lodgings(layout: Layout, lower: str, upper: str, *, by_slot: bool) -> list[Lodging]:
    """The patterns in which places of a lower scope lie in places of an upper one, which is not narrower.

    Units are numbered by reserved slot, or as those there are.
    """
    if SCOPES.index(upper) >= SCOPES.index("su"):
        each = layout.racks_per_su if (lower, upper) == ("rack", "su") else 1
        return [Lodging(scope_count(layout, upper), (Block(0, each),), each)]
    if (lower, upper) == ("site", "all"):
        sites = sorted(layout.site_numbers)
        return [Lodging(1, tuple(Block(n, 1) for n in sites), layout.numbering.span("sites", "", "all"))]
    if lower in ("all", "site") or lower == upper:
        return [Lodging(scope_count(layout, upper), (Block(0, 1),), 1)]
    each = layout.racks_per_su if lower == "rack" else 1
    kind = "pods" if lower == "pod" else "units" if by_slot else "ports"
    given = layout.pod_numbers(upper) if lower == "pod" else layout.unit_numbers(upper, by_slot=by_slot)
    found = []
    for owner, inside in _places(layout, upper).items():
        numbers = [n for pod, i in inside for n in (given[i : i + 1] if lower == "pod" else _of_pod(given, pod))]
        numbering = layout.numbering
        span = total(numbering.of(kind, owner, "all")) if upper == "pod" else numbering.span(kind, owner, upper)
        found.append(Lodging(1, _joined(sorted(numbers), each), span * each))
    return found


def _of_pod(units: tuple[int, ...], pod: PodLayout) -> tuple[int, ...]:
    return units[pod.first_su : pod.first_su + pod.su]


def _places(layout: Layout, upper: str) -> dict[str, list[tuple[PodLayout, int]]]:
    """The pods, each with its place in the layout, of the whole, of each site, or of each pod by itself."""
    pods = [(pod, i) for i, pod in enumerate(layout.pods)]
    if upper == "site":
        return {site: [(pod, i) for pod, i in pods if pod.site == site] for site in layout.sites}
    return {"": pods} if upper == "all" else {pod.name: [(pod, i)] for pod, i in pods}


def _joined(numbers: list[int], each: int) -> tuple[Block, ...]:
    """Numbers in ascending order, each of so many places, as blocks."""
    found: list[Block] = []
    for n in numbers:
        if found and found[-1].start + found[-1].length == n * each:
            found[-1] = Block(found[-1].start, found[-1].length + each)
        else:
            found.append(Block(n * each, each))
    return tuple(found)


def site_of_place(layout: Layout, scope: str, place: int) -> int:
    """The number of the site that a place of a scope lies in; the first where a scope spans sites."""
    if scope in ("all", "site"):
        return place
    if scope == "pod":
        return layout.sites.index(layout.pods[place].site)
    unit = place // layout.racks_per_su if scope == "rack" else place
    pod = next(p for p in layout.pods if p.first_su <= unit < p.first_su + p.su)
    return layout.sites.index(pod.site)

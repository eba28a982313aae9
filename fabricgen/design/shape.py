"""The arithmetic of `per`: how many groups a tier has, and which group a coordinate falls in.

The same expressions serve single coordinates here and whole numpy columns in the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from fabricgen.design.layout import Layout

SCOPES = ("all", "site", "pod", "su", "rack")
"""From wide to narrow: where the switches of a tier's group stand."""


LEG_DIMENSIONS = ("rail", "rail-group", "plane", "port")
"""What tells the ports of a node apart."""


def scope_of(per: Sequence[str]) -> str:
    """The narrowest place a tier is grouped by, or `all`."""
    return next((s for s in reversed(SCOPES) if s in per), "all")


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
    """Lower places, consecutive in one upper place: where they start now and by slot, how many, and of how many."""

    start: int
    slot_start: int
    length: int
    slots: int


def blocks(layout: Layout, lower: str, upper: str) -> list[tuple[int, tuple[Block, ...]]]:
    """The patterns in which places of a lower scope lie in places of an upper one.

    Returns (how many upper places look so, the blocks of lower places in one). The lower scope must not be wider.
    """
    if SCOPES.index(upper) >= SCOPES.index("su"):
        each = layout.racks_per_su if (lower, upper) == ("rack", "su") else 1
        return [(scope_count(layout, upper), (Block(0, 0, each, each),))]
    if lower in ("all", "site") or lower == upper:
        return (
            [(1, (Block(0, 0, len(layout.sites), len(layout.sites)),))]
            if (lower, upper) == ("site", "all")
            else [(scope_count(layout, upper), (Block(0, 0, 1, 1),))]
        )
    each = {"rack": layout.racks_per_su, "su": 1, "pod": 0}[lower]
    found: list[tuple[int, tuple[Block, ...]]] = []
    owners = (
        [[p] for p in layout.pods]
        if upper == "pod"
        else [
            [p for p in layout.pods if upper == "all" or p.site == site]
            for site in (layout.sites if upper == "site" else [""])
        ]
    )
    for pods in owners:
        members, start, slot_start = [], 0, 0
        for pod in pods:
            length, slots = (pod.su * each, pod.slots * each) if each else (1, 1)
            members.append(Block(start, slot_start, length, slots))
            start, slot_start = start + length, slot_start + slots
        found.append((1, tuple(members)))
    return found


def most_unit_slots(layout: Layout, scope: str) -> int:
    """Slots of scalable units in the fullest place of a scope, reserved ones included; 1 inside a unit."""
    if scope in ("su", "rack"):
        return 1
    slots: dict[str, int] = {}
    for pod in layout.pods:
        owner = {"all": "", "site": pod.site, "pod": pod.name}[scope]
        slots[owner] = slots.get(owner, 0) + pod.slots
    return max(slots.values())


def site_of_place(layout: Layout, scope: str, place: int) -> int:
    """The number of the site that a place of a scope lies in; the first where a scope spans sites."""
    if scope in ("all", "site"):
        return place
    if scope == "pod":
        return layout.sites.index(layout.pods[place].site)
    unit = place // layout.racks_per_su if scope == "rack" else place
    pod = next(p for p in layout.pods if p.first_su <= unit < p.first_su + p.su)
    return layout.sites.index(pod.site)

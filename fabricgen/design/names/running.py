"""Running numbers, `{index}` of names, where units are of several kinds: one block for each pod, which the lock keeps.

Where all units are of one kind, numbers follow from the slots of units and need no memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from fabricgen.blueprint.beside.lock import INDEXES
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.naming import parse_template
from fabricgen.design.layout import Layout
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    allocate_intervals,
    list_numbers,
    make_intervals,
)

RACKS = "racks"
"""Whose numbers they are, of racks of nodes."""


class CountedNames(NamedTuple):
    """By pod, the running numbers from 0 of its devices if each kind of units counts by itself (`usual`), and how
    many there are, reserved ones included (`sizes`).
    """

    usual: Mapping[str, Sequence[int]]
    sizes: Mapping[str, int]


def count_members(layout: Layout, per_unit: Sequence[int]) -> CountedNames:
    """Members of units, so many in each (`per_unit`, by pod): by slot, so that growth moves none."""
    slots = iter(layout.number_units("all", by_slot=True))
    counts = list(zip(layout.pods, per_unit, strict=True))
    numbers = {pod.name: [s * count + i for s in islice(slots, pod.su) for i in range(count)] for pod, count in counts}
    return CountedNames(numbers, {pod.name: pod.slots * count for pod, count in counts if count})


def name_numbers_kind(owner: str) -> str:
    """The kind of lock entry for running numbers of `owner`: `FABRIC TIER`, `nodes TEMPLATE` or `racks`."""
    return f"{INDEXES} {owner}"


def allocate_blocks(layout: Layout, owner: str, kinds: int, counted: CountedNames) -> Allocations:
    """Blocks of running numbers from 0 by pod, through units of several `kinds`; empty where there is one, and
    the lock has no such blocks.

    Pods of a lock that was made before another kind came keep their usual numbers, unless two have the same.
    """
    kept = dict(layout.lock.find_allocations(name_numbers_kind(owner)))
    if kinds < 2 and not kept:
        return {}
    taken: set[int] = set()
    for pod in () if kept else layout.lock.find_allocations("units"):
        numbers = counted.usual.get(pod, ())
        if numbers and taken.isdisjoint(numbers):
            kept[pod] = make_intervals(numbers)
            taken.update(numbers)
    # what is there gets its reserve before what comes
    pods = sorted((pod.name for pod in layout.pods if pod.name in counted.sizes), key=lambda pod: pod not in kept)
    requests = [AllocationRequest(pod, counted.sizes[pod], (Interval(0, 1 << 40),)) for pod in pods]
    return {**kept, **allocate_intervals(kept, requests)}


def list_block_numbers(blocks: Allocations, counted: CountedNames) -> Mapping[str, Sequence[int]]:
    """By pod, the running numbers from 0 of its devices in their order: those of its block, else the usual ones."""
    return {pod: list(list_numbers(intervals)) for pod, intervals in blocks.items()} or counted.usual


def count_racks(layout: Layout) -> CountedNames:
    """The racks of nodes."""
    return count_members(layout, [kind.racks for kind in layout.kind_of_pod])


def allocate_rack_blocks(blueprint: Blueprint, layout: Layout) -> Allocations:
    """The running numbers of racks of nodes by pod, from 0; empty where each kind of units counts by itself."""
    template = blueprint.names.racks.get("nodes", blueprint.names.racks.get("all", ""))
    counts_through = {part.field for part in parse_template(template)} - {"", "cluster"} == {"index"}
    return allocate_blocks(layout, RACKS, len(layout.kinds), count_racks(layout)) if counts_through else {}

"""Running numbers, `{index}` of names, through units of several kinds: one block for each pod, which the lock keeps.

If all units are of one kind, numbers follow from the slots of units and need no memory.
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
"""The owner of running numbers of node racks, in the lock."""


class CountedNames(NamedTuple):
    """How devices are counted, by pod."""

    usual: Mapping[str, Sequence[int]]
    """The running numbers, from 0, of its devices if each kind of units counts by itself."""
    sizes: Mapping[str, int]
    """How many numbers it needs, reserved ones included."""


def count_members(layout: Layout, per_unit: Sequence[int]) -> CountedNames:
    """Return how members of units are counted, with `per_unit` members in each unit of a pod: by slot, so that growth
    changes no number.
    """
    slots = iter(layout.number_units("all", by_slot=True))
    counts = list(zip(layout.pods, per_unit, strict=True))
    numbers = {pod.name: [s * count + i for s in islice(slots, pod.su) for i in range(count)] for pod, count in counts}
    return CountedNames(numbers, {pod.name: pod.slots * count for pod, count in counts if count})


def name_numbers_kind(owner: str) -> str:
    """Return the kind of lock entry for running numbers of `owner`: `FABRIC TIER`, `nodes TEMPLATE` or `racks`."""
    return f"{INDEXES} {owner}"


def allocate_blocks(layout: Layout, owner: str, kinds: int, counted: CountedNames) -> Allocations:
    """Return blocks of running numbers from 0, by pod, through units of several `kinds`; empty if there is one kind,
    and the lock has no such blocks.

    Pods of a lock that was made before another kind came keep their usual numbers, unless two pods have the same.
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
    # pods of the lock get their reserve before new pods get numbers
    pods = sorted((pod.name for pod in layout.pods if pod.name in counted.sizes), key=lambda pod: pod not in kept)
    requests = [AllocationRequest(pod, counted.sizes[pod], (Interval(0, 1 << 40),)) for pod in pods]
    return {**kept, **allocate_intervals(kept, requests)}


def list_block_numbers(blocks: Allocations, counted: CountedNames) -> Mapping[str, Sequence[int]]:
    """Return, by pod, the running numbers from 0 of its devices in their order: those of its block, else the usual
    ones.
    """
    return {pod: list(list_numbers(intervals)) for pod, intervals in blocks.items()} or counted.usual


def count_racks(layout: Layout) -> CountedNames:
    """Return how node racks are counted."""
    return count_members(layout, [kind.racks for kind in layout.kind_of_pod])


def allocate_rack_blocks(blueprint: Blueprint, layout: Layout) -> Allocations:
    """Return the running numbers of node racks by pod, from 0; empty if each kind of units counts by itself."""
    template = blueprint.names.racks.get("nodes", blueprint.names.racks.get("all", ""))
    has_index_alone = {part.field for part in parse_template(template)} - {"", "cluster"} == {"index"}
    return allocate_blocks(layout, RACKS, len(layout.kinds), count_racks(layout)) if has_index_alone else {}

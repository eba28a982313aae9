"""Running numbers, `{index}` of names, where units are of several kinds: one block for each pod, which the lock keeps.

Where all units are of one kind, numbers follow from the slots of units and need no memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from fabricgen.blueprint.beside.lock import INDEXES
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.naming import parse_template
from fabricgen.design.layout import Layout
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    allocate_intervals,
    make_intervals,
)

_ALL = (Interval(0, 1 << 40),)

RACKS = "racks"
"""Whose numbers they are, of racks of nodes."""


def name_numbers_kind(owner: str) -> str:
    """The kind of lock entry for running numbers of `owner`: `FABRIC TIER`, `nodes SET` or `racks`."""
    return f"{INDEXES} {owner}"


def needs_blocks(layout: Layout, owner: str, kinds: int) -> bool:
    """Whether numbers count through the units of several kinds: there are as many, or the lock knows them so."""
    return kinds > 1 or name_numbers_kind(owner) in layout.lock.held


def allocate_blocks(
    layout: Layout, owner: str, usual: Mapping[str, Sequence[int]], sizes: Mapping[str, int]
) -> Allocations:
    """Blocks of running numbers from 0 by pod: of `sizes` numbers, reserved ones included.

    `usual` are the numbers that pods have where each kind counts by itself: pods of a lock that was made before another
    kind came keep them, unless two have the same.
    """
    kept = dict(layout.lock.find_allocations(name_numbers_kind(owner)))
    known_pods = () if kept else layout.lock.find_allocations("units")
    taken: set[int] = set()
    for pod in known_pods:
        numbers = usual.get(pod, ())
        if numbers and taken.isdisjoint(numbers):
            kept[pod] = make_intervals(numbers)
            taken.update(numbers)
    # what is there gets its reserve before what comes
    pods = sorted((pod.name for pod in layout.pods if pod.name in sizes), key=lambda pod: pod not in kept)
    requests = [AllocationRequest(pod, sizes[pod], _ALL) for pod in pods]
    return {**kept, **allocate_intervals(kept, requests)}


def allocate_rack_blocks(blueprint: Blueprint, layout: Layout) -> Allocations:
    """The running numbers of racks of nodes by pod, from 0; empty where the units are of one kind."""
    templates = blueprint.names.racks
    template = templates.get("nodes", templates.get("all", ""))
    fields = {part.field for part in parse_template(template)} - {"", "cluster"}
    if fields != {"index"} or not needs_blocks(layout, RACKS, len(layout.kinds)):
        return {}
    slots = iter(layout.number_units("all", by_slot=True))
    usual: dict[str, list[int]] = {}
    sizes: dict[str, int] = {}
    for pod, kind in zip(layout.pods, layout.kind_of_pod, strict=True):
        of_pod = list(islice(slots, pod.su))
        usual[pod.name] = [slot * kind.racks + rack for slot in of_pod for rack in range(kind.racks)]
        sizes[pod.name] = pod.slots * kind.racks
    return allocate_blocks(layout, RACKS, usual, sizes)

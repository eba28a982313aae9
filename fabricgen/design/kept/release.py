"""Holes: numbers that the lock keeps for holders (pods, tiers, devices and others) that no longer exist, and their
release.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from fabricgen.blueprint.beside.adopted import ADOPTED, list_keys
from fabricgen.blueprint.beside.lock import CODE, PORTS, Lock, show_interval
from fabricgen.blueprint.beside.sized import PARTS, SIZED, parse_sized
from fabricgen.design.floor.network_runs import KIND as FLOOR
from fabricgen.design.layout import Layout
from fabricgen.kernel.diagnostics import Span, fault, find_nearest
from fabricgen.kernel.intervals import (
    Allocations,
    Intervals,
    count_numbers,
    list_first_numbers,
    list_numbers,
    make_intervals,
)

Holder = tuple[str, str]
"""(kind of number or word, name of the holder), such as ("units", "p2")."""

SIZE_WORDS = 3
"""How many words a path has that names a part of a tier's size: fabric, tier, part."""

EVERYTHING = "unused"
"""The path that means all holes."""


def find_holes(
    lock: Lock, used: Collection[Holder], layout: Layout, positions: Mapping[Holder, int]
) -> dict[Holder, Intervals]:
    """Return the unused numbers of the lock by holder, in order: all numbers of a holder that is gone, the last numbers
    of a holder that shrank. A holder that is gone and has words in the lock, but no numbers, has an empty tuple.

    `used` are the holders in use; `positions` has how many positions of management ports each holder needs.
    """
    unused: dict[Holder, Intervals] = {}
    for kind, intervals_of_kind in lock.held.items():
        for name, intervals in intervals_of_kind.items():
            size = positions.get((kind, name), count_needed_numbers(kind, name, layout))
            surplus = _list_beyond(intervals, size) if (kind, name) in used else intervals
            if surplus:
                unused[kind, name] = surplus
    for kind, words_of_kind in lock.words.items():
        unused |= {(kind, name): () for name in words_of_kind if (kind, name) not in used}
    return dict(sorted(unused.items()))


def select_place_holes(unused: Mapping[Holder, Intervals]) -> dict[Holder, Intervals]:
    """Return the holes of pods, units and sites only."""
    kinds = ("sites", "pods", "units", "ports")
    return {holder: intervals for holder, intervals in unused.items() if holder[0].partition(" ")[0] in kinds}


def count_needed_numbers(kind: str, name: str, layout: Layout) -> int | None:
    """Return how many numbers of units a pod needs; None for other holders, which need all that they have."""
    pod = next((pod for pod in layout.pods if pod.name == name), None)
    if pod is None or kind.partition(" ")[0] not in ("units", "ports"):
        return None
    return pod.slots if kind.startswith("units") else pod.su


def _list_beyond(intervals: Intervals, size: int | None) -> Intervals:
    """Return the numbers in `intervals` after the first `size`, which are in use; empty if `size` is None: all are in
    use.
    """
    return () if size is None else make_intervals(islice(list_numbers(intervals), size, None))


def names_holder(lock: Lock, path: str) -> bool:
    """Whether a path names something that the lock keeps: a holder of numbers (`p2`), adopted numbers (`adopted`, or
    `adopted/compute-spine-01` of one device), or a part of a tier's size (`compute spine count`).
    """
    return any(path in held for held in lock.held.values()) or bool(
        _find_adopted_keys(lock, path) or find_resized(lock, path)
    )


def names_size(path: str) -> bool:
    """Whether a path has the form of a tier's size: `compute spine count`, `compute leaf uplinks`."""
    words = path.split()
    return len(words) == SIZE_WORDS and words[-1] in PARTS


def find_resized(lock: Lock, path: str) -> dict[str, str]:
    """Return the sizes of tiers in the lock that change if the part of a size that `path` names is forgotten, by holder
    (`compute spine (pod)`): the text of what is left, "" if nothing is. Empty if the path names no part of a size.

    If the count of a tier is forgotten, so are the uplinks of the tiers below it, as the count follows from them.
    """
    if not names_size(path):
        return {}
    *tier, part = path.split()
    sizes = {}
    for name, size_text in lock.find_words(SIZED).items():
        earlier = parse_sized(size_text)
        remaining = earlier.forget_part(part) if name.split()[:2] == tier else earlier
        if part == "count" and earlier.upper == " ".join(tier):
            remaining = remaining.forget_part("uplinks")
        if remaining != earlier:
            sizes[name] = remaining.text()
    return sizes


def _find_adopted_keys(lock: Lock, path: str) -> set[str]:
    """Return the adopted keys of a path: `adopted/compute-leaf-p1-su01-01` for one device, `adopted` for all."""
    section, _, device = path.partition("/")
    words = lock.find_words(ADOPTED)
    if section != ADOPTED:
        return set()
    return list_keys(words, device) if device else set(words)


def release_paths(lock: Lock, paths: Sequence[str], unused: Mapping[Holder, Intervals]) -> Lock:
    """Return a lock without the unused reservations below some paths, and without capacities that no holder left needs.

    A path is one of the blueprint (`pods/p2`, `fabrics/storage`, `fabrics/compute/tiers/core`, `sites/west`,
    `tenants/blue`), `unused` for every hole, or the name of one holder as the lock has it, which then gets new numbers;
    so does a device whose adopted numbers are released (`adopted/compute-spine-01`). A part of a tier's size (`compute
    spine count`, `compute leaf uplinks`, `compute leaf breakout`) is derived anew.

    Raises InputError for a path below which nothing can be released.
    """
    for path in paths:
        named_holders = {(kind, path) for kind, holders in lock.held.items() if path in holders}
        unused_below = {
            holder: intervals for holder, intervals in unused.items() if path == EVERYTHING or _belongs_to(holder, path)
        }
        adopted = _find_adopted_keys(lock, path) | {name for kind, name in unused_below if kind == ADOPTED}
        sizes = find_resized(lock, path)
        if not named_holders and not unused_below and not adopted and not sizes:
            raise _explain_nothing_released(lock, path, unused)
        numbers_left = {
            kind: _drop_numbers(kind, intervals_by_holder, named_holders, unused_below)
            for kind, intervals_by_holder in lock.held.items()
        }
        words_left = {
            kind: {name: word for name, word in words_of_kind.items() if (kind, name) not in unused_below}
            for kind, words_of_kind in lock.words.items()
        }
        if adopted:
            words_left[ADOPTED] = {
                name: value for name, value in lock.find_words(ADOPTED).items() if name not in adopted
            }
        if sizes:
            sizes_left = {**lock.find_words(SIZED), **sizes}
            words_left[SIZED] = {name: size for name, size in sizes_left.items() if size}
        lock = replace(lock, held=numbers_left, words=words_left)
    holders_left = {name for holders in lock.held.values() for name in holders}
    # the word of an extra device begins with the fabric and tier that it is plugged into
    tiers_with_extras = {" ".join(word.split()[:2]) for word in lock.find_words("extras").values()}
    capacities = {name: size for name, size in lock.rooms.items() if _is_needed(name, holders_left, tiers_with_extras)}
    return replace(lock, rooms=capacities)


def _is_needed(name: str, holders: Collection[str], tiers_with_extras: Collection[str]) -> bool:
    """Whether the capacity of this name is still needed: by one of `holders`, or by extra devices of a tier.

    Names are such as `compute leaf`, of a tier or holder, `compute leaf for extras 400 over 100`, or `managed p1 su1`.
    Counts of the floor and of ports are always needed: racks and cables follow from them.
    """
    if name.startswith((f"{FLOOR} ", PORTS)):
        return True
    tier, separator, _ = name.partition(" for extras ")
    return tier in tiers_with_extras if separator else any(_serves_holder(name, holder) for holder in holders)


def _serves_holder(capacity: str, holder: str) -> bool:
    """Whether a capacity belongs to a holder, or to the tier with which the holder's name begins."""
    return capacity.startswith(("managed ", f"{holder} ")) or holder == capacity or holder.startswith(f"{capacity} ")


def _drop_numbers(
    kind: str, intervals_by_holder: Allocations, released: Collection[Holder], unused: Mapping[Holder, Intervals]
) -> Allocations:
    """Return the numbers that holders of a kind keep: those in `released` lose all, others lose their `unused` ones.
    Holders that keep no number are left out.
    """
    remaining_by_holder = {}
    for name, intervals in intervals_by_holder.items():
        removed = intervals if (kind, name) in released else unused.get((kind, name), ())
        # a hole is always at the end of a holder's numbers
        numbers_left = count_numbers(intervals) - count_numbers(removed)
        if numbers_left:
            remaining_by_holder[name] = (
                make_intervals(list_first_numbers(intervals, numbers_left)) if removed else intervals
            )
    return remaining_by_holder


def _belongs_to(holder: Holder, path: str) -> bool:
    """Whether a holder belongs to the pod, site, tenant, fabric or tier that a path of the blueprint names; False for
    other paths and for adopted devices.
    """
    kind, name = holder
    path_keys = path.strip("/").replace(".", "/").split("/")
    first_word = kind.partition(" ")[0]
    if first_word == ADOPTED:
        return False
    if path_keys[0] in ("pods", "sites") and len(path_keys) == 2:
        kinds_of_number = ("pods", "units", "ports", "halls") if path_keys[0] == "pods" else ("sites",)
        return first_word in kinds_of_number and name == path_keys[1]
    if path_keys[0] == "tenants" and len(path_keys) == 2:
        # names of VLANs and VNIs end in `in TENANT` and `vrf VRF`
        return (first_word == "tenants" and name == path_keys[1]) or name.split()[-2:] in (
            ["in", path_keys[1]],
            ["vrf", path_keys[1]],
        )
    if path_keys[0] != "fabrics" or len(path_keys) not in (2, 4) or (len(path_keys) == 4 and path_keys[2] != "tiers"):
        return False
    if first_word in ("pods", "units", "ports", "halls", "sites", "tenants"):
        return False
    name_words = name.split()
    if len(path_keys) == 4:
        return name_words[:2] == [path_keys[1], path_keys[3]]
    # names of a fabric's holders begin with its name, end in `of FABRIC` or `vrf FABRIC`, or have ` of FABRIC in `
    return (
        name_words[0] == path_keys[1]
        or name_words[-2:] in (["of", path_keys[1]], ["vrf", path_keys[1]])
        or f" of {path_keys[1]} in " in name
    )


def _explain_nothing_released(lock: Lock, path: str, unused: Mapping[Holder, Intervals]) -> Exception:
    """Return the error for a path below which the lock has nothing unused, with the nearest name or all holes."""
    holders = sorted({name for _, name in unused})
    similar = find_nearest(path, sorted({name for names in lock.held.values() for name in names}))
    hint = f"did you mean '{similar}'?" if similar else ""
    names = ", ".join(holders) if holders else "none: everything that is held is in use"
    return fault(
        CODE,
        f"the lock has no unused reservation of '{path}'",
        hint=hint or f"holes: {names}",
        span=Span(lock.file, 1, 1) if lock.file else None,
    )


def describe_hole(holder: Holder, intervals: Intervals) -> str:
    """Return a hole as text: `units p2: 4-7`."""
    kind, name = holder
    text = ", ".join(show_interval(kind, interval) for interval in intervals)
    return f"{kind} {name}" + (f": {text}" if text else "")

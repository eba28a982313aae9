"""Holes: numbers that the lock keeps for holders that no longer exist, and their release."""

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
"""(kind of number, name of the holder)"""

SIZE_WORDS = 3
"""How many words a path has that names a part of a tier's size: fabric, tier, part."""

EVERYTHING = "unused"
"""The path that means all holes."""


def find_holes(
    lock: Lock, used: Collection[Holder], layout: Layout, positions: Mapping[Holder, int]
) -> dict[Holder, Intervals]:
    """Return the unused numbers of the lock by holder: all numbers of a holder that is gone, the last ones of one that
    shrank.

    Holders of words, which have no numbers, have an empty tuple. `used` are the holders in use; `positions` has how
    many positions of management ports each holder needs.
    """
    unused: dict[Holder, Intervals] = {}
    for kind, held in lock.held.items():
        for name, intervals in held.items():
            size = positions.get((kind, name), count_needed_numbers(kind, name, layout))
            surplus = _list_beyond(intervals, size) if (kind, name) in used else intervals
            if surplus:
                unused[kind, name] = surplus
    for kind, words in lock.words.items():
        unused |= {(kind, name): () for name in words if (kind, name) not in used}
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
    """Return the numbers beyond the first `size`, which are in use; empty if `size` is None: all are in use."""
    return () if size is None else make_intervals(islice(list_numbers(intervals), size, None))


def names_holder(lock: Lock, path: str) -> bool:
    """Whether a path is the name of a holder in the lock."""
    return any(path in held for held in lock.held.values()) or bool(
        _find_adopted_keys(lock, path) or find_resized(lock, path)
    )


def names_size(path: str) -> bool:
    """Whether a path has the form of a tier's size: `compute spine count`, `compute leaf uplinks`."""
    words = path.split()
    return len(words) == SIZE_WORDS and words[-1] in PARTS


def find_resized(lock: Lock, path: str) -> dict[str, str]:
    """Return the lines of tiers' sizes that change if what a path names is forgotten; an empty text is a line that
    goes.

    If the count of a tier is forgotten, so are the uplinks of the tiers below it, as the count follows from them.
    """
    if not names_size(path):
        return {}
    *tier, part = path.split()
    lines = {}
    for name, word in lock.find_words(SIZED).items():
        earlier = parse_sized(word)
        shrunk = earlier.forget_part(part) if name.split()[:2] == tier else earlier
        if part == "count" and earlier.upper == " ".join(tier):
            shrunk = shrunk.forget_part("uplinks")
        if shrunk != earlier:
            lines[name] = shrunk.text()
    return lines


def _find_adopted_keys(lock: Lock, path: str) -> set[str]:
    """Return the adopted keys of a path: `adopted/compute-leaf-p1-su01-01` for one device, `adopted` for all."""
    section, _, device = path.partition("/")
    words = lock.find_words(ADOPTED)
    if section != ADOPTED:
        return set()
    return list_keys(words, device) if device else set(words)


def release_paths(lock: Lock, paths: Sequence[str], unused: Mapping[Holder, Intervals]) -> Lock:
    """Return a lock without the unused reservations below some paths.

    A path is one of the blueprint (`pods/p2`, `fabrics/storage`, `fabrics/compute/tiers/core`, `sites/west`,
    `tenants/blue`), `unused` for every hole, or the name of one holder as the lock has it, which then gets new numbers;
    so does a device whose adopted numbers are released (`adopted/compute-spine-01`). A part of a tier's size (`compute
    spine count`, `compute leaf uplinks`, `compute leaf breakout`) is derived anew.

    Raises InputError for a path below which nothing can be released.
    """
    for path in paths:
        named_holders = {(kind, name) for kind, held in lock.held.items() for name in held if name == path}
        unused_below = {
            holder: intervals for holder, intervals in unused.items() if path == EVERYTHING or _belongs_to(holder, path)
        }
        adopted = _find_adopted_keys(lock, path) | {name for kind, name in unused_below if kind == ADOPTED}
        sizes = find_resized(lock, path)
        if not named_holders and not unused_below and not adopted and not sizes:
            raise _explain_nothing_released(lock, path, unused)
        held = {kind: _drop_numbers(kind, held, named_holders, unused_below) for kind, held in lock.held.items()}
        words = {
            kind: {name: word for name, word in words_of_kind.items() if (kind, name) not in unused_below}
            for kind, words_of_kind in lock.words.items()
        }
        if adopted:
            words[ADOPTED] = {name: value for name, value in lock.find_words(ADOPTED).items() if name not in adopted}
        if sizes:
            sizes_left = {**lock.find_words(SIZED), **sizes}
            words[SIZED] = {name: word for name, word in sizes_left.items() if word}
        lock = replace(lock, held=held, words=words)
    names = {name for held in lock.held.values() for name in held}
    tiers_with_extras = {" ".join(place.split()[:2]) for place in lock.find_words("extras").values()}
    rooms = {name: room for name, room in lock.rooms.items() if _is_needed(name, names, tiers_with_extras)}
    return replace(lock, rooms=rooms)


def _is_needed(room: str, names: Collection[str], plugged: Collection[str]) -> bool:
    """Whether a capacity is still needed: by a holder, or by extra devices that are `plugged` into a tier.

    Counts of the floor and of ports are always needed: racks and cables follow from them.
    """
    if room.startswith((f"{FLOOR} ", PORTS)):
        return True
    tier, extras, _ = room.partition(" for extras ")
    return tier in plugged if extras else any(_serves_holder(room, name) for name in names)


def _serves_holder(room: str, name: str) -> bool:
    """Whether a capacity belongs to a holder, or to the tier with which the holder's name begins."""
    return room.startswith(("managed ", f"{name} ")) or name == room or name.startswith(f"{room} ")


def _drop_numbers(
    kind: str, held: Allocations, named: Collection[Holder], unused: Mapping[Holder, Intervals]
) -> Allocations:
    """Return what holders of a kind keep: none of those in `named` keeps any, and the unused numbers in `unused` go."""
    kept = {}
    for name, intervals in held.items():
        removed = intervals if (kind, name) in named else unused.get((kind, name), ())
        # a hole is always at the end of a holder's numbers
        remaining = count_numbers(intervals) - count_numbers(removed)
        if remaining:
            kept[name] = make_intervals(list_first_numbers(intervals, remaining)) if removed else intervals
    return kept


def _belongs_to(holder: Holder, path: str) -> bool:
    """Whether a holder belongs to what a path names."""
    kind, name = holder
    keys = path.strip("/").replace(".", "/").split("/")
    first_word = kind.partition(" ")[0]
    if first_word == ADOPTED:
        return False
    if keys[0] in ("pods", "sites") and len(keys) == 2:
        kinds = ("pods", "units", "ports", "halls") if keys[0] == "pods" else ("sites",)
        return first_word in kinds and name == keys[1]
    if keys[0] == "tenants" and len(keys) == 2:
        # names of VLANs and VNIs end in `in TENANT` and `vrf VRF`
        return (first_word == "tenants" and name == keys[1]) or name.split()[-2:] in (
            ["in", keys[1]],
            ["vrf", keys[1]],
        )
    if keys[0] != "fabrics" or len(keys) not in (2, 4) or (len(keys) == 4 and keys[2] != "tiers"):
        return False
    if first_word in ("pods", "units", "ports", "halls", "sites", "tenants"):
        return False
    words = name.split()
    if len(keys) == 4:
        return words[:2] == [keys[1], keys[3]]
    # names of a fabric's holders begin with its name, end in `of FABRIC` or `vrf FABRIC`, or have ` of FABRIC in `
    return words[0] == keys[1] or words[-2:] in (["of", keys[1]], ["vrf", keys[1]]) or f" of {keys[1]} in " in name


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

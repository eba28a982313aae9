"""Holes: what a lock holds for things that are no longer there, and giving it free."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from fabricgen.blueprint.beside.adopted import ADOPTED, keys_of
from fabricgen.blueprint.beside.lock import CODE, Lock, extent_text
from fabricgen.design.layout import Layout
from fabricgen.kernel.diagnostics import Span, fault, nearest
from fabricgen.kernel.extents import Extent, Extents, Held, total

Holder = tuple[str, str]
"""(kind of number, name of who holds some)"""

EVERYTHING = "unused"
"""The path that stands for all holes."""


def holes(
    lock: Lock, used: Collection[Holder], layout: Layout, positions: Mapping[Holder, int]
) -> dict[Holder, Extents]:
    """What is held and not used, by holder: all of it, or the rest of what shrank; of words nothing but the holder.

    `positions` are how many places of management ports are needed.
    """
    found: dict[Holder, Extents] = {}
    for kind, held in lock.held.items():
        for name, extents in held.items():
            size = positions.get((kind, name), needed(kind, name, layout))
            rest = _beyond(extents, size) if (kind, name) in used else extents
            if rest:
                found[kind, name] = rest
    for kind, words in lock.words.items():
        found |= {(kind, name): () for name in words if (kind, name) not in used}
    return dict(sorted(found.items()))


def places_only(unused: Mapping[Holder, Extents]) -> dict[Holder, Extents]:
    """Holes of pods, units and sites alone."""
    kinds = ("sites", "pods", "units", "ports")
    return {holder: extents for holder, extents in unused.items() if holder[0].partition(" ")[0] in kinds}


def needed(kind: str, name: str, layout: Layout) -> int | None:
    """How many units' numbers a pod needs; None where all that a holder has is needed."""
    pod = next((pod for pod in layout.pods if pod.name == name), None)
    if pod is None or kind.partition(" ")[0] not in ("units", "ports"):
        return None
    return pod.slots if kind.startswith("units") else pod.su


def _beyond(extents: Extents, size: int | None) -> Extents:
    if size is None:
        return ()
    found = []
    for extent in extents:
        kept = min(size, extent.size)
        size -= kept
        if extent.size > kept:
            found.append(Extent(extent.first + kept, extent.size - kept))
    return tuple(found)


def names_holder(lock: Lock, path: str) -> bool:
    """Whether a path is the name of a holder, as the lock has it."""
    return any(path in held for held in lock.held.values()) or bool(_adopted(lock, path))


def _adopted(lock: Lock, path: str) -> set[str]:
    """What is adopted for the device of a path such as `adopted/compute-leaf-p1-su01-01`; for all: `adopted`."""
    section, _, device = path.partition("/")
    words = lock.words_of(ADOPTED)
    if section != ADOPTED:
        return set()
    return keys_of(words, device) if device else set(words)


def release(lock: Lock, paths: Sequence[str], unused: Mapping[Holder, Extents]) -> Lock:
    """A lock without the unused reservations below some paths.

    A path is one of the blueprint (`pods/p2`, `fabrics/storage`, `fabrics/compute/tiers/core`, `sites/west`), `unused`
    for every hole, or the name of one holder as the lock has it, which then gets new numbers; so does a device whose
    adopted numbers are released (`adopted/compute-spine-01`).
    Raises InputError for a path below which nothing can be released.
    """
    for path in paths:
        named = {(kind, name) for kind, held in lock.held.items() for name in held if name == path}
        below = {holder: extents for holder, extents in unused.items() if path == EVERYTHING or _lies(holder, path)}
        adopted = _adopted(lock, path) | {name for kind, name in below if kind == ADOPTED}
        if not named and not below and not adopted:
            raise _nothing(lock, path, unused)
        held = {kind: _without(kind, held, named, below) for kind, held in lock.held.items()}
        words = {kind: _words_without(kind, some, below) for kind, some in lock.words.items()}
        if adopted:
            words[ADOPTED] = {name: value for name, value in lock.words_of(ADOPTED).items() if name not in adopted}
        lock = replace(lock, held=held, words=words)
    names = {name for held in lock.held.values() for name in held}
    plugged = {" ".join(place.split()[:2]) for place in lock.words_of("extras").values()}
    rooms = {name: room for name, room in lock.rooms.items() if _of_use(name, names, plugged)}
    return replace(lock, rooms=rooms)


def _words_without(kind: str, words: Mapping[str, str], below: Collection[Holder]) -> dict[str, str]:
    return {name: word for name, word in words.items() if (kind, name) not in below}


def _of_use(room: str, names: Collection[str], plugged: Collection[str]) -> bool:
    """Whether a room is still of use: to a holder, or to extra devices that are `plugged` into a tier."""
    tier, extras, _ = room.partition(" for extras ")
    return tier in plugged if extras else any(_same(room, name) for name in names)


def _same(room: str, name: str) -> bool:
    """Whether a room is still of use to a holder: it is its own, or of the tier whose name it begins with."""
    return room.startswith(("managed ", f"{name} ")) or name == room or name.startswith(f"{room} ")


def _without(kind: str, held: Held, named: Collection[Holder], below: Mapping[Holder, Extents]) -> Held:
    found = {}
    for name, extents in held.items():
        gone = extents if (kind, name) in named else below.get((kind, name), ())
        left = _first(extents, total(extents) - total(gone))
        if left:
            found[name] = left
    return found


def _first(extents: Extents, size: int) -> Extents:
    """The first so many numbers; a hole is always at the end of what a name has."""
    found = []
    for extent in extents:
        if size > 0:
            found.append(Extent(extent.first, min(size, extent.size)))
            size -= extent.size
    return tuple(found)


def _lies(holder: Holder, path: str) -> bool:
    """Whether a holder belongs to what a path names."""
    kind, name = holder
    parts = path.strip("/").replace(".", "/").split("/")
    what = kind.partition(" ")[0]
    if what == ADOPTED:
        return False
    if parts[0] in ("pods", "sites") and len(parts) == 2:
        kinds = ("pods", "units", "ports", "halls") if parts[0] == "pods" else ("sites",)
        return what in kinds and name == parts[1]
    if parts[0] != "fabrics" or len(parts) not in (2, 4) or (len(parts) == 4 and parts[2] != "tiers"):
        return False
    if what in ("pods", "units", "ports", "halls", "sites"):
        return False
    words = name.split()
    if len(parts) == 4:
        return words[:2] == [parts[1], parts[3]]
    return words[0] == parts[1] or words[-2:] in (["of", parts[1]], ["vrf", parts[1]]) or f" of {parts[1]} in " in name


def _nothing(lock: Lock, path: str, unused: Mapping[Holder, Extents]) -> Exception:
    holders = sorted({name for _, name in unused})
    near = nearest(path, sorted({name for held in lock.held.values() for name in held}))
    hint = f"did you mean '{near}'?" if near else ""
    held = ", ".join(holders) if holders else "none: everything that is held is in use"
    return fault(
        CODE,
        f"nothing is held for '{path}' that is not in use",
        hint=hint or f"holes: {held}",
        span=Span(lock.file, 1, 1) if lock.file else None,
    )


def hole_text(holder: Holder, extents: Extents) -> str:
    """A hole in words: `units p2: 4-7`."""
    kind, name = holder
    text = ", ".join(extent_text(kind, extent) for extent in extents)
    return f"{kind} {name}" + (f": {text}" if text else "")

"""A change as a page of text for people, and as JSON, complete, for programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from heapq import nsmallest
from typing import Any, TypeAlias

from fabricgen.blueprint.models import natural
from fabricgen.diff.compare import Change, Delta
from fabricgen.diff.inventory import CableEnd, collector_paused

LINES = 8
"""Lines that a section of the text takes at most, title and last line apart."""

_UNIT = re.compile(r"^(?:.*?-)?(?:su|rk)\d+(?=-|$)")
_NUMBER = re.compile(r"-\d+$")

_KEYS: Mapping[str, tuple[str, ...]] = {
    "devices": ("device",),
    "links": ("a_device", "a_port"),
    "cables": ("cable",),
    "sessions": ("a_device", "a_port"),
}

_TITLES: Mapping[str, str] = {"sessions": "BGP sessions"}

_Row: TypeAlias = tuple[Any, ...]
"""A row of a delta: key and facts, or key, old facts and new facts."""


def text(change: Change, lines: int = LINES) -> str:
    """One page: what is different by kind, then examples grouped by fabric and unit.

    `lines` is what a section takes at most; what is left out is counted.
    """
    if not change:
        return "no differences"
    out = [_summary(kind, getattr(change, kind)) for kind in _KEYS]
    for kind in _KEYS:
        delta = getattr(change, kind)
        for way, rows in _sections(delta):
            write = partial(_line, kind, delta.ways.get(way, ()))
            out += ["", f"{_title(kind)} {_words(way)}: {len(rows)}", *_listed(kind, rows, write, lines)]
    return "\n".join(out)


def as_json(change: Change) -> dict[str, Any]:
    """The whole change, sorted; keys and their meaning are stable, null stands for no such value.

    A changed thing names the ways it changed in (`what`) and the fields that differ, `old` and `new`.
    """
    kinds = {kind: getattr(change, kind) for kind in _KEYS}
    counts = {kind: delta.counts() for kind, delta in kinds.items()}
    with collector_paused():
        found = {kind: _delta_json(_KEYS[kind], delta) for kind, delta in kinds.items()}
    return {"differences": bool(change), "counts": counts, **found}


def _title(kind: str) -> str:
    return _TITLES.get(kind, kind)


def _words(way: str) -> str:
    return way.replace("other-", "of other ")


def _summary(kind: str, delta: Delta[Any, Any]) -> str:
    counts = {way: n for way, n in delta.counts().items() if n and way != "changed"}
    said = ", ".join(f"{n} {_words(way)}" for way, n in counts.items())
    return f"{_title(kind)}: {said or 'no change'}"


def _sections(delta: Delta[Any, Any]) -> Iterator[tuple[str, Sequence[_Row]]]:
    """(way, rows) for all that happened to a kind: what goes, what comes, what becomes different and how."""
    found = {"removed": delta.removed, "added": delta.added} | {way: delta.changed_as(way) for way in delta.ways}
    return ((way, rows) for way, rows in found.items() if rows)


def _group(kind: str, row: _Row) -> tuple[str, str]:
    """The fabric and the place under which a row is listed."""
    key = row[0]
    device = key.rpartition(":")[0] if kind == "cables" else key if kind == "devices" else key[0]
    return row[-1].fabric, place_of(device)


@cache
def place_of(device: str) -> str:
    """Where a device belongs, from its name: up to its unit or rack, or without its last number."""
    found = _UNIT.match(device)
    return found[0] if found else _NUMBER.sub("", device)


def _listed(kind: str, rows: Sequence[_Row], write: Callable[[_Row], str], lines: int) -> Iterator[str]:
    """Groups with their size and their first rows, so many that the lines suffice."""
    groups: dict[tuple[str, str], list[_Row]] = {}
    for row in rows:
        groups.setdefault(_group(kind, row), []).append(row)
    shown = nsmallest(max(1, lines // 2), groups, key=lambda g: (natural(g[0]), natural(g[1])))
    budget, listed = lines - len(shown), 0
    for i, group in enumerate(shown):
        members = groups[group]
        share = members[: max(1, budget // (len(shown) - i))]
        budget, listed = budget - len(share), listed + len(share)
        yield f"  {' '.join(filter(None, group))}: {len(members)}"
        yield from (f"    {write(row)}" for row in share)
    if listed < len(rows):
        yield f"  ... and {len(rows) - listed} more"


def _line(kind: str, fields: Sequence[str], row: _Row) -> str:
    if len(row) == 2:
        return _described(kind, *row)
    return f"{_name(kind, row[0])}: {', '.join(_differences(fields, *row))}"


def _name(kind: str, key: Any) -> str:
    return key if kind in ("devices", "cables") else ":".join(key)


def _described(kind: str, key: Any, facts: Any) -> str:
    """A thing that was added or removed."""
    name = _name(kind, key)
    if kind == "devices":
        return f"{name} ({facts.model}, {facts.rack}" + (f" u{facts.u})" if facts.u else ")")
    if kind == "cables":
        return f"{name} > {_far_ends(key, facts.ends)} ({facts.medium}, {facts.length_m} m)"
    line = f"{name} > {facts.b_device}:{facts.b_port}"
    if kind == "sessions":
        return f"{line} (AS {facts.a_asn}, AS {facts.b_asn})"
    return f"{line} ({facts.speed_gbps}G)"


def _differences(about: Sequence[str], key: Any, old: Any, new: Any) -> Iterator[str]:
    """`field old -> new` for what differs; another peer is said as one thing and brings its own numbers."""
    fields = [name for name in about if getattr(old, name) != getattr(new, name)]
    if "b_device" in fields or "b_port" in fields:
        yield f"{old.b_device}:{old.b_port} -> {new.b_device}:{new.b_port}"
        brought = {"b_device", "b_port"} | ({"b_asn", "b_router_id"} if "b_device" in fields else set())
        fields = [name for name in fields if name not in brought]
    for name in fields:
        was, now = getattr(old, name), getattr(new, name)
        if name == "ends":
            yield f"{_far_ends(key, was)} -> {_far_ends(key, now)}"
        else:
            yield f"{name} {_value(was)} -> {_value(now)}"


def _far_ends(cable: str, ends: Sequence[CableEnd]) -> str:
    """Where a cable goes from the device in its id."""
    anchor = cable.rpartition(":")[0]
    return " + ".join(f"{b}:{b_cage}" if a == anchor else f"{a}:{a_cage}" for a, a_cage, b, b_cage in ends)


def _value(value: Any) -> str:
    return "none" if value in ("", None) else str(value)


def _delta_json(keys: tuple[str, ...], delta: Delta[Any, Any]) -> dict[str, Any]:
    return {
        "added": [_object(keys, key, facts) for key, facts in delta.added],
        "removed": [_object(keys, key, facts) for key, facts in delta.removed],
        "changed": [_changed_json(keys, delta, *row) for row in delta.changed],
    }


def _object(keys: tuple[str, ...], key: Any, facts: Any) -> dict[str, Any]:
    return _key(keys, key) | {name: _plain(value) for name, value in zip(facts._fields, facts, strict=True)}


def _key(keys: tuple[str, ...], key: Any) -> dict[str, Any]:
    return dict(zip(keys, (key,) if len(keys) == 1 else key, strict=True))


def _changed_json(keys: tuple[str, ...], delta: Delta[Any, Any], key: Any, old: Any, new: Any) -> dict[str, Any]:
    fields = [(name, was, now) for name, was, now in zip(new._fields, old, new, strict=True) if was != now]
    names = {name for name, _, _ in fields}
    return _key(keys, key) | {
        "what": [way for way, about in delta.ways.items() if not names.isdisjoint(about)],
        "old": {name: _plain(was) for name, was, _ in fields},
        "new": {name: _plain(now) for name, _, now in fields},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        names = ("a_device", "a_cage", "b_device", "b_cage")
        return [dict(zip(names, end, strict=True)) for end in value]
    return None if value == "" else value

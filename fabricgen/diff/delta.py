"""How the rows of one list differ between two sides, as row numbers and bool arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabricgen.diff.listing import Listing, Rows
from fabricgen.diff.matching import match_rows, unlike
from fabricgen.diff.texts import Flags


@dataclass(frozen=True)
class Delta:
    """Rows added to, removed from and changed in a list; a changed row may have changed in several ways.

    `at` is the column with the device that a row is listed under. `was` and `now` are the rows of changed pairs.
    `differs` flags, for each compared column, the changed pairs with different values; `ways` flags the pairs that
    changed in each way.
    """

    kind: str
    keys: tuple[str, ...]
    at: str
    old: Listing
    new: Listing
    removed: Rows
    added: Rows
    was: Rows
    now: Rows
    differs: Mapping[str, Flags]
    ways: Mapping[str, Flags]

    def __bool__(self) -> bool:
        return bool(len(self))

    def __len__(self) -> int:
        return len(self.removed) + len(self.added) + len(self.was)

    def counts(self) -> dict[str, int]:
        """Numbers of rows added, removed, changed at all, and changed in each way."""
        found = {"added": len(self.added), "removed": len(self.removed), "changed": len(self.was)}
        return found | {way: int(flags.sum()) for way, flags in self.ways.items()}

    def count(self, *ways: str) -> int:
        """Rows that were added or removed, if among `ways`, or changed in any of the ways."""
        counts = {"added": len(self.added), "removed": len(self.removed)}
        if "changed" in ways:
            return len(self.was) + self.count(*(way for way in ways if way != "changed"))
        changed = [self.ways[way] for way in ways if way not in counts]
        both = int(np.logical_or.reduce(changed).sum()) if changed else 0
        return both + sum(counts[way] for way in ways if way in counts)

    def changed_as(self, way: str) -> tuple[Rows, Rows]:
        """(rows in old, rows in new) that changed in a way."""
        return self.was[self.ways[way]], self.now[self.ways[way]]

    def key(self, side: Listing, row: int) -> str:
        """The key of a row as text: device:port."""
        return ":".join(str(side[name][row]) for name in self.keys)

    def differing(self, pair: int) -> list[str]:
        """The columns in which a changed pair differs."""
        return [name for name, flags in self.differs.items() if flags[pair]]

    def ways_of(self, pair: int) -> list[str]:
        """The ways in which a pair changed."""
        return [way for way, flags in self.ways.items() if flags[pair]]


def compare_rows(
    kind: str,
    keys: tuple[str, ...],
    ways: Mapping[str, tuple[str, ...]],
    sides: tuple[Listing, Listing],
    at: str,
) -> Delta:
    """Match rows by key and find those that differ; `ways` gives the compared columns for each way to change."""
    old, new = sides
    removed, added, was, now = match_rows([(old[key], new[key]) for key in keys])
    removed, added = in_order(old, keys, removed), in_order(new, keys, added)
    fields = [name for about in ways.values() for name in about]
    differs = {name: unlike(old[name], new[name], was, now) for name in fields}
    changed = np.flatnonzero(np.logical_or.reduce([*differs.values(), np.zeros(len(was), dtype=bool)]))
    changed = changed[np.argsort(in_order_of(old, keys, was[changed]), kind="stable")] if len(changed) else changed
    differs = {name: flags[changed] for name, flags in differs.items()}
    flags = {way: np.logical_or.reduce([differs[name] for name in about]) for way, about in ways.items()}
    return Delta(kind, keys, at, old, new, removed, added, was[changed], now[changed], differs, flags)


def in_order(side: Listing, keys: tuple[str, ...], rows: Rows) -> Rows:
    """Rows sorted by key."""
    ordered: Rows = rows[np.argsort(in_order_of(side, keys, rows), kind="stable")] if len(rows) else rows
    return ordered


def in_order_of(side: Listing, keys: tuple[str, ...], rows: Rows) -> Rows:
    """The position of each row when rows are sorted by key."""
    texts = list(zip(*(side[key][rows].tolist() for key in keys), strict=True))
    place = np.empty(len(rows), dtype=np.int64)
    place[np.array(sorted(range(len(rows)), key=texts.__getitem__), dtype=np.int64)] = np.arange(len(rows))
    return place


def pairs(delta: Delta, flags: Flags | None = None) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """(pair, old row, new row) of changed pairs: the flagged ones, or all."""
    numbers = np.flatnonzero(flags) if flags is not None else np.arange(len(delta.was))
    rows = zip(delta.old.rows(delta.was[numbers]), delta.new.rows(delta.now[numbers]), strict=True)
    return ((int(number), *both) for number, both in zip(numbers, rows, strict=True))

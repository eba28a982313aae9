"""The difference of one list between two sides, as row numbers and bool arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabricgen.diff.listing import Listing, Rows
from fabricgen.diff.matching import find_differing, match_rows
from fabricgen.diff.texts import Flags


@dataclass(frozen=True)
class Delta:
    """Rows that were added to, removed from or changed in a list; a changed row may have changed in several ways.

    `kind` is the name of the list, such as `cables`; `keys` are the columns by which rows of both sides are matched;
    `at` is the column with the device under which a row is listed. `removed` are rows of `old`, `added` rows of `new`;
    `was` and `now` are the rows of changed pairs, in old and in new; all are int64. `differs` flags, for each compared
    column, the changed pairs with different values; `ways` flags, for each way to change, the pairs that changed so.
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
        """Return the numbers of rows added, removed, changed at all, and changed in each way."""
        counts = {"added": len(self.added), "removed": len(self.removed), "changed": len(self.was)}
        return counts | {change: int(flags.sum()) for change, flags in self.ways.items()}

    def count(self, *changes: str) -> int:
        """Count the rows to which one of `changes` applies: "added", "removed", "changed" (in any way), or a key of
        `ways`, such as "moved".
        """
        counts = {"added": len(self.added), "removed": len(self.removed)}
        if "changed" in changes:  # which has the rows of all ways in it
            return len(self.was) + self.count(*(change for change in changes if change in counts))
        changed = [self.ways[change] for change in changes if change not in counts]
        changed_rows = int(np.logical_or.reduce(changed).sum()) if changed else 0
        return changed_rows + sum(counts[change] for change in changes if change in counts)

    def find_changed(self, change: str) -> tuple[Rows, Rows]:
        """Return the rows that changed in a way: (rows in old, rows in new)."""
        return self.was[self.ways[change]], self.now[self.ways[change]]

    def format_key(self, side: Listing, row: int) -> str:
        """Return the cells of a row in the columns `keys`, joined by colons: `leaf-1:Ethernet0`."""
        return ":".join(str(side[name][row]) for name in self.keys)

    def list_differing_columns(self, pair: int) -> list[str]:
        """Return the names of the columns in which a changed pair (by its number) differs."""
        return [name for name, flags in self.differs.items() if flags[pair]]

    def list_changes(self, pair: int) -> list[str]:
        """Return the ways in which a changed pair (by its number) changed, such as `moved`."""
        return [change for change, flags in self.ways.items() if flags[pair]]


def compare_rows(
    kind: str,
    keys: tuple[str, ...],
    by_change: Mapping[str, tuple[str, ...]],
    sides: tuple[Listing, Listing],
    at: str,
) -> Delta:
    """Return the difference of one list between the old and the new of its `sides`.

    Rows are matched by the columns `keys`. `by_change` has the compared columns for each way to change, and `at` is the
    column with the device under which a row is listed. Removed and added rows, and changed pairs, are sorted by key.
    """
    old, new = sides
    removed, added, was, now = match_rows([(old[key], new[key]) for key in keys])
    removed, added = sort_rows(old, keys, removed), sort_rows(new, keys, added)
    fields = [name for columns in by_change.values() for name in columns]
    differs = {name: find_differing(old[name], new[name], was, now) for name in fields}
    # the zeros are for lists without compared columns
    pairs = np.flatnonzero(np.logical_or.reduce([*differs.values(), np.zeros(len(was), dtype=bool)]))
    pairs = pairs[np.argsort(rank_rows(old, keys, was[pairs]), kind="stable")] if len(pairs) else pairs
    differs = {name: flags[pairs] for name, flags in differs.items()}
    ways = {change: np.logical_or.reduce([differs[name] for name in columns]) for change, columns in by_change.items()}
    return Delta(kind, keys, at, old, new, removed, added, was[pairs], now[pairs], differs, ways)


def sort_rows(side: Listing, keys: tuple[str, ...], rows: Rows) -> Rows:
    """Return the numbers `rows` of rows of a list, sorted by the texts of their key columns; int64."""
    sorted_rows: Rows = rows[np.argsort(rank_rows(side, keys, rows), kind="stable")] if len(rows) else rows
    return sorted_rows


def rank_rows(side: Listing, keys: tuple[str, ...], rows: Rows) -> Rows:
    """Return the position that each of `rows` has if they are sorted by their key columns; int64."""
    texts = list(zip(*(side[key][rows].tolist() for key in keys), strict=True))
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[np.array(sorted(range(len(rows)), key=texts.__getitem__), dtype=np.int64)] = np.arange(len(rows))
    return ranks


def list_changed_pairs(
    delta: Delta, flags: Flags | None = None
) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """Return an iterator over (number of the pair, old row, new row) of changed pairs, rows as column -> cell.

    With `flags`, which has a bool for each changed pair, only flagged pairs are included.
    """
    pair_numbers = np.flatnonzero(flags) if flags is not None else np.arange(len(delta.was))
    rows = zip(delta.old.rows(delta.was[pair_numbers]), delta.new.rows(delta.now[pair_numbers]), strict=True)
    return ((int(number), *cells) for number, cells in zip(pair_numbers, rows, strict=True))

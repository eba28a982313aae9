"""Match rows of two lists by key: blocks that are in the same order on both sides first, all other rows by hash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from fabricgen.diff.listing import Column, Rows, coded, matched
from fabricgen.diff.texts import Flags, Texts, coded_alike, parts_alike
from fabricgen.numbering.lazy_columns import EncodedColumn

Keys: TypeAlias = Sequence[tuple[Column, Column]]
"""Key columns as (old, new) pairs."""

_Comparable: TypeAlias = tuple[Any, Any]
"""A pair to compare instead of two columns: where its values are equal, the columns are."""

_WINDOW = 65536
"""How many rows are compared at once, and how far ahead a matching block is searched."""

_TRIES = 100
"""Number of blocks after which all other rows are matched by hash, since the order has little in common."""


def match_rows(keys: Keys) -> tuple[Rows, Rows, Rows, Rows]:
    """(rows only in old, rows only in new, common rows: in old, in new); the first two ascending.

    Lists of two revisions mostly agree in blocks, and comparing these in place is several times faster than hashing
    each row.
    """
    starts = _blocks(comparable(keys), (len(keys[0][0]), len(keys[0][1])))
    was = np.concatenate([np.arange(i, i + n) for i, _, n in starts] or [np.empty(0, dtype=np.int64)])
    now = np.concatenate([np.arange(j, j + n) for _, j, n in starts] or [np.empty(0, dtype=np.int64)])
    left, right = _others(was, len(keys[0][0])), _others(now, len(keys[0][1]))
    gone, come, also_was, also_now = matched(*coded(*((old[left], new[right]) for old, new in keys)))
    both = np.concatenate([was, left[also_was]]), np.concatenate([now, right[also_now]])
    return left[gone], right[come], *both


def _others(rows: Rows, count: int) -> Rows:
    keep = np.ones(count, dtype=bool)
    keep[rows] = False
    return np.flatnonzero(keep)


def comparable(keys: Keys) -> list[_Comparable]:
    """What to compare instead of columns: codes of the distinct texts where both sides are built from such."""
    parts: dict[tuple[EncodedColumn, EncodedColumn], None] = {}
    found: list[_Comparable] = []
    for old, new in keys:
        alike = parts_alike(old, new) if isinstance(old, Texts) and isinstance(new, Texts) else None
        if alike is None:
            found.append((old, new))
        else:
            parts.update(dict.fromkeys(alike))
    return [*found, *(coded_alike(*pair) for pair in parts)]


def unlike(old: Column, new: Column, was: Rows, now: Rows) -> Flags:
    """Whether corresponding rows (`was`, `now`) of two columns differ; texts are built only where their parts differ.
    bool.
    """
    found = np.zeros(len(was), dtype=bool)
    for before, after in comparable([(old, new)]):
        found |= np.asarray(before[was] != after[now], dtype=bool)
    found[found] = old[was[found]] != new[now[found]]
    return found


def _blocks(keys: list[_Comparable], ends: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Blocks that agree: (first row in old, first row in new, number of rows)."""
    found: list[tuple[int, int, int]] = []
    i = j = 0
    for _ in range(_TRIES):
        rows = _alike(keys, i, j, ends)
        if rows:
            found.append((i, j, rows))
        i, j = i + rows, j + rows
        if i >= ends[0] or j >= ends[1]:
            break
        skipped = _next(keys, i, j)
        if skipped is None:
            break
        i, j = i + skipped[0], j + skipped[1]
    return found


def _alike(keys: list[_Comparable], i: int, j: int, ends: tuple[int, int]) -> int:
    """How many rows agree, from row `i` of old and `j` of new on."""
    total, size = 0, 1024
    while True:
        differs = _differ(keys, i + total, j + total, min(size, ends[0] - i - total, ends[1] - j - total))
        if differs.any():
            return total + int(differs.argmax())
        total += len(differs)
        if len(differs) < size:
            return total
        size = min(2 * size, _WINDOW)


def _differ(keys: list[_Comparable], i: int, j: int, size: int) -> Flags:
    """Whether each of `size` pairs of rows differs; bool."""
    found = np.zeros(size, dtype=bool)
    for old, new in keys:
        found |= np.asarray(old[i : i + size] != new[j : j + size], dtype=bool)
    return found


def _next(keys: list[_Comparable], i: int, j: int) -> tuple[int, int] | None:
    """How many rows of old and of new to skip until rows agree again; None where no match is nearby."""
    come, gone = np.ones(_WINDOW, dtype=bool), np.ones(_WINDOW, dtype=bool)
    for old, new in keys:
        ahead, behind = new[j : j + _WINDOW] == old[i], old[i : i + _WINDOW] == new[j]
        come, gone = come[: len(ahead)] & np.asarray(ahead, dtype=bool), gone[: len(behind)] & np.asarray(behind, bool)
    if come.any() and (not gone.any() or come.argmax() <= gone.argmax()):
        return 0, int(come.argmax())
    return (int(gone.argmax()), 0) if gone.any() else None

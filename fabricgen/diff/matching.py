"""Match rows of two lists by key: first blocks in the same order on both sides, then all other rows by hash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from fabricgen.diff.listing import Column, Rows, encode_rows, match_codes
from fabricgen.diff.texts import Flags, Texts, encode_pair, pair_parts
from fabricgen.numbering.lazy_columns import EncodedColumn

Keys: TypeAlias = Sequence[tuple[Column, Column]]
"""Key columns as (old, new) pairs."""

_Comparable: TypeAlias = tuple[Any, Any]
"""Two arrays to compare instead of two columns: rows with equal values have equal texts."""

_WINDOW = 65536
"""The most rows that are compared at once, and how far ahead a matching block is searched."""

_TRIES = 100
"""The number of blocks after which all other rows are matched by hash, since their order has little in common."""


def match_rows(keys: Keys) -> tuple[Rows, Rows, Rows, Rows]:
    """Match rows by key columns; return (rows only in old, rows only in new, common rows in old, their rows in new).

    All are int64. The first two are ascending; the last two have a row for each matched pair, pairs of blocks first.
    Equal keys that are repeated are matched in order. Lists of two revisions mostly agree in blocks, and comparing
    these in place is several times faster than hashing each row.
    """
    lengths = len(keys[0][0]), len(keys[0][1])
    blocks = _find_equal_blocks(list_comparables(keys), lengths)
    no_rows = np.empty(0, dtype=np.int64)
    old_in_blocks = np.concatenate([np.arange(i, i + n) for i, _, n in blocks] or [no_rows])
    new_in_blocks = np.concatenate([np.arange(j, j + n) for _, j, n in blocks] or [no_rows])
    # rows in no block are matched by hash
    old_others, new_others = _list_other_rows(old_in_blocks, lengths[0]), _list_other_rows(new_in_blocks, lengths[1])
    codes = encode_rows(*((old[old_others], new[new_others]) for old, new in keys))
    old_only, new_only, old_matched, new_matched = match_codes(*codes)
    common_old = np.concatenate([old_in_blocks, old_others[old_matched]])
    common_new = np.concatenate([new_in_blocks, new_others[new_matched]])
    return old_others[old_only], new_others[new_only], common_old, common_new


def _list_other_rows(rows: Rows, count: int) -> Rows:
    """Return the rows from 0 to `count` - 1 that are not in `rows`, ascending; int64."""
    is_other = np.ones(count, dtype=bool)
    is_other[rows] = False
    return np.flatnonzero(is_other)


def list_comparables(keys: Keys) -> list[_Comparable]:
    """Return pairs of arrays, (old, new), that are compared in place of pairs of columns: rows that are equal in all of
    the arrays have equal keys.

    A column whose parts correspond on both sides (`pair_parts`) is replaced by the codes of its parts; a pair of parts
    that several columns have comes once. Other columns stay as they are, and come first.
    """
    code_pairs: dict[tuple[EncodedColumn, EncodedColumn], None] = {}
    columns: list[_Comparable] = []
    for old, new in keys:
        part_pairs = pair_parts(old, new) if isinstance(old, Texts) and isinstance(new, Texts) else None
        if part_pairs is None:
            columns.append((old, new))
        else:
            code_pairs.update(dict.fromkeys(part_pairs))
    return [*columns, *(encode_pair(*pair) for pair in code_pairs)]


def find_differing(old: Column, new: Column, was: Rows, now: Rows) -> Flags:
    """Flag the pairs of rows (`was` in old, `now` in new) in which two columns differ; bool.

    Texts are built only for pairs whose parts differ.
    """
    differs = np.zeros(len(was), dtype=bool)
    for old_values, new_values in list_comparables([(old, new)]):
        differs |= np.asarray(old_values[was] != new_values[now], dtype=bool)
    # different parts may make up equal texts: the texts of these rows are compared
    differs[differs] = old[was[differs]] != new[now[differs]]
    return differs


def _find_equal_blocks(keys: list[_Comparable], ends: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Return blocks of equal rows, as (first row in old, first row in new, number of rows).

    `ends` are the numbers of rows of old and of new.
    """
    blocks: list[tuple[int, int, int]] = []
    i = j = 0
    for _ in range(_TRIES):
        length = _count_equal_rows(keys, i, j, ends)
        if length:
            blocks.append((i, j, length))
        i, j = i + length, j + length
        if i >= ends[0] or j >= ends[1]:
            break
        skipped = _skip_to_match(keys, i, j)
        if skipped is None:
            break
        i, j = i + skipped[0], j + skipped[1]
    return blocks


def _count_equal_rows(keys: list[_Comparable], i: int, j: int, ends: tuple[int, int]) -> int:
    """Count the equal rows from row `i` of old and row `j` of new on; `ends` are the numbers of rows of old and new."""
    total, size = 0, 1024
    while True:
        differs = _find_differing_pairs(keys, i + total, j + total, min(size, ends[0] - i - total, ends[1] - j - total))
        if differs.any():
            return total + int(differs.argmax())
        total += len(differs)
        if len(differs) < size:
            return total
        # short blocks end soon; in long ones larger steps save calls
        size = min(2 * size, _WINDOW)


def _find_differing_pairs(keys: list[_Comparable], i: int, j: int, size: int) -> Flags:
    """Flag the pairs that differ, of `size` pairs from row `i` of old and row `j` of new on; bool."""
    differs = np.zeros(size, dtype=bool)
    for old, new in keys:
        differs |= np.asarray(old[i : i + size] != new[j : j + size], dtype=bool)
    return differs


def _skip_to_match(keys: list[_Comparable], i: int, j: int) -> tuple[int, int] | None:
    """Return how many rows of old (from `i` on) and of new (from `j` on) to skip until rows are equal again.

    `keys` has, for each column that rows are compared by, that column of old and of new. One of the two numbers is 0:
    rows are skipped on the side on which fewer have to be. Return None if there is no match within `_WINDOW` rows.
    """
    # which of the next rows of new equal the present row of old, and the other way round
    new_equal, old_equal = np.ones(_WINDOW, dtype=bool), np.ones(_WINDOW, dtype=bool)
    for old, new in keys:
        new_flags = np.asarray(new[j : j + _WINDOW] == old[i], dtype=bool)
        old_flags = np.asarray(old[i : i + _WINDOW] == new[j], dtype=bool)
        # near the end of a list fewer rows are left
        new_equal, old_equal = new_equal[: len(new_flags)] & new_flags, old_equal[: len(old_flags)] & old_flags
    # argmax of flags is the index of the first true one
    if new_equal.any() and (not old_equal.any() or new_equal.argmax() <= old_equal.argmax()):
        return 0, int(new_equal.argmax())
    return (int(old_equal.argmax()), 0) if old_equal.any() else None

"""Rows of a table by what they have in common, over columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.wiring.tables import Flags, Ints, Ints64, places_among

_MOST_CODES = 1 << 22
"""Combinations that a table is made of, rather than a sorted list: 64 MB."""


def combinations(*columns: Any) -> tuple[Ints64, Ints64]:
    """(a row of each distinct combination of numbers, the combination of every row); columns of one length.

    Combinations ascend, the first column before the next. Columns of other numbers than from 0 have few distinct ones.
    """
    code, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        small = column.dtype.kind in "iub" and column.min(initial=0) >= 0 and column.max(initial=0) < _MOST_CODES
        values, place = (None, column) if small else places_among(column)
        width = int(column.max(initial=0)) + 1 if values is None else len(values)
        code *= width
        code += place
        size *= width
        if size > _MOST_CODES:
            known, code = np.unique(code, return_inverse=True)
            size = len(known)
    row = np.full(size, -1, dtype=np.int64)
    row[code[::-1]] = np.arange(len(code), dtype=np.int64)[::-1]
    there = np.flatnonzero(row >= 0)
    number = np.zeros(size, dtype=np.int64)
    number[there] = np.arange(len(there), dtype=np.int64)
    return row[there], number[code]


def numbered(code: Ints | Ints64, size: int) -> tuple[Ints64, Ints]:
    """(numbers below `size` that occur, ascending, the place of each row's own among them); numbers from 0."""
    met = np.zeros(size, dtype=bool)
    met[code] = True
    return np.flatnonzero(met), (np.cumsum(met, dtype=np.int32) - 1)[code]


def rank_within(keys: Ints | Ints64) -> Ints:
    """The place of each row among the rows of the same key, in row order; int32."""
    order = np.argsort(keys, kind="stable")
    start = np.searchsorted(keys[order], keys[order])
    rank = np.empty(len(keys), dtype=np.int32)
    rank[order] = np.arange(len(keys), dtype=np.int32) - start
    return rank


def all_alike(group: Ints | Ints64, value: Ints, groups: int) -> Flags:
    """Whether all values of each group, int from 0, are one; so it is of groups without any."""
    least, most = np.full(groups, np.iinfo(np.int32).max, dtype=np.int32), np.full(groups, -1, dtype=np.int32)
    np.minimum.at(least, group, value)
    np.maximum.at(most, group, value)
    same: Flags = least >= most
    return same

"""Columns: their types, and grouping of rows by the values of integer columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int32]"
Ints64: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
Flags: TypeAlias = "npt.NDArray[np.bool_]"

_MOST_CODES = 1 << 22
"""Combinations of values are counted in a table with an entry for each possible one, up to this many (64 MB), and
sorted if there are more."""

_TABLE_OF_ROWS = 16
"""The most entries of such a table for each row of the columns."""


def unique_combinations(*columns: Any) -> tuple[Ints64, Ints64]:
    """Return the distinct combinations of values of integer columns of one length.

    They are (the first row of each combination, the index of every row's combination), int64, in ascending order, the
    first column most significant. A column with negative or large values must have few distinct ones.
    """
    code, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        small = column.dtype.kind in "iub" and column.min(initial=0) >= 0 and column.max(initial=0) < _MOST_CODES
        values, position = (None, column) if small else unique_inverse(column)
        width = int(column.max(initial=0)) + 1 if values is None else len(values)
        code *= width
        code += position
        size *= width
        # renumber what there is before the next factor would pass the table, or 64 bits
        if size > _MOST_CODES:
            codes, code = np.unique(code, return_inverse=True)
            size = len(codes)
    if size > _TABLE_OF_ROWS * len(code):  # a table would take longer to fill than a few rows to sort
        _, first, number_of_row = np.unique(code, return_index=True, return_inverse=True)
        return first, number_of_row
    row = np.full(size, -1, dtype=np.int64)
    # backwards, so that the first row of each combination is written last and stays
    row[code[::-1]] = np.arange(len(code), dtype=np.int64)[::-1]
    present = np.flatnonzero(row >= 0)
    number = np.zeros(size, dtype=np.int64)
    number[present] = np.arange(len(present), dtype=np.int64)
    return row[present], number[code]


def unique_below(code: Ints | Ints64, size: int) -> tuple[Ints64, Ints]:
    """Return (distinct values of a column with values from 0 to `size` - 1, ascending, int64; index of each row's value
    among them, int32).
    """
    met = np.zeros(size, dtype=bool)
    met[code] = True
    return np.flatnonzero(met), (np.cumsum(met, dtype=np.int32) - 1)[code]


def rank_within(keys: Ints | Ints64, by: Ints | Ints64 | Floats | None = None) -> Ints:
    """Return the rank of each row, from 0, among the rows with its key: in row order, or in that of `by`; int32."""
    order = np.argsort(keys, kind="stable") if by is None else np.lexsort((by, keys))
    # the first row of a key among the sorted ones, so that the distance from it is the rank
    start = np.searchsorted(keys[order], keys[order])
    rank = np.empty(len(keys), dtype=np.int32)
    rank[order] = np.arange(len(keys), dtype=np.int32) - start
    return rank


def all_alike(group: Ints | Ints64, value: Ints, groups: int) -> Flags:
    """Return for each group (numbered from 0) whether all its values are equal, bool; true for groups without rows."""
    lowest, highest = np.full(groups, np.iinfo(np.int32).max, dtype=np.int32), np.full(groups, -1, dtype=np.int32)
    # a group without rows keeps the greatest int32 as its lowest value, which makes it alike
    np.minimum.at(lowest, group, value)
    np.maximum.at(highest, group, value)
    is_alike: Flags = lowest >= highest
    return is_alike


def unique_values(column: Ints | Ints64) -> list[int]:
    """Return the distinct values of a column, ascending; np.unique would import numpy's masked arrays first."""
    ordered = np.sort(column)
    values: list[int] = ordered[np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)]].tolist()
    return values


def unique_inverse(column: Ints | Ints64) -> tuple[list[int], Ints64]:
    """Return (the distinct values of a column, ascending; the index of each row's value among them, int64)."""
    values = unique_values(column)
    return values, np.searchsorted(np.array(values, dtype=column.dtype), column)


def join_components(label: Ints64, a: Ints | Ints64, b: Ints | Ints64) -> Ints64:
    """Return the labels of connected components after further links; a label is the least node of its component.

    `label` has the labels before, by node (a node that is alone has its own number), `a` and `b` the nodes at the ends
    of the links. The result has the dtype of `label`.
    """
    label = label.copy()
    while len(a):
        before = label.copy()
        np.minimum.at(label, before[b], label[a])
        # labels are nodes: to follow them halves the way to the least one
        label = label[label]
        np.minimum.at(label, before[a], label[b])
        label = label[label]
        if np.array_equal(before, label):
            break
    return label

"""Lazy columns of tables: dictionary-encoded, concatenated or computed, and expanded only when rows are read.

A list of a million cables names some hundred parts, cages and racks. An encoded column keeps each value once and an
integer code per row, so that a writer can format each value once instead of once a row.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias, cast, overload

import numpy as np

from fabricgen.wiring.arrays import Ints, Ints64

if TYPE_CHECKING:
    import numpy.typing as npt

Strings: TypeAlias = "npt.NDArray[np.object_]"


class LazyColumn(Sequence[Any]):
    """A column whose values are computed when they are read."""

    @abstractmethod
    def read(self, start: int, stop: int) -> list[Any]:
        """Return the values of rows `start` to `stop` - 1."""

    def texts(self) -> Strings:
        """Return all values as an object array with one entry a row."""
        return np.array(self.read(0, len(self)), dtype=object)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read(0, len(self)))

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...
    def __getitem__(self, row: int | slice) -> Any:
        selected = range(len(self))[row]
        if isinstance(selected, int):
            return self.read(selected, selected + 1)[0]
        return self.read(selected.start, selected.stop) if selected.step == 1 else [self[i] for i in selected]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.read(0, len(self)), dtype=dtype)


class EncodedColumn(LazyColumn):
    """A dictionary-encoded column: the value of row i is `vocabulary[codes[i]]`.

    `vocabulary` is an object array; `codes` are int32 or int64 indexes into it, from 0, one a row.
    """

    def __init__(self, vocabulary: Strings, codes: Ints | Ints64) -> None:
        self.vocabulary, self.codes = vocabulary, codes

    def __len__(self) -> int:
        return len(self.codes)

    def read(self, start: int, stop: int) -> list[Any]:
        """Return the values of rows `start` to `stop` - 1."""
        values: list[Any] = self.vocabulary[self.codes[start:stop]].tolist()
        return values

    def take(self, rows: Any) -> EncodedColumn:
        """Return the column of some rows, given by a bool mask or an array of indexes."""
        return EncodedColumn(self.vocabulary, self.codes[rows])

    def take_or_empty(self, rows: Ints | Ints64) -> EncodedColumn:
        """Return the column of some rows, given by an array of indexes; index -1 gives the value ""."""
        if rows.min(initial=0) >= 0:
            return self.take(rows)
        # index -1 is the last row in numpy: a code of -1 there stands for the empty text
        codes: Ints | Ints64 = np.append(self.codes, np.array([-1], dtype=self.codes.dtype))[rows]
        return encode_or_empty(self.vocabulary, codes)

    def texts(self) -> Strings:
        """Return all values as an object array with one entry a row."""
        return self.vocabulary[self.codes]


class ConcatenatedColumn(LazyColumn):
    """A column of text: each row joins the values of `parts`, which are columns (at least one) and constant texts."""

    def __init__(self, parts: tuple[LazyColumn | str, ...]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return next(len(part) for part in self.parts if not isinstance(part, str))

    def read(self, start: int, stop: int) -> list[str]:
        """Return the values of rows `start` to `stop` - 1."""
        count = len(range(len(self))[start:stop])
        columns = ([part] * count if isinstance(part, str) else part.read(start, stop) for part in self.parts)
        return list(map("".join, zip(*columns, strict=True)))

    def take(self, rows: Any) -> ConcatenatedColumn:
        """Return the column of some rows, given by a bool mask or an array of indexes; every column in `parts` must
        have `take`.
        """
        return ConcatenatedColumn(
            tuple(part if isinstance(part, str) else cast(SelectableColumn, part).take(rows) for part in self.parts)
        )


class StackedColumn(LazyColumn):
    """Columns stacked vertically: the rows of the first column, then those of the second, and so on."""

    def __init__(self, columns: tuple[Sequence[Any], ...]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return sum(map(len, self.columns))

    def read(self, start: int, stop: int) -> list[Any]:
        """Return the values of rows `start` to `stop` - 1."""
        ends = list(accumulate(map(len, self.columns)))
        values: list[Any] = []
        for i in range(bisect_right(ends, start), len(ends)):
            rows_before = ends[i] - len(self.columns[i])
            if rows_before >= stop:
                break
            values += self.columns[i][max(0, start - rows_before) : stop - rows_before]
        return values


class ComputedColumn(LazyColumn):
    """A column of mostly distinct values: `make(start, stop)` returns those of rows `start` to `stop` - 1."""

    def __init__(self, length: int, make: Callable[[int, int], list[Any]]) -> None:
        self.length, self.make = length, make

    def __len__(self) -> int:
        return self.length

    def read(self, start: int, stop: int) -> list[Any]:
        """Return the values of rows `start` to `stop` - 1."""
        return self.make(start, stop)


SelectableColumn: TypeAlias = EncodedColumn | ConcatenatedColumn
"""Columns whose rows can be selected without computing the values of other rows."""


def make_object_array(values: Sequence[Any] | Strings) -> Strings:
    """Return values as an object array of one dimension; numpy alone would make an array of text of texts."""
    return np.array(values, dtype=object)


def encode_column(values: Sequence[Any] | Strings, codes: Ints | Ints64) -> EncodedColumn:
    """Return the encoded column of distinct values and the code of each row."""
    return EncodedColumn(make_object_array(values), codes)


def encode_or_empty(values: Sequence[Any] | Strings, codes: Ints | Ints64) -> EncodedColumn:
    """Return the encoded column of distinct values and the code of each row; a negative code gives the value ""."""
    # all codes move up by one, so that -1 becomes the code of ""
    return encode_column(["", *values], np.maximum(codes, -1) + 1)


def repeat_value(value: str, rows: int) -> EncodedColumn:
    """Return a column whose `rows` rows all have one value."""
    return encode_column([value], np.zeros(rows, dtype=np.int32))

"""Columns of few distinct cells: each is kept once, and every row says by number which it has.

A list of a million cables has some hundred parts, cages and racks. Such columns are made when they are read, a piece
at a time; what writes them can put the texts of neighbours together once, rather than in every row.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias, cast, overload

import numpy as np

from fabricgen.wiring.tables import Ints, Ints64

if TYPE_CHECKING:
    import numpy.typing as npt

Strings: TypeAlias = "npt.NDArray[np.object_]"


class Cells(Sequence[Any]):
    """A column that makes its cells when they are read."""

    @abstractmethod
    def cut(self, start: int, stop: int) -> list[Any]:
        """The cells of the rows from `start` up to `stop`."""

    def texts(self) -> Strings:
        """The whole column, as an object array."""
        return np.array(self.cut(0, len(self)), dtype=object)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.cut(0, len(self)))

    @overload
    def __getitem__(self, row: int) -> Any: ...
    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...
    def __getitem__(self, row: int | slice) -> Any:
        places = range(len(self))[row]
        if isinstance(places, int):
            return self.cut(places, places + 1)[0]
        return self.cut(places.start, places.stop) if places.step == 1 else [self[place] for place in places]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.cut(0, len(self)), dtype=dtype)


@dataclass(frozen=True, slots=True, eq=False)
class Keyed(Cells):
    """Cells by number: row i has `vocabulary[number[i]]`; an object array, and int32 or int64 from 0."""

    vocabulary: Strings
    number: Ints | Ints64

    def __len__(self) -> int:
        return len(self.number)

    def cut(self, start: int, stop: int) -> list[Any]:
        """The cells of some rows."""
        found: list[Any] = self.vocabulary[self.number[start:stop]].tolist()
        return found

    def at(self, rows: Any) -> Keyed:
        """The cells of some rows, by a mask or an array of indexes, as a column."""
        return Keyed(self.vocabulary, self.number[rows])

    def at_or_none(self, rows: Ints | Ints64) -> Keyed:
        """The cells of some rows, by an array of indexes, as a column; "" where an index is -1."""
        if rows.min(initial=0) >= 0:
            return self.at(rows)
        number: Ints | Ints64 = np.append(self.number, np.array([-1], dtype=self.number.dtype))[rows]
        return keyed_or_none(self.vocabulary, number)

    def texts(self) -> Strings:
        """The whole column, as an object array."""
        return self.vocabulary[self.number]


@dataclass(frozen=True, slots=True, eq=False)
class Joined(Cells):
    """Texts that are put together in each row, of one column of text at least and of what is the same in all."""

    parts: tuple[Cells | str, ...]

    def __len__(self) -> int:
        return next(len(part) for part in self.parts if not isinstance(part, str))

    def cut(self, start: int, stop: int) -> list[str]:
        """The texts of some rows."""
        count = len(range(len(self))[start:stop])
        columns = ([part] * count if isinstance(part, str) else part.cut(start, stop) for part in self.parts)
        return list(map("".join, zip(*columns, strict=True)))

    def at(self, rows: Any) -> Joined:
        """The texts of some rows, by a mask or an array of indexes, as a column; of parts that can be picked so."""
        return Joined(tuple(part if isinstance(part, str) else cast(Pickable, part).at(rows) for part in self.parts))


@dataclass(frozen=True, slots=True, eq=False)
class Stacked(Cells):
    """Columns one below the other."""

    columns: tuple[Sequence[Any], ...]

    def __len__(self) -> int:
        return sum(map(len, self.columns))

    def cut(self, start: int, stop: int) -> list[Any]:
        """The cells of some rows."""
        ends = list(accumulate(map(len, self.columns)))
        found: list[Any] = []
        for i in range(bisect_right(ends, start), len(ends)):
            before = ends[i] - len(self.columns[i])
            if before >= stop:
                break
            found += self.columns[i][max(0, start - before) : stop - before]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Spelled(Cells):
    """Cells that have little in common: `make` spells those of the rows from a start up to a stop."""

    length: int
    make: Callable[[int, int], list[Any]]

    def __len__(self) -> int:
        return self.length

    def cut(self, start: int, stop: int) -> list[Any]:
        """The cells of some rows."""
        return self.make(start, stop)


Pickable: TypeAlias = Keyed | Joined
"""Columns of which rows can be picked without making the texts of others."""


def vocabulary(cells: Sequence[Any] | Strings) -> Strings:
    """Cells as an object array, whatever they are."""
    return np.array(cells, dtype=object)


def keyed(cells: Sequence[Any] | Strings, number: Ints | Ints64) -> Keyed:
    """Cells by number, of a plain sequence."""
    return Keyed(vocabulary(cells), number)


def keyed_or_none(cells: Sequence[Any] | Strings, number: Ints | Ints64) -> Keyed:
    """Cells by number, "" where that is negative."""
    return keyed(["", *cells], np.maximum(number, -1) + 1)


def constant(cell: str, rows: int) -> Keyed:
    """The same in so many rows."""
    return keyed([cell], np.zeros(rows, dtype=np.int32))

"""Columns of text that are kept as numbers of shared texts, and made only in the rows that are asked for.

Most of a large fabric is the same on both sides. To tell so, the numbers of the parts that its texts are put together
from are enough: rows with the same parts have the same text, whatever that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, repeat, zip_longest
from operator import add
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fabricgen.numbering.lazy_columns import (
    ConcatenatedColumn,
    EncodedColumn,
    LazyColumn,
    StackedColumn,
    Strings,
    constant_column,
)

if TYPE_CHECKING:
    import numpy.typing as npt

Flags: TypeAlias = "npt.NDArray[np.bool_]"
Part: TypeAlias = EncodedColumn | str

_FEW = 100_000
"""Texts of which all beginnings are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column whose rows are the texts of its parts, one after the other; read like an object array."""

    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return next(len(part) for part in self.parts if isinstance(part, EncodedColumn))

    def __getitem__(self, rows: Any) -> Any:
        """The text of a row; of several, by a slice, a mask or an array of indexes, an object array."""
        return reduce(
            add, (part if isinstance(part, str) else part.vocabulary[part.codes[rows]] for part in self.parts)
        )

    def tolist(self) -> list[str]:
        """The text of every row."""
        found: list[str] = self[:].tolist()
        return found

    def places(self, known: Mapping[Any, int]) -> npt.NDArray[np.int64]:
        """The number that each text is known by, -1 where it is not; a text that rows share is looked up once."""
        if len(self.parts) > 1 or not isinstance(self.parts[0], EncodedColumn):
            return places_in(known, self[:])
        return places_in(known, self.parts[0].vocabulary)[self.parts[0].codes]

    def among(self, wanted: frozenset[str]) -> Flags:
        """Which rows are among some texts; of few, only rows that begin like one of them are put together."""
        first, *more = self.parts
        if not isinstance(first, EncodedColumn) or (more and len(wanted) > _FEW):
            return known_in(wanted, self[:])
        if not more:
            return known_in(wanted, first.vocabulary)[first.codes]
        begins = frozenset(text[:end] for text in wanted for end in range(len(text) + 1))
        found = known_in(begins, first.vocabulary)[first.codes]
        found[found] = known_in(wanted, self[found])
        return found


@dataclass(frozen=True, slots=True)
class Codes:
    """Numbers of the texts of a part, in place of these: on two sides they are equal where the texts are."""

    of_text: npt.NDArray[np.int32]
    number: Any

    def __getitem__(self, rows: Any) -> Any:
        return self.of_text[self.number[rows]]


def texts_of(cells: Sequence[Any]) -> Texts | Strings:
    """A column of a table by the parts that it is made of; an object array where it has none."""
    parts = _parts(cells)
    if parts is None:
        return cells.texts() if isinstance(cells, LazyColumn) else _strings(cells)
    return Texts(parts)


def parts_alike(old: Texts, new: Texts) -> list[tuple[EncodedColumn, EncodedColumn]] | None:
    """The parts of two columns that belong together; None where these are not made alike."""
    found: list[tuple[EncodedColumn, EncodedColumn]] = []
    for was, now in zip_longest(old.parts, new.parts):
        if isinstance(was, EncodedColumn) and isinstance(now, EncodedColumn):
            found.append((was, now))
        elif was != now:
            return None
    return found


def coded_alike(old: EncodedColumn, new: EncodedColumn) -> tuple[Codes, Codes]:
    """Numbers for the texts of a part on two sides."""
    known: dict[str, int] = {}
    was, now = (
        np.array([known.setdefault(text, len(known)) for text in part.vocabulary.tolist()], dtype=np.int32)
        for part in (old, new)
    )
    return Codes(was, old.codes), Codes(now, new.codes)


def known_in(wanted: frozenset[str], texts: Strings) -> Flags:
    """Which texts are among some."""
    return np.fromiter(map(wanted.__contains__, texts.tolist()), dtype=bool, count=len(texts))


def places_in(known: Mapping[Any, int], texts: Strings) -> npt.NDArray[np.int64]:
    """The number that each text is known by, -1 where it is not."""
    return np.fromiter(map(known.get, texts.tolist(), repeat(-1)), dtype=np.int64, count=len(texts))


def _strings(cells: Sequence[Any]) -> Strings:
    found = np.empty(len(cells), dtype=object)
    found[:] = cells if isinstance(cells, np.ndarray) else list(cells)
    return found


def _parts(cells: Any) -> tuple[Part, ...] | None:
    """What a column is put together from; None where it is not."""
    if isinstance(cells, EncodedColumn):
        return (cells,)
    if isinstance(cells, ConcatenatedColumn):
        inner = [(part,) if isinstance(part, str) else _parts(part) for part in cells.parts]
        found = tuple(part for parts in inner for part in parts or ())
        return found if None not in inner else None
    return _stacked([_keyed_parts(c) for c in cells.columns if len(c)]) if isinstance(cells, StackedColumn) else None


def _keyed_parts(cells: Sequence[Any]) -> tuple[EncodedColumn, ...]:
    """A section of a column; what is not put together counts as one part of which no text is shared."""
    parts = _parts(cells) or (
        EncodedColumn(np.array(texts_of(cells), dtype=object), np.arange(len(cells), dtype=np.int32)),
    )
    return tuple(constant_column(part, len(cells)) if isinstance(part, str) else part for part in parts)


def _stacked(sections: list[tuple[EncodedColumn, ...]]) -> tuple[EncodedColumn, ...] | None:
    """Sections one below the other, part by part; one of fewer parts ends in nothing."""
    lengths = [len(section[0]) for section in sections]
    columns: Iterable[tuple[EncodedColumn | None, ...]] = zip_longest(*sections)
    found = [
        _below([part or constant_column("", rows) for part, rows in zip(column, lengths, strict=True)])
        for column in columns
    ]
    return tuple(found) or None


def _below(parts: list[EncodedColumn]) -> EncodedColumn:
    starts = accumulate((len(part.vocabulary) for part in parts[:-1]), initial=0)
    numbers = [part.codes + np.int32(start) for part, start in zip(parts, starts, strict=True)]
    return EncodedColumn(np.concatenate([part.vocabulary for part in parts]), np.concatenate(numbers))

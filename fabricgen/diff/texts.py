"""Text columns stored as indexes into distinct texts (dictionary encoding); texts are built only for rows that are
read.

Most of a large fabric is unchanged, and to see that the indexes are enough: rows whose parts are equal have equal
texts, whatever these are.
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
    repeat_value,
)

if TYPE_CHECKING:
    import numpy.typing as npt

Flags: TypeAlias = "npt.NDArray[np.bool_]"
TextPart: TypeAlias = EncodedColumn | str

_FEW = 100_000
"""Up to this many wanted texts, rows are preselected by their first part."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column in which the text of a row is the concatenation of its parts; can be read like an object array."""

    parts: tuple[TextPart, ...]

    def __len__(self) -> int:
        return next(len(part) for part in self.parts if isinstance(part, EncodedColumn))

    def __getitem__(self, rows: Any) -> Any:
        """The text of a row; for a slice, a mask or an array of indexes an object array of texts."""
        return reduce(
            add, (part if isinstance(part, str) else part.vocabulary[part.codes[rows]] for part in self.parts)
        )

    def tolist(self) -> list[str]:
        """The text of every row."""
        texts: list[str] = self[:].tolist()
        return texts

    def look_up_rows(self, rows: Mapping[Any, int]) -> npt.NDArray[np.int64]:
        """The value in `rows` for each text, -1 where there is none; each distinct text is looked up once. int64."""
        if len(self.parts) > 1 or not isinstance(self.parts[0], EncodedColumn):
            return find_rows_of_texts(rows, self[:])
        return find_rows_of_texts(rows, self.parts[0].vocabulary)[self.parts[0].codes]

    def flag_among(self, chosen: frozenset[str]) -> Flags:
        """Which rows have a text in `chosen`; bool."""
        first, *more = self.parts
        if not isinstance(first, EncodedColumn) or (more and len(chosen) > _FEW):
            return find_among_texts(chosen, self[:])
        if not more:
            return find_among_texts(chosen, first.vocabulary)[first.codes]
        # only rows whose first part begins one of the texts are spelled out
        begins = frozenset(text[:end] for text in chosen for end in range(len(text) + 1))
        matches = find_among_texts(begins, first.vocabulary)[first.codes]
        matches[matches] = find_among_texts(chosen, self[matches])
        return matches


@dataclass(frozen=True, slots=True)
class Codes:
    """Integers that stand for the texts of a part; on two sides they are equal exactly where the texts are."""

    code_of_text: npt.NDArray[np.int32]
    number: Any

    def __getitem__(self, rows: Any) -> Any:
        return self.code_of_text[self.number[rows]]


def split_column(cells: Sequence[Any]) -> Texts | Strings:
    """A column of a table as its parts; an object array where it has none."""
    parts = _list_parts(cells)
    if parts is None:
        return cells.texts() if isinstance(cells, LazyColumn) else _make_strings(cells)
    return Texts(parts)


def pair_parts(old: Texts, new: Texts) -> list[tuple[EncodedColumn, EncodedColumn]] | None:
    """Pairs of corresponding parts of two columns; None where the columns are built differently."""
    pairs: list[tuple[EncodedColumn, EncodedColumn]] = []
    for was, now in zip_longest(old.parts, new.parts):
        if isinstance(was, EncodedColumn) and isinstance(now, EncodedColumn):
            pairs.append((was, now))
        elif was != now:
            return None
    return pairs


def encode_pair(old: EncodedColumn, new: EncodedColumn) -> tuple[Codes, Codes]:
    """Codes for the texts of a part on two sides."""
    codes: dict[str, int] = {}
    was, now = (
        np.array([codes.setdefault(text, len(codes)) for text in part.vocabulary.tolist()], dtype=np.int32)
        for part in (old, new)
    )
    return Codes(was, old.codes), Codes(now, new.codes)


def find_among_texts(chosen: frozenset[str], texts: Strings) -> Flags:
    """Which texts are in `chosen`; bool."""
    return np.fromiter(map(chosen.__contains__, texts.tolist()), dtype=bool, count=len(texts))


def find_rows_of_texts(rows: Mapping[Any, int], texts: Strings) -> npt.NDArray[np.int64]:
    """The value in `rows` for each text, -1 where there is none; int64."""
    return np.fromiter(map(rows.get, texts.tolist(), repeat(-1)), dtype=np.int64, count=len(texts))


def _make_strings(cells: Sequence[Any]) -> Strings:
    strings = np.empty(len(cells), dtype=object)
    strings[:] = cells if isinstance(cells, np.ndarray) else list(cells)
    return strings


def _list_parts(cells: Any) -> tuple[TextPart, ...] | None:
    """The parts that a column is built from; None where it has none."""
    if isinstance(cells, EncodedColumn):
        return (cells,)
    if isinstance(cells, ConcatenatedColumn):
        inner = [(part,) if isinstance(part, str) else _list_parts(part) for part in cells.parts]
        parts = tuple(part for parts in inner for part in parts or ())
        return parts if None not in inner else None
    return (
        _stack_sections([_list_encoded_parts(c) for c in cells.columns if len(c)])
        if isinstance(cells, StackedColumn)
        else None
    )


def _list_encoded_parts(cells: Sequence[Any]) -> tuple[EncodedColumn, ...]:
    """A section of a column as parts; a plain column is one part of distinct texts."""
    parts = _list_parts(cells) or (
        EncodedColumn(np.array(split_column(cells), dtype=object), np.arange(len(cells), dtype=np.int32)),
    )
    return tuple(repeat_value(part, len(cells)) if isinstance(part, str) else part for part in parts)


def _stack_sections(sections: list[tuple[EncodedColumn, ...]]) -> tuple[EncodedColumn, ...] | None:
    """Sections one below the other, part by part; sections with fewer parts are filled with empty texts."""
    lengths = [len(section[0]) for section in sections]
    columns: Iterable[tuple[EncodedColumn | None, ...]] = zip_longest(*sections)
    columns_below = [
        _stack_parts([part or repeat_value("", rows) for part, rows in zip(column, lengths, strict=True)])
        for column in columns
    ]
    return tuple(columns_below) or None


def _stack_parts(parts: list[EncodedColumn]) -> EncodedColumn:
    starts = accumulate((len(part.vocabulary) for part in parts[:-1]), initial=0)
    numbers = [part.codes + np.int32(start) for part, start in zip(parts, starts, strict=True)]
    return EncodedColumn(np.concatenate([part.vocabulary for part in parts]), np.concatenate(numbers))

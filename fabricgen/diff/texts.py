"""Text columns stored as indexes into distinct texts (dictionary encoding); texts are built only for rows that are
read.

Most of a large fabric is unchanged, and indexes are enough to see that: rows whose parts are equal have equal texts.
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
"""The most wanted texts for which rows are preselected by their first part."""


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column in which the text of a row is the concatenation of its parts; it is read like an object array."""

    parts: tuple[TextPart, ...]

    def __len__(self) -> int:
        return next(len(part) for part in self.parts if isinstance(part, EncodedColumn))

    def __getitem__(self, rows: Any) -> Any:
        """Return the text of a row; for a slice, a mask or an array of indexes an object array of texts."""
        return reduce(
            add, (part if isinstance(part, str) else part.vocabulary[part.codes[rows]] for part in self.parts)
        )

    def tolist(self) -> list[str]:
        """Return the text of every row."""
        texts: list[str] = self[:].tolist()
        return texts

    def look_up_rows(self, rows: Mapping[Any, int]) -> npt.NDArray[np.int64]:
        """Return the value in `rows` for each text, -1 if it has none; int64. Each distinct text is looked up once."""
        if len(self.parts) > 1 or not isinstance(self.parts[0], EncodedColumn):
            return find_rows_of_texts(rows, self[:])
        return find_rows_of_texts(rows, self.parts[0].vocabulary)[self.parts[0].codes]

    def flag_among(self, chosen: frozenset[str]) -> Flags:
        """Flag the rows whose text is in `chosen`; bool."""
        head, *tail = self.parts
        if not isinstance(head, EncodedColumn) or (tail and len(chosen) > _FEW):
            return find_among_texts(chosen, self[:])
        if not tail:
            return find_among_texts(chosen, head.vocabulary)[head.codes]
        # texts are built only for rows whose first part is the beginning of a wanted text
        beginnings = frozenset(text[:end] for text in chosen for end in range(len(text) + 1))
        matches = find_among_texts(beginnings, head.vocabulary)[head.codes]
        matches[matches] = find_among_texts(chosen, self[matches])
        return matches


@dataclass(frozen=True, slots=True)
class Codes:
    """Integers that stand for the texts of a part of a column; on both sides of a comparison, equal texts have equal
    integers, and different texts different ones.

    `code_of_text` has the code of each distinct text, and `number` says which of these texts each row has, as its
    index.
    """

    code_of_text: npt.NDArray[np.int32]
    number: Any

    def __getitem__(self, rows: Any) -> Any:
        return self.code_of_text[self.number[rows]]


def split_column(cells: Sequence[Any]) -> Texts | Strings:
    """Return a column of a table as `Texts`, or as an object array if it is not built from encoded parts."""
    parts = _list_parts(cells)
    if parts is None:
        return cells.texts() if isinstance(cells, LazyColumn) else _make_strings(cells)
    return Texts(parts)


def pair_parts(old: Texts, new: Texts) -> list[tuple[EncodedColumn, EncodedColumn]] | None:
    """Return the pairs of corresponding parts of two columns; None if the columns are built differently."""
    pairs: list[tuple[EncodedColumn, EncodedColumn]] = []
    for was, now in zip_longest(old.parts, new.parts):
        if isinstance(was, EncodedColumn) and isinstance(now, EncodedColumn):
            pairs.append((was, now))
        elif was != now:
            return None
    return pairs


def encode_pair(old: EncodedColumn, new: EncodedColumn) -> tuple[Codes, Codes]:
    """Return codes for the texts of a part on the old and the new side; equal texts have equal codes on both."""
    codes: dict[str, int] = {}
    was, now = (
        np.array([codes.setdefault(text, len(codes)) for text in part.vocabulary.tolist()], dtype=np.int32)
        for part in (old, new)
    )
    return Codes(was, old.codes), Codes(now, new.codes)


def find_among_texts(chosen: frozenset[str], texts: Strings) -> Flags:
    """Flag the texts that are in `chosen`; bool."""
    return np.fromiter(map(chosen.__contains__, texts.tolist()), dtype=bool, count=len(texts))


def find_rows_of_texts(rows: Mapping[Any, int], texts: Strings) -> npt.NDArray[np.int64]:
    """Return the value in `rows` for each text, -1 if it has none; int64."""
    return np.fromiter(map(rows.get, texts.tolist(), repeat(-1)), dtype=np.int64, count=len(texts))


def _make_strings(cells: Sequence[Any]) -> Strings:
    strings = np.empty(len(cells), dtype=object)
    strings[:] = cells if isinstance(cells, np.ndarray) else list(cells)
    return strings


def _list_parts(cells: Any) -> tuple[TextPart, ...] | None:
    """Return the parts that a column is built from; None if it is not built from encoded parts."""
    if isinstance(cells, EncodedColumn):
        return (cells,)
    if isinstance(cells, ConcatenatedColumn):
        inner_parts = [(part,) if isinstance(part, str) else _list_parts(part) for part in cells.parts]
        flat_parts = tuple(part for parts in inner_parts for part in parts or ())
        return flat_parts if None not in inner_parts else None
    return (
        _stack_sections([_list_encoded_parts(c) for c in cells.columns if len(c)])
        if isinstance(cells, StackedColumn)
        else None
    )


def _list_encoded_parts(cells: Sequence[Any]) -> tuple[EncodedColumn, ...]:
    """Return a section of a column as encoded parts; a plain column is one part with a text for each row."""
    parts = _list_parts(cells) or (
        EncodedColumn(np.array(split_column(cells), dtype=object), np.arange(len(cells), dtype=np.int32)),
    )
    return tuple(repeat_value(part, len(cells)) if isinstance(part, str) else part for part in parts)


def _stack_sections(sections: list[tuple[EncodedColumn, ...]]) -> tuple[EncodedColumn, ...] | None:
    """Stack sections one below the other, part by part; sections with fewer parts are filled with empty texts."""
    lengths = [len(section[0]) for section in sections]
    columns: Iterable[tuple[EncodedColumn | None, ...]] = zip_longest(*sections)
    stacked_parts = [
        _stack_parts([part or repeat_value("", rows) for part, rows in zip(column, lengths, strict=True)])
        for column in columns
    ]
    return tuple(stacked_parts) or None


def _stack_parts(parts: list[EncodedColumn]) -> EncodedColumn:
    # the vocabularies follow each other, so that the codes of a part begin where its vocabulary does
    starts = accumulate((len(part.vocabulary) for part in parts[:-1]), initial=0)
    codes = [part.codes + np.int32(start) for part, start in zip(parts, starts, strict=True)]
    return EncodedColumn(np.concatenate([part.vocabulary for part in parts]), np.concatenate(codes))

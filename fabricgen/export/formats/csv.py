"""Comma-separated values: UTF-8, LF line ends, quotes only where a field needs them (RFC 4180)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, cast

from fabricgen.export.row_text import Piece, blocks, memoized
from fabricgen.export.table import Cell, Table
from fabricgen.kernel.units import number
from fabricgen.numbering.lazy_columns import (
    ComputedColumn,
    ConcatenatedColumn,
    EncodedColumn,
    LazyColumn,
    Strings,
    object_array,
)

_SPECIAL = ('"', ",", "\r", "\n")
"""Characters for which a field needs quotes; searched one by one, which is far quicker than a regular expression."""


def write(table: Table) -> bytes:
    """Write a table with its header."""
    return b"".join(write_blocks(table))


def write_blocks(table: Table) -> Iterator[bytes]:
    """Write a table with its header, some thousand rows at a time."""
    yield f"{','.join(table.columns)}\n".encode()
    for section in table.sections():
        for text in blocks(_rows(section), len(section)):
            yield text.encode()


def _rows(table: Table) -> Iterator[Piece]:
    """The pieces that every row is concatenated from."""
    written = memoized(_written)
    for place, column in enumerate(table.columns.values()):
        if place:
            yield ","
        yield from _fields(column, written)
    yield "\n"


def _fields(column: Sequence[Cell], written: Callable[[Strings], Strings]) -> Sequence[Piece]:
    """The pieces of a column, as written in CSV."""
    if isinstance(column, EncodedColumn):
        return [EncodedColumn(written(column.vocabulary), column.codes)]
    if isinstance(column, ConcatenatedColumn) and not any(_may_need_quotes(part, written) for part in column.parts):
        return column.parts
    return [ComputedColumn(len(column), partial(_cut, column))]


def _may_need_quotes(part: LazyColumn | str, written: Callable[[Strings], Strings]) -> bool:
    if isinstance(part, str):
        return _is_special(part)
    return not isinstance(part, EncodedColumn) or written(part.vocabulary) is not part.vocabulary


def _written(cells: Strings) -> Strings:
    """A vocabulary as written in CSV; the same object where all are texts and none needs quotes."""
    plain = cells.tolist()
    texts = _texts(plain)
    return cells if texts is plain else object_array(texts)


def _is_special(text: str) -> bool:
    return any(character in text for character in _SPECIAL)


def _cut(column: Sequence[Any], start: int, stop: int) -> list[str]:
    return list(_texts(column[start:stop]))


def _texts(cells: Sequence[Cell]) -> Sequence[str]:
    texts = cast(Sequence[str], cells) if set(map(type, cells)) <= {str} else _spelled(cells)
    if _is_special("".join(texts)):
        return [_quoted(text) if _is_special(text) else text for text in texts]
    return texts


def _spelled(cells: Sequence[Cell]) -> list[str]:
    """Cells as text; each distinct number is converted once, as large tables have few distinct ones in a column."""
    known = {cell: cell if isinstance(cell, str) else number(cell) for cell in set(cells)}
    return [known[cell] for cell in cells]


def _quoted(text: str) -> str:
    return f'"{text.replace(chr(34), chr(34) * 2)}"'

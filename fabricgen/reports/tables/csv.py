"""Comma-separated values: UTF-8, LF line ends, quotes only where a field needs them (RFC 4180)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, cast

from fabricgen.kernel.units import format_number
from fabricgen.numbering.lazy_columns import (
    ComputedColumn,
    ConcatenatedColumn,
    EncodedColumn,
    LazyColumn,
    Strings,
    make_object_array,
)
from fabricgen.reports.row_text import Piece, memoize, render_blocks
from fabricgen.reports.table import Cell, Table

_SPECIAL = ('"', ",", "\r", "\n")
"""Characters for which a field needs quotes; searched one by one, which is far quicker than a regular expression."""


def write(table: Table) -> bytes:
    """Write a table with its header."""
    return b"".join(write_blocks(table))


def write_blocks(table: Table) -> Iterator[bytes]:
    """Write a table with its header, some thousand rows at a time."""
    yield f"{','.join(table.columns)}\n".encode()
    for section in table.sections():
        for text in render_blocks(_list_pieces(section), len(section)):
            yield text.encode()


def _list_pieces(table: Table) -> Iterator[Piece]:
    """Yield the pieces that every row is concatenated from, with separators and the line end."""
    quote_vocabulary = memoize(_quote_vocabulary)
    for position, column in enumerate(table.columns.values()):
        if position:
            yield ","
        yield from _make_column_pieces(column, quote_vocabulary)
    yield "\n"


def _make_column_pieces(column: Sequence[Cell], quote_vocabulary: Callable[[Strings], Strings]) -> Sequence[Piece]:
    """Return the pieces of a column, as written in CSV."""
    if isinstance(column, EncodedColumn):
        return [EncodedColumn(quote_vocabulary(column.vocabulary), column.codes)]
    if isinstance(column, ConcatenatedColumn) and not any(
        _may_need_quotes(part, quote_vocabulary) for part in column.parts
    ):
        return column.parts
    return [ComputedColumn(len(column), partial(_read_texts, column))]


def _may_need_quotes(part: LazyColumn | str, quote_vocabulary: Callable[[Strings], Strings]) -> bool:
    if isinstance(part, str):
        return _is_special(part)
    return not isinstance(part, EncodedColumn) or quote_vocabulary(part.vocabulary) is not part.vocabulary


def _quote_vocabulary(cells: Strings) -> Strings:
    """Return a vocabulary as written in CSV; the same object if all cells are texts and none needs quotes."""
    values = cells.tolist()
    texts = _quote_cells(values)
    return cells if texts is values else make_object_array(texts)


def _is_special(text: str) -> bool:
    return any(character in text for character in _SPECIAL)


def _read_texts(column: Sequence[Any], start: int, stop: int) -> list[str]:
    return list(_quote_cells(column[start:stop]))


def _quote_cells(cells: Sequence[Cell]) -> Sequence[str]:
    # cells as fields of CSV; one look at all of them finds out whether any needs quotes
    texts = cast(Sequence[str], cells) if set(map(type, cells)) <= {str} else _spell_cells(cells)
    if _is_special("".join(texts)):
        return [_quote_text(text) if _is_special(text) else text for text in texts]
    return texts


def _spell_cells(cells: Sequence[Cell]) -> list[str]:
    """Return cells as text; each distinct cell is converted once, as columns of large tables have few of them."""
    texts_by_cell = {cell: cell if isinstance(cell, str) else format_number(cell) for cell in set(cells)}
    return [texts_by_cell[cell] for cell in cells]


def _quote_text(text: str) -> str:
    return f'"{text.replace(chr(34), chr(34) * 2)}"'

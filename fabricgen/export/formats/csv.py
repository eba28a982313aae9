"""Comma-separated values: UTF-8, LF line ends, quotes only where a field needs them (RFC 4180)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from fabricgen.export.table import Cell, Table
from fabricgen.kernel.units import number

_SPECIAL = ('"', ",", "\r", "\n")
"""What makes a field need quotes; looked for one by one, which is far quicker than by a pattern."""


def write(table: Table) -> bytes:
    """Write a table with its header."""
    columns = [_texts(column) for column in table.columns.values()]
    lines = [",".join(table.columns), *map(",".join, zip(*columns, strict=True)), ""]
    return "\n".join(lines).encode()


def _texts(column: Sequence[Cell]) -> Sequence[str]:
    texts = cast(Sequence[str], column) if set(map(type, column)) <= {str} else _spelled(column)
    joined = "".join(texts)
    if any(character in joined for character in _SPECIAL):
        return [_quoted(text) if any(c in text for c in _SPECIAL) else text for text in texts]
    return texts


def _spelled(column: Sequence[Cell]) -> list[str]:
    """Cells as text: each number is spelled once, as large tables have few distinct ones in a column."""
    known = {cell: cell if isinstance(cell, str) else number(cell) for cell in set(column)}
    return [known[cell] for cell in column]


def _quoted(text: str) -> str:
    return f'"{text.replace(chr(34), chr(34) * 2)}"'

"""Comma-separated values: UTF-8, LF line ends, quotes only where a field needs them (RFC 4180)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fabricgen.export.table import Cell, Table
from fabricgen.kernel.units import number

_SPECIAL = re.compile(r'[",\r\n]')


def write(table: Table) -> bytes:
    """Write a table with its header."""
    columns = [_texts(column) for column in table.columns.values()]
    lines = [",".join(table.columns), *map(",".join, zip(*columns, strict=True)), ""]
    return "\n".join(lines).encode()


def _texts(column: Sequence[Cell]) -> list[str]:
    texts = [cell if isinstance(cell, str) else number(cell) for cell in column]
    if _SPECIAL.search("".join(texts)):
        return [f'"{t.replace(chr(34), chr(34) * 2)}"' if _SPECIAL.search(t) else t for t in texts]
    return texts

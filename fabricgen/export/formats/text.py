"""Plain text: aligned columns, numbers to the right."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.export.table import Cell, Table
from fabricgen.kernel.diagnostics import make_printable


def write(table: Table) -> bytes:
    """Write a table with its header, two spaces between columns."""
    columns = [_align_column(name, cells) for name, cells in table.columns.items()]
    lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
    return ("\n".join(lines) + "\n").encode()


def _align_column(name: str, cells: Sequence[Cell]) -> list[str]:
    texts = [name, *(make_printable(cell) if isinstance(cell, str) else _format_number(cell) for cell in cells)]
    width = max(map(len, texts))
    right = any(not isinstance(cell, str) for cell in cells)
    return [text.rjust(width) if right else text.ljust(width) for text in texts]


def _format_number(value: int | float) -> str:
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.4f}".rstrip("0")
    return text.removesuffix(".")

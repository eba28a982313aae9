"""Plain text: aligned columns, numbers to the right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.reports.table import Cell, Table


def write(table: Table) -> bytes:
    """Write a table with its header, two spaces between columns."""
    columns = [_spell_column(name, cells) for name, cells in table.columns.items()]
    right = [any(not isinstance(cell, str) for cell in cells) for cells in table.columns.values()]
    return "".join(f"{line.rstrip()}\n" for line in align_columns(columns, right)).encode()


def align_columns(columns: Sequence[Sequence[str]], right: Iterable[bool]) -> Iterator[str]:
    """Yield a line for each row, its cells padded to the width of their columns; `right` says which columns to pad on
    the left.
    """
    sides = [">" if to_right else "<" for to_right in right]
    forms = [f"{side}{max(map(len, cells))}" for side, cells in zip(sides, columns, strict=True)]
    for row in zip(*columns, strict=True):
        yield "  ".join(map(format, row, forms))


def _spell_column(name: str, cells: Sequence[Cell]) -> list[str]:
    return [name, *(make_printable(cell) if isinstance(cell, str) else _format_number(cell) for cell in cells)]


def _format_number(value: int | float) -> str:
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.4f}".rstrip("0")
    return text.removesuffix(".")

"""Tables, which any format of `reports/tables/` writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from fabricgen.kernel import discovery
from fabricgen.numbering.lazy_columns import StackedColumn

TABLES = "fabricgen.reports.tables"

Cell: TypeAlias = str | int | float


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns of equal length; cells are text or numbers, "" where a row has no such value.

    Raises ValueError where columns differ in length.
    """

    name: str
    columns: Mapping[str, Sequence[Cell]]

    def __post_init__(self) -> None:
        if len(set(map(len, self.columns.values()))) > 1:
            raise ValueError(f"columns of {self.name} differ in length")

    def sections(self) -> Iterable[Table]:
        """The tables that are concatenated to this one."""
        columns = [column.columns for column in self.columns.values() if isinstance(column, StackedColumn)]
        if len(columns) < len(self.columns):
            return [self]
        return [
            Table(self.name, dict(zip(self.columns, section, strict=True))) for section in zip(*columns, strict=True)
        ]

    def rows(self) -> Iterable[tuple[Cell, ...]]:
        """The table row by row."""
        return zip(*self.columns.values(), strict=True)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def escape_formula(text: str) -> str:
    """Free text changed so that no spreadsheet reads it as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def write_table(table: Table, form: str) -> bytes:
    """Write a table in a format by name; raises KeyError for an unknown one."""
    return cast(bytes, discovery.load_module(TABLES, form).write(table))

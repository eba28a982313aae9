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
    """Named columns of equal length; cells are text or numbers, "" if a row has no value in a column.

    Raises ValueError if columns differ in length.
    """

    name: str
    columns: Mapping[str, Sequence[Cell]]

    def __post_init__(self) -> None:
        if len(set(map(len, self.columns.values()))) > 1:
            raise ValueError(f"columns of {self.name} differ in length")

    def sections(self) -> Iterable[Table]:
        """Return the tables that this one concatenates; the table itself if not all of its columns are stacked."""
        columns = [column.columns for column in self.columns.values() if isinstance(column, StackedColumn)]
        if len(columns) < len(self.columns):
            return [self]
        return [
            Table(self.name, dict(zip(self.columns, section, strict=True))) for section in zip(*columns, strict=True)
        ]

    def rows(self) -> Iterable[tuple[Cell, ...]]:
        """Return the rows of the table, each as a tuple of cells."""
        return zip(*self.columns.values(), strict=True)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def escape_formula(text: str) -> str:
    """Return free text, with an apostrophe before it if a spreadsheet would read it as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def write_table(table: Table, form: str) -> bytes:
    """Return a table in a format, by its name; raises KeyError for an unknown format."""
    return cast(bytes, discovery.load_module(TABLES, form).write(table))

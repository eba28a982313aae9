"""Tables: what a part of a build holds before a format writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, cast, runtime_checkable

from fabricgen.cluster import Cluster
from fabricgen.kernel import discovery
from fabricgen.numbering.lazy_columns import StackedColumn
from fabricgen.publish.manifest import Content

FORMATS = "fabricgen.export.formats"
PARTS = "fabricgen.export.files"

Cell: TypeAlias = str | int | float
File: TypeAlias = tuple[str, Content]


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
        """Tables that make up this one, one below the other."""
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


@dataclass(frozen=True, slots=True)
class ExportContext:
    """What parts are told beside the cluster: who counts findings by severity, and unit prices by part."""

    findings: Callable[[], Mapping[str, int]] = dict
    prices: Mapping[str, float] = field(default_factory=dict)


class PartModule(Protocol):
    """What a module of export.parts offers; `ON_REQUEST` parts are left out unless named."""

    ON_REQUEST: bool

    def files(self, cluster: Cluster, context: ExportContext) -> Iterable[File]:
        """Yield (path below the output folder, content)."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Files of a part that are made apart from its others; `rows` of a table would take as long.

    `make` is called in whatever process takes it, as `Bundle.make` is; `key` names the portion within its part.
    """

    key: str
    make: Callable[[], Iterable[File]]
    rows: int


@runtime_checkable
class HasPortions(Protocol):
    """A part of many large files, which processes share."""

    def portions(self, cluster: Cluster) -> Iterable[Portion]:
        """Its files in portions, in their order."""


@runtime_checkable
class HasRows(Protocol):
    """A part that does not take as long as `links.csv`, which has a row for each link."""

    def rows(self, cluster: Cluster) -> int:
        """How many rows of `links.csv` would take about as long."""


@runtime_checkable
class TellsFindings(Protocol):
    """A part that tells of findings, for which a build looks while workers are at its tables."""

    TELLS_FINDINGS: bool


def part_names(*, on_request: bool) -> tuple[str, ...]:
    """Names of the parts, with or without those that are written only on request."""
    names = [name.replace("_", "-") for name in discovery.module_names(PARTS)]
    return tuple(n for n in names if on_request or not part(n).ON_REQUEST)


def part(name: str) -> PartModule:
    """The module of a part; raises KeyError when there is none."""
    return cast(PartModule, discovery.load(PARTS, name.replace("-", "_")))


def write_table(table: Table, form: str) -> bytes:
    """Write a table in a format by name; raises KeyError for an unknown one."""
    write = cast(Callable[[Table], bytes], discovery.load(FORMATS, form).write)
    return write(table)


def csv_file(table: Table) -> File:
    """A table as a CSV file of its name, in blocks of rows."""
    from fabricgen.export.formats.csv import write_blocks

    return f"{table.name}.csv", write_blocks(table)

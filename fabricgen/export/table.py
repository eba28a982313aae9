"""The parts of a build: lists as CSV files, their inputs, and how parts are found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Diagnostic
from fabricgen.numbering.lazy_columns import EncodedColumn, encode_column, encode_or_empty
from fabricgen.publish.manifest import Content
from fabricgen.reports.table import Table
from fabricgen.reports.tables.csv import write_blocks
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.patching.tables import Patching

PARTS = ("fabricgen.export.files", "fabricgen.export.integrations")
"""Packages of parts: lists of our own, and files that other people's systems read."""

File: TypeAlias = tuple[str, Content]
"""(path below the output folder, content)"""


class FrrLab(NamedTuple):
    """What FRR runs of a cluster.

    `conf` has the text of frr.conf by switch, and `commands` the commands of `ip` by switch that give its interfaces
    addresses. `ends` are the ends of links, as (device, port); `hosts` are those of hosts that have addresses.
    `left_out` are sentences on what the lab lacks.
    """

    conf: Mapping[str, str]
    commands: Mapping[str, Sequence[str]]
    ends: Collection[tuple[str, str]]
    hosts: Collection[tuple[str, str]]
    left_out: Sequence[str]


@dataclass(frozen=True, slots=True)
class ExportContext:
    """Inputs of a part besides the cluster; all but `prices` are functions, which make them when they are called.

    `findings` returns the number of findings by severity, `found` the findings themselves. `prices` are unit prices by
    part. `configs` returns the (path, content) of configurations if they are few. `lanes` returns, for switches given
    by row, (lanes, alias) by (switch, port) of each cabled port. `frr` returns what FRR runs.
    """

    findings: Callable[[], Mapping[str, int]] = dict
    prices: Mapping[str, float] = field(default_factory=dict)
    found: Callable[[], Sequence[Diagnostic]] = tuple
    configs: Callable[[], Sequence[tuple[str, bytes]]] = tuple
    lanes: Callable[[Sequence[int]], Mapping[tuple[str, str], tuple[str, str]]] = field(default=lambda _: {})
    frr: Callable[[], FrrLab] = field(default=lambda: FrrLab({}, {}, (), (), ()))


class BuildPart(Protocol):
    """The interface of a module in `PARTS`.

    A part is written only if `--only` names it, unless it says `ON_REQUEST = False`.
    """

    def files(self, cluster: Cluster, context: ExportContext) -> Iterable[File]:
        """Yield the (path below the output folder, content) of each file."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Files of a part that can be made in a separate process; `rows` is the work, in rows of links.csv.

    `make` runs in whichever process takes it, as `FileBundle.make` does; `key` names the portion within its part.
    """

    key: str
    make: Callable[[], Iterable[File]]
    rows: int


@runtime_checkable
class HasPortions(Protocol):
    """A part with many large files, which several processes share."""

    def portions(self, cluster: Cluster) -> Iterable[Portion]:
        """Return its files in portions, in their order."""


@runtime_checkable
class HasRows(Protocol):
    """A part that says how much work it is to write; a part without `rows` is taken to be as much work as links.csv."""

    def rows(self, cluster: Cluster) -> int:
        """Return how many rows of links.csv would take about as long."""


@runtime_checkable
class TellsFindings(Protocol):
    """A part that has counts of findings in its files: for it the build runs lint while workers write tables."""

    TELLS_FINDINGS: bool


def list_part_names(*, on_request: bool) -> tuple[str, ...]:
    """Return the names of the parts, sorted, with or without those that are written on request only."""
    names = [name.replace("_", "-") for folder in PARTS for name in discovery.list_modules(folder)]
    return tuple(name for name in sorted(names) if on_request or not getattr(load_part(name), "ON_REQUEST", True))


def load_part(name: str) -> BuildPart:
    """Return the module of a part; raises KeyError if there is none."""
    module = name.replace("-", "_")
    folder = next((folder for folder in PARTS if module in discovery.list_modules(folder)), PARTS[0])
    return cast(BuildPart, discovery.load_module(folder, module))


def make_csv_file(table: Table) -> File:
    """Return a table as a CSV file of its name, in blocks of rows."""
    return f"{table.name}.csv", write_blocks(table)


Files: TypeAlias = Callable[[Cluster, ExportContext], Iterator[File]]
"""The function `files` of a part."""


def yield_table(make_table: Callable[[Cluster], Table]) -> Files:
    """Return the function `files` of a part that is one table, written as a CSV file."""

    def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
        yield make_csv_file(make_table(cluster))

    return files


def yield_patching_table(make_table: Callable[[Cluster, Patching], Table]) -> Files:
    """Return the function `files` of a part that is one table of patched fibre; it has no file if nothing is
    patched.
    """

    def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
        if cluster.plan.patching is not None:
            yield make_csv_file(make_table(cluster, cluster.plan.patching))

    return files


# Columns of text from columns of numbers.


def encode_from_one(column: Ints) -> EncodedColumn:
    """Return a column that counts from 0 as text that counts from 1; "" for negative numbers."""
    return encode_or_empty([str(n + 1) for n in range(int(column.max(initial=-1)) + 1)], column)


def encode_positive(column: Ints) -> EncodedColumn:
    """Return a column of numbers as text; "" for 0 and below."""
    number = np.maximum(column, 0)
    return encode_column(["", *map(str, range(1, int(number.max(initial=0)) + 1))], number)


def pick_names(names: Any, indexes: Ints) -> list[str]:
    """Return names by index, as a list of str; `names` is an object array."""
    picked_names: list[str] = names[indexes].tolist()
    return picked_names


def name_cable_end(cage: str, port: str, several: bool) -> str:
    """Return the position of a cable end on its device: the cage, and the port unless the connector carries `several`
    links.
    """
    return cage if several else port if port.startswith(cage) else f"{cage} {port}"

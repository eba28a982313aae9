"""technician/: workbooks for pulling and plugging cables, the pulling order, and the workbook of each rack;
on request.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from fabricgen.cluster import Cluster
from fabricgen.export.table import ExportContext, File, Portion
from fabricgen.reports.table import Table, write_table

if TYPE_CHECKING:
    from fabricgen.export.technician.pack import TechnicianPack
    from fabricgen.export.technician.workbook import Volume

ROWS_AN_END = 20
"""Work for a cable end, in rows of links.csv: it is on several sheets with many columns."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield technician/pull.csv, technician/racks.csv and technician/NAME.xlsx for every workbook.

    Raises InputError (FG029) if a sheet has too many rows.
    """
    for portion in portions(cluster):
        yield from portion.make()


def portions(cluster: Cluster) -> Iterator[Portion]:
    """Yield the lists, and each workbook; their common data is computed first, so that workers share it."""
    from fabricgen.export.technician.pack import TechnicianPack
    from fabricgen.export.technician.workbook import list_volumes

    pack, books = TechnicianPack(cluster), list_volumes(cluster)
    pack.compute_all()
    yield Portion("lists", partial(_write_lists, pack, books), len(cluster.plan.cables))
    for book in books:
        yield Portion(
            f"{book.name}.xlsx",
            partial(_write_workbook, pack, book),
            sum(pack.ends_per_rack[list(book.racks)].tolist()) * ROWS_AN_END,
        )


def _write_lists(pack: TechnicianPack, books: tuple[Volume, ...]) -> Iterator[File]:
    """Yield the pulling order, and a list of the workbook of each rack."""
    from fabricgen.export.technician.sheets import make_pull_table

    yield "technician/pull.csv", write_table(make_pull_table(pack), "csv")
    rack_volumes = [(rack, book.name) for book in books for rack in book.racks]
    columns = {
        "rack": [pack.cluster.plan.racks.names[rack] for rack, _ in rack_volumes],
        "place": [pack.rack_places[rack] for rack, _ in rack_volumes],
        "workbook": [f"{name}.xlsx" for _, name in rack_volumes],
    }
    yield "technician/racks.csv", write_table(Table("racks", columns), "csv")


def _write_workbook(pack: TechnicianPack, book: Volume) -> Iterator[File]:
    from fabricgen.export.technician.workbook import write_workbook

    yield f"technician/{book.name}.xlsx", write_workbook(pack, book)

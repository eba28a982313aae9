"""technician/: workbooks for those who pull and plug cables, their order, and which rack is in which; on request."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.cluster import Cluster
from fabricgen.export.table import ExportContext, File, Table, write_table

ON_REQUEST = True


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield technician/pull.csv, technician/racks.csv and technician/NAME.xlsx for every workbook.

    Raises InputError when a sheet has too many rows.
    """
    from fabricgen.export.technician.sheets import Pack, pull_table
    from fabricgen.export.technician.volumes import volumes
    from fabricgen.export.technician.workbook import workbook

    pack, books = Pack(cluster), volumes(cluster)
    yield "technician/pull.csv", write_table(pull_table(pack), "csv")
    places = [(rack, book.name) for book in books for rack in book.racks]
    columns = {
        "rack": [cluster.plan.racks.names[rack] for rack, _ in places],
        "place": [pack.rack_places[rack] for rack, _ in places],
        "workbook": [f"{name}.xlsx" for _, name in places],
    }
    yield "technician/racks.csv", write_table(Table("racks", columns), "csv")
    for book in books:
        yield f"technician/{book.name}.xlsx", workbook(pack, book)

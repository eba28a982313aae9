"""labels.csv: the labels for both ends of every cable; on request."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.cluster import Cluster
from fabricgen.export.table import ExportContext, File, make_csv_file


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield labels.csv."""
    from fabricgen.export.technician.labels import make_label_table
    from fabricgen.export.technician.records import make_records

    yield make_csv_file(make_label_table(make_records(cluster)))

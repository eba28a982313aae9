"""bom-trace.csv: the cables, devices and racks that need each part of the bill of materials; on request."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.bom.bill import make_bill
from fabricgen.bom.trace import trace_all_parts
from fabricgen.cluster import Cluster
from fabricgen.export.table import ExportContext, File, make_csv_file
from fabricgen.reports.table import Table


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield bom-trace.csv."""
    yield make_csv_file(Table("bom-trace", trace_all_parts(make_bill(cluster))))

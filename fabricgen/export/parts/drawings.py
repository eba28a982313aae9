"""drawings/: rack elevations, port maps and floor plans, to print (book.html) and one by one as SVG; on request."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.cluster import Cluster
from fabricgen.export.drawings.book import Books
from fabricgen.export.table import ExportContext, File

ON_REQUEST = True


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield drawings/book.html, rows/ROW.html where there are many racks, floor/HALL.svg and racks/RACK.svg."""
    for path, content in Books(cluster).files():
        yield f"drawings/{path}", content

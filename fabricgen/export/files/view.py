"""view/: the cluster as a picture that one can walk into, one HTML file; on request."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.cluster import Cluster
from fabricgen.export.table import ExportContext, File

TELLS_FINDINGS = True


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield view/cluster.html."""
    from fabricgen.export.view.page import make_page  # builds of other parts never load this
    from fabricgen.export.view.source import PageExtras

    beside = PageExtras(findings=context.found(), configs=context.configs(), prices=context.prices)
    yield "view/cluster.html", make_page(cluster, beside).encode()

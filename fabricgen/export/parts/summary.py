"""summary.json: every count of the cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fabricgen.cluster import Cluster
from fabricgen.design.summary import summary
from fabricgen.export.table import ExportContext, File

ON_REQUEST = False


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield summary.json; counts come from the design, which the plan agrees with."""
    figures = summary(cluster.design) | {"findings": dict(context.findings)}
    yield "summary.json", (json.dumps(figures, indent=2) + "\n").encode()

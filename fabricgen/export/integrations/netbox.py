"""netbox/: every object of NetBox that the cluster is, a CSV file a kind, in the order of import; on request."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.cluster import Cluster
from fabricgen.export.formats.csv import write_blocks
from fabricgen.export.netbox.model import list_objects
from fabricgen.export.table import ExportContext, File

ON_REQUEST = True


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield netbox/NN-KIND.csv and README.txt; raises InputError (FG163) for a name that is too long for NetBox."""
    kinds = [kind for kind in list_objects(cluster) if len(kind.table)]
    lines = [f"{cluster.design.loaded.blueprint.name} for NetBox: import these files in this order", ""]
    for number, kind in enumerate(kinds, start=1):
        name = f"{number:02d}-{kind.name}.csv"
        lines.append(f"{name:<28} {len(kind.table):>9,}  /{kind.path}/import/")
        yield f"netbox/{name}", write_blocks(kind.table)
    yield "netbox/README.txt", ("\n".join(lines) + "\n").encode()


def rows(cluster: Cluster) -> int:
    """Work, in rows of links.csv: an interface at either end, a cable and its modules, and as many addresses."""
    return 6 * len(cluster.plan.links)

"""bom.csv: what to order, with spares, prices where a price file gives them, and power."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fabricgen.cluster import Cluster
from fabricgen.design.summary import whole
from fabricgen.export.table import Cell, ExportContext, File, Table, csv_file
from fabricgen.parts.bill import all_needs, lines

ON_REQUEST = False


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield bom.csv."""
    yield csv_file(table(cluster, context))


def table(cluster: Cluster, context: ExportContext) -> Table:
    """The bill of materials; quantity is what is installed, spares are counted beside it and priced with it."""
    spares = cluster.design.loaded.blueprint.spares
    share = {
        "node": spares.nodes,
        "switch": spares.switches,
        "line-card": spares.switches,
        "transceiver": spares.transceivers,
        "cable": spares.cables,
    }
    rows: list[tuple[Cell, ...]] = []
    for line in lines(all_needs(cluster)):
        extra = math.ceil(line.quantity * share[line.kind] - 1e-9)
        price = context.prices.get(line.part)
        rows.append(
            (
                line.part,
                line.description,
                line.kind,
                line.quantity,
                extra,
                "" if price is None else whole(price),
                "" if price is None else whole(round(price * (line.quantity + extra), 2)),
                "" if line.power_w is None else whole(round(line.power_w * line.quantity, 1)),
            )
        )
    names = ("part", "description", "kind", "quantity", "spares", "unit_price", "total_price", "power_w")
    return Table("bom", {name: [row[i] for row in rows] for i, name in enumerate(names)})

"""bom.csv: what to order, with spares, power, and prices if a price file gives them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.bom.bill import BillLine, make_bill
from fabricgen.bom.prices import as_price, price_units
from fabricgen.bom.sets import find_price
from fabricgen.cluster import Cluster
from fabricgen.design.summary import round_number
from fabricgen.export.table import ExportContext, File, make_csv_file
from fabricgen.reports.table import Cell, Table, escape_formula

ON_REQUEST = False

COLUMNS = ("part", "description", "kind", "quantity", "spares", "unit_price", "total_price", "power_w")


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield bom.csv."""
    yield make_csv_file(make_table(cluster, context))


def rows(cluster: Cluster) -> int:
    """Return the work of counting what every link needs, counted in rows of links.csv: a third of the links."""
    return len(cluster.plan.links) // 3


def make_table(cluster: Cluster, context: ExportContext) -> Table:
    """Return the bill of materials; `quantity` is the installed pieces, spares are listed beside it and in
    the price.
    """
    return make_bill_table(make_bill(cluster).lines, context)


def make_bill_table(lines: Sequence[BillLine], context: ExportContext) -> Table:
    """Return lines of a bill in the columns of bom.csv."""
    rows = [_make_row(line, find_price(line.part, context.prices)) for line in lines]
    return Table("bom", {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)})


def _make_row(line: BillLine, price: float | None) -> tuple[Cell, ...]:
    """Return a line of the bill as cells; "" for a price or power that is not known."""
    units = None if price is None else price_units(price)
    return (
        line.part,
        escape_formula(line.description),
        line.kind,
        line.quantity,
        line.spares,
        "" if units is None else as_price(units),
        "" if units is None else as_price(units * (line.quantity + line.spares)),
        "" if line.power_w is None else round_number(round(line.power_w * line.quantity, 1)),
    )

"""The bill of materials for ordering: its lines with offers, totals by every grouping, and a workbook of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fabricgen.bom.bill import Bill, BillLine
from fabricgen.bom.ordered import list_order_lines, map_numbers_to_models
from fabricgen.bom.prices import PriceList, PriceOffer, as_price, as_watts, power_units
from fabricgen.bom.sets import split_set
from fabricgen.bom.totals import GroupTotal, sum_all, sum_totals
from fabricgen.export.files.bom import make_bill_table
from fabricgen.export.order_foot import TITLE, make_foot_table
from fabricgen.export.table import ExportContext
from fabricgen.reports.table import Cell, Table, escape_formula
from fabricgen.reports.tables.xlsx import Sheet, write_workbook

TOTAL = "(total)"
"""The key of the last row of totals; real names contain no brackets."""

IN_DEVICES = "(in maxima of devices)"
"""The key of the row that takes back the power of optics which their devices are published with."""

REMARK = "remark"
"""The last column of the order sheet: what to know of a part before ordering it."""

SHEETS: Mapping[str, tuple[str, ...]] = {
    "By fabric": ("fabric", "kind"),
    "By tier": ("tier", "kind"),
    "By SU": ("su", "kind"),
    "By site": ("site", "kind"),
    "By kind": ("kind",),
}
"""Sheets of totals, with their groupings."""


def make_order_table(lines: Sequence[BillLine], prices: PriceList) -> Table:
    """Lines of a bill in the columns of bom.csv, and the further columns that the price file has."""
    table = make_bill_table(lines, ExportContext(prices=prices.unit_prices))
    offers = [prices.offers.get(line.part, prices.offers.get(split_set(line.part)[1])) for line in lines]
    price_columns = {name: [_read_offer(offer, name, prices.currency) for offer in offers] for name in prices.columns}
    return Table(table.name, {**table.columns, **price_columns})


def _read_offer(offer: PriceOffer | None, name: str, currency: str) -> Cell:
    """What a price file says of a part in one of its further columns; "" for nothing."""
    if offer is None:
        return ""
    if name == "currency":
        return currency
    if name == "lead_time_weeks":
        weeks = offer.lead_time_weeks
        return "" if weeks is None else int(weeks) if weeks.is_integer() else weeks
    return escape_formula(getattr(offer, name))


def make_totals_table(bill: Bill, by: Sequence[str], prices: PriceList) -> Table:
    """Totals by some groupings, with the grand total as the last row.

    Columns: the groupings, quantity, spares, total_price (with prices only; `unpriced` pieces are not in it), power_w
    (`no_figure` pieces are not in it). The price includes spares, the power does not. A row before the last
    takes back what optics draw that are in the published maximum of their device.
    """
    group_totals = sum_totals(bill, by, prices.unit_prices)
    if bill.in_devices_w:
        group_totals.append(GroupTotal((IN_DEVICES, *[""] * (len(by) - 1)), power=-power_units(bill.in_devices_w)))
    rows = [*group_totals, _name_total(sum_all(group_totals), len(by))]
    columns: dict[str, list[Cell]] = {name: [row.key[i] for row in rows] for i, name in enumerate(by)}
    columns |= {"quantity": [row.quantity for row in rows], "spares": [row.spares for row in rows]}
    if prices.offers:
        columns |= {
            "total_price": [as_price(row.price) for row in rows],
            "unpriced": [row.unpriced for row in rows],
        }
    columns |= {
        "power_w": [as_watts(row.power) for row in rows],
        "no_figure": [row.unpowered for row in rows],
    }
    return Table(f"bom by {', '.join(by)}", columns)


def _name_total(total: GroupTotal, keys: int) -> GroupTotal:
    """The grand total, with its name in the first column."""
    return GroupTotal((TOTAL, *[""] * (keys - 1))).add_group(total)


def make_power_table(bill: Bill) -> Table:
    """Maximum power of the installed pieces of each part, and of all; "" where the catalogue has no figure.

    Optics that are in the published maximum of their device are taken back in a row of their own.
    """
    lines = [line for line in bill.lines if line.power_w != 0]
    watts = [None if line.power_w is None else power_units(line.power_w) for line in lines]
    sums = [
        0 if piece_watts is None else piece_watts * line.quantity
        for piece_watts, line in zip(watts, lines, strict=True)
    ]
    counted_twice = power_units(bill.in_devices_w)
    correction_rows = 1 if counted_twice else 0
    columns: dict[str, list[Cell]] = {
        "kind": [*(line.kind for line in lines), *[IN_DEVICES] * correction_rows, TOTAL],
        "part": [*(line.part for line in lines), *[""] * correction_rows, ""],
        "description": [*(escape_formula(line.description) for line in lines), *[""] * correction_rows, ""],
        "quantity": [*(line.quantity for line in lines), *[""] * correction_rows, sum(line.quantity for line in lines)],
        "each_w": [
            *("" if piece_watts is None else as_watts(piece_watts) for piece_watts in watts),
            *[""] * correction_rows,
            "",
        ],
        "power_w": [
            *("" if piece_watts is None else as_watts(total) for piece_watts, total in zip(watts, sums, strict=True)),
            *[as_watts(-counted_twice)] * correction_rows,
            as_watts(sum(sums) - counted_twice),
        ],
    }
    return Table("power", columns)


def _price_variants(bill: Bill, prices: PriceList) -> PriceList:
    """A price list by which part numbers of variants cost what their model does, unless it has them."""
    models = map_numbers_to_models(bill.cluster, bill.lines)
    variant_offers = {number: prices.offers[model] for number, model in models.items() if model in prices.offers}
    return replace(prices, offers={**variant_offers, **prices.offers})


def write_order_workbook(bill: Bill, prices: PriceList) -> bytes:
    """A workbook of the single pieces to order, totals by fabric, tier, scalable unit, site and kind, and power.

    Raises InputError (FG029) when a sheet has too many rows.
    """
    lines = list_order_lines(bill)
    order = make_order_table(lines, _price_variants(bill, prices))
    remarked = Table(order.name, {**order.columns, REMARK: [escape_formula(line.remark) for line in lines]})
    sheets = [Sheet("Order", remarked)]
    sheets += [Sheet(title, make_totals_table(bill, by, prices), totals=1) for title, by in SHEETS.items()]
    sheets += [Sheet("Power", make_power_table(bill), totals=1), Sheet(TITLE, make_foot_table(bill))]
    return write_workbook(f"{bill.cluster.design.loaded.blueprint.name}: bill of materials", sheets)

"""The bill of materials for ordering: its lines with offers, totals by every grouping, and a workbook of both.

At its foot stands what is usual in such an order and not in the bill, because nothing in a blueprint determines the
product. Its counts are those that the plan knows, by the rule that stands beside each; bom.csv has none of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.bom.bill import Bill, BillLine
from fabricgen.bom.cables import CableParts
from fabricgen.bom.ordered import list_order_lines, map_numbers_to_models
from fabricgen.bom.prices import PriceList, PriceOffer, as_price, as_watts, power_units
from fabricgen.bom.sets import split_set
from fabricgen.bom.sources.devices import find_included_devices, is_bought
from fabricgen.bom.totals import GroupTotal, sum_all, sum_totals
from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.export.files.bom import make_bill_table
from fabricgen.export.table import ExportContext
from fabricgen.export.technician.labels import make_label_table
from fabricgen.export.technician.records import Records, make_records
from fabricgen.reports.table import Cell, Table, escape_formula
from fabricgen.reports.tables.xlsx import Sheet, write_workbook
from fabricgen.wiring.cabling.plugs import number_cages
from fabricgen.wiring.tables import DeviceClass

TITLE = "Not in it"
"""The sheet of a workbook, and the head of the rows below the lines in text."""

CLEANINGS = 500
"""End faces that a one-click cleaner cleans, at least, by what makers promise; recalled, not looked up."""

STRAP_EVERY_M, STRAP_M = 1.0, 0.3
"""Distance between straps along a bundle and length of a strap, m: twice around 24 fibres of 3 mm or 8 copper cables of
9.4 mm, which are the largest bundles (`technician/records.py`), with an overlap.
"""


def make_foot_table(bill: Bill) -> Table:
    """Return what to add to an order by hand: `add`, its `count` if the plan knows it, else "", and a `note`."""
    rows = list(_list_additions(bill))
    return Table(TITLE, {name: [row[i] for row in rows] for i, name in enumerate(("add", "count", "note"))})


def _list_additions(bill: Bill) -> Iterator[tuple[str, Cell, str]]:
    """Yield what to add to an order by hand, its count ("" if the plan does not know it), and a note."""
    cluster, included = bill.cluster, find_included_devices(bill.cluster)
    bought = [cls for cls in cluster.plan.devices.classes if is_bought(cls) and cls.profile.id not in included]
    switches = [cls for cls in bought if isinstance(cls.profile, SwitchProfile)]
    count, records = sum(cls.count for cls in switches), make_records(cluster)
    servers = sum(line.quantity for line in bill.lines if line.kind == "console-server")
    labels = make_label_table(records)
    yield "labels", len(labels), "one for each plug at both ends; `build --only labels` writes their text"
    yield "console cables", count, "one a switch, RJ45 or USB as its port is"
    if servers:
        yield "uplinks of console servers", servers, "a cable and a management port for each; the plan places none"
    else:
        yield "console servers", "", "`accessories: {console_ports: 48}` orders them by site"
    for connector, faces in sorted(count_end_faces(cluster, labels).items()):
        rule = f"each plug and what it goes into, once; {CLEANINGS} to a cleaner; a scope beside them"
        yield f"one-click cleaners, {connector}", math.ceil(faces / CLEANINGS), f"{faces:,} end faces: {rule}"
    yield "dust caps", count_free_cages(cluster, switches), "one a free cage of the switches; many come with them"
    yield (
        "hook-and-loop, m",
        math.ceil(measure_straps(records)),
        f"{STRAP_M:g} m at every {STRAP_EVERY_M:g} m of each bundle of `--only technician`",
    )
    # InfiniBand switches need no licence each: a manager of the whole fabric runs them
    running = Counter[str]()
    for cls in switches:
        running[cls.nos] += cls.count if cluster.design.fabric(cls.fabric).protocol != "infiniband" else 0
    # + leaves out each NOS whose count is 0
    for nos, of_nos in sorted((+running).items()):
        if licence := cluster.design.catalog.naming(nos).systems.licence:
            yield f"licences of {nos}", of_nos, f"one a switch: {licence}"
    yield "support", sum(cls.count for cls in bought), "devices that a support contract may cover"


def count_end_faces(cluster: Cluster, labels: Table) -> Counter[str]:
    """Return how many fibre end faces there are to clean, by the cleaner that fits them, `MPO` or `LC`: those of all
    plugs, and as many in the sockets that they go into.

    Each label of `labels` (labels.csv) is a plug of a jumper, with the connector of the cable's transceivers; a duplex
    connector has two faces. Trunks have their faces behind panels. Cables with ends of their own have none.
    """
    media, faces = cluster.plan.cables.media, Counter[str]()
    medium_of_cable = dict(zip(cluster.cable_ids, cluster.plan.cables.medium.tolist(), strict=True))
    for medium, plugs in Counter(
        medium_of_cable[cable] for cable in labels.columns["cable"] if cable in medium_of_cable
    ).items():
        if media[medium].fibre and not media[medium].attached:
            connector = media[medium].connector
            faces[connector[:3].strip()] += 2 * plugs * (2 if connector.endswith("duplex") else 1)
    if patching := cluster.plan.patching:
        connectors_per_end = np.array([p.connectors_per_trunk for p in patching.policies])
        # two ends of each connector of a trunk, and two faces at each
        faces["MPO"] += 2 * 2 * int(connectors_per_end[patching.trunks.policy].sum())
    return faces


def count_free_cages(cluster: Cluster, switches: Sequence[DeviceClass]) -> int:
    """Return the number of cages for plugs, in some classes of switches, that no cable of the plan goes into.

    RJ45 ports and co-packaged optics are not counted.
    """
    plan, (kinds, *end_kinds) = cluster.plan, CableParts(cluster).kinds
    is_pluggable = np.array([kind.form_factor not in ("RJ45", "CPO") for kind in kinds], dtype=bool)
    is_counted, cages = np.array([cls in switches for cls in plan.devices.classes], dtype=bool), number_cages(plan)
    has_cable = np.zeros(cages.count, dtype=bool)
    ends = zip((cages.a, cages.b), (plan.links.a_device, plan.links.b_device), end_kinds, strict=True)
    for cage, device, kind in ends:
        device_class = plan.devices.device_class[device[plan.cables.end_link]]
        has_cable[cage[is_pluggable[kind] & is_counted[device_class]]] = True
    profiles = [(cls.count, cls.profile.cages) for cls in switches if isinstance(cls.profile, SwitchProfile)]
    total = sum(
        switch_count * group.count
        for switch_count, cage_groups in profiles
        for group in cage_groups
        if group.form_factor not in ("RJ45", "CPO")
    )
    return total - int(has_cable.sum())


def measure_straps(records: Records) -> float:
    """Return the length of hook-and-loop for all bundles of cables, m.

    A bundle takes `STRAP_M` for every `STRAP_EVERY_M` of the longest run in it, rounded up.
    """
    return float(np.ceil(records.pull.longest_m / STRAP_EVERY_M).sum()) * STRAP_M


TOTAL = "(total)"
"""The key of the last row of totals; real names contain no brackets."""

IN_DEVICES = "(in maxima of devices)"
"""The key of the row that subtracts the power of optics which is already in the published maxima of devices."""

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
    """Return lines of a bill in the columns of bom.csv, and the further columns that the price file has."""
    table = make_bill_table(lines, ExportContext(prices=prices.unit_prices))
    offers = [prices.offers.get(line.part, prices.offers.get(split_set(line.part)[1])) for line in lines]
    price_columns = {name: [_read_offer(offer, name, prices.currency) for offer in offers] for name in prices.columns}
    return Table(table.name, {**table.columns, **price_columns})


def _read_offer(offer: PriceOffer | None, name: str, currency: str) -> Cell:
    """Return what a price file says of a part in one of its further columns; "" for nothing."""
    if offer is None:
        return ""
    if name == "currency":
        return currency
    if name == "lead_time_weeks":
        weeks = offer.lead_time_weeks
        return "" if weeks is None else int(weeks) if weeks.is_integer() else weeks
    return escape_formula(getattr(offer, name))


def make_totals_table(bill: Bill, by: Sequence[str], prices: PriceList) -> Table:
    """Return totals by groupings, with the grand total as the last row.

    Columns: the groupings, quantity, spares, total_price (only with prices; `unpriced` pieces are not in it), power_w
    (`no_figure` pieces are not in it). The price includes spares, the power does not. A row before the last one
    subtracts the power of optics that is in the published maximum of their device.
    """
    group_totals = sum_totals(bill, by, prices.unit_prices)
    if bill.in_devices_w:
        group_totals.append(GroupTotal((IN_DEVICES, *[""] * (len(by) - 1)), power=-power_units(bill.in_devices_w)))
    rows = [*group_totals, GroupTotal((TOTAL, *[""] * (len(by) - 1))).add_group(sum_all(group_totals))]
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


def make_power_table(bill: Bill) -> Table:
    """Return the maximum power of the installed pieces of each part, and of all, W; "" if the catalogue has no figure.

    A row of its own subtracts the optics that are in the published maximum of their device.
    """
    lines = [line for line in bill.lines if line.power_w != 0]
    watts = [None if line.power_w is None else power_units(line.power_w) for line in lines]
    sums = [
        0 if piece_watts is None else piece_watts * line.quantity
        for piece_watts, line in zip(watts, lines, strict=True)
    ]
    counted_twice = power_units(bill.in_devices_w)
    correction_rows = 1 if counted_twice else 0
    return Table(
        "power",
        {
            "kind": [*(line.kind for line in lines), *[IN_DEVICES] * correction_rows, TOTAL],
            "part": [*(line.part for line in lines), *[""] * correction_rows, ""],
            "description": [*(escape_formula(line.description) for line in lines), *[""] * correction_rows, ""],
            "quantity": [
                *(line.quantity for line in lines),
                *[""] * correction_rows,
                sum(line.quantity for line in lines),
            ],
            "each_w": [
                *("" if piece_watts is None else as_watts(piece_watts) for piece_watts in watts),
                *[""] * correction_rows,
                "",
            ],
            "power_w": [
                *(
                    "" if piece_watts is None else as_watts(total)
                    for piece_watts, total in zip(watts, sums, strict=True)
                ),
                *[as_watts(-counted_twice)] * correction_rows,
                as_watts(sum(sums) - counted_twice),
            ],
        },
    )


def _price_variants(bill: Bill, prices: PriceList) -> PriceList:
    """Return the price list with an offer for each variant of a switch: its own if the price file has one, else that of
    its model.
    """
    models = map_numbers_to_models(bill.cluster, bill.lines)
    variant_offers = {number: prices.offers[model] for number, model in models.items() if model in prices.offers}
    return replace(prices, offers={**variant_offers, **prices.offers})


def write_order_workbook(bill: Bill, prices: PriceList) -> bytes:
    """Return a workbook of the single pieces to order, totals by fabric, tier, scalable unit, site and kind, and power.

    Raises InputError (FG029) if a sheet has too many rows.
    """
    lines = list_order_lines(bill)
    order = make_order_table(lines, _price_variants(bill, prices))
    remarked = Table(order.name, {**order.columns, REMARK: [escape_formula(line.remark) for line in lines]})
    sheets = [Sheet("Order", remarked)]
    sheets += [Sheet(title, make_totals_table(bill, by, prices), totals=1) for title, by in SHEETS.items()]
    sheets += [Sheet("Power", make_power_table(bill), totals=1), Sheet(TITLE, make_foot_table(bill))]
    return write_workbook(f"{bill.cluster.design.loaded.blueprint.name}: bill of materials", sheets)

"""The foot of a bill: what is usual in such an order and not in it, as nothing in a blueprint determines the product.

Counts are those that the plan knows; the file bom.csv has none of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabricgen.bom.bill import Bill
from fabricgen.bom.sources.devices import find_included_devices, is_bought
from fabricgen.catalog.models import SwitchProfile
from fabricgen.export.technician.labels import make_label_table
from fabricgen.export.technician.records import make_records
from fabricgen.reports.table import Cell, Table

TITLE = "Not in it"
"""The sheet of a workbook, and the head of the rows below the lines in text."""


def make_foot_table(bill: Bill) -> Table:
    """What to add to an order by hand: `add`, its `count` as far as the plan knows it, else "", and a `note`."""
    rows = list(_list_additions(bill))
    names = ("add", "count", "note")
    return Table(TITLE, {name: [row[i] for row in rows] for i, name in enumerate(names)})


def _list_additions(bill: Bill) -> Iterator[tuple[str, Cell, str]]:
    included = find_included_devices(bill.cluster)
    bought = [cls for cls in bill.cluster.plan.devices.classes if is_bought(cls) and cls.profile.id not in included]
    switches = [cls for cls in bought if isinstance(cls.profile, SwitchProfile)]
    count = sum(cls.count for cls in switches)
    servers = sum(line.quantity for line in bill.lines if line.kind == "console-server")
    labels = len(make_label_table(make_records(bill.cluster)))
    yield "labels", labels, "one for each plug at both ends; `build --only labels` writes their text"
    yield "console cables", count, "one a switch, RJ45 or USB as its port is"
    if servers:
        yield "uplinks of console servers", servers, "a cable and a management port for each; the plan places none"
    else:
        yield "console servers", "", "`accessories: {console_ports: 48}` orders them by site"
    yield "cleaning", "", "one-click cleaners and an inspection scope for each connector: MPO, LC"
    yield "caps", "", "dust caps for free cages and connectors; many come with optics and cables"
    yield "hook-and-loop", "", "for the bundles of `--only technician`"
    # of InfiniBand a manager of the whole fabric runs, which is no licence of a switch
    running = Counter[str]()
    for cls in switches:
        running[cls.nos] += cls.count if bill.cluster.design.fabric(cls.fabric).protocol != "infiniband" else 0
    for nos, of_nos in sorted((+running).items()):
        yield f"licences of {nos}", of_nos, "one a switch, where its vendor sells it with a licence or a subscription"
    yield "support", sum(cls.count for cls in bought), "devices that a support contract may cover"

"""The foot of a bill: what is usual in such an order and not in it, as nothing in a blueprint determines the product.

Counts are those that the plan knows, by the rule that stands beside each; the file bom.csv has none of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from fabricgen.bom.bill import Bill
from fabricgen.bom.cables import CableParts
from fabricgen.bom.sources.devices import find_included_devices, is_bought
from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.export.technician.labels import make_label_table
from fabricgen.export.technician.records import Records, make_records
from fabricgen.reports.table import Cell, Table
from fabricgen.wiring.cabling.cables import number_cages
from fabricgen.wiring.tables import DeviceClass

TITLE = "Not in it"
"""The sheet of a workbook, and the head of the rows below the lines in text."""

CLEANINGS = 500
"""End faces that a one-click cleaner does: what makers promise at least, recalled."""

STRAP_EVERY_M, STRAP_M = 1.0, 0.3
"""A strap of so many m at every so many m of a bundle: twice around 24 fibres of 3 mm or 8 copper cables of 9.4 mm,
which are the largest (`technician/records.py`), with an overlap."""


def make_foot_table(bill: Bill) -> Table:
    """What to add to an order by hand: `add`, its `count` as far as the plan knows it, else "", and a `note`."""
    rows = list(_list_additions(bill))
    names = ("add", "count", "note")
    return Table(TITLE, {name: [row[i] for row in rows] for i, name in enumerate(names)})


def _list_additions(bill: Bill) -> Iterator[tuple[str, Cell, str]]:
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
    metres = math.ceil(measure_straps(records))
    yield (
        "hook-and-loop, m",
        metres,
        f"{STRAP_M:g} m at every {STRAP_EVERY_M:g} m of each bundle of `--only technician`",
    )
    # of InfiniBand a manager of the whole fabric runs, which is no licence of a switch
    running = Counter[str]()
    for cls in switches:
        running[cls.nos] += cls.count if cluster.design.fabric(cls.fabric).protocol != "infiniband" else 0
    for nos, of_nos in sorted((+running).items()):
        if licence := cluster.design.catalog.naming(nos).systems.licence:
            yield f"licences of {nos}", of_nos, f"one a switch: {licence}"
    yield "support", sum(cls.count for cls in bought), "devices that a support contract may cover"


def count_end_faces(cluster: Cluster, labels: Table) -> Counter[str]:
    """End faces of fibre by what cleans them, `MPO` or `LC`: of each plug, and as many of what it goes into.

    Jumpers have a plug at each of their labels in `labels`, labels.csv, with the connector of the cable's transceivers:
    a duplex one has two faces. Trunks have theirs behind panels. Cables with ends of their own have none.
    """
    media, faces = cluster.plan.cables.media, Counter[str]()
    medium = dict(zip(cluster.cable_ids, cluster.plan.cables.medium.tolist(), strict=True))
    plugs = Counter(medium[cable] for cable in labels.columns["cable"] if cable in medium)
    for number, count in plugs.items():
        if media[number].fibre and not media[number].attached:
            connector = media[number].connector
            faces[connector[:3].strip()] += 2 * count * (2 if connector.endswith("duplex") else 1)
    if patching := cluster.plan.patching:
        per_end = np.array([p.connectors_per_trunk for p in patching.policies])
        faces["MPO"] += 2 * 2 * int(per_end[patching.trunks.policy].sum())
    return faces


def count_free_cages(cluster: Cluster, switches: Sequence[DeviceClass]) -> int:
    """Cages for plugs in some classes of switches that no cable of the plan goes into; RJ45 ports have none."""
    plan, (kinds, *end_kinds) = cluster.plan, CableParts(cluster).kinds
    pluggable = np.array([kind.form_factor not in ("RJ45", "CPO") for kind in kinds], dtype=bool)
    counted, cages = np.array([cls in switches for cls in plan.devices.classes], dtype=bool), number_cages(plan)
    used = np.zeros(cages.count, dtype=bool)
    sides = zip((cages.a, cages.b), (plan.links.a_device, plan.links.b_device), end_kinds, strict=True)
    for cage, device, kind in sides:
        device_class = plan.devices.device_class[device[plan.cables.end_link]]
        used[cage[pluggable[kind] & counted[device_class]]] = True
    profiles = [(cls.count, cls.profile.cages) for cls in switches if isinstance(cls.profile, SwitchProfile)]
    total = sum(n * c.count for n, cages_of in profiles for c in cages_of if c.form_factor not in ("RJ45", "CPO"))
    return total - int(used.sum())


def measure_straps(records: Records) -> float:
    """Hook-and-loop for all bundles that are pulled, m: `STRAP_M` at every begun `STRAP_EVERY_M` of the longest run."""
    return float(np.ceil(records.pull.longest_m / STRAP_EVERY_M).sum()) * STRAP_M

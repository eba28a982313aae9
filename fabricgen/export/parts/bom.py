"""bom.csv: what to order, with spares, prices where a price file gives them, and power."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import CableProfile, NodeProfile, SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.design.summary import whole
from fabricgen.export.table import Cell, ExportContext, File, Table, csv_file
from fabricgen.parts.cables import CableParts, EndKind
from fabricgen.plan.tables import EXTRA, NODE

ON_REQUEST = False

KINDS = ("node", "switch", "line-card", "transceiver", "cable")
"""Kinds of lines, in the order they are listed."""


@dataclass(frozen=True, slots=True)
class Line:
    """One part: how many are installed, and the power of one, W (None where the catalogue has no figure)."""

    part: str
    description: str
    kind: str
    quantity: int
    power_w: float | None


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
    for line in lines(cluster):
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


def lines(cluster: Cluster) -> list[Line]:
    """Every part of a cluster once, by kind and part; external devices are not bought, but optics at their ends are."""
    parts = CableParts(cluster)
    found = [*_devices(cluster), *_transceivers(cluster, parts), *_cables(cluster, parts)]
    return sorted(found, key=lambda line: (KINDS.index(line.kind), line.part))


def _devices(cluster: Cluster) -> Iterator[Line]:
    counts: Counter[str] = Counter()
    bought = [c for c in cluster.plan.devices.classes if not getattr(c.profile, "external", False)]
    classes = {c.profile.id: c for c in bought}
    for cls in bought:
        counts[cls.profile.id] += cls.count
    for part, quantity in counts.items():
        cls = classes[part]
        kind = "node" if cls.kind in (NODE, EXTRA) else "switch"
        model = getattr(cls.profile, "model", "") or getattr(cls.profile, "name", "")
        text = f"{cls.profile.vendor} {model}".strip()
        if quantity:
            yield Line(part, text, kind, quantity, cls.profile.power_w.planning_w)
    yield from _line_cards([(c.profile, counts[c.profile.id]) for c in classes.values()])


def _line_cards(devices: list[tuple[SwitchProfile | NodeProfile, int]]) -> Iterator[Line]:
    """Line cards of all chassis, those of one part number together; their power is in the chassis's figure."""
    counts: Counter[str] = Counter()
    text: dict[str, str] = {}
    for profile, quantity in devices:
        for cards in profile.line_cards if isinstance(profile, SwitchProfile) else ():
            counts[cards.part_number] += quantity * cards.count
            text[cards.part_number] = f"{profile.vendor} {cards.model} line card, {cards.cages} cages"
    for part, quantity in counts.items():
        if quantity:
            yield Line(part, text[part], "line-card", quantity, 0)


def _transceivers(cluster: Cluster, parts: CableParts) -> Iterator[Line]:
    """One for each cage that a fibre plugs into: cables in one twin-port cage share it."""
    cables, links = cluster.plan.cables, cluster.plan.links
    medium = cables.medium[cables.end_cable]
    kinds, *ends = parts.kinds
    devices = np.concatenate([links.a_device[cables.end_link], links.b_device[cables.end_link]])
    names = np.concatenate([cages[cables.end_link] for cages in cluster.cages])
    number = {name: i for i, name in enumerate(dict.fromkeys(names.tolist()))}
    cage = np.fromiter(map(number.__getitem__, names.tolist()), dtype=np.int64, count=len(names))
    what = np.concatenate(ends) * len(cables.media) + np.concatenate([medium, medium])
    plugged = [bool(kind.transceiver(profile)) for kind in kinds for profile in cables.media]
    rows = np.flatnonzero(np.array(plugged, dtype=bool)[what])
    _, first = np.unique(devices[rows].astype(np.int64) * max(1, len(number)) + cage[rows], return_index=True)
    found = zip(*np.unique(what[rows][first], return_counts=True), strict=True)
    counts = {(int(w) % len(cables.media), kinds[int(w) // len(cables.media)]): int(n) for w, n in found}
    merged: Counter[str] = Counter()
    about: dict[str, tuple[CableProfile, EndKind]] = {}
    for (chosen, kind), quantity in counts.items():
        part = kind.transceiver(cables.media[chosen])
        merged[part] += quantity
        about[part] = (cables.media[chosen], kind)
    for part, quantity in merged.items():
        profile, kind = about[part]
        text = f"{kind.form_factor} {kind.gbps}G transceiver, {profile.name}, {profile.reach_m:g} m"
        yield Line(part, text, "transceiver", quantity, profile.end_power_w(kind.gbps / kind.lane_gbps))


def _cables(cluster: Cluster, parts: CableParts) -> Iterator[Line]:
    cables = cluster.plan.cables
    kinds, *ends = parts.kinds
    counts: Counter[str] = Counter(parts.parts[0])
    first = {part: i for i, part in reversed(list(enumerate(parts.parts[0])))}
    for part, quantity in counts.items():
        cable = first[part]
        medium, power = cables.media[cables.medium[cable]], [0.0]
        if medium.attached:
            rows = np.flatnonzero(cables.end_cable == cable)
            each = [
                medium.end_power_w(k.gbps / k.lane_gbps) for end in ends for k in (kinds[n] for n in end[rows].tolist())
            ]
            power = [watts for watts in each if watts is not None]
            power = power if len(power) == len(each) else []
        yield Line(part, parts.parts[1][cable], "cable", quantity, sum(power) if power else None)

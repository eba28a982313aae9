"""The device table: nodes, extra devices, switches and scale-up trays, in that order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.design.management import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.wiring.links.columns import Columns, constant_rail_plane, node_columns, tier_columns
from fabricgen.wiring.links.scale_up_places import tray_columns
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY, DeviceClass, DeviceTable, Ints

_COLUMNS = ("site", "pod", "unit", "su", "rack", "node", "rail", "plane", "index")


@dataclass(frozen=True, slots=True)
class _Part:
    """A class of devices before it has its rows."""

    kind: int
    fabric: str
    tier: str
    label: str
    profile: NodeProfile | SwitchProfile
    nos: str
    count: int
    path: Path
    columns: Columns


def expand_devices(design: Design) -> DeviceTable:
    """List every device of a cluster; racks are filled in by placement."""
    parts = [*_nodes(design), *_extras(design), *_switches(design), *_trays(design)]
    classes: list[DeviceClass] = []
    first = 0
    for part in parts:
        classes.append(
            DeviceClass(
                part.kind,
                part.fabric,
                part.tier,
                part.label,
                part.profile,
                part.nos,
                first,
                part.count,
                part.path,
            )
        )
        first += part.count
    counts = [p.count for p in parts]
    columns = {name: np.concatenate([_column(p, name) for p in parts]) for name in _COLUMNS}
    return DeviceTable(
        classes=tuple(classes),
        device_class=np.repeat(np.arange(len(parts), dtype=np.int32), counts),
        ordinal=np.concatenate([np.arange(n, dtype=np.int32) for n in counts]),
        site=columns["site"],
        pod=columns["pod"],
        unit=columns["unit"],
        su=columns["su"],
        rack_in_unit=columns["rack"],
        node=columns["node"],
        rail=columns["rail"],
        plane=columns["plane"],
        index=columns["index"],
        rack=np.full(first, -1, dtype=np.int32),
        u=np.full(first, -1, dtype=np.int32),
    )


def _column(part: _Part, name: str) -> Ints:
    column = part.columns.get(name)
    return np.full(part.count, -1, dtype=np.int32) if column is None else column.astype(np.int32)


def _nodes(design: Design) -> Iterator[_Part]:
    everyone = node_columns(design.layout)
    for nodes in design.layout.node_sets:
        mine = (everyone["node"] >= nodes.first) & (everyone["node"] < nodes.first + nodes.count)
        columns = {name: column[mine] for name, column in everyone.items()}
        path = ("scalable_unit", "nodes", nodes.name)
        yield _Part(NODE, "", "node", nodes.name, nodes.profile, "", int(mine.sum()), path, columns)


def _extras(design: Design) -> Iterator[_Part]:
    paths = {e.name: e.path for f in reversed(design.fabrics) for e in f.extras}
    for name, (profile, names, site) in design.extra_devices.items():
        count = len(names)
        at = design.layout.sites.index(site) if site else design.layout.first_site
        columns = {"index": np.arange(count, dtype=np.int32), "site": np.full(count, at, dtype=np.int32)}
        yield _Part(EXTRA, "", "node", name, profile, "", count, paths[name], columns)


def _switches(design: Design) -> Iterator[_Part]:
    for fabric in design.fabrics:
        sizes = fabric.tier_sizes
        for tier in fabric.tiers:
            columns = tier_columns(design.layout, tier, sizes)
            rail, plane = constant_rail_plane(fabric, columns)
            own = {"index": columns[tier.name], "rail": rail, "plane": plane}
            if (columns["site"] < 0).all() and len(design.layout.sites) == 1:
                own["site"] = np.zeros(tier.switches, dtype=np.int32)
            columns = columns | own
            yield _Part(
                SWITCH,
                fabric.name,
                tier.name,
                tier.name,
                tier.profile,
                tier.nos,
                tier.switches,
                tier.path,
                columns,
            )


def _trays(design: Design) -> Iterator[_Part]:
    for scale_up in design.scale_up:
        if scale_up.trays_each:
            profile = design.catalog.switch(scale_up.profile.tray)
            label, path = scale_up.name, scale_up.path
            columns = tray_columns(design, scale_up)
            yield _Part(TRAY, label, TRAY_TIER, label, profile, profile.nos[0], scale_up.trays, path, columns)

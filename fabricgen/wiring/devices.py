"""The device table: nodes, extra devices, switches and scale-up trays, in that order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.design.floor.port_sides import aisle_of_ports
from fabricgen.design.management.managed import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.links.columns import Columns, constant_rail_plane, in_cluster, node_columns, tier_columns
from fabricgen.wiring.links.scale_up_places import tray_columns
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY, DeviceClass, DeviceTable

_COLUMNS = ("site", "pod", "unit", "su", "rack", "node", "rail", "plane", "index")


@dataclass(frozen=True, slots=True)
class _ClassDraft:
    """A class of devices with its coordinate columns, before rows of the device table are assigned."""

    kind: int
    fabric: str
    tier: str
    label: str
    profile: NodeProfile | SwitchProfile
    nos: str
    count: int
    path: Path
    columns: Columns
    part: str = ""


def expand_devices(design: Design) -> DeviceTable:
    """The device table of a cluster; rack and rack unit are -1 until placement."""
    drafts = [*_nodes(design), *_extras(design), *_switches(design), *_trays(design)]
    classes: list[DeviceClass] = []
    first = 0
    for draft in drafts:
        classes.append(
            DeviceClass(
                draft.kind,
                draft.fabric,
                draft.tier,
                draft.label,
                draft.profile,
                draft.nos,
                first,
                draft.count,
                draft.path,
                draft.part,
                aisle_of_ports(design, (draft.fabric, draft.tier), draft.nos, draft.profile),
            )
        )
        first += draft.count
    counts = [draft.count for draft in drafts]
    columns = {name: np.concatenate([_column(draft, name) for draft in drafts]) for name in _COLUMNS}
    return DeviceTable(
        classes=tuple(classes),
        device_class=np.repeat(np.arange(len(drafts), dtype=np.int32), counts),
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


def _column(draft: _ClassDraft, name: str) -> Ints:
    column = draft.columns.get(name)
    return np.full(draft.count, -1, dtype=np.int32) if column is None else column.astype(np.int32)


def _nodes(design: Design) -> Iterator[_ClassDraft]:
    for kind in design.layout.kinds:
        everyone = node_columns(design.layout, kind)
        for nodes in kind.node_sets:
            mine = (everyone["node"] >= nodes.first) & (everyone["node"] < nodes.first + nodes.count)
            columns = {name: column[mine] for name, column in everyone.items()}
            yield _ClassDraft(NODE, "", "node", nodes.name, nodes.profile, "", int(mine.sum()), nodes.path, columns)


def _extras(design: Design) -> Iterator[_ClassDraft]:
    paths = {e.name: e.path for f in reversed(design.fabrics) for e in f.extras}
    for name, (profile, names, site) in design.extra_devices.items():
        count = len(names)
        at = design.layout.sites.index(site) if site else design.layout.first_site
        columns = {"index": np.arange(count, dtype=np.int32), "site": np.full(count, at, dtype=np.int32)}
        yield _ClassDraft(EXTRA, "", "node", name, profile, "", count, paths[name], columns)


def _switches(design: Design) -> Iterator[_ClassDraft]:
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            columns = tier_columns(tier)
            rail, plane = constant_rail_plane(tier, columns)
            own = {"index": columns[tier.name], "rail": rail, "plane": plane}
            if (columns["site"] < 0).all() and len(design.layout.sites) == 1:
                own["site"] = np.zeros(tier.switches, dtype=np.int32)
            columns = in_cluster(tier.layout, columns) | own
            yield _ClassDraft(
                SWITCH,
                fabric.name,
                tier.name,
                tier.name,
                tier.profile,
                tier.nos,
                tier.switches,
                tier.path,
                columns,
                tier.part,
            )


def _trays(design: Design) -> Iterator[_ClassDraft]:
    for scale_up in design.scale_up:
        if scale_up.trays_each:
            profile = design.catalog.switch(scale_up.profile.tray)
            label, path = scale_up.name, scale_up.path
            columns = tray_columns(design, scale_up)
            yield _ClassDraft(TRAY, label, TRAY_TIER, label, profile, profile.nos[0], scale_up.trays, path, columns)

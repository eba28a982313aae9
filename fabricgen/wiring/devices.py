"""The device table: nodes, extra devices, switches and scale-up trays, in that order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fabricgen.design.floor.port_sides import find_port_aisle
from fabricgen.design.management.managed import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.links.columns import (
    Columns,
    find_rail_and_plane,
    make_node_columns,
    make_tier_columns,
    number_by_cluster,
)
from fabricgen.wiring.links.scale_up_places import make_tray_columns
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY, DeviceClass, DeviceTable

_COLUMNS = ("site", "pod", "unit", "su", "rack", "node", "rail", "plane", "index")

_Draft = tuple[DeviceClass, Columns]
"""A class of devices, of which no row is assigned yet, and its coordinate columns."""


def expand_devices(design: Design) -> DeviceTable:
    """Return the device table of a cluster; rack and rack unit are -1 until placement."""
    drafts = [*_draft_nodes(design), *_draft_extras(design), *_draft_switches(design), *_draft_trays(design)]
    classes: list[DeviceClass] = []
    first = 0
    for cls, _ in drafts:
        aisle = find_port_aisle(design, (cls.fabric, cls.tier), cls.nos, cls.profile)
        classes.append(replace(cls, first=first, aisle=aisle))
        first += cls.count
    counts = [cls.count for cls in classes]
    columns = {name: np.concatenate([_take_column(*draft, name) for draft in drafts]) for name in _COLUMNS}
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


def _take_column(cls: DeviceClass, columns: Columns, name: str) -> Ints:
    """Return a coordinate of all devices of a class, -1 if they do not have it."""
    column = columns.get(name)
    return np.full(cls.count, -1, dtype=np.int32) if column is None else column.astype(np.int32)


def _draft_nodes(design: Design) -> Iterator[_Draft]:
    # (class, columns of its devices) of each set of nodes, kind by kind of scalable unit
    for kind in design.layout.kinds:
        kind_columns = make_node_columns(design.layout, kind)
        for nodes in kind.node_sets:
            is_of_set = (kind_columns["node"] >= nodes.first) & (kind_columns["node"] < nodes.first + nodes.count)
            columns = {name: column[is_of_set] for name, column in kind_columns.items()}
            number = int(is_of_set.sum())
            yield DeviceClass(NODE, "", "node", nodes.name, nodes.profile, "", 0, number, nodes.path), columns


def _draft_extras(design: Design) -> Iterator[_Draft]:
    # (class, columns) of each set of extra devices; the row of its first device is not known yet
    # backwards, so that of fabrics that share a set the first one has the word
    paths = {e.name: e.path for f in reversed(design.fabrics) for e in f.extras}
    for name, (profile, names, site) in design.extra_devices.items():
        count = len(names)
        site_index = design.layout.sites.index(site) if site else design.layout.first_site
        columns = {"index": np.arange(count, dtype=np.int32), "site": np.full(count, site_index, dtype=np.int32)}
        yield DeviceClass(EXTRA, "", "node", name, profile, "", 0, count, paths[name]), columns


def _draft_switches(design: Design) -> Iterator[_Draft]:
    # (class, columns) of each tier of each fabric; the row of its first switch is not known yet
    for fabric in design.fabrics:
        for tier in fabric.tiers:
            columns = make_tier_columns(tier)
            rail, plane = find_rail_and_plane(tier, columns)
            switch_columns = {"index": columns[tier.name], "rail": rail, "plane": plane}
            if (columns["site"] < 0).all() and len(design.layout.sites) == 1:
                switch_columns["site"] = np.zeros(tier.switches, dtype=np.int32)
            # 0 is the first row, as above
            fields = fabric.name, tier.name, tier.name, tier.profile, tier.nos, 0, tier.switches, tier.path, tier.part
            yield DeviceClass(SWITCH, *fields), number_by_cluster(tier.layout, columns) | switch_columns


def _draft_trays(design: Design) -> Iterator[_Draft]:
    # (class, columns of its devices) of the trays of scale-up domains
    for scale_up in design.scale_up:
        if scale_up.trays_each:
            profile = design.catalog.switch(scale_up.profile.tray)
            label, path = scale_up.name, scale_up.path
            columns = make_tray_columns(design, scale_up)
            yield DeviceClass(TRAY, label, TRAY_TIER, label, profile, profile.nos[0], 0, scale_up.trays, path), columns

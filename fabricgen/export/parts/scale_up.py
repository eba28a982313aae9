"""scale-up.csv: every link of every scale-up domain, on-board ones too; written on request only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.model import ScaleUpDesign
from fabricgen.design.scale_up import domain_links
from fabricgen.export.columns import picked
from fabricgen.export.table import Cell, ExportContext, File, Table, csv_file
from fabricgen.plan.tables import NODE, ScaleUpPort

ON_REQUEST = True

_COLUMNS = ("domain", "kind", "a_device", "a_port", "b_device", "b_port", "gbps")


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield scale-up.csv."""
    yield csv_file(table(cluster))


def table(cluster: Cluster) -> Table:
    """Links of scale-up domains: on a node's board, or from the trays of a rack to its switch trays."""
    rows: list[tuple[Cell, ...]] = []
    for scale_up in cluster.design.scale_up:
        rows += _on_board(cluster, scale_up) if scale_up.per == "node" else _in_racks(cluster, scale_up)
    return Table("scale-up", {name: [row[i] for row in rows] for i, name in enumerate(_COLUMNS)})


def _on_board(cluster: Cluster, scale_up: ScaleUpDesign) -> Iterator[tuple[Cell, ...]]:
    profile = scale_up.profile
    ends = [
        (f"gpu{a}/nvl{port}", f"{'asic' if at_switch else 'gpu'}{far}/nvl{far_port}")
        for a, port, at_switch, far, far_port in domain_links(profile, scale_up.path)
    ]
    for cls in cluster.plan.devices.classes:
        accelerators = getattr(cls.profile, "accelerators", None)
        forms = getattr(cls.profile, "scale_up", "") in ("", profile.id)
        if cls.kind == NODE and accelerators and forms:
            for name in cluster.names[cls.rows]:
                for a, b in ends:
                    yield name, profile.id, name, a, name, b, profile.link_gbps


def _in_racks(cluster: Cluster, scale_up: ScaleUpDesign) -> Iterator[tuple[Cell, ...]]:
    links, devices = cluster.plan.links, cluster.plan.devices
    of_kind = [i for i, s in enumerate(links.segments) if s.fabric == scale_up.name and isinstance(s.a, ScaleUpPort)]
    rows = np.flatnonzero(np.isin(links.segment, of_kind))
    racks = np.array(cluster.plan.racks.names, dtype=object)
    yield from zip(
        picked(racks, devices.rack[links.a_device[rows]]),
        [scale_up.profile.id] * len(rows),
        picked(cluster.name_column, links.a_device[rows]),
        cluster.a_port[rows].tolist(),
        picked(cluster.name_column, links.b_device[rows]),
        cluster.b_port[rows].tolist(),
        [scale_up.profile.link_gbps] * len(rows),
        strict=True,
    )

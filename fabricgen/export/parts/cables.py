"""cables.csv: one row a far end of a cable: where it goes, what it is and what both labels say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.cable_ends import port_texts
from fabricgen.export.columns import picked
from fabricgen.export.table import ExportContext, File, Table, csv_file
from fabricgen.parts.cables import CableParts

ON_REQUEST = False


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield cables.csv."""
    yield csv_file(table(cluster))


def table(cluster: Cluster) -> Table:
    """Cable ends by cable; a breakout has several rows of one cable, and all rows of a cable share part and length."""
    cables, links = cluster.plan.cables, cluster.plan.links
    parts = CableParts(cluster)
    media = np.array([m.medium for m in cables.media], dtype=object)
    row_cable = cables.end_cable
    transceivers = parts.transceivers()
    fabrics = np.array([s.fabric for s in links.segments], dtype=object)
    ends: dict[str, list[Any]] = {}
    for side, devices, cages, optics in (
        ("a", links.a_device, cluster.cages[0], transceivers[0]),
        ("b", links.b_device, cluster.cages[1], transceivers[1]),
    ):
        device = devices[cables.end_link]
        ends |= {
            f"{side}_device": picked(cluster.name_column, device),
            f"{side}_cage": picked(cages, cables.end_link),
            f"{side}_transceiver": optics,
            f"{side}_rack": picked(np.array(cluster.plan.racks.names, dtype=object), cluster.plan.devices.rack[device]),
            f"{side}_u": cluster.plan.devices.u[device].tolist(),
        }
    a, b = (
        [f"{device}:{port}" for device, port in zip(ends[f"{side}_device"], ports, strict=True)]
        for side, ports in zip("ab", port_texts(cluster), strict=True)
    )
    columns = {
        "cable": picked(np.array(cluster.cable_ids, dtype=object), row_cable),
        "fabric": picked(fabrics, links.segment[cables.end_link]),
        "part": picked(np.array(parts.parts[0], dtype=object), row_cable),
        "medium": picked(media, cables.medium[row_cable]),
        "length_m": cables.length_m[row_cable].tolist(),
        **ends,
        "label_a": [f"{x} > {y}" for x, y in zip(a, b, strict=True)],
        "label_b": [f"{y} > {x}" for x, y in zip(a, b, strict=True)],
    }
    return Table("cables", columns)

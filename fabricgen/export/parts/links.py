"""links.csv: one row a link, port to port."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.columns import picked, positive
from fabricgen.export.table import ExportContext, File, Table, csv_file

ON_REQUEST = False


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield links.csv."""
    yield csv_file(table(cluster))


def table(cluster: Cluster) -> Table:
    """Links by fabric, from the nodes up; a backplane link has no cable.

    Addresses are IPv4 where a link has any, else IPv6; addresses.csv has both.
    """
    links = cluster.plan.links
    a_ip, b_ip = cluster.addresses.of_links()
    fabrics = np.array([s.fabric for s in links.segments], dtype=object)
    speeds = np.array([s.speed_gbps for s in links.segments], dtype=float)
    cables = np.array([*cluster.cable_ids, ""], dtype=object)
    a_device = picked(cluster.name_column, links.a_device)
    a_port: list[str] = cluster.a_port.tolist()
    columns = {
        "fabric": picked(fabrics, links.segment),
        "link": [f"{device}:{port}" for device, port in zip(a_device, a_port, strict=True)],
        "cable": picked(cables, links.cable),
        "a_device": a_device,
        "a_port": a_port,
        "a_ip": a_ip,
        "b_device": picked(cluster.name_column, links.b_device),
        "b_port": cluster.b_port.tolist(),
        "b_ip": b_ip,
        "speed_gbps": speeds[links.segment].tolist(),
        "rail": positive(links.rail),
        "plane": positive(links.plane),
    }
    return Table("links", columns)

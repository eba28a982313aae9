"""addresses.csv: every address with its prefix length, what it is for and where it is set."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.columns import picked, prefixes
from fabricgen.export.table import ExportContext, File, Table, csv_file
from fabricgen.plan.tables import SWITCH, ManagementPort, Segment

ON_REQUEST = False


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield addresses.csv."""
    yield csv_file(table(cluster))


def table(cluster: Cluster) -> Table:
    """Addresses: router ids, management ports, gateways, then both ends of links in link order."""
    rows = [*_router_ids(cluster), *_management(cluster), *_gateways(cluster), *_links(cluster)]
    names = ("prefix", "kind", "device", "port")
    return Table("addresses", {name: [row[i] for row in rows] for i, name in enumerate(names)})


def _router_ids(cluster: Cluster) -> Iterator[tuple[str, ...]]:
    loopback = cluster.addresses.loopback
    rows = np.flatnonzero(loopback)
    texts = prefixes(loopback[rows], np.full(len(rows), 32, dtype=np.int64))
    for row, text in zip(rows.tolist(), texts, strict=True):
        yield text, "loopback", cluster.names[row], "Loopback0"


def _management(cluster: Cluster) -> Iterator[tuple[str, ...]]:
    """Management ports with an address of their own that no link carries."""
    allocated, links = cluster.addresses, cluster.plan.links
    own = (allocated.management != 0) & (allocated.management != allocated.loopback)
    own[links.a_device[np.isin(links.segment, _management_segments(links.segments))]] = False
    rows = np.flatnonzero(own)
    texts = prefixes(allocated.management[rows], allocated.management_length[rows])
    classes = cluster.plan.devices.classes
    for row, text in zip(rows.tolist(), texts, strict=True):
        cls = classes[cluster.plan.devices.device_class[row]]
        port = cluster.design.catalog.naming(cls.nos, cls.path).management_of(cls.profile) if cls.kind == SWITCH else ""
        yield text, "management", cluster.names[row], port


def _management_segments(segments: tuple[Segment, ...]) -> list[int]:
    return [i for i, s in enumerate(segments) if isinstance(s.a, ManagementPort) or getattr(s.a, "role", "") == "bmc"]


def _gateways(cluster: Cluster) -> Iterator[tuple[str, ...]]:
    allocated = cluster.addresses
    texts = prefixes(allocated.gateway_ip, allocated.gateway_length)
    for row, text in zip(allocated.gateway_device.tolist(), texts, strict=True):
        fabric = cluster.plan.devices.classes[cluster.plan.devices.device_class[row]].fabric
        vlan = cluster.intent(cluster.design.fabric(fabric)).vlan
        yield text, "gateway", cluster.names[row], f"Vlan{vlan}"


def _links(cluster: Cluster) -> Iterator[tuple[str, ...]]:
    links, allocated = cluster.plan.links, cluster.addresses
    management = set(_management_segments(links.segments))
    kinds = np.array(
        [
            "management" if i in management else "host" if s.lower == "node" else "link"
            for i, s in enumerate(links.segments)
        ],
        dtype=object,
    )
    kind = picked(kinds, links.segment) if len(links.segments) else []
    ends = []
    for device, port, ip in (
        (links.a_device, cluster.a_port, allocated.a_ip),
        (links.b_device, cluster.b_port, allocated.b_ip),
    ):
        ends.append((picked(cluster.name_column, device), port.tolist(), prefixes(ip, allocated.length)))
    for i, what in enumerate(kind):
        for devices, ports, texts in ends:
            if texts[i]:
                yield texts[i], what, devices[i], ports[i]

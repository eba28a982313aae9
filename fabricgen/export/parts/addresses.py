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
    rows = [*_router_ids(cluster), *_management(cluster), *_gateways(cluster), *_links(cluster), *_in_vrfs(cluster)]
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
    """Gateways of bridged nodes, fabric by fabric."""
    for fabric, subnets in cluster.addresses.subnets.items():
        rows = np.flatnonzero(subnets.gateway)
        texts = prefixes(subnets.gateway[rows], subnets.length[rows])
        vlan = cluster.intent(cluster.design.fabric(fabric)).vlan
        for row, text in zip(rows.tolist(), texts, strict=True):
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


def _in_vrfs(cluster: Cluster) -> Iterator[tuple[str, ...]]:
    """Sub-interfaces of links that carry the VRF of a fabric on another's switches."""
    links, fabrics = cluster.plan.links, cluster.design.fabrics
    for (owner, vrf), pairs in cluster.addresses.vrf_links.items():
        vlan = next(cluster.intent(f).vlan for f in fabrics if (f.carrier, f.vrf) == (owner, vrf))
        rows = np.flatnonzero(pairs)
        lengths = np.full(len(rows), 31, dtype=np.int64)
        for device, port, more in ((links.a_device, cluster.a_port, 1), (links.b_device, cluster.b_port, 0)):
            for row, text in zip(rows.tolist(), prefixes(pairs[rows] + more, lengths), strict=True):
                yield text, "link", cluster.names[device[row]], f"{port[row]}.{vlan}"

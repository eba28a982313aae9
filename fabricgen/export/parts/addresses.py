"""addresses.csv: every address with its prefix length, what it is for and where it is set.

Kinds: loopback, router-id (of a switch without IPv4: on no interface), management, gateway, link, host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from fabricgen.allocate.column import Column4
from fabricgen.allocate.family import ROUTER_ID_BITS
from fabricgen.allocate.family_tables import FamilyAddresses
from fabricgen.cluster import Cluster
from fabricgen.export.columns import picked
from fabricgen.export.table import ExportContext, File, Table, csv_file
from fabricgen.plan.tables import SWITCH, ManagementPort, Segment, Wide

ON_REQUEST = False

_Rows: TypeAlias = Iterator[tuple[str, ...]]


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield addresses.csv."""
    yield csv_file(table(cluster))


def table(cluster: Cluster) -> Table:
    """Addresses by family: loopbacks, management ports, gateways, then both ends of links in link order."""
    rows = [row for family in cluster.addresses.families for row in _of_family(cluster, family)]
    names = ("prefix", "kind", "device", "port")
    return Table("addresses", {name: [row[i] for row in rows] for i, name in enumerate(names)})


def _of_family(cluster: Cluster, found: FamilyAddresses) -> _Rows:
    yield from _loopbacks(cluster, found)
    if found.family.bits == ROUTER_ID_BITS:
        yield from _router_ids(cluster)
    yield from _management(cluster, found)
    yield from _gateways(cluster, found)
    yield from _links(cluster, found)
    yield from _in_vrfs(cluster, found)


def _same(length: int, rows: Wide) -> Wide:
    return np.full(len(rows), length, dtype=np.int64)


def _loopbacks(cluster: Cluster, found: FamilyAddresses) -> _Rows:
    rows = np.flatnonzero(found.loopback.present)
    texts = found.loopback[rows].prefixes(_same(found.family.bits, rows))
    for row, text in zip(rows.tolist(), texts, strict=True):
        yield text, "loopback", cluster.names[row], "Loopback0"


def _router_ids(cluster: Cluster) -> _Rows:
    """Router ids that are not the address of a loopback."""
    ids = cluster.addresses.router_id
    rows = np.flatnonzero((ids > 0) & ~cluster.addresses.v4.loopback.present)
    texts = Column4(ids[rows]).prefixes(_same(ROUTER_ID_BITS, rows))
    for row, text in zip(rows.tolist(), texts, strict=True):
        yield text, "router-id", cluster.names[row], ""


def _management(cluster: Cluster, found: FamilyAddresses) -> _Rows:
    """Management ports with an address of their own that no link carries."""
    links = cluster.plan.links
    own = found.management.present & ~found.management.same(found.loopback)
    own[links.a_device[np.isin(links.segment, _management_segments(links.segments))]] = False
    rows = np.flatnonzero(own)
    texts = found.management[rows].prefixes(found.management_length[rows])
    classes = cluster.plan.devices.classes
    for row, text in zip(rows.tolist(), texts, strict=True):
        cls = classes[cluster.plan.devices.device_class[row]]
        port = cluster.design.catalog.naming(cls.nos, cls.path).management_of(cls.profile) if cls.kind == SWITCH else ""
        yield text, "management", cluster.names[row], port


def _management_segments(segments: tuple[Segment, ...]) -> list[int]:
    return [i for i, s in enumerate(segments) if isinstance(s.a, ManagementPort) or getattr(s.a, "role", "") == "bmc"]


def _gateways(cluster: Cluster, found: FamilyAddresses) -> _Rows:
    """Gateways of bridged nodes, fabric by fabric."""
    for fabric, subnets in found.subnets.items():
        vlan = cluster.intent(cluster.design.fabric(fabric)).vlan
        for row in np.flatnonzero(subnets.gateway.present).tolist():
            length = int(subnets.subnet_length[row])
            for place, gateway in enumerate(found.gateways(fabric, row)):
                yield found.prefix(gateway, length), "gateway", cluster.names[row], f"Vlan{vlan + place}"


def _links(cluster: Cluster, found: FamilyAddresses) -> _Rows:
    links = cluster.plan.links
    management = set(_management_segments(links.segments))
    kinds = np.array(
        [
            "management" if i in management else "host" if s.lower == "node" else "link"
            for i, s in enumerate(links.segments)
        ],
        dtype=object,
    )
    rows = np.flatnonzero(found.a.present | found.b.present)
    kind = picked(kinds, links.segment[rows]) if len(links.segments) else []
    ends = []
    for device, port, column in ((links.a_device, cluster.a_port, found.a), (links.b_device, cluster.b_port, found.b)):
        texts = column[rows].prefixes(found.length[rows])
        ends.append((picked(cluster.name_column, device[rows]), port[rows].tolist(), texts))
    for i, what in enumerate(kind):
        for devices, ports, texts in ends:
            if texts[i]:
                yield texts[i], what, devices[i], ports[i]


def _in_vrfs(cluster: Cluster, found: FamilyAddresses) -> _Rows:
    """Sub-interfaces of links that carry the VRF of a fabric on another's switches."""
    links, fabrics = cluster.plan.links, cluster.design.fabrics
    for (owner, vrf), pairs in found.vrf_links.items():
        vlan = next(cluster.intent(f).vlan for f in fabrics if (f.carrier, f.vrf) == (owner, vrf))
        rows = np.flatnonzero(pairs.present)
        lengths = _same(found.family.pair_length, rows)
        for device, port, more in ((links.a_device, cluster.a_port, 1), (links.b_device, cluster.b_port, 0)):
            for row, text in zip(rows.tolist(), pairs[rows].plus(more).prefixes(lengths), strict=True):
                yield text, "link", cluster.names[device[row]], f"{port[row]}.{vlan}"

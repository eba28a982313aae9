"""addresses.csv: every address with its prefix length, its purpose, and the device and port that has it.

Kinds: loopback, router-id (of a switch without IPv4, on no interface), management, gateway, link, host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.host_links import bond_ports
from fabricgen.export.table import ExportContext, File, Table, csv_file
from fabricgen.numbering.addresses.column import AddressColumn, IPv4Column, column_of
from fabricgen.numbering.addresses.family import ROUTER_ID_BITS
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.lazy_columns import (
    ConcatenatedColumn,
    EncodedColumn,
    LazyColumn,
    StackedColumn,
    constant_column,
    encoded,
)
from fabricgen.wiring.tables import SWITCH, DeviceClass, Ints, Ints64, ManagementPort, Segment, unique_inverse

ON_REQUEST = False


class AddressSection(NamedTuple):
    """Addresses that come from one table: prefix lengths are int64, devices are rows of the device table."""

    addresses: AddressColumn
    lengths: Ints64
    kinds: EncodedColumn
    devices: Ints64 | Ints
    ports: LazyColumn


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield addresses.csv."""
    yield csv_file(table(cluster))


def rows(cluster: Cluster) -> int:
    """Work, in rows of links.csv: half of them; there may be more addresses than links, but the rows are short."""
    return len(cluster.plan.links) // 2


def table(cluster: Cluster) -> Table:
    """Addresses by family: loopbacks, management ports, gateways, then both ends of links in link order."""
    sections = [
        (each.addresses.cells(each.lengths), each.kinds, EncodedColumn(cluster.name_column, each.devices), each.ports)
        for family in cluster.addresses.families
        for each in (*before_links(cluster, family), _links(cluster, family), *after_links(cluster, family))
    ]
    names = ("prefix", "kind", "device", "port")
    return Table("addresses", dict(zip(names, map(StackedColumn, zip(*sections, strict=True)), strict=True)))


def before_links(cluster: Cluster, found: FamilyAddresses) -> Iterator[AddressSection]:
    """The addresses of a family that are listed before those of both ends of links."""
    yield _loopbacks(found)
    if found.family.bits == ROUTER_ID_BITS:
        yield _router_ids(cluster)
    yield _management(cluster, found)
    yield _gateways(cluster, found)


def after_links(cluster: Cluster, found: FamilyAddresses) -> Iterator[AddressSection]:
    """The addresses of a family that are listed after those of both ends of links."""
    yield from _on_shared_ports(cluster, found)
    yield from _in_vrfs(cluster, found)


def _same(length: int, rows: Ints64) -> Ints64:
    return np.full(len(rows), length, dtype=np.int64)


def _section(
    addresses: AddressColumn, lengths: Ints64, kind: str, device: Ints64 | Ints, port: str | LazyColumn
) -> AddressSection:
    """Addresses of one kind."""
    ports = constant_column(port, len(device)) if isinstance(port, str) else port
    return AddressSection(addresses, lengths, constant_column(kind, len(device)), device, ports)


def _loopbacks(found: FamilyAddresses) -> AddressSection:
    rows = np.flatnonzero(found.loopback.present)
    return _section(found.loopback[rows], _same(found.family.bits, rows), "loopback", rows, "Loopback0")


def _router_ids(cluster: Cluster) -> AddressSection:
    """Router ids that are no loopback address."""
    ids = cluster.addresses.router_id
    rows = np.flatnonzero((ids > 0) & ~cluster.addresses.v4.loopback.present)
    return _section(IPv4Column(ids[rows]), _same(ROUTER_ID_BITS, rows), "router-id", rows, "")


def _management(cluster: Cluster, found: FamilyAddresses) -> AddressSection:
    """Addresses of management ports without a link in the plan."""
    links, devices = cluster.plan.links, cluster.plan.devices
    own = found.management.present & ~found.management.same(found.loopback)
    own[links.a_device[np.isin(links.segment, _management_segments(links.segments))]] = False
    if cluster.phase:  # ports of nodes whose links come later
        own &= np.array([cls.kind == SWITCH for cls in devices.classes], dtype=bool)[devices.device_class]
    rows = np.flatnonzero(own)
    classes, number = unique_inverse(devices.device_class[rows])
    ports = encoded([_management_port(cluster, devices.classes[cls]) for cls in classes], number)
    return _section(found.management[rows], found.management_length[rows], "management", rows, ports)


def _management_port(cluster: Cluster, cls: DeviceClass) -> str:
    if cls.kind != SWITCH:
        return ""
    return cluster.design.catalog.naming(cls.nos, cls.path).management_of(cls.profile)


def _management_segments(segments: tuple[Segment, ...]) -> list[int]:
    return [i for i, s in enumerate(segments) if isinstance(s.a, ManagementPort) or getattr(s.a, "role", "") == "bmc"]


def _gateways(cluster: Cluster, found: FamilyAddresses) -> AddressSection:
    """Gateways of bridged nodes, fabric by fabric."""
    rows: list[tuple[int, int, int, str]] = []
    for fabric, subnets in found.subnets.items():
        vlan = cluster.intent(cluster.design.fabric(fabric)).vlan
        for row in np.flatnonzero(subnets.gateway.present).tolist():
            length = int(subnets.subnet_length[row])
            for place, gateway in enumerate(found.gateways(fabric, row)):
                rows.append((gateway, length, row, f"Vlan{vlan + place}"))
    addresses, lengths, devices, ports = zip(*rows, strict=True) if rows else ((), (), (), ())
    of_length, of_device = np.array(lengths, dtype=np.int64), np.array(devices, dtype=np.int64)
    named = encoded(ports, np.arange(len(ports)))
    return _section(column_of(found.family, addresses), of_length, "gateway", of_device, named)


def _links(cluster: Cluster, found: FamilyAddresses) -> AddressSection:
    """Both ends of every link, the lower before the upper."""
    links = cluster.plan.links
    kinds = kinds_of_links(cluster)
    there = np.stack([found.a.present, found.b.present], axis=1)
    link, upper = (place.astype(np.int32) for place in np.nonzero(there))
    b = cluster.port_names.port_columns[1]
    device = np.where(upper, links.b_device[link], links.a_device[link])
    own = bond_ports(cluster, link)
    port = EncodedColumn(own.vocabulary, np.where(upper, b.codes[link], own.codes))
    address, at_b = found.a[link], upper == 1
    address[at_b] = found.b[link[at_b]]
    return AddressSection(address, found.length[link], encoded(kinds, links.segment[link]), device, port)


def kinds_of_links(cluster: Cluster) -> list[str]:
    """The kind of the addresses of links, by segment."""
    segments = cluster.plan.links.segments
    management = set(_management_segments(segments))
    return [
        "management" if i in management else "host" if s.lower == "node" else "link" for i, s in enumerate(segments)
    ]


def _on_shared_ports(cluster: Cluster, found: FamilyAddresses) -> Iterator[AddressSection]:
    """Addresses of nodes in the VLANs of fabrics that share their ports: of PORT.VLAN where it is tagged."""
    links = cluster.plan.links
    for name, column in found.shared.items():
        fabric = cluster.design.fabric(name)
        rows = np.flatnonzero(column.present)
        lengths = found.subnets[name].subnet_length[links.b_device[rows]]
        vlan = f".{cluster.intent(fabric).vlan}" if fabric.tagged else ""
        ports = ConcatenatedColumn((bond_ports(cluster, rows), vlan))
        yield _section(column[rows], lengths, "host", links.a_device[rows], ports)


def _in_vrfs(cluster: Cluster, found: FamilyAddresses) -> Iterator[AddressSection]:
    """Sub-interfaces of links that carry the VRF of a fabric on another's switches."""
    links, fabrics = cluster.plan.links, cluster.design.fabrics
    a, b = cluster.port_names.port_columns
    for (owner, vrf), pairs in found.vrf_links.items():
        vlan = next(cluster.intent(f).vlan for f in fabrics if (f.carrier, f.vrf) == (owner, vrf))
        rows = np.flatnonzero(pairs.present)
        lengths = _same(found.family.pair_length, rows)
        for device, ports, more in ((links.a_device, a, 1), (links.b_device, b, 0)):
            named = ConcatenatedColumn((ports.take(rows), f".{vlan}"))
            yield _section(pairs[rows].plus(more), lengths, "link", device[rows], named)

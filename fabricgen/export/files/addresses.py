"""addresses.csv: every address with its prefix length, its purpose, and the device and port that has it.

Kinds: loopback, router-id (of a switch without IPv4, on no interface), management, gateway, own (of a switch of an MLAG
pair beside the gateway that both have), link, host, vrf-loopback (of a switch in a VRF over EVPN).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.export.host_links import bond_ports
from fabricgen.export.table import ExportContext, File, Table, csv_file
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import AddressColumn, IPv4Column, make_column
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS
from fabricgen.numbering.lazy_columns import (
    ConcatenatedColumn,
    EncodedColumn,
    LazyColumn,
    StackedColumn,
    encode_column,
    repeat_value,
)
from fabricgen.wiring.arrays import Flags, Ints, Ints64, unique_inverse
from fabricgen.wiring.tables import SWITCH, DeviceClass, ManagementPort, Segment
from fabricgen.wiring.tenants import find_link_tenants

ON_REQUEST = False


class AddressSection(NamedTuple):
    """Addresses that come from one table: prefix lengths are int64, devices are rows of the device table."""

    addresses: AddressColumn
    lengths: Ints64
    kinds: EncodedColumn
    devices: Ints64 | Ints
    ports: LazyColumn
    vrfs: EncodedColumn
    """The VRF of each on the switch, "" for the default one."""


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
        for each in (*before_links(cluster, family), link_addresses(cluster, family), *after_links(cluster, family))
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
    yield from _vrf_loopbacks(cluster, found)


def _same(length: int, rows: Ints64) -> Ints64:
    return np.full(len(rows), length, dtype=np.int64)


def _section(
    addresses: AddressColumn,
    lengths: Ints64,
    kind: str,
    device: Ints64 | Ints,
    port: str | LazyColumn,
    vrf: str | EncodedColumn = "",
) -> AddressSection:
    """Addresses of one kind."""
    ports = repeat_value(port, len(device)) if isinstance(port, str) else port
    vrfs = repeat_value(vrf, len(device)) if isinstance(vrf, str) else vrf
    return AddressSection(addresses, lengths, repeat_value(kind, len(device)), device, ports, vrfs)


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
    ports = encode_column([_management_port(cluster, devices.classes[cls]) for cls in classes], number)
    return _section(found.management[rows], found.management_length[rows], "management", rows, ports)


def _management_port(cluster: Cluster, cls: DeviceClass) -> str:
    if cls.kind != SWITCH:
        return ""
    return cluster.design.catalog.naming(cls.nos).management_of(cls.profile)


def _management_segments(segments: tuple[Segment, ...]) -> list[int]:
    return [i for i, s in enumerate(segments) if isinstance(s.a, ManagementPort) or getattr(s.a, "role", "") == "bmc"]


def _gateways(cluster: Cluster, found: FamilyAddresses) -> AddressSection:
    """Gateways of bridged nodes, fabric by fabric; that of an MLAG pair is told once, then what its switches own."""
    rows: list[tuple[int, int, int, str, str, str]] = []
    for fabric, subnets in found.subnets.items():
        design = cluster.design.fabric(fabric)
        vlan, vrf = cluster.intent(design).vlan, design.vrf
        for row in np.flatnonzero(subnets.gateway.present & ~_seconds(cluster)).tolist():
            length = int(subnets.subnet_length[row])
            for place, gateway in enumerate(found.gateways(fabric, row)):
                rows.append((gateway, length, row, f"Vlan{vlan + place}", "gateway", vrf))
        rows += [
            (subnets.own.at(row), int(subnets.subnet_length[row]), row, f"Vlan{vlan}", "own", vrf)
            for row in np.flatnonzero(subnets.own.present).tolist()
        ]
    addresses, lengths, devices, ports, kinds, vrfs = zip(*rows, strict=True) if rows else ((),) * 6
    of_length, of_device = np.array(lengths, dtype=np.int64), np.array(devices, dtype=np.int64)
    named, of_kind, of_vrf = (encode_column(texts, np.arange(len(texts))) for texts in (ports, kinds, vrfs))
    return AddressSection(make_column(found.family, addresses), of_length, of_kind, of_device, named, of_vrf)


def _seconds(cluster: Cluster) -> Flags:
    """The second switch of each MLAG pair: the gateway is listed with the first."""
    bonds, rows = cluster.plan.bonds, np.arange(len(cluster.plan.devices))
    if bonds is None:
        return np.zeros(len(rows), dtype=bool)
    found: Flags = (bonds.mate >= 0) & (bonds.mate < rows)
    return found


def link_addresses(cluster: Cluster, found: FamilyAddresses) -> AddressSection:
    """Both ends of every link, the lower before the upper."""
    links = cluster.plan.links
    kinds = kinds_of_links(cluster)
    there = np.stack([found.a.present, found.b.present], axis=1)
    link, upper = (place.astype(np.int32) for place in np.nonzero(there))
    device = np.where(upper, links.b_device[link], links.a_device[link])
    a, b = (bond_ports(cluster, link, upper=end) for end in (False, True))
    vocabulary = np.concatenate([a.vocabulary, b.vocabulary])
    port = EncodedColumn(vocabulary, np.where(upper, b.codes + len(a.vocabulary), a.codes).astype(np.int32))
    address, at_b = found.a[link], upper == 1
    address[at_b] = found.b[link[at_b]]
    vrfs = _vrfs_of_links(cluster).take(link)
    return AddressSection(address, found.length[link], encode_column(kinds, links.segment[link]), device, port, vrfs)


def _vrfs_of_links(cluster: Cluster) -> EncodedColumn:
    """The VRF of the port of the switch at each link to a node or an extra device."""
    design, plan = cluster.design, cluster.plan
    own, exits = {fabric.name: fabric.vrf for fabric in design.fabrics}, find_exit_segments(design, plan)
    segments = plan.links.segments
    of_segment = [
        exits[i].vrf if i in exits else own.get(s.fabric, "") if s.lower == "node" else ""
        for i, s in enumerate(segments)
    ]
    vrfs = encode_column(of_segment, plan.links.segment)
    if not design.tenants:
        return vrfs
    codes, tenants = vrfs.codes.copy(), [tenant.name for tenant in design.tenants]
    to_node = np.array([s.lower == "node" and i not in exits for i, s in enumerate(segments)], dtype=bool)
    fabric_of = np.array([s.fabric for s in segments], dtype=object)
    for name in {name for tenant in design.tenants for name in tenant.vlans}:
        of_link = find_link_tenants(design, plan, name)
        theirs = (of_link >= 0) & (to_node & (fabric_of == name))[plan.links.segment]
        codes[theirs] = len(vrfs.vocabulary) + of_link[theirs]
    return EncodedColumn(np.concatenate([vrfs.vocabulary, np.array(tenants, dtype=object)]), codes)


def kinds_of_links(cluster: Cluster) -> list[str]:
    """The kind of the addresses of links, by segment."""
    segments = cluster.plan.links.segments
    management, exits = set(_management_segments(segments)), find_exit_segments(cluster.design, cluster.plan)
    return [
        "management" if i in management else "exit" if i in exits else "host" if s.lower == "node" else "link"
        for i, s in enumerate(segments)
    ]


def _on_shared_ports(cluster: Cluster, found: FamilyAddresses) -> Iterator[AddressSection]:
    """Addresses of nodes in the VLANs of fabrics that share their ports: of PORT.VLAN where it is tagged."""
    links = cluster.plan.links
    for name, column in found.shared.items():
        fabric = cluster.design.fabric(name)
        rows = np.flatnonzero(column.present)
        lengths = found.subnets[name].subnet_length[links.b_device[rows]]
        ports = ConcatenatedColumn((bond_ports(cluster, rows), _tag(cluster, fabric, rows) if fabric.tagged else ""))
        yield _section(column[rows], lengths, "host", links.a_device[rows], ports, _shared_vrfs(cluster, fabric, rows))


def _shared_vrfs(cluster: Cluster, fabric: FabricDesign, rows: Ints64) -> str | EncodedColumn:
    """The VRF of a fabric that shares its ports, or that of the tenant of each."""
    design = cluster.design
    if not design.tenants:
        return fabric.vrf
    codes = find_link_tenants(design, cluster.plan, fabric.name)[rows]
    vocabulary = np.array([*(tenant.name for tenant in design.tenants), fabric.vrf], dtype=object)
    return EncodedColumn(vocabulary, np.where(codes < 0, len(design.tenants), codes))


def _tag(cluster: Cluster, fabric: FabricDesign, rows: Ints64) -> str | EncodedColumn:
    """What ends the names of interfaces with a tag: the VLAN of the fabric, or that of the tenant of each."""
    own, tenants = cluster.intent(fabric).vlan, cluster.design.tenants
    if not tenants:
        return f".{own}"
    vlans = [f".{tenant.vlans[fabric.name][0] if fabric.name in tenant.fabrics else own}" for tenant in tenants]
    codes = find_link_tenants(cluster.design, cluster.plan, fabric.name)[rows]
    return EncodedColumn(np.array([*vlans, f".{own}"], dtype=object), np.where(codes < 0, len(vlans), codes))


def _in_vrfs(cluster: Cluster, found: FamilyAddresses) -> Iterator[AddressSection]:
    """Sub-interfaces of links that carry the VRF of a fabric on another's switches, or of a tenant."""
    links = cluster.plan.links
    for (owner, vrf), pairs in found.vrf_links.items():
        vlan = cluster.views.find_vlan(owner, vrf)
        rows = np.flatnonzero(pairs.present)
        lengths = _same(found.family.pair_length, rows)
        for device, upper in ((links.a_device, False), (links.b_device, True)):
            ports = _subinterfaces(cluster, rows, vlan, cluster.design.peer_vlans.get(vrf, vlan), upper=upper)
            yield _section(pairs[rows].plus(1 - upper), lengths, "link", device[rows], ports, vrf)


def _vrf_loopbacks(cluster: Cluster, found: FamilyAddresses) -> Iterator[AddressSection]:
    """Loopbacks of switches in VRFs over EVPN, of an interface that is called after the VRF's number."""
    for key, column in found.vrf_loopbacks.items():
        rows = np.flatnonzero(column.present)
        port = f"Loopback{cluster.design.vnis[key].number}"
        yield _section(column[rows], _same(found.family.bits, rows), "vrf-loopback", rows, port, key[1])


def _subinterfaces(cluster: Cluster, rows: Ints64, vlan: int, peer_vlan: int, *, upper: bool) -> LazyColumn:
    """The interfaces of a VLAN over some links: PORT.VLAN, or VlanVLAN over the peer link of an MLAG pair, of the VLAN
    for it on SONiC.
    """
    bonds, names = cluster.plan.bonds, cluster.port_names.port_columns[upper].take(rows)
    if bonds is None:
        return ConcatenatedColumn((names, f".{vlan}"))
    paired = bonds.of_link[rows] >= 0
    devices, classes = cluster.plan.devices, cluster.plan.devices.classes
    numbers = devices.device_class[cluster.plan.links.a_device[rows]].tolist()
    naming = cluster.design.catalog.naming
    of_vrfs = [cls.kind == SWITCH and naming(cls.nos).configuration.pairs.vlans_of_vrfs for cls in classes]
    between = [f"Vlan{peer_vlan if of_vrfs[number] else vlan}" for number in numbers]
    whole = [
        in_pair if pair else f"{name}.{vlan}"
        for name, in_pair, pair in zip(names, between, paired.tolist(), strict=True)
    ]
    return encode_column(whole, np.arange(len(whole), dtype=np.int32))

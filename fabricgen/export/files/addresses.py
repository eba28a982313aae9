"""addresses.csv: every address with its prefix length, its purpose, and the device and port that has it.

Kinds: loopback; router-id (of a switch without IPv4, on no interface); management; gateway; own (of a switch of an MLAG
pair, besides the gateway address that both have); link; exit (of a link out of the cluster); host; srv6 (the identifier
of a switch); vrf-loopback (of a switch in a VRF over EVPN).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.srv6 import IDENTIFIER_BITS
from fabricgen.export.host_links import name_bond_ports
from fabricgen.export.table import yield_table
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import AddressColumn, IPv4Column, make_column
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, V6
from fabricgen.numbering.lazy_columns import (
    ConcatenatedColumn,
    EncodedColumn,
    LazyColumn,
    StackedColumn,
    encode_column,
    repeat_value,
)
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Flags, Ints, Ints64, unique_inverse
from fabricgen.wiring.tables import SWITCH, DeviceClass, ManagementPort, Segment, Side
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
    """The VRF of each address on its switch, "" for the default VRF."""


def rows(cluster: Cluster) -> int:
    """Return the work of writing addresses.csv, counted in rows of links.csv: half as many as there are links.

    The file may have more rows than that, but they are short.
    """
    return len(cluster.plan.links) // 2


def make_table(cluster: Cluster, *, with_vrfs: bool = False) -> Table:
    """Return the addresses by family: loopbacks, management ports, gateways, both ends of links in link order, then
    others.

    The column with the VRF of each address is added only `with_vrfs`; the file does not have it.
    """
    sections = [
        (
            section.addresses.cells(section.lengths),
            section.kinds,
            EncodedColumn(cluster.name_column, section.devices),
            section.ports,
            *([section.vrfs] if with_vrfs else []),
        )
        for family in cluster.addresses.families
        for section in (
            *list_leading_sections(cluster, family),
            make_link_section(cluster, family),
            *list_trailing_sections(cluster, family),
        )
    ]
    names = ("prefix", "kind", "device", "port", *(["vrf"] if with_vrfs else []))
    return Table("addresses", dict(zip(names, map(StackedColumn, zip(*sections, strict=True)), strict=True)))


files = yield_table(make_table)


def list_leading_sections(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[AddressSection]:
    """Yield the addresses of a family that are listed before those of both ends of links."""
    rows = np.flatnonzero(allocated.loopback.present)
    lengths = _repeat_length(allocated.family.bits, rows)
    yield _make_section(allocated.loopback[rows], lengths, "loopback", rows, "Loopback0")
    if allocated.family.bits == ROUTER_ID_BITS:
        yield _list_router_ids(cluster)
    yield _list_management(cluster, allocated)
    yield _list_gateways(cluster, allocated)


def list_trailing_sections(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[AddressSection]:
    """Yield the addresses of a family that are listed after those of both ends of links."""
    yield from _list_shared_sections(cluster, allocated)
    yield from _list_subinterface_sections(cluster, allocated)
    yield from _list_vrf_loopbacks(cluster, allocated)
    if allocated.family is V6:
        yield from _list_identifiers(cluster)


def _repeat_length(length: int, rows: Ints64) -> Ints64:
    return np.full(len(rows), length, dtype=np.int64)


def _make_section(
    addresses: AddressColumn,
    lengths: Ints64,
    kind: str,
    device: Ints64 | Ints,
    port: str | LazyColumn,
    vrf: str | EncodedColumn = "",
) -> AddressSection:
    """Return a section of addresses of one kind; a port or VRF that is a str holds for all of them."""
    ports = repeat_value(port, len(device)) if isinstance(port, str) else port
    vrfs = repeat_value(vrf, len(device)) if isinstance(vrf, str) else vrf
    return AddressSection(addresses, lengths, repeat_value(kind, len(device)), device, ports, vrfs)


def _list_router_ids(cluster: Cluster) -> AddressSection:
    """Return the router ids that are not loopback addresses."""
    ids = cluster.addresses.router_id
    rows = np.flatnonzero((ids > 0) & ~cluster.addresses.v4.loopback.present)
    return _make_section(IPv4Column(ids[rows]), _repeat_length(ROUTER_ID_BITS, rows), "router-id", rows, "")


def _list_management(cluster: Cluster, allocated: FamilyAddresses) -> AddressSection:
    """Return the management addresses, other than loopbacks, of devices without a management link in the plan."""
    links, devices = cluster.plan.links, cluster.plan.devices
    is_listed = allocated.management.present & ~allocated.management.same(allocated.loopback)
    is_listed[links.a_device[np.isin(links.segment, _find_management_segments(links.segments))]] = False
    if cluster.phase:  # ports of nodes whose links come later
        is_listed &= np.array([cls.kind == SWITCH for cls in devices.classes], dtype=bool)[devices.device_class]
    rows = np.flatnonzero(is_listed)
    classes, number = unique_inverse(devices.device_class[rows])
    return _make_section(
        allocated.management[rows],
        allocated.management_length[rows],
        "management",
        rows,
        encode_column([_name_management_port(cluster, devices.classes[cls]) for cls in classes], number),
    )


def _name_management_port(cluster: Cluster, cls: DeviceClass) -> str:
    if cls.kind != SWITCH:
        return ""
    return cluster.design.catalog.naming(cls.nos).find_management_port(cls.profile)


def _find_management_segments(segments: tuple[Segment, ...]) -> list[int]:
    return [i for i, segment in enumerate(segments) if is_management_port(segment.a)]


def is_management_port(side: Side) -> bool:
    """Whether an end of links is a port for management alone: of a switch, or the BMC of a node."""
    return isinstance(side, ManagementPort) or getattr(side, "role", "") == "bmc"


def _list_gateways(cluster: Cluster, allocated: FamilyAddresses) -> AddressSection:
    """Return the gateways of bridged nodes, fabric by fabric.

    The gateway of an MLAG pair is listed once; the own addresses of its switches follow.
    """
    rows: list[tuple[int, int, int, str, str, str]] = []
    for fabric, subnets in allocated.subnets.items():
        design = cluster.design.fabric(fabric)
        vlan, vrf = cluster.intent(design).vlan, design.vrf
        for row in np.flatnonzero(subnets.gateway.present & ~_find_second_peers(cluster)).tolist():
            length = int(subnets.subnet_length[row])
            for index, gateway in enumerate(allocated.list_gateways(fabric, row)):
                rows.append((gateway, length, row, f"Vlan{vlan + index}", "gateway", vrf))
        rows += [
            (subnets.own_address.at(row), int(subnets.subnet_length[row]), row, f"Vlan{vlan}", "own", vrf)
            for row in np.flatnonzero(subnets.own_address.present).tolist()
        ]
    addresses, lengths, devices, *texts = zip(*rows, strict=True) if rows else ((),) * 6
    ports, kinds, vrfs = (encode_column(column, np.arange(len(column))) for column in texts)
    return AddressSection(
        addresses=make_column(allocated.family, addresses),
        lengths=np.array(lengths, dtype=np.int64),
        kinds=kinds,
        devices=np.array(devices, dtype=np.int64),
        ports=ports,
        vrfs=vrfs,
    )


def _find_second_peers(cluster: Cluster) -> Flags:
    """Return whether each device is the second switch of an MLAG pair: the gateway is listed with the first."""
    bonds, rows = cluster.plan.bonds, np.arange(len(cluster.plan.devices))
    if bonds is None:
        return np.zeros(len(rows), dtype=bool)
    # `mate` is the row of the other switch of a pair, -1 for none
    return (bonds.mate >= 0) & (bonds.mate < rows)


def make_link_section(cluster: Cluster, allocated: FamilyAddresses) -> AddressSection:
    """Return the addresses of both ends of every link, the lower before the upper one."""
    links = cluster.plan.links
    is_present = np.stack([allocated.a.present, allocated.b.present], axis=1)
    link, upper = (indexes.astype(np.int32) for indexes in np.nonzero(is_present))
    device = np.where(upper, links.b_device[link], links.a_device[link])
    a, b = (name_bond_ports(cluster, link, upper=end) for end in (False, True))
    # codes of upper ends go on behind those of lower ends
    vocabulary = np.concatenate([a.vocabulary, b.vocabulary])
    port = EncodedColumn(vocabulary, np.where(upper, b.codes + len(a.vocabulary), a.codes).astype(np.int32))
    address, at_b = allocated.a[link], upper == 1
    address[at_b] = allocated.b[link[at_b]]
    kind, vrfs = encode_column(list_link_kinds(cluster), links.segment[link]), _list_link_vrfs(cluster).take(link)
    return AddressSection(address, allocated.length[link], kind, device, port, vrfs)


def _list_link_vrfs(cluster: Cluster) -> EncodedColumn:
    """Return, by link to a node or an extra device, the VRF of the switch's port; "" for other links and the default
    VRF.
    """
    design, plan = cluster.design, cluster.plan
    vrf_by_fabric, exits = {fabric.name: fabric.vrf for fabric in design.fabrics}, find_exit_segments(design, plan)
    segments = plan.links.segments
    segment_vrfs = [
        exits[i].vrf if i in exits else vrf_by_fabric.get(s.fabric, "") if s.lower == "node" else ""
        for i, s in enumerate(segments)
    ]
    vrfs = encode_column(segment_vrfs, plan.links.segment)
    if not design.tenants:
        return vrfs
    # names of tenants come after those of VRFs in the vocabulary
    codes, tenants = vrfs.codes.copy(), [tenant.name for tenant in design.tenants]
    to_node = np.array([s.lower == "node" and i not in exits for i, s in enumerate(segments)], dtype=bool)
    segment_fabrics = np.array([s.fabric for s in segments], dtype=object)
    for name in {name for tenant in design.tenants for name in tenant.vlans}:
        link_tenants = find_link_tenants(design, plan, name)
        in_tenant = (link_tenants >= 0) & (to_node & (segment_fabrics == name))[plan.links.segment]
        codes[in_tenant] = len(vrfs.vocabulary) + link_tenants[in_tenant]
    return EncodedColumn(np.concatenate([vrfs.vocabulary, np.array(tenants, dtype=object)]), codes)


def list_link_kinds(cluster: Cluster) -> list[str]:
    """Return the kind of the addresses of links, for each of `plan.links.segments`: "management", "exit", "host", or
    "link" between switches.
    """
    segments = cluster.plan.links.segments
    management, exits = set(_find_management_segments(segments)), find_exit_segments(cluster.design, cluster.plan)
    return [
        "management" if i in management else "exit" if i in exits else "host" if s.lower == "node" else "link"
        for i, s in enumerate(segments)
    ]


def _list_shared_sections(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[AddressSection]:
    """Yield a section for each fabric that has its VLAN on ports of another fabric: the addresses of the nodes in that
    VLAN.

    The interface is PORT.VLAN if the VLAN is tagged.
    """
    links = cluster.plan.links
    for name, column in allocated.shared.items():
        fabric = cluster.design.fabric(name)
        rows = np.flatnonzero(column.present)
        lengths = allocated.subnets[name].subnet_length[links.b_device[rows]]
        tags, vrfs = (
            _make_tags(cluster, fabric, rows) if fabric.tagged else "",
            _list_shared_vrfs(cluster, fabric, rows),
        )
        yield _make_section(
            column[rows],
            lengths,
            "host",
            links.a_device[rows],
            ConcatenatedColumn((name_bond_ports(cluster, rows), tags)),
            vrfs,
        )


def _list_shared_vrfs(cluster: Cluster, fabric: FabricDesign, rows: Ints64) -> str | EncodedColumn:
    """Return, by link of `rows`, the VRF of a fabric that has a VLAN on ports of another fabric: the name of the tenant
    on the link, else the VRF of the fabric; a single text if the design has no tenants.
    """
    design = cluster.design
    if not design.tenants:
        return fabric.vrf
    codes = find_link_tenants(design, cluster.plan, fabric.name)[rows]
    vocabulary = np.array([*(tenant.name for tenant in design.tenants), fabric.vrf], dtype=object)
    return EncodedColumn(vocabulary, np.where(codes < 0, len(design.tenants), codes))


def _make_tags(cluster: Cluster, fabric: FabricDesign, rows: Ints64) -> str | EncodedColumn:
    """Return the ending of each tagged interface, such as `.200`, by link; a single text if the design has no tenants.

    Its number is the VLAN of the fabric for the tenant that is on the link, or that of the fabric itself if there is
    none.
    """
    fabric_vlan, tenants = cluster.intent(fabric).vlan, cluster.design.tenants
    if not tenants:
        return f".{fabric_vlan}"
    vlans = [f".{tenant.vlans[fabric.name][0] if fabric.name in tenant.fabrics else fabric_vlan}" for tenant in tenants]
    codes = find_link_tenants(cluster.design, cluster.plan, fabric.name)[rows]
    return EncodedColumn(np.array([*vlans, f".{fabric_vlan}"], dtype=object), np.where(codes < 0, len(vlans), codes))


def _list_subinterface_sections(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[AddressSection]:
    """Yield the addresses of sub-interfaces on links that carry a tenant's VRF, or a fabric that uses another one's
    switches.

    There are two sections for each VRF: lower ends and then upper ones.
    """
    links = cluster.plan.links
    for (owner, vrf), pairs in allocated.vrf_links.items():
        vlan = cluster.views.find_vlan(owner, vrf)
        rows = np.flatnonzero(pairs.present)
        lengths = _repeat_length(allocated.family.pair_length, rows)
        for device, upper in ((links.a_device, False), (links.b_device, True)):
            yield _make_section(
                # of a pair of addresses the upper end has the first, the lower end (1 - False) the second
                pairs[rows].plus(1 - upper),
                lengths,
                "link",
                device[rows],
                _name_subinterfaces(cluster, rows, vlan, cluster.design.peer_vlans.get(vrf, vlan), upper=upper),
                vrf,
            )


def _list_vrf_loopbacks(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[AddressSection]:
    """Yield the loopbacks of switches in VRFs over EVPN; the interface is named after the VRF's number."""
    for key, column in allocated.vrf_loopbacks.items():
        rows = np.flatnonzero(column.present)
        port, lengths = f"Loopback{cluster.design.vnis[key].number}", _repeat_length(allocated.family.bits, rows)
        yield _make_section(column[rows], lengths, "vrf-loopback", rows, port, key[1])


def _list_identifiers(cluster: Cluster) -> Iterator[AddressSection]:
    """Yield the SRv6 identifiers of switches, as prefixes in the block of their fabric."""
    for fabric in cluster.design.fabrics:
        if block := cluster.intent(fabric).srv6:
            classes = [cls for tier in fabric.tiers for cls in cluster.plan.devices.classes if cls.key == tier.key]
            rows = np.concatenate([np.arange(cls.rows.start, cls.rows.stop) for cls in classes])
            identifiers = cluster.addresses.identifiers[rows].tolist()
            yield _make_section(
                make_column(V6, [int(block.make_address([identifier])) for identifier in identifiers]),
                _repeat_length(block.bits + IDENTIFIER_BITS, rows),
                "srv6",
                rows,
                "",
            )


def _name_subinterfaces(cluster: Cluster, rows: Ints64, vlan: int, peer_vlan: int, *, upper: bool) -> LazyColumn:
    """Return the interfaces of a VLAN over links: PORT.VLAN, or VlanN over the peer link of an MLAG pair.

    N is the VLAN itself or, on a NOS that needs a VLAN for each VRF there, `peer_vlan`. `rows` are links; the
    interfaces are those at their lower ends, or with `upper` those at their upper ends.
    """
    # `port_columns` are those of lower and of upper ends, in this order
    # index 0 (False) is the column of lower ends, 1 (True) that of upper ones
    bonds, names = cluster.plan.bonds, cluster.port_names.port_columns[upper].take(rows)
    if bonds is None:
        return ConcatenatedColumn((names, f".{vlan}"))
    paired = bonds.of_link[rows] >= 0
    devices, classes = cluster.plan.devices, cluster.plan.devices.classes
    numbers = devices.device_class[cluster.plan.links.a_device[rows]].tolist()
    naming = cluster.design.catalog.naming
    has_vrf_vlans = [cls.kind == SWITCH and naming(cls.nos).configuration.pairs.vlans_of_vrfs for cls in classes]
    peer_names = (f"Vlan{peer_vlan if has_vrf_vlans[number] else vlan}" for number in numbers)
    interface_names = [
        peer_name if pair else f"{name}.{vlan}"
        for name, peer_name, pair in zip(names, peer_names, paired.tolist(), strict=True)
    ]
    return encode_column(interface_names, np.arange(len(interface_names), dtype=np.int32))

"""The subnets in which a DHCP server gives out addresses, and who has which of them.

There are subnets for the management network, and for every fabric that relays requests (`dhcp`). Switches of the
management network have no port on it and are managed at their loopbacks: the loopbacks form a subnet, too, so that
every managed device is in one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import AddressColumn
from fabricgen.numbering.blocks.family import Family, Network
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import SWITCH, ManagementPort, Segment

Place = tuple[str, str]
"""(switch, port)"""


@dataclass(frozen=True, slots=True)
class AddressHolder:
    """A device that has an address, at the ports of switches that it is plugged into; a bond has several."""

    device: int
    address: int
    macs: tuple[str, ...]
    """MACs of its ports as far as the inventory has them; a switch without any has its base MAC."""
    places: tuple[Place, ...] = ()
    is_bmc: bool = False
    """Whether the address is that of a BMC's port."""


@dataclass(slots=True)
class Subnet:
    """A subnet of one fabric; `gateway` is "" for none, `fabric` is "" for the flat subnet of management ports."""

    network: Network
    fabric: str
    gateway: str
    holders: list[AddressHolder] = field(default_factory=list)


def list_served_fabrics(cluster: Cluster) -> tuple[str, ...]:
    """Return the names of the fabrics whose hosts get their addresses by DHCP, in the order of the blueprint."""
    specs = cluster.design.loaded.blueprint.fabrics
    ethernet = (fabric for fabric in cluster.design.fabrics if fabric.protocol != "infiniband")
    return tuple(fabric.name for fabric in ethernet if fabric.manages or specs[fabric.name].dhcp is not None)


def _make_network_finder(family: Family) -> Callable[[int, int], Network]:
    """Return a function that gives the network of a prefix length around an address of a family.

    It remembers networks, because making one takes as long as making a reservation.
    """

    @cache
    def make_network(prefix: int, length: int) -> Network:
        return family.network(prefix << (family.bits - length), length)

    return lambda address, length: make_network(address >> (family.bits - length), length)


def list_subnets(cluster: Cluster, allocated: FamilyAddresses) -> list[Subnet]:
    """Return the subnets of an address family with all their holders, sorted by address."""
    subnets: dict[Network, Subnet] = {}
    for subnet in (
        *_list_bridged_subnets(cluster, allocated),
        *_list_link_subnets(cluster, allocated),
        *_list_linkless_subnets(cluster, allocated),
    ):
        merged = subnets.setdefault(subnet.network, subnet)
        if merged is not subnet:
            merged.holders += subnet.holders
    for subnet in subnets.values():
        subnet.holders.sort(key=lambda holder: (holder.address, holder.device))
    return sorted(subnets.values(), key=lambda subnet: (subnet.network.network_address, subnet.network.prefixlen))


def _list_bridged_subnets(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[Subnet]:
    """Yield the subnets behind gateways, without holders."""
    for fabric in list_served_fabrics(cluster):
        subnets = allocated.subnets.get(fabric)
        for row in np.flatnonzero(subnets.gateway.present).tolist() if subnets else ():
            assert subnets is not None  # noqa: S101 - it has rows
            for gateway in allocated.list_gateways(fabric, row):
                network = allocated.family.network(gateway, int(subnets.subnet_length[row]))
                yield Subnet(network, fabric, allocated.format_address(gateway))


def _list_link_subnets(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[Subnet]:
    """Yield subnets with the ends of links that get their addresses by DHCP, fabric by fabric."""
    links, exits = cluster.plan.links, find_exit_segments(cluster.design, cluster.plan)
    fabric_segments = [(links.segments[i].fabric, i) for i in range(len(links.segments)) if i not in exits]
    for fabric in list_served_fabrics(cluster):
        host_segments = [i for name, i in fabric_segments if name == fabric and _is_host_segment(links.segments[i])]
        rows = np.flatnonzero(np.isin(links.segment, host_segments))
        rows = rows[allocated.a[rows].present]
        yield from _list_end_subnets(cluster, allocated, fabric, rows, allocated.a, allocated.length)
    for fabric in set(list_served_fabrics(cluster)) & set(allocated.shared):
        column, lengths = allocated.shared[fabric], allocated.subnets[fabric].subnet_length[links.b_device]
        rows = np.flatnonzero(column.present)
        yield from _list_end_subnets(cluster, allocated, fabric, rows, column, lengths, shared=True)


def _is_host_segment(segment: Segment) -> bool:
    """Whether lower ends of a segment are ports of nodes and extra devices, or management ports of switches.

    Devices that others configure are neither.
    """
    side = segment.a
    return isinstance(side, ManagementPort) or (isinstance(side, Attachment) and not side.profile.external)


def _list_end_subnets(
    cluster: Cluster,
    allocated: FamilyAddresses,
    fabric: str,
    rows: Ints64,
    column: AddressColumn,
    lengths: Ints64,
    *,
    shared: bool = False,
) -> Iterator[Subnet]:
    """Yield, for each link, its subnet with one holder; the caller merges equal subnets.

    With `shared`, the links are those of another fabric on whose ports this one has a VLAN: holders have no place.
    """
    links, bonds = cluster.plan.links, cluster.plan.bonds
    find_network = _make_network_finder(allocated.family)
    a_port, b_port = cluster.a_port, cluster.b_port
    bond_members = _list_bond_members(cluster, rows) if bonds is not None else {}
    is_bmc = [isinstance(segment.a, Attachment) and segment.a.role == "bmc" for segment in links.segments]
    for row in rows.tolist():
        device, address = int(links.a_device[row]), column.at(row)
        # the address of a bond is on its first link, and requests may come from the MAC of any of its ports
        ends = bond_members.get(row, (row,))
        places = () if shared else tuple((cluster.names[links.b_device[end]], str(b_port[end])) for end in ends)
        port_macs = _list_macs(cluster, device, [str(a_port[end]) for end in ends])
        holder = AddressHolder(device, address, port_macs, places, is_bmc[links.segment[row]])
        gateway = allocated.format_address(allocated.b.at(row))
        yield Subnet(find_network(address, int(lengths[row])), fabric, gateway, [holder])


def _list_bond_members(cluster: Cluster, rows: Ints64) -> Mapping[int, tuple[int, ...]]:
    """Return the links of the bond of each link that is in one, by that link."""
    bonds = cluster.plan.bonds
    assert bonds is not None  # noqa: S101 - the caller has looked
    members: dict[int, list[int]] = {}
    for row in np.flatnonzero(bonds.of_link >= 0).tolist():
        members.setdefault(int(bonds.of_link[row]), []).append(row)
    return {row: tuple(members[int(bonds.of_link[row])]) for row in rows.tolist() if bonds.of_link[row] >= 0}


def _list_linkless_subnets(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[Subnet]:
    """Yield subnets with the managed devices that have no link to the management network.

    These are all switches if there is no such network, and otherwise its own switches. Loopbacks are in the smallest
    prefix that has them all.
    """
    links, devices, family = cluster.plan.links, cluster.plan.devices, allocated.family
    # without a role: the management port of a switch; other roles of nodes have no managed address
    managing = [i for i, s in enumerate(links.segments) if _is_host_segment(s) and getattr(s.a, "role", "bmc") == "bmc"]
    is_unlinked = allocated.management.present.copy()
    is_unlinked[links.a_device[np.isin(links.segment, managing)]] = False
    find_network, loopbacks = _make_network_finder(family), dict[str, list[AddressHolder]]()
    for row in np.flatnonzero(is_unlinked).tolist():
        cls = devices.classes[devices.device_class[row]]
        if cls.kind != SWITCH:
            continue
        address, length = allocated.management.at(row), int(allocated.management_length[row])
        port = cluster.design.catalog.naming(cls.nos).find_management_port(cls.profile)
        holder = AddressHolder(row, address, _list_macs(cluster, row, [port]))
        # a whole address is a loopback: no subnet of its own in which a server could answer
        if length == family.bits:
            loopbacks.setdefault(cls.fabric, []).append(holder)
        else:
            gateway = allocated.format_address(allocated.management_gateway.at(row))
            yield Subnet(find_network(address, length), "", gateway, [holder])
    for fabric, holders in loopbacks.items():
        yield Subnet(_find_enclosing_prefix(allocated, [holder.address for holder in holders]), fabric, "", holders)


def _find_enclosing_prefix(allocated: FamilyAddresses, addresses: Iterable[int]) -> Network:
    """Return the smallest prefix that contains all of the addresses."""
    ordered = sorted(addresses)
    # the host part begins at the highest bit in which the lowest and the highest address differ
    return allocated.family.network(ordered[0], allocated.family.bits - (ordered[0] ^ ordered[-1]).bit_length())


def _list_macs(cluster: Cluster, device: int, ports: Iterable[str]) -> tuple[str, ...]:
    """Return the MACs of some ports of a device; for a switch whose ports the inventory does not list, its base MAC."""
    mac_by_port, name = cluster.design.loaded.macs, cluster.names[device]
    port_macs = tuple(mac_by_port[name, port] for port in ports if (name, port) in mac_by_port)
    return port_macs or tuple(mac_by_port[key] for key in [(name, "")] if key in mac_by_port)

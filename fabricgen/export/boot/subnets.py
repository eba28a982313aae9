"""The subnets in which a DHCP server gives out addresses, and who has which of them.

Those of the management network, and of every fabric that relays requests (`dhcp`). Switches of the management
network have no port on it and are managed at their loopbacks: these are a subnet, too, so that every managed device
is in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import AddressColumn
from fabricgen.numbering.blocks.family import Network
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import SWITCH, ManagementPort, Segment

Place = tuple[str, str]
"""(switch, port)"""


@dataclass(frozen=True, slots=True)
class AddressHolder:
    """Who has an address: a device, at the ports of switches that it is plugged into; a bond has several."""

    device: int
    address: int
    macs: tuple[str, ...]
    """MACs of its ports as far as the inventory has them; of a switch else its base MAC."""
    places: tuple[Place, ...] = ()
    is_bmc: bool = False
    """Whether it is at a BMC's port."""


@dataclass(slots=True)
class Subnet:
    """A subnet of one fabric; `gateway` is "" for none. `fabric` is "" for the flat subnet of management ports."""

    network: Network
    fabric: str
    gateway: str
    holders: list[AddressHolder] = field(default_factory=list)


def list_served_fabrics(cluster: Cluster) -> tuple[str, ...]:
    """Names of the fabrics whose hosts get their addresses by DHCP, in the order of the blueprint."""
    specs = cluster.design.loaded.blueprint.fabrics
    ethernet = (fabric for fabric in cluster.design.fabrics if fabric.protocol != "infiniband")
    return tuple(fabric.name for fabric in ethernet if fabric.manages or specs[fabric.name].dhcp is not None)


class _Networks:
    """Networks around addresses of a family: to make one takes as long as a reservation."""

    def __init__(self, allocated: FamilyAddresses) -> None:
        self._family = allocated.family
        self._known: dict[tuple[int, int], Network] = {}

    def find_network(self, address: int, length: int) -> Network:
        """The network of some prefix length around an address."""
        key = address >> (self._family.bits - length), length
        if key not in self._known:
            self._known[key] = self._family.network(address, length)
        return self._known[key]


def list_subnets(cluster: Cluster, allocated: FamilyAddresses) -> list[Subnet]:
    """The subnets of an address family with everybody in them, by address."""
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
    """Subnets behind gateways, whoever is in them."""
    for fabric in list_served_fabrics(cluster):
        subnets = allocated.subnets.get(fabric)
        for row in np.flatnonzero(subnets.gateway.present).tolist() if subnets else ():
            assert subnets is not None  # noqa: S101 - it has rows
            for gateway in allocated.list_gateways(fabric, row):
                network = allocated.family.network(gateway, int(subnets.subnet_length[row]))
                yield Subnet(network, fabric, allocated.format_address(gateway))


def _list_link_subnets(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[Subnet]:
    """The ends of links in the subnets of their fabric."""
    links, exits = cluster.plan.links, find_exit_segments(cluster.design, cluster.plan)
    fabric_segments = [(links.segments[i].fabric, i) for i in range(len(links.segments)) if i not in exits]
    for fabric in list_served_fabrics(cluster):
        host_segments = [i for name, i in fabric_segments if name == fabric and _is_host_segment(links.segments[i])]
        rows = np.flatnonzero(np.isin(links.segment, host_segments))
        yield from _list_end_subnets(
            cluster, allocated, fabric, rows[allocated.a[rows].present], allocated.a, allocated.length
        )
    for fabric in set(list_served_fabrics(cluster)) & set(allocated.shared):
        column, lengths = allocated.shared[fabric], allocated.subnets[fabric].subnet_length[links.b_device]
        yield from _list_end_subnets(
            cluster, allocated, fabric, np.flatnonzero(column.present), column, lengths, shared=True
        )


def _is_host_segment(segment: Segment) -> bool:
    """Whether its lower ends are ports of nodes and extra devices, or management ports of switches; devices that others
    configure are neither.
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
    """A subnet with one holder for each of some links; those of one subnet are merged by the caller.

    With `shared`, the links are those of another fabric on whose ports this one has a VLAN: holders are at no place.
    """
    links, bonds = cluster.plan.links, cluster.plan.bonds
    macs, networks = _Macs(cluster), _Networks(allocated)
    a_port, b_port = cluster.a_port, cluster.b_port
    bond_members = _list_bond_members(cluster, rows) if bonds is not None else {}
    is_bmc = [isinstance(segment.a, Attachment) and segment.a.role == "bmc" for segment in links.segments]
    for row in rows.tolist():
        device, address = int(links.a_device[row]), column.at(row)
        # the address of a bond is on its first link, and requests may come from the MAC of any of its ports
        ends = bond_members.get(row, (row,))
        places = () if shared else tuple((cluster.names[links.b_device[end]], str(b_port[end])) for end in ends)
        port_macs = macs.list_macs(device, [str(a_port[end]) for end in ends])
        holder = AddressHolder(device, address, port_macs, places, is_bmc[links.segment[row]])
        gateway = allocated.format_address(allocated.b.at(row))
        yield Subnet(networks.find_network(address, int(lengths[row])), fabric, gateway, [holder])


def _list_bond_members(cluster: Cluster, rows: Ints64) -> Mapping[int, tuple[int, ...]]:
    """The links of the bond of each of some links that are the first of one."""
    bonds = cluster.plan.bonds
    assert bonds is not None  # noqa: S101 - the caller has looked
    members: dict[int, list[int]] = {}
    for row in np.flatnonzero(bonds.of_link >= 0).tolist():
        members.setdefault(int(bonds.of_link[row]), []).append(row)
    return {row: tuple(members[int(bonds.of_link[row])]) for row in rows.tolist() if bonds.of_link[row] >= 0}


def _list_linkless_subnets(cluster: Cluster, allocated: FamilyAddresses) -> Iterator[Subnet]:
    """Managed devices that are on no link to the management network: all switches where there is none, and its own.

    The loopbacks of the latter are in the smallest prefix that has them all.
    """
    links, devices, family = cluster.plan.links, cluster.plan.devices, allocated.family
    # without a role: the management port of a switch; other roles of nodes have no managed address
    managing = [i for i, s in enumerate(links.segments) if _is_host_segment(s) and getattr(s.a, "role", "bmc") == "bmc"]
    is_unlinked = allocated.management.present.copy()
    is_unlinked[links.a_device[np.isin(links.segment, managing)]] = False
    macs, networks, loopbacks = _Macs(cluster), _Networks(allocated), dict[str, list[AddressHolder]]()
    for row in np.flatnonzero(is_unlinked).tolist():
        cls = devices.classes[devices.device_class[row]]
        if cls.kind != SWITCH:
            continue
        address, length = allocated.management.at(row), int(allocated.management_length[row])
        port = cluster.design.catalog.naming(cls.nos).find_management_port(cls.profile)
        holder = AddressHolder(row, address, macs.list_macs(row, [port]))
        # a whole address is a loopback: no subnet of its own in which a server could answer
        if length == family.bits:
            loopbacks.setdefault(cls.fabric, []).append(holder)
        else:
            gateway = allocated.format_address(allocated.management_gateway.at(row))
            yield Subnet(networks.find_network(address, length), "", gateway, [holder])
    for fabric, holders in loopbacks.items():
        yield Subnet(_find_enclosing_prefix(allocated, [holder.address for holder in holders]), fabric, "", holders)


def _find_enclosing_prefix(allocated: FamilyAddresses, addresses: Iterable[int]) -> Network:
    """The smallest prefix with some addresses in it."""
    ordered = sorted(addresses)
    # bits in which the lowest and the highest differ are those of hosts, and so are all below the first of these
    return allocated.family.network(ordered[0], allocated.family.bits - (ordered[0] ^ ordered[-1]).bit_length())


class _Macs:
    """MACs of the inventory."""

    def __init__(self, cluster: Cluster) -> None:
        self._known, self._names = cluster.design.loaded.macs, cluster.names

    def list_macs(self, device: int, ports: Iterable[str]) -> tuple[str, ...]:
        """Those of some ports of a device; of a switch whose ports are not listed its base MAC."""
        if not self._known:
            return ()
        name = self._names[device]
        port_macs = tuple(mac for port in ports if (mac := self._known.get((name, port))))
        base = self._known.get((name, ""))
        return port_macs or ((base,) if base else ())

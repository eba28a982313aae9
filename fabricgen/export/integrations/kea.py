"""kea/: configurations of Kea's servers of DHCP and DHCPv6, with a reservation for everybody who has an address.

Kea administrator reference manual, 2.2: "Host Reservations in DHCPv4" (identifiers `hw-address` and `circuit-id`; with
`ip-reservations-unique` false an address has several), "Custom DHCPv4 Options", "Configuring a Subnet". There are no
pools to give out of: what the plan does not know gets nothing, but on a routed port, where nobody else can be.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.export.boot.names import find_main_addresses
from fabricgen.export.boot.server import IMAGE_OPTION, BootServer, is_address
from fabricgen.export.table import ExportContext, File
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import AddressColumn
from fabricgen.numbering.blocks.family import V4, Network
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import SWITCH, ManagementPort, Segment

ON_REQUEST = True

LEASE_S = 600
"""How long a lease lasts: a machine that takes the place of another waits for the other's to end."""

PROVISION_URL = "provision-url"
"""What we call option 239, which has no name of IANA's."""

LAST_ID = 0xFFFFFFFE
"""Of a subnet; Kea keeps the two numbers above and 0 for itself."""

Json = dict[str, Any]


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield kea/kea-dhcp4.json and kea/kea-dhcp6.json, of the families in which somebody is managed or asks.

    Raises InputError (FG171) for an image of no NOS and no model of switch.
    """
    BootServer(cluster).check_images()
    for allocated in cluster.addresses.families:
        subnets = list_subnets(cluster, allocated)
        if not subnets:
            continue
        is_v4 = allocated.family is V4
        leaves = {switch for s in subnets for h in s.holders for switch, _ in h.places} if is_v4 else set[str]()
        rows = [row for row, name in enumerate(cluster.names) if name in leaves]
        configuration = _Configuration(cluster, allocated, context.circuits(rows))
        yield f"kea/kea-dhcp{4 if is_v4 else 6}.json", configuration.text(subnets).encode()


class _Configuration:
    """The configuration of one family's server."""

    def __init__(self, cluster: Cluster, allocated: FamilyAddresses, circuits: Mapping[Place, Sequence[bytes]]) -> None:
        self._cluster, self._allocated, self._circuits = cluster, allocated, circuits
        self._is_v4, self._server = allocated.family is V4, BootServer(cluster)
        self._main_addresses = find_main_addresses(cluster, allocated)

    def text(self, subnets: Iterable[Subnet]) -> str:
        """All of it, a line for each subnet and for each reservation."""
        version, ids = 4 if self._is_v4 else 6, set[int]()
        head = ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in self._make_head().items())
        lines = ",\n".join(
            self._format_subnet(self._make_subnet(subnet, _number_subnet(subnet, ids))) for subnet in subnets
        )
        return f'{{"Dhcp{version}": {{\n{head},\n"subnet{version}": [\n{lines}\n]}}}}\n'

    @staticmethod
    def _format_subnet(subnet: Json) -> str:
        reservations = ",\n".join(f"    {json.dumps(reservation)}" for reservation in subnet.pop("reservations"))
        return f'  {json.dumps(subnet)[:-1]}, "reservations": [' + (
            f"\n{reservations}\n  ]}}" if reservations else "]}"
        )

    def _make_head(self) -> Json:
        private = [{"name": PROVISION_URL, "code": 239, "type": "string", "space": "dhcp4"}]
        return {
            "interfaces-config": {"interfaces": ["*"]},
            "lease-database": {"type": "memfile"},
            "valid-lifetime": LEASE_S,
            "host-reservation-identifiers": ["hw-address", *(["circuit-id"] if self._is_v4 else [])],
            "ip-reservations-unique": False,
            "option-def": private if self._is_v4 else [],
        }

    def _make_subnet(self, subnet: Subnet, number: int) -> Json:
        only_holder = _find_only_holder(subnet)
        reserved, unreserved = list[Json](), list[str]()
        for holder, identifiers in self._identify_holders(subnet):
            reserved += [self._make_reservation(holder, identifier) for identifier in identifiers]
            if not identifiers and holder is not only_holder:
                unreserved.append(self._cluster.names[holder.device])
        context = {"fabric": subnet.fabric} if subnet.fabric else {}
        text = self._allocated.text(only_holder.address) if only_holder else ""
        return {
            "id": number,
            "subnet": str(subnet.network),
            "user-context": {**context, **({"unreserved": unreserved} if unreserved else {})},
            "option-data": [
                *self._list_common_options(subnet),
                *(self._list_device_options(only_holder) if only_holder else ()),
            ],
            "pools": [{"pool": f"{text} - {text}"}] if only_holder else [],
            "reservations": reserved,
        }

    def _identify_holders(self, subnet: Subnet) -> Iterator[tuple[Holder, list[tuple[str, str]]]]:
        """Everybody with what tells them: (word of Kea, value). Ports that are spelled alike tell nobody."""
        texts = {
            id(holder): list(dict.fromkeys(text for place in holder.places for text in self._circuits.get(place, ())))
            for holder in subnet.holders
        }
        count = Counter(text for port_texts in texts.values() for text in port_texts)
        for holder in subnet.holders:
            macs = [("hw-address", mac) for mac in holder.macs]
            yield (
                holder,
                macs + [("circuit-id", _spell_circuit(text)) for text in texts[id(holder)] if count[text] == 1],
            )

    def _make_reservation(self, holder: Holder, identifier: tuple[str, str]) -> Json:
        text = self._allocated.text(holder.address)
        address_fields = {"ip-address": text} if self._is_v4 else {"ip-addresses": [text]}
        return {
            identifier[0]: identifier[1],
            **address_fields,
            "hostname": self._make_host_name(holder),
            "option-data": self._list_boot_options(holder.device),
        }

    def _make_host_name(self, holder: Holder) -> str:
        """The name of the device, but of a BMC another than its host has (63 characters, RFC 1123, 2.1)."""
        name = self._cluster.names[holder.device]
        is_other = holder.is_bmc and self._allocated.text(holder.address) != self._main_addresses[holder.device]
        return f"{name}-bmc"[:63].rstrip("-") if is_other else name

    def _list_boot_options(self, row: int) -> list[Json]:
        """Where a switch boots from."""
        boot, image = self._server.locate_boot_file(row), self._server.image_url(row)
        code = (boot[0].option if self._is_v4 else boot[0].option6) if boot else 0
        options = [{"code": code, "data": boot[1]}] if boot and code else []
        return [*options, *([{"code": IMAGE_OPTION, "data": image}] if image and self._is_v4 else [])]

    def _list_device_options(self, holder: Holder) -> list[Json]:
        """What the only machine of a subnet is told."""
        name_option = [{"name": "host-name", "data": self._make_host_name(holder)}] if self._is_v4 else []
        return [*name_option, *self._list_boot_options(holder.device)]

    def _list_common_options(self, subnet: Subnet) -> Iterator[Json]:
        """What everybody in a subnet is told: router, resolvers, domain, time."""
        settings = self._server.settings(subnet.fabric)
        if self._is_v4 and subnet.gateway:
            yield {"name": "routers", "data": subnet.gateway}
        resolvers, domain = (settings.dns.servers, settings.dns.domain) if settings.dns else ((), None)
        lists = {
            "domain-name-servers" if self._is_v4 else "dns-servers": self._select_family(resolvers),
            "domain-name" if self._is_v4 else "domain-search": [domain] if domain else [],
            "ntp-servers": self._select_family(settings.ntp) if self._is_v4 else [],
        }
        yield from ({"name": name, "data": ", ".join(values)} for name, values in lists.items() if values)

    def _select_family(self, servers: Iterable[str]) -> list[str]:
        """Those of some servers that are addresses of the family."""
        return [text for text in servers if is_address(text) and (":" in text) != self._is_v4]


def _spell_circuit(circuit: bytes) -> str:
    """A circuit id as Kea reads one: text in quotes, else hexadecimal digits."""
    text = circuit.decode("latin-1")
    return f"'{text}'" if text.isascii() and text.isprintable() and "'" not in text else circuit.hex()


def _find_only_holder(subnet: Subnet) -> Holder | None:
    """The machine at the far end of a routed port; None where there is room for others."""
    routed = subnet.gateway and subnet.network.num_addresses == 2
    return subnet.holders[0] if routed and len(subnet.holders) == 1 else None


def _number_subnet(subnet: Subnet, used_numbers: set[int]) -> int:
    """What leases know a subnet by, from 1: its IPv4 address, or a number made of its IPv6 one; growth changes none."""
    first = int(subnet.network.network_address)
    number = first if subnet.network.version == 4 else crc32(first.to_bytes(16, "big"))
    while number in used_numbers or not 0 < number < LAST_ID:
        number = number % (LAST_ID - 1) + 1
    used_numbers.add(number)
    return number


# The subnets in which a DHCP server gives out addresses, and who has which of them.
# Those of the management network, and of every fabric that relays requests (`dhcp`). Switches of the management
# network have no port on it and are managed at their loopbacks: these are a subnet, too, so that every managed device
# is in one.

Place = tuple[str, str]
"""(switch, port)"""


@dataclass(frozen=True, slots=True)
class Holder:
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
    holders: list[Holder] = field(default_factory=list)


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
            for gateway in allocated.gateways(fabric, row):
                network = allocated.family.network(gateway, int(subnets.subnet_length[row]))
                yield Subnet(network, fabric, allocated.text(gateway))


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
    """A subnet with one holder for each of some links. What has a VLAN on ports of another fabric is at no place."""
    links, bonds = cluster.plan.links, cluster.plan.bonds
    macs, networks = _Macs(cluster), _Networks(allocated)
    a_port, b_port = cluster.a_port, cluster.b_port
    bond_members = _list_bond_members(cluster, rows) if bonds is not None else {}
    is_bmc = [isinstance(segment.a, Attachment) and segment.a.role == "bmc" for segment in links.segments]
    for row in rows.tolist():
        device, address = int(links.a_device[row]), column.at(row)
        ends = bond_members.get(row, (row,))
        places = () if shared else tuple((cluster.names[links.b_device[end]], str(b_port[end])) for end in ends)
        port_macs = macs.list_macs(device, [str(a_port[end]) for end in ends])
        holder = Holder(device, address, port_macs, places, is_bmc[links.segment[row]])
        gateway = allocated.text(allocated.b.at(row))
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
    managing = [i for i, s in enumerate(links.segments) if _is_host_segment(s) and getattr(s.a, "role", "bmc") == "bmc"]
    is_unlinked = allocated.management.present.copy()
    is_unlinked[links.a_device[np.isin(links.segment, managing)]] = False
    macs, networks, loopbacks = _Macs(cluster), _Networks(allocated), dict[str, list[Holder]]()
    for row in np.flatnonzero(is_unlinked).tolist():
        cls = devices.classes[devices.device_class[row]]
        if cls.kind != SWITCH:
            continue
        address, length = allocated.management.at(row), int(allocated.management_length[row])
        port = cluster.design.catalog.naming(cls.nos).find_management_port(cls.profile)
        holder = Holder(row, address, macs.list_macs(row, [port]))
        if length == family.bits:
            loopbacks.setdefault(cls.fabric, []).append(holder)
        else:
            gateway = allocated.text(allocated.management_gateway.at(row))
            yield Subnet(networks.find_network(address, length), "", gateway, [holder])
    for fabric, holders in loopbacks.items():
        yield Subnet(_find_enclosing_prefix(allocated, [holder.address for holder in holders]), fabric, "", holders)


def _find_enclosing_prefix(allocated: FamilyAddresses, addresses: Iterable[int]) -> Network:
    """The smallest prefix with some addresses in it."""
    ordered = sorted(addresses)
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

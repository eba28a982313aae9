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
from fabricgen.export.boot.names import main_addresses
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

MOST_ID = 0xFFFFFFFE
"""Of a subnet; Kea keeps the two numbers above and 0 for itself."""

Json = dict[str, Any]


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield kea/kea-dhcp4.json and kea/kea-dhcp6.json, of the families in which somebody is managed or asks.

    Raises InputError (FG171) for an image of no NOS and no model of switch.
    """
    BootServer(cluster).check_images()
    for found in cluster.addresses.families:
        subnets = subnets_of(cluster, found)
        if not subnets:
            continue
        four = found.family is V4
        leaves = {switch for s in subnets for h in s.holders for switch, _ in h.places} if four else set[str]()
        rows = [row for row, name in enumerate(cluster.names) if name in leaves]
        made = _Configuration(cluster, found, context.circuits(rows))
        yield f"kea/kea-dhcp{4 if four else 6}.json", made.text(subnets).encode()


class _Configuration:
    """The configuration of one family's server."""

    def __init__(self, cluster: Cluster, found: FamilyAddresses, circuits: Mapping[Place, Sequence[bytes]]) -> None:
        self._cluster, self._found, self._circuits = cluster, found, circuits
        self._four, self._server = found.family is V4, BootServer(cluster)
        self._mains = main_addresses(cluster, found)

    def text(self, subnets: Iterable[Subnet]) -> str:
        """All of it, a line for each subnet and for each reservation."""
        version, ids = 4 if self._four else 6, set[int]()
        head = ",\n".join(f'"{key}": {json.dumps(value)}' for key, value in self._head().items())
        lines = ",\n".join(self._lines(self._subnet(subnet, _id_of(subnet, ids))) for subnet in subnets)
        return f'{{"Dhcp{version}": {{\n{head},\n"subnet{version}": [\n{lines}\n]}}}}\n'

    @staticmethod
    def _lines(subnet: Json) -> str:
        reservations = ",\n".join(f"    {json.dumps(each)}" for each in subnet.pop("reservations"))
        return f'  {json.dumps(subnet)[:-1]}, "reservations": [' + (
            f"\n{reservations}\n  ]}}" if reservations else "]}"
        )

    def _head(self) -> Json:
        private = [{"name": PROVISION_URL, "code": 239, "type": "string", "space": "dhcp4"}]
        return {
            "interfaces-config": {"interfaces": ["*"]},
            "lease-database": {"type": "memfile"},
            "valid-lifetime": LEASE_S,
            "host-reservation-identifiers": ["hw-address", *(["circuit-id"] if self._four else [])],
            "ip-reservations-unique": False,
            "option-def": private if self._four else [],
        }

    def _subnet(self, subnet: Subnet, number: int) -> Json:
        alone = _alone(subnet)
        reserved, unreserved = list[Json](), list[str]()
        for holder, identifiers in self._identified(subnet):
            reserved += [self._reservation(holder, identifier) for identifier in identifiers]
            if not identifiers and holder is not alone:
                unreserved.append(self._cluster.names[holder.device])
        told = {"fabric": subnet.fabric} if subnet.fabric else {}
        text = self._found.text(alone.address) if alone else ""
        return {
            "id": number,
            "subnet": str(subnet.network),
            "user-context": {**told, **({"unreserved": unreserved} if unreserved else {})},
            "option-data": [*self._common(subnet), *(self._of_device(alone) if alone else ())],
            "pools": [{"pool": f"{text} - {text}"}] if alone else [],
            "reservations": reserved,
        }

    def _identified(self, subnet: Subnet) -> Iterator[tuple[Holder, list[tuple[str, str]]]]:
        """Everybody with what tells them: (word of Kea, value). Ports that are spelled alike tell nobody."""
        texts = {
            id(holder): list(dict.fromkeys(text for place in holder.places for text in self._circuits.get(place, ())))
            for holder in subnet.holders
        }
        count = Counter(text for some in texts.values() for text in some)
        for holder in subnet.holders:
            macs = [("hw-address", mac) for mac in holder.macs]
            yield holder, macs + [("circuit-id", _spelled(text)) for text in texts[id(holder)] if count[text] == 1]

    def _reservation(self, holder: Holder, identifier: tuple[str, str]) -> Json:
        text = self._found.text(holder.address)
        where = {"ip-address": text} if self._four else {"ip-addresses": [text]}
        return {
            identifier[0]: identifier[1],
            **where,
            "hostname": self._host_name(holder),
            "option-data": self._boot_options(holder.device),
        }

    def _host_name(self, holder: Holder) -> str:
        """The name of the device, but of a BMC another than its host has (63 characters, RFC 1123, 2.1)."""
        name = self._cluster.names[holder.device]
        is_other = holder.is_bmc and self._found.text(holder.address) != self._mains[holder.device]
        return f"{name}-bmc"[:63].rstrip("-") if is_other else name

    def _boot_options(self, row: int) -> list[Json]:
        """Where a switch boots from."""
        boot, image = self._server.boot_file(row), self._server.image_url(row)
        code = (boot[0].option if self._four else boot[0].option6) if boot else 0
        found = [{"code": code, "data": boot[1]}] if boot and code else []
        return [*found, *([{"code": IMAGE_OPTION, "data": image}] if image and self._four else [])]

    def _of_device(self, holder: Holder) -> list[Json]:
        """What the only machine of a subnet is told."""
        named = [{"name": "host-name", "data": self._host_name(holder)}] if self._four else []
        return [*named, *self._boot_options(holder.device)]

    def _common(self, subnet: Subnet) -> Iterator[Json]:
        """What everybody in a subnet is told: router, resolvers, domain, time."""
        settings = self._server.settings(subnet.fabric)
        if self._four and subnet.gateway:
            yield {"name": "routers", "data": subnet.gateway}
        resolvers, domain = (settings.dns.servers, settings.dns.domain) if settings.dns else ((), None)
        lists = {
            "domain-name-servers" if self._four else "dns-servers": self._own(resolvers),
            "domain-name" if self._four else "domain-search": [domain] if domain else [],
            "ntp-servers": self._own(settings.ntp) if self._four else [],
        }
        yield from ({"name": name, "data": ", ".join(values)} for name, values in lists.items() if values)

    def _own(self, servers: Iterable[str]) -> list[str]:
        """Those of some servers that are addresses of the family."""
        return [text for text in servers if is_address(text) and (":" in text) != self._four]


def _spelled(circuit: bytes) -> str:
    """A circuit id as Kea reads one: text in quotes, else hexadecimal digits."""
    text = circuit.decode("latin-1")
    return f"'{text}'" if text.isascii() and text.isprintable() and "'" not in text else circuit.hex()


def _alone(subnet: Subnet) -> Holder | None:
    """The machine at the far end of a routed port; None where there is room for others."""
    routed = subnet.gateway and subnet.network.num_addresses == 2
    return subnet.holders[0] if routed and len(subnet.holders) == 1 else None


def _id_of(subnet: Subnet, taken: set[int]) -> int:
    """What leases know a subnet by, from 1: its IPv4 address, or a number made of its IPv6 one; growth changes none."""
    first = int(subnet.network.network_address)
    number = first if subnet.network.version == 4 else crc32(first.to_bytes(16, "big"))
    while number in taken or not 0 < number < MOST_ID:
        number = number % (MOST_ID - 1) + 1
    taken.add(number)
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


def served_fabrics(cluster: Cluster) -> tuple[str, ...]:
    """Names of the fabrics whose hosts get their addresses by DHCP, in the order of the blueprint."""
    specs = cluster.design.loaded.blueprint.fabrics
    ethernet = (fabric for fabric in cluster.design.fabrics if fabric.protocol != "infiniband")
    return tuple(fabric.name for fabric in ethernet if fabric.manages or specs[fabric.name].dhcp is not None)


class _Networks:
    """Networks around addresses of a family: to make one takes as long as a reservation."""

    def __init__(self, found: FamilyAddresses) -> None:
        self._family = found.family
        self._known: dict[tuple[int, int], Network] = {}

    def around(self, address: int, length: int) -> Network:
        """The network of some prefix length around an address."""
        key = address >> (self._family.bits - length), length
        if key not in self._known:
            self._known[key] = self._family.network(address, length)
        return self._known[key]


def subnets_of(cluster: Cluster, found: FamilyAddresses) -> list[Subnet]:
    """The subnets of an address family with everybody in them, by address."""
    subnets: dict[Network, Subnet] = {}
    for subnet in (*_bridged(cluster, found), *_on_links(cluster, found), *_without_links(cluster, found)):
        known = subnets.setdefault(subnet.network, subnet)
        if known is not subnet:
            known.holders += subnet.holders
    for subnet in subnets.values():
        subnet.holders.sort(key=lambda holder: (holder.address, holder.device))
    return sorted(subnets.values(), key=lambda subnet: (subnet.network.network_address, subnet.network.prefixlen))


def _bridged(cluster: Cluster, found: FamilyAddresses) -> Iterator[Subnet]:
    """Subnets behind gateways, whoever is in them."""
    for fabric in served_fabrics(cluster):
        subnets = found.subnets.get(fabric)
        for row in np.flatnonzero(subnets.gateway.present).tolist() if subnets else ():
            assert subnets is not None  # noqa: S101 - it has rows
            for gateway in found.gateways(fabric, row):
                network = found.family.network(gateway, int(subnets.subnet_length[row]))
                yield Subnet(network, fabric, found.text(gateway))


def _on_links(cluster: Cluster, found: FamilyAddresses) -> Iterator[Subnet]:
    """The ends of links in the subnets of their fabric."""
    links, exits = cluster.plan.links, find_exit_segments(cluster.design, cluster.plan)
    everyone = [(links.segments[i].fabric, i) for i in range(len(links.segments)) if i not in exits]
    for fabric in served_fabrics(cluster):
        own = [i for name, i in everyone if name == fabric and _is_of_host(links.segments[i])]
        rows = np.flatnonzero(np.isin(links.segment, own))
        yield from _ends(cluster, found, fabric, rows[found.a[rows].present], found.a, found.length)
    for fabric in set(served_fabrics(cluster)) & set(found.shared):
        column, lengths = found.shared[fabric], found.subnets[fabric].subnet_length[links.b_device]
        yield from _ends(cluster, found, fabric, np.flatnonzero(column.present), column, lengths, shared=True)


def _is_of_host(segment: Segment) -> bool:
    """Whether its lower ends are ports of nodes and extra devices, or management ports of switches; devices that others
    configure are neither.
    """
    side = segment.a
    return isinstance(side, ManagementPort) or (isinstance(side, Attachment) and not side.profile.external)


def _ends(
    cluster: Cluster,
    found: FamilyAddresses,
    fabric: str,
    rows: Ints64,
    column: AddressColumn,
    lengths: Ints64,
    *,
    shared: bool = False,
) -> Iterator[Subnet]:
    """A subnet with one holder for each of some links. What has a VLAN on ports of another fabric is at no place."""
    links, bonds = cluster.plan.links, cluster.plan.bonds
    macs, networks = _Macs(cluster), _Networks(found)
    a_port, b_port = cluster.a_port, cluster.b_port
    of_bond = _members(cluster, rows) if bonds is not None else {}
    of_bmc = [isinstance(segment.a, Attachment) and segment.a.role == "bmc" for segment in links.segments]
    for row in rows.tolist():
        device, address = int(links.a_device[row]), column.at(row)
        ends = of_bond.get(row, (row,))
        places = () if shared else tuple((cluster.names[links.b_device[end]], str(b_port[end])) for end in ends)
        known = macs.of(device, [str(a_port[end]) for end in ends])
        holder = Holder(device, address, known, places, of_bmc[links.segment[row]])
        gateway = found.text(found.b.at(row))
        yield Subnet(networks.around(address, int(lengths[row])), fabric, gateway, [holder])


def _members(cluster: Cluster, rows: Ints64) -> Mapping[int, tuple[int, ...]]:
    """The links of the bond of each of some links that are the first of one."""
    bonds = cluster.plan.bonds
    assert bonds is not None  # noqa: S101 - the caller has looked
    members: dict[int, list[int]] = {}
    for row in np.flatnonzero(bonds.of_link >= 0).tolist():
        members.setdefault(int(bonds.of_link[row]), []).append(row)
    return {row: tuple(members[int(bonds.of_link[row])]) for row in rows.tolist() if bonds.of_link[row] >= 0}


def _without_links(cluster: Cluster, found: FamilyAddresses) -> Iterator[Subnet]:
    """Managed devices that are on no link to the management network: all switches where there is none, and its own.

    The loopbacks of the latter are in the smallest prefix that has them all.
    """
    links, devices, family = cluster.plan.links, cluster.plan.devices, found.family
    managing = [i for i, s in enumerate(links.segments) if _is_of_host(s) and getattr(s.a, "role", "bmc") == "bmc"]
    alone = found.management.present.copy()
    alone[links.a_device[np.isin(links.segment, managing)]] = False
    macs, networks, loopbacks = _Macs(cluster), _Networks(found), dict[str, list[Holder]]()
    for row in np.flatnonzero(alone).tolist():
        cls = devices.classes[devices.device_class[row]]
        if cls.kind != SWITCH:
            continue
        address, length = found.management.at(row), int(found.management_length[row])
        port = cluster.design.catalog.naming(cls.nos).management_of(cls.profile)
        holder = Holder(row, address, macs.of(row, [port]))
        if length == family.bits:
            loopbacks.setdefault(cls.fabric, []).append(holder)
        else:
            gateway = found.text(found.management_gateway.at(row))
            yield Subnet(networks.around(address, length), "", gateway, [holder])
    for fabric, holders in loopbacks.items():
        yield Subnet(_around(found, [holder.address for holder in holders]), fabric, "", holders)


def _around(found: FamilyAddresses, addresses: Iterable[int]) -> Network:
    """The smallest prefix with some addresses in it."""
    known = sorted(addresses)
    return found.family.network(known[0], found.family.bits - (known[0] ^ known[-1]).bit_length())


class _Macs:
    """MACs of the inventory."""

    def __init__(self, cluster: Cluster) -> None:
        self._known, self._names = cluster.design.loaded.macs, cluster.names

    def of(self, device: int, ports: Iterable[str]) -> tuple[str, ...]:
        """Those of some ports of a device; of a switch whose ports are not listed its base MAC."""
        if not self._known:
            return ()
        name = self._names[device]
        found = tuple(mac for port in ports if (mac := self._known.get((name, port))))
        base = self._known.get((name, ""))
        return found or ((base,) if base else ())

"""kea/: configurations of Kea's servers of DHCP and DHCPv6, with a reservation for everybody who has an address.

Kea administrator reference manual, 2.2: "Host Reservations in DHCPv4" (identifiers `hw-address` and `circuit-id`; with
`ip-reservations-unique` false an address has several), "Custom DHCPv4 Options", "Configuring a Subnet". There are no
pools to give out of: what the plan does not know gets nothing, but on a routed port, where nobody else can be.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

from fabricgen.cluster import Cluster
from fabricgen.export.boot.names import main_addresses
from fabricgen.export.boot.server import IMAGE_OPTION, BootServer, is_address
from fabricgen.export.boot.subnets import Holder, Place, Subnet, subnets_of
from fabricgen.export.table import ExportContext, File
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.family import V4

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

"""kea/: configurations of Kea's servers of DHCP and DHCPv6, with a reservation for each address holder.

Kea administrator reference manual, 2.2: "Host Reservations in DHCPv4" (identifiers `hw-address` and `circuit-id`; with
`ip-reservations-unique` false an address may have several), "Custom DHCPv4 Options", "Configuring a Subnet". There are
no pools of free addresses: devices that the plan does not know get none, except on a routed port, where nobody else can
be.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from typing import Any
from zlib import crc32

from fabricgen.api import ClusterView

LEASE_S = 600
"""How long a lease lasts, s: a machine that replaces another one waits for the other's lease to end."""

PROVISION_URL = "provision-url"
"""Our name for option 239, which IANA has not named."""

SERVER_OPTION = 150
"""A server's address, by private use (RFC 5859): Kea has no definition of it."""

VENDOR_SPACE = "vendor-encapsulated-options-space"
"""Kea's name for the contents of option 43 ("DHCPv4 Vendor-Specific Options")."""

IMAGE_OPTION = 114
"""The option with which ONIE gets the URL of the image of a NOS (ONIE user guide, "Image Discovery")."""

LAST_ID = 0xFFFFFFFE
"""The largest id of a subnet; Kea keeps the two numbers above it, and 0, for itself."""

Json = dict[str, Any]
Row = dict[str, Any]
"""A row of a table of the view."""


def files(view: ClusterView) -> Iterator[tuple[str, str]]:
    """Yield kea-dhcp4.json and kea-dhcp6.json, each only if a subnet of its address family has addresses given out by
    DHCP.

    Raises InputError: FG171 for an image whose key is neither a NOS nor a switch model, FG170 if DHCP cannot tell a
    switch what it boots from.
    """
    clients_by_subnet: dict[int, list[Row]] = {}
    for client in view.clients.rows():
        client["device"] = view.devices.name[client["device"]]
        clients_by_subnet.setdefault(client["subnet"], []).append(client)
    for version in (4, 6):
        chosen = [
            (subnet, clients)
            for subnet, clients in [
                (row, clients_by_subnet.get(number, [])) for number, row in enumerate(view.subnets.rows())
            ]
            if (":" in subnet["prefix"]) == (version == 6)
        ]
        if chosen:
            yield f"kea-dhcp{version}.json", _write_configuration(version, chosen)


def _write_configuration(version: int, subnets: Iterable[tuple[Row, list[Row]]]) -> str:
    """Return the configuration of one family's server, with a line for each subnet and each reservation."""
    ids = set[int]()
    subnets = list(subnets)
    boot_options = {
        word.partition("=")[0] for _, clients in subnets for row in clients for word in row["boot_options"].split()
    }
    head = ",\n".join(
        f'"{setting}": {json.dumps(value)}' for setting, value in _make_head(version, boot_options).items()
    )
    lines = ",\n".join(
        _format_subnet(_make_subnet(version, subnet, clients, _number_subnet(subnet["prefix"], ids)))
        for subnet, clients in subnets
    )
    return f'{{"Dhcp{version}": {{\n{head},\n"subnet{version}": [\n{lines}\n]}}}}\n'


def _format_subnet(subnet: Json) -> str:
    """Return a subnet as text: one line, then its reservations, one on each line."""
    reservations = ",\n".join(f"    {json.dumps(reservation)}" for reservation in subnet.pop("reservations"))
    return f'  {json.dumps(subnet)[:-1]}, "reservations": [' + (f"\n{reservations}\n  ]}}" if reservations else "]}")


def _make_head(version: int, options: set[str]) -> Json:
    """Return the settings of a whole server of DHCPv4 or DHCPv6 (`version` 4 or 6).

    `options` are the options in use, `OPTION` or `OPTION.SUB-OPTION`.
    """
    private = [{"name": PROVISION_URL, "code": 239, "type": "string", "space": "dhcp4"}]
    if str(SERVER_OPTION) in options:
        private.append({"name": "boot-server", "code": SERVER_OPTION, "type": "ipv4-address", "space": "dhcp4"})
    for code in sorted(int(option.partition(".")[2]) for option in options if "." in option):
        private.append({"name": f"boot-{code}", "code": code, "type": "string", "space": VENDOR_SPACE})
    return {
        "interfaces-config": {"interfaces": ["*"]},
        "lease-database": {"type": "memfile"},
        "valid-lifetime": LEASE_S,
        "host-reservation-identifiers": ["hw-address", *(["circuit-id"] if version == 4 else [])],
        "ip-reservations-unique": False,
        "option-def": private if version == 4 else [],
    }


def _make_subnet(version: int, subnet: Row, clients: list[Row], number: int) -> Json:
    """Return a subnet with its clients and its id for Kea.

    The subnet of a routed port with a single client leases the client's address to whoever asks.
    """
    only_client = _find_only_client(subnet, clients)
    reserved, unreserved = list[Json](), list[str]()
    for client, identifiers in _identify_clients(clients):
        reserved += [_make_reservation(version, client, identifier) for identifier in identifiers]
        if not identifiers and client is not only_client:
            unreserved.append(client["device"])
    context = {"fabric": subnet["fabric"]} if subnet["fabric"] else {}
    text = only_client["address"] if only_client else ""
    return {
        "id": number,
        "subnet": subnet["prefix"],
        "user-context": {**context, **({"unreserved": unreserved} if unreserved else {})},
        "option-data": [
            *_list_common_options(version, subnet),
            *(_list_client_options(version, only_client) if only_client else ()),
        ],
        "pools": [{"pool": f"{text} - {text}"}] if only_client else [],
        "reservations": reserved,
    }


def _identify_clients(clients: list[Row]) -> Iterator[tuple[Row, list[tuple[str, str]]]]:
    """Yield each client with the identifiers by which Kea knows it, as (Kea's word, value): its MACs and its circuit
    ids.

    A circuit id that several ports have is left out, because it identifies no client.
    """
    count = Counter(text for client in clients for text in client["circuit_ids"].split())
    for client in clients:
        macs = [("hw-address", mac) for mac in client["macs"].split()]
        circuits = [text for text in client["circuit_ids"].split() if count[text] == 1]
        yield client, macs + [("circuit-id", _spell_circuit(bytes.fromhex(text))) for text in circuits]


def _make_reservation(version: int, client: Row, identifier: tuple[str, str]) -> Json:
    """Return a reservation of a client's address for an identifier, (Kea's word, value)."""
    text = client["address"]
    return {
        identifier[0]: identifier[1],
        **({"ip-address": text} if version == 4 else {"ip-addresses": [text]}),
        "hostname": client["name"],
        "option-data": _list_boot_options(version, client),
    }


def _list_boot_options(version: int, client: Row) -> list[Json]:
    """Return the options with which a switch boots."""
    options = list[Json]()
    for option, _, text in (word.partition("=") for word in client["boot_options"].split()):
        outer, _, inner = option.partition(".")
        if inner and {"code": int(outer)} not in options:
            options.append({"code": int(outer)})  # the enclosed options are sent only together with it
        options.append(
            {"code": int(inner), "space": VENDOR_SPACE, "data": text} if inner else {"code": int(outer), "data": text}
        )
    if version == 4 and client["image_url"]:
        options.append({"code": IMAGE_OPTION, "data": client["image_url"]})
    return options


def _list_client_options(version: int, client: Row) -> list[Json]:
    """Return the options of the only machine of a subnet."""
    name_option = [{"name": "host-name", "data": client["name"]}] if version == 4 else []
    return [*name_option, *_list_boot_options(version, client)]


def _list_common_options(version: int, subnet: Row) -> Iterator[Json]:
    """Yield the options of everybody in a subnet: router, resolvers, domain, time."""
    options = {
        "routers": subnet["gateway"] if version == 4 else "",
        "domain-name-servers" if version == 4 else "dns-servers": subnet["dns_servers"],
        "domain-name" if version == 4 else "domain-search": subnet["domain"],
        "ntp-servers": subnet["ntp_servers"] if version == 4 else "",
    }
    yield from ({"name": name, "data": text.replace(" ", ", ")} for name, text in options.items() if text)


def _spell_circuit(circuit: bytes) -> str:
    """Return a circuit id as Kea reads it: text in quotes, else hexadecimal digits."""
    text = circuit.decode("latin-1")
    return f"'{text}'" if text.isascii() and text.isprintable() and "'" not in text else circuit.hex()


def _find_only_client(subnet: Row, clients: list[Row]) -> Row | None:
    """Return the only client of a routed port's subnet (/31 or /127), which has no room for others; None for other
    subnets.
    """
    routed = subnet["gateway"] and subnet["prefix"].endswith(("/31", "/127"))
    return clients[0] if routed and len(clients) == 1 else None


def _number_subnet(prefix: str, used_numbers: set[int]) -> int:
    """Return the id by which leases know a subnet, from 1: its IPv4 address, or a number made of its IPv6 address.

    The ids do not change when subnets are added, unless two would be equal.
    """
    address = ip_address(prefix.partition("/")[0])
    number = int(address) if address.version == 4 else crc32(address.packed)
    while number in used_numbers or not 0 < number < LAST_ID:
        # the next number, from 1 again behind the last
        number = number % (LAST_ID - 1) + 1
    used_numbers.add(number)
    return number

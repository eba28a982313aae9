"""Who has which address by DHCP, and what a server tells them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.export.boot import AddressHolder, BootServer, Place, Subnet, is_address, list_subnets
from fabricgen.export.operations import find_main_addresses
from fabricgen.numbering.lazy_columns import ComputedColumn
from fabricgen.plugins.columns import TableColumns, table_column, to_flag_array, to_integer_array, to_text_array
from fabricgen.render.ports import list_circuit_ids
from fabricgen.reports.table import Table

Row = Mapping[str, Any]


class Subnets(TableColumns):
    """Subnets in which a DHCP server gives out addresses, by family and address: those of the management network, and
    of fabrics that relay requests.
    """

    prefix = table_column(to_text_array, "Its address with prefix length.")
    fabric = table_column(to_text_array, "Its fabric; '' for management ports that are on no fabric.")
    gateway = table_column(to_text_array, "The address of its gateway.")
    dns_servers = table_column(to_text_array, "Addresses of the resolvers, of its family, between spaces.")
    domain = table_column(to_text_array, "The domain of the names of its devices.")
    ntp_servers = table_column(to_text_array, "Addresses of the time servers, of its family, between spaces.")


class Clients(TableColumns):
    """Who has an address of a subnet, in the order of subnets and of addresses."""

    subnet = table_column(to_integer_array, "The subnet, a row of `subnets`, int32.")
    device = table_column(to_integer_array, "The device, a row of `devices`, int32.")
    name = table_column(to_text_array, "Its host name: that of the device, of a BMC beside its host `DEVICE-bmc`.")
    bmc = table_column(to_flag_array, "Whether it is a BMC, bool.")
    address = table_column(to_text_array, "Its address.")
    macs = table_column(to_text_array, "MACs of its ports as far as the inventory has them, between spaces.")
    ports = table_column(to_text_array, "Where it is plugged in, `SWITCH:PORT`; of a bond several, between spaces.")
    circuit_ids = table_column(to_text_array, "What relays call these ports by DHCPv4, hexadecimal, between spaces.")
    boot_option = table_column(to_integer_array, "Option by which its NOS asks for a file at first boot, int32, or 0.")
    boot_url = table_column(to_text_array, "The URL of that file.")
    boot_options = table_column(
        to_text_array,
        "What DHCP tells it of its first boot, `OPTION=TEXT` or `OPTION.SUB-OPTION=TEXT`, between spaces.",
    )
    image_url = table_column(to_text_array, "The URL of the image of its NOS.")


def make_dhcp_tables(cluster: Cluster) -> tuple[Subnets, Clients]:
    """Return the subnets, and who has an address in them.

    Raises InputError: FG171 for an image of no NOS and no switch model, FG170 if DHCP cannot tell a switch what it
    boots from.
    """
    server = BootServer(cluster)
    server.check_images()
    subnets, clients, places = list[Row](), list[Row](), list[Sequence[Place]]()
    for allocated in cluster.addresses.families:
        main_addresses = find_main_addresses(cluster, allocated)
        for subnet in list_subnets(cluster, allocated):
            for holder in subnet.holders:
                address = allocated.format_address(holder.address)
                is_main = address == main_addresses[holder.device]
                row = {"subnet": len(subnets), "address": address, "name": _name_host(server, holder, is_main=is_main)}
                clients.append(row | _make_client(server, holder, is_v6=":" in address))
                places.append(() if ":" in address else holder.places)
            subnets.append(_make_subnet(server, subnet))
    circuit_ids = ComputedColumn(len(clients), partial(_list_circuit_ids, cluster, places))
    return Subnets(_gather_rows(Subnets, subnets)), Clients(_gather_rows(Clients, clients, circuit_ids=circuit_ids))


def _gather_rows(table: type[TableColumns], rows: Sequence[Row], **others: Sequence[Any]) -> Table:
    """Return rows as a table with the columns of `table`; `others` are columns that the rows lack."""
    names = [name for name in table.names() if name not in others]
    return Table("", {name: [row[name] for row in rows] for name in names} | others)


def _make_subnet(server: BootServer, subnet: Subnet) -> Row:
    """Return a subnet as a row: its prefix, and what a DHCP server tells everybody in it."""
    settings, is_v6 = server.find_settings(subnet.fabric), subnet.network.version == 6
    return {
        "prefix": str(subnet.network),
        "fabric": subnet.fabric,
        "gateway": subnet.gateway,
        "dns_servers": _join_servers(settings.dns.servers if settings.dns else (), is_v6=is_v6),
        "domain": (settings.dns and settings.dns.domain) or "",
        "ntp_servers": _join_servers(settings.ntp, is_v6=is_v6),
    }


def _join_servers(servers: Iterable[str], *, is_v6: bool) -> str:
    """Return the addresses of one family among `servers`, with spaces between them; names and other addresses are left
    out.
    """
    return " ".join(text for text in servers if is_address(text) and (":" in text) == is_v6)


def _name_host(server: BootServer, holder: AddressHolder, *, is_main: bool) -> str:
    """Return the host name of what has an address: the name of its device, or `DEVICE-bmc`.

    `DEVICE-bmc`, cut to 63 characters (RFC 1123, 2.1), is the name of a BMC whose address is not the main one of the
    device.
    """
    name = server.name_device(holder.device)
    return name if is_main or not holder.is_bmc else f"{name}-bmc"[:63].rstrip("-")


def _make_client(server: BootServer, holder: AddressHolder, *, is_v6: bool) -> dict[str, Any]:
    """Return the cells of a row of `Clients` about what has an address: its ports, its MACs, and what it boots from."""
    boot, url = server.locate_boot_file(holder.device) or (None, "")
    return {
        "device": holder.device,
        "bmc": holder.is_bmc,
        "macs": " ".join(holder.macs),
        "ports": " ".join(map(":".join, holder.places)),
        "boot_option": (boot.option6 if is_v6 else boot.option) if boot else 0,
        "boot_url": url,
        "boot_options": " ".join(
            f"{option}={text}" for option, text in server.list_options(holder.device, is_v6=is_v6).items()
        ),
        "image_url": server.image_url(holder.device),
    }


def _list_circuit_ids(cluster: Cluster, places: Sequence[Sequence[Place]], start: int, stop: int) -> list[str]:
    """Return a text for each of the clients `start` to `stop`: the circuit ids that DHCP relays send for its switch
    ports.

    `places` has the (switch, port) pairs that each client is plugged into. Ids are hexadecimal, with spaces between
    them; "" for none.
    """
    switches = {switch for of_client in places[start:stop] for switch, _ in of_client}
    ids = list_circuit_ids(cluster, [row for row, name in enumerate(cluster.names) if name in switches])
    return [
        " ".join(dict.fromkeys(text.hex() for place in of_client for text in ids.get(place, ())))
        for of_client in places[start:stop]
    ]

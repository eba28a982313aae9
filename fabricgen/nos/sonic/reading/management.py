"""SONiC's tables of management read back (sonic-buildimage, src/sonic-yang-models/yang-models: sonic-ntp.yang,
sonic-dns.yang, sonic-syslog.yang, sonic-snmp.yang, sonic-system-{aaa,tacacs,radius}.yang, sonic-banner.yang,
sonic-gnmi.yang). There is no management VRF: servers are reached through the default one, where eth0 is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fabricgen.running.tree import allow_fields, report_misfit
from fabricgen.switch.model import SwitchManagement

Table = Mapping[str, Mapping[str, Any]]
Tables = Mapping[str, Table]

MANAGEMENT_TABLES = {
    "AAA",
    "BANNER_MESSAGE",
    "DNS_NAMESERVER",
    "DNS_OPTIONS",
    "GNMI",
    "NTP",
    "NTP_SERVER",
    "RADIUS",
    "RADIUS_SERVER",
    "SNMP",
    "SNMP_USER",
    "SYSLOG_SERVER",
    "TACPLUS",
    "TACPLUS_SERVER",
}
LEVELS = {"error": "error", "warn": "warning", "notice": "notice", "info": "informational", "debug": "debug"}
PROTOCOLS = {"tacacs": ("tacacs+,local", "TACPLUS"), "radius": ("radius,local", "RADIUS")}
"""Login methods by protocol, with the table of the key shared with servers."""

READER = {
    "SNMP_USER_AUTH_TYPE": "SHA",
    "SNMP_USER_ENCRYPTION_TYPE": "AES",
    "SNMP_USER_PERMISSION": "RO",
    "SNMP_USER_TYPE": "Priv",
}
PASSPHRASES = ("SNMP_USER_AUTH_PASSWORD", "SNMP_USER_ENCRYPTION_PASSWORD")


def read_management(tables: Tables, addresses: Iterable[tuple[str, str]], timezone: str) -> SwitchManagement:
    """Return how a switch is managed; `addresses` are (address, gateway) of its management port.

    Raises UnknownTextError for tables that do not fit together.
    """
    banner = _read_single_row(tables, "BANNER_MESSAGE", "global", "login", "motd", "state")
    if banner and banner.get("state") != "enabled":  # they are off by default (sonic-banner.yang)
        report_misfit("there are banners, and they are off")
    return SwitchManagement(
        addresses=frozenset(addresses),
        aaa=tuple(_list_aaa_servers(tables)),
        ntp=tuple(_list_time_servers(tables)),
        dns=tuple(_list_keys(tables.get("DNS_NAMESERVER", {}))),
        domain=_find_domain(tables),
        syslog=tuple(sorted(tables.get("SYSLOG_SERVER", {}))),
        syslog_level=_find_log_level(tables.get("SYSLOG_SERVER", {})),
        snmp_users=frozenset(_list_snmp_users(tables)),
        gnmi_port=_find_gnmi_port(tables),
        login_banner=_unescape_banner(banner.get("login", "")),
        motd=_unescape_banner(banner.get("motd", "")),
        timezone=timezone,
    )


def _read_single_row(tables: Tables, table: str, key: str, *fields: str) -> Mapping[str, Any]:
    """Return the one row that a table may have, {} without the table; refuse other rows and fields."""
    rows = tables.get(table, {})
    allow_fields(rows, key)
    row = rows.get(key, {})
    allow_fields(row, *fields)
    return row


def _unescape_banner(text: str) -> str:
    """Return a banner as the switch prints it, with `echo -e`; raises UnknownTextError for an escape but `\\\\`."""
    if "\\" in text.replace("\\\\", ""):
        report_misfit(f"echo -e makes another text of {text!r}")
    return text.replace("\\\\", "\\")


def _list_aaa_servers(tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield (protocol, server) of login servers by falling priority.

    Raises UnknownTextError if logins do not go to these servers, or two have one priority.
    """
    login = _read_single_row(tables, "AAA", "authentication", "failthrough", "login")
    for protocol, (order, table) in PROTOCOLS.items():
        servers = tables.get(f"{table}_SERVER", {})
        if bool(servers) != (login.get("login") == order):
            report_misfit(f"logins go to {login}, servers of {protocol} are {sorted(servers)}")
        key = _read_single_row(tables, table, "global", "passkey")
        if key and not servers:
            report_misfit(f"a key of {protocol} without servers")
        for row in servers.values():
            allow_fields(row, "priority")
        ranked = {int(row["priority"]): server for server, row in servers.items()}
        if len(ranked) != len(servers):
            report_misfit(f"servers of {protocol} of one priority")
        yield from ((protocol, ranked[priority]) for priority in sorted(ranked, reverse=True))
    if login and login["failthrough"] != "False":
        report_misfit("who is refused by a server may still log in")


def _list_time_servers(tables: Tables) -> Iterator[str]:
    """Yield the time servers, sorted, as the table keeps no order; raises UnknownTextError for other settings than a
    build's.
    """
    client = _read_single_row(tables, "NTP", "global", "admin_state", "dhcp", "server_role")
    servers = tables.get("NTP_SERVER", {})
    if client != ({"admin_state": "enabled", "dhcp": "disabled", "server_role": "disabled"} if servers else {}):
        report_misfit(f"a client of {sorted(servers)} is {client}")
    for server, row in sorted(servers.items()):
        if row != {"association_type": "server", "iburst": "on", "resolve_as": server}:
            report_misfit(f"NTP_SERVER {server}: {row}")
        yield server


def _list_keys(table: Table) -> list[str]:
    """Return the keys of a table whose rows have no fields, sorted."""
    for row in table.values():
        allow_fields(row)
    return sorted(table)


def _find_domain(tables: Tables) -> str:
    """Return the one search domain of resolvers, "" for none; raises UnknownTextError for several."""
    searched = _read_single_row(tables, "DNS_OPTIONS", "GLOBAL", "search").get("search", [])
    if len(searched) > 1 or (searched and not tables.get("DNS_NAMESERVER")):
        report_misfit(f"domains {searched} of resolvers {sorted(tables.get('DNS_NAMESERVER', {}))}")
    return searched[0] if searched else ""


def _find_log_level(servers: Table) -> str:
    """Return the level of all collectors of logs, "" without any; raises UnknownTextError for several levels."""
    for row in servers.values():
        allow_fields(row, "severity")
    levels = {row["severity"] for row in servers.values()}
    if len(levels) > 1:
        report_misfit(f"collectors of different levels: {sorted(levels)}")
    return LEVELS[levels.pop()] if levels else ""


def _list_snmp_users(tables: Tables) -> Iterator[str]:
    """Yield the users of SNMPv3; raises UnknownTextError for one who may do more than read, or lacks a passphrase."""
    descriptions = tables.get("SNMP", {})
    allow_fields(descriptions, "CONTACT", "LOCATION")
    allow_fields(descriptions.get("CONTACT", {}), "Contact")
    allow_fields(descriptions.get("LOCATION", {}), "Location")
    for name, row in tables.get("SNMP_USER", {}).items():
        allow_fields(row, *READER, *PASSPHRASES)
        if {field: row[field] for field in READER} != READER or not all(row[field] for field in PASSPHRASES):
            report_misfit(f"SNMP user {name} reads otherwise than with authentication and privacy")
        yield name


def _find_gnmi_port(tables: Tables) -> int:
    """Return the port of gNMI, 0 without it; a row without a port stops the server
    (dockers/docker-sonic-gnmi/gnmi-native.sh).
    """
    table = tables.get("GNMI", {})
    allow_fields(table, "certs", "gnmi")
    allow_fields(table.get("certs", {}), "server_crt", "server_key")
    allow_fields(table.get("gnmi", {}), "port")
    if bool(table) != (tables["FEATURE"].get("gnmi", {}).get("state") == "enabled"):
        report_misfit("the gNMI container and what it is told do not fit")
    if table and "port" not in table["gnmi"]:
        report_misfit("gNMI without a port does not start")
    return int(table["gnmi"]["port"]) if table else 0

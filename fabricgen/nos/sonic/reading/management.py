"""SONiC's tables of management read back (sonic-buildimage, src/sonic-yang-models/yang-models: sonic-ntp.yang,
sonic-dns.yang, sonic-syslog.yang, sonic-snmp.yang, sonic-system-{aaa,tacacs,radius}.yang, sonic-banner.yang,
sonic-gnmi.yang). There is no management VRF: servers are reached through the default one, where eth0 is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fabricgen.running.tree import only, unfit
from fabricgen.switch.model import Management

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
"""How a login goes, and the table of the key shared with servers."""

READER = {
    "SNMP_USER_AUTH_TYPE": "SHA",
    "SNMP_USER_ENCRYPTION_TYPE": "AES",
    "SNMP_USER_PERMISSION": "RO",
    "SNMP_USER_TYPE": "Priv",
}
PASSPHRASES = ("SNMP_USER_AUTH_PASSWORD", "SNMP_USER_ENCRYPTION_PASSWORD")


def read_management(tables: Tables, addresses: Iterable[tuple[str, str]], timezone: str) -> Management:
    """Management as the model of a switch has it; raises UnknownTextError where tables do not fit together."""
    banner = _single(tables, "BANNER_MESSAGE", "global", "login", "motd", "state")
    if banner and banner.get("state") != "enabled":  # they are off by default (sonic-banner.yang)
        unfit("there are banners, and they are off")
    return Management(
        addresses=frozenset(addresses),
        aaa=tuple(_aaa(tables)),
        ntp=tuple(_time_servers(tables)),
        dns=tuple(_bare(tables.get("DNS_NAMESERVER", {}))),
        domain=_domain(tables),
        syslog=tuple(sorted(tables.get("SYSLOG_SERVER", {}))),
        syslog_level=_level(tables.get("SYSLOG_SERVER", {})),
        snmp_users=frozenset(_snmp(tables)),
        gnmi_port=_gnmi(tables),
        login_banner=_printed(banner.get("login", "")),
        motd=_printed(banner.get("motd", "")),
        timezone=timezone,
    )


def _single(tables: Tables, table: str, key: str, *known: str) -> Mapping[str, Any]:
    """The one row of a table, without fields where there is no table."""
    rows = tables.get(table, {})
    only(rows, key)
    row = rows.get(key, {})
    only(row, *known)
    return row


def _printed(text: str) -> str:
    """A banner as the switch prints it, with `echo -e`: of what begins with a backslash only a backslash is known."""
    if "\\" in text.replace("\\\\", ""):
        unfit(f"echo -e makes another text of {text!r}")
    return text.replace("\\\\", "\\")


def _aaa(tables: Tables) -> Iterator[tuple[str, str]]:
    """(protocol, server) by falling priority."""
    login = _single(tables, "AAA", "authentication", "failthrough", "login")
    for protocol, (order, table) in PROTOCOLS.items():
        servers = tables.get(f"{table}_SERVER", {})
        if bool(servers) != (login.get("login") == order):
            unfit(f"logins go to {login}, servers of {protocol} are {sorted(servers)}")
        key = _single(tables, table, "global", "passkey")
        if key and not servers:
            unfit(f"a key of {protocol} without servers")
        for row in servers.values():
            only(row, "priority")
        ranked = {int(row["priority"]): server for server, row in servers.items()}
        if len(ranked) != len(servers):
            unfit(f"servers of {protocol} of one priority")
        yield from ((protocol, ranked[priority]) for priority in sorted(ranked, reverse=True))
    if login and login["failthrough"] != "False":
        unfit("who is refused by a server may still log in")


def _time_servers(tables: Tables) -> Iterator[str]:
    """Servers of NTP, which a table keeps in no order of their own."""
    asked = _single(tables, "NTP", "global", "admin_state", "dhcp", "server_role")
    servers = tables.get("NTP_SERVER", {})
    if asked != ({"admin_state": "enabled", "dhcp": "disabled", "server_role": "disabled"} if servers else {}):
        unfit(f"a client of {sorted(servers)} is {asked}")
    for server, row in sorted(servers.items()):
        if row != {"association_type": "server", "iburst": "on", "resolve_as": server}:
            unfit(f"NTP_SERVER {server}: {row}")
        yield server


def _bare(table: Table) -> list[str]:
    for row in table.values():
        only(row)
    return sorted(table)


def _domain(tables: Tables) -> str:
    searched = _single(tables, "DNS_OPTIONS", "GLOBAL", "search").get("search", [])
    if len(searched) > 1 or (searched and not tables.get("DNS_NAMESERVER")):
        unfit(f"domains {searched} of resolvers {sorted(tables.get('DNS_NAMESERVER', {}))}")
    return searched[0] if searched else ""


def _level(servers: Table) -> str:
    """The level that all collectors share."""
    for row in servers.values():
        only(row, "severity")
    levels = {row["severity"] for row in servers.values()}
    if len(levels) > 1:
        unfit(f"collectors of different levels: {sorted(levels)}")
    return LEVELS[levels.pop()] if levels else ""


def _snmp(tables: Tables) -> Iterator[str]:
    place = tables.get("SNMP", {})
    only(place, "CONTACT", "LOCATION")
    only(place.get("CONTACT", {}), "Contact")
    only(place.get("LOCATION", {}), "Location")
    for name, row in tables.get("SNMP_USER", {}).items():
        only(row, *READER, *PASSPHRASES)
        if {field: row[field] for field in READER} != READER or not all(row[field] for field in PASSPHRASES):
            unfit(f"SNMP user {name} reads otherwise than with authentication and privacy")
        yield name


def _gnmi(tables: Tables) -> int:
    """The port; a row without one stops the server (dockers/docker-sonic-gnmi/gnmi-native.sh)."""
    table = tables.get("GNMI", {})
    only(table, "certs", "gnmi")
    only(table.get("certs", {}), "server_crt", "server_key")
    only(table.get("gnmi", {}), "port")
    if bool(table) != (tables["FEATURE"].get("gnmi", {}).get("state") == "enabled"):
        unfit("the gNMI container and what it is told do not fit")
    if table and "port" not in table["gnmi"]:
        unfit("gNMI without a port does not start")
    return int(table["gnmi"]["port"]) if table else 0

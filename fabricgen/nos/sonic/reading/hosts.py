"""What SONiC is told of ports of hosts, read back: access lists and storm control."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fabricgen.nos.frr.routing import strip_vrf_prefix
from fabricgen.running.tree import allow_fields, report_misfit
from fabricgen.switch.interfaces import DROPPED, Advertised, HostAccess, Relay, Vlan
from fabricgen.switch.routing import find_network

_STORMS = {"broadcast": "broadcast", "unknown-multicast": "multicast", "unknown-unicast": "unknown-unicast"}
_TYPES = {"dhcp": ("L3", "IPV4ANY"), "dhcp6": ("L3V6", "IPV6ANY"), "ra": ("L3V6", "IPV6ANY")}


@dataclass
class HostTables:
    """Access lists by name, and storm limits: `kbps` by (port, kind of frames).

    `types`, `ports` and `refused` are the type of each list, the ports that it is bound to, and the kinds of packets
    that it drops.
    """

    types: dict[str, str] = field(default_factory=dict)
    ports: dict[str, frozenset[str]] = field(default_factory=dict)
    refused: dict[str, set[str]] = field(default_factory=dict)
    kbps: dict[tuple[str, str], int] = field(default_factory=dict)

    def make_access(self, name: str, members: Iterable[str], speed_gbps: int) -> HostAccess:
        """Return what a port refuses, or a bond; `members` are its ports, of `speed_gbps` each.

        Raises UnknownTextError for members with different storm limits.
        """
        storms = [
            # kb/s as percent of the speed in Gb/s
            {kind: round(kbps / speed_gbps / 10**4, 4) for (port, kind), kbps in self.kbps.items() if port == member}
            for member in members
        ]
        if any(storm != storms[0] for storm in storms):
            report_misfit(f"ports of {name} refuse different things")
        lists = {list_name for list_name, ports in self.ports.items() if name in ports}
        return HostAccess(
            storms[0], refused=frozenset(kind for list_name in lists for kind in self.refused.get(list_name, ()))
        )


def read_acl_tables(box: Any, table: Mapping[str, Any]) -> None:
    """Read ACL_TABLE into `box.hosts`: the type and the ports of each access list.

    Raises UnknownTextError for a list of packets that leave by its ports (a `stage` other than `ingress`).
    """
    for name, row in table.items():
        allow_fields(row, "policy_desc", "ports", "stage", "type")
        if row["stage"] != "ingress":
            report_misfit(f"access list {name} is of packets that leave")
        box.hosts.types[name], box.hosts.ports[name] = row["type"], frozenset(row["ports"])
        box.hosts.refused.setdefault(name, set())


def read_acl_rules(box: Any, table: Mapping[str, Any]) -> None:
    """Read ACL_RULE: the packets that each access list refuses; its table may come before or after it."""
    for key, row in table.items():
        name, _, _ = key.partition("|")
        kinds = [kind for kind, rule in _RULES.items() if {**row, "PRIORITY": ""} == {**rule, "PRIORITY": ""}]
        if not kinds:
            report_misfit(f"ACL_RULE {key}: {row}")
            continue
        box.hosts.refused.setdefault(name, set()).add(kinds[0])


def _make_rule(kind: str) -> dict[str, str]:
    """Return the fields, without its priority, of the rule that drops a kind of packets (`dhcp`, `dhcp6` or `ra`)."""
    protocol, source, target = DROPPED[kind]
    fields = {"PACKET_ACTION": "DROP", "IP_TYPE": _TYPES[kind][1], "IP_PROTOCOL": str(protocol)}
    if not target:
        return {**fields, "ICMPV6_TYPE": str(source)}
    return {**fields, "L4_SRC_PORT": str(source), "L4_DST_PORT": str(target)}


_RULES = {kind: _make_rule(kind) for kind in DROPPED}


def read_storms(box: Any, table: Mapping[str, Any]) -> None:
    """Read PORT_STORM_CONTROL into `box.hosts`: limits in kb/s, by port and kind of frames."""
    for key, row in table.items():
        allow_fields(row, "kbps")
        port, _, kind = key.partition("|")
        box.hosts.kbps[port, _STORMS[kind]] = int(row["kbps"])


def check_acl_types(hosts: HostTables) -> None:
    """Refuse rules of no list, and lists of another address family than their rules; raises UnknownTextError."""
    for name, kinds in hosts.refused.items():
        if {_TYPES[kind][0] for kind in kinds} != {hosts.types.get(name)}:
            report_misfit(f"access list {name} is of another type than its rules")


LIFETIME_S = 540
"""What radvd advertises where nothing is stated: three times the 180 s of radvd.conf.j2 (RFC 4861, section 6.2.1)."""


def add_gateway_services(vlans: Mapping[int, Vlan], tables: Mapping[str, Any]) -> dict[int, Vlan]:
    """Return VLANs with their DHCP relay and router advertisements.

    Raises UnknownTextError for the relay of a VLAN that is not there, and for one that would not hear its servers.
    """
    radv = tables["FEATURE"].get("radv", {}).get("state", "")
    for name in (*tables.get("DHCP_RELAY", {}), *tables.get("DHCPV4_RELAY", {})):
        if int(name.removeprefix("Vlan")) not in vlans:
            report_misfit(f"DHCP relay of {name}, which is not there")
    return {number: _add_services(vlan, f"Vlan{number}", radv, tables) for number, vlan in vlans.items()}


def _list_servers_v4(vlan: Vlan, name: str, tables: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the IPv4 DHCP servers of a VLAN by the relay agent that runs: SONiC's own or isc-dhcp-relay.

    `name` is the VLAN's key in the tables. Raises UnknownTextError for servers of the agent that does not run, and for
    an agent that would not hear replies.
    """
    isc_servers, sonic_servers = (
        tuple(tables.get(table, {}).get(name, {}).get(field, ()))
        for table, field in (("VLAN", "dhcp_servers"), ("DHCPV4_RELAY", "dhcpv4_servers"))
    )
    runs = tables["DEVICE_METADATA"]["localhost"].get("has_sonic_dhcpv4_relay") == "True"
    if (isc_servers and runs) or (sonic_servers and not runs):
        report_misfit(f"DHCP relay of {name} by an agent that does not run")
    bare = any(row.get("ipv6_use_link_local_only") == "enable" for row in tables.get("INTERFACE", {}).values())
    if isc_servers and (vlan.vrf or bare or tables.get("MCLAG_DOMAIN")):
        report_misfit(f"isc-dhcp-relay of {name} would not hear its servers, or not all replies")
    if sonic_servers and vlan.vrf and not all(tunnel.startswith("VXLAN") for tunnel in tables.get("VXLAN_TUNNEL", {})):
        report_misfit(f"the DHCP relay of {name} would not hear its servers over VXLAN")
    return sonic_servers or isc_servers


def _find_relay_source(vlan: Vlan, name: str, tables: Mapping[str, Any]) -> str:
    """Return the loopback address that DHCP servers answer to; "" if they answer to the gateway.

    Raises UnknownTextError if the source is not a loopback with one IPv4 address in the VLAN's VRF, or if link
    selection is off, so that servers could not tell the subnet of the host.
    """
    row = tables.get("DHCPV4_RELAY", {}).get(name, {})
    source, selects_link = row.get("source_interface", ""), row.get("link_selection", "disable") == "enable"
    if not source and not selects_link:
        return ""
    rows = tables.get("LOOPBACK_INTERFACE", {})
    loopback_addresses = [key.partition("|") for key in rows]
    addresses: list[str] = [
        address.partition("/")[0]
        for loopback, _, address in loopback_addresses
        if loopback == source and "." in address
    ]
    vrf = strip_vrf_prefix(rows.get(source, {}).get("vrf_name", ""))
    if len(addresses) != 1 or not selects_link or vrf != vlan.vrf:
        report_misfit(
            f"the DHCP relay of {name} has the source {source!r}, of VRF {vrf!r}, and link selection {selects_link}"
        )
    return addresses[0]


def _add_services(vlan: Vlan, name: str, radv: str, tables: Mapping[str, Any]) -> Vlan:
    """Return a VLAN with its DHCP relay and router advertisements; `name` is its key in the tables.

    `radv` is the state of the container that advertises: `enabled` or `disabled`.
    """
    servers_v4 = _list_servers_v4(vlan, name, tables)
    servers = (*servers_v4, *tables.get("DHCP_RELAY", {}).get(name, {}).get("dhcpv6_servers", ()))
    if servers and tables["FEATURE"].get("dhcp_relay") != {"state": "enabled"}:
        report_misfit("DHCP relay that does not run")
    prefixes_v6 = frozenset(find_network(address) for address in vlan.gateways if ":" in address)
    return replace(
        vlan,
        relay=Relay(frozenset(servers), bool(servers_v4), _find_relay_source(vlan, name, tables)) if servers else None,
        advertised=Advertised(True, False, LIFETIME_S, prefixes_v6) if prefixes_v6 and radv == "enabled" else None,
        silent=bool(prefixes_v6) and radv == "disabled",
    )

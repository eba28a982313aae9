"""What SONiC is told of ports of hosts, read back: access lists and storm control."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fabricgen.nos.frr.routing import vrf_of
from fabricgen.running.tree import only, unfit
from fabricgen.switch.interfaces import DROPPED, Access, Advertised, Relay, Vlan
from fabricgen.switch.routing import network_of

_STORMS = {"broadcast": "broadcast", "unknown-multicast": "multicast", "unknown-unicast": "unknown-unicast"}
_TYPES = {"dhcp": ("L3", "IPV4ANY"), "dhcp6": ("L3V6", "IPV6ANY"), "ra": ("L3V6", "IPV6ANY")}


@dataclass
class HostTables:
    """Types, ports and refusals of access lists by name, and kilobits a second by (port, kind)."""

    types: dict[str, str] = field(default_factory=dict)
    ports: dict[str, frozenset[str]] = field(default_factory=dict)
    refused: dict[str, set[str]] = field(default_factory=dict)
    kbps: dict[tuple[str, str], int] = field(default_factory=dict)

    def access(self, name: str, members: Iterable[str], speed_gbps: int) -> Access:
        """What a port refuses, or a bond with its members; raises UnknownTextError where these are not alike."""
        storms = [
            {kind: round(kbps / speed_gbps / 10**4, 4) for (port, kind), kbps in self.kbps.items() if port == member}
            for member in members
        ]
        if any(storm != storms[0] for storm in storms):
            unfit(f"ports of {name} refuse different things")
        lists = {own for own, ports in self.ports.items() if name in ports}
        return Access(storms[0], refused=frozenset(kind for own in lists for kind in self.refused.get(own, ())))


def acl_tables(box: Any, table: Mapping[str, Any]) -> None:
    """Take ACL_TABLE."""
    for name, row in table.items():
        only(row, "policy_desc", "ports", "stage", "type")
        if row["stage"] != "ingress":
            unfit(f"access list {name} is of packets that leave")
        box.hosts.types[name], box.hosts.ports[name] = row["type"], frozenset(row["ports"])
        box.hosts.refused.setdefault(name, set())


def acl_rules(box: Any, table: Mapping[str, Any]) -> None:
    """Take ACL_RULE, after ACL_TABLE or before it."""
    for key, row in table.items():
        name, _, _ = key.partition("|")
        found = [kind for kind, wanted in _RULES.items() if {**row, "PRIORITY": ""} == {**wanted, "PRIORITY": ""}]
        if not found:
            unfit(f"ACL_RULE {key}: {row}")
            continue
        box.hosts.refused.setdefault(name, set()).add(found[0])


def _rule(kind: str) -> dict[str, str]:
    protocol, source, target = DROPPED[kind]
    found = {"PACKET_ACTION": "DROP", "IP_TYPE": _TYPES[kind][1], "IP_PROTOCOL": str(protocol)}
    if not target:
        return {**found, "ICMPV6_TYPE": str(source)}
    return {**found, "L4_SRC_PORT": str(source), "L4_DST_PORT": str(target)}


_RULES = {kind: _rule(kind) for kind in DROPPED}


def storms(box: Any, table: Mapping[str, Any]) -> None:
    """Take PORT_STORM_CONTROL."""
    for key, row in table.items():
        only(row, "kbps")
        port, _, kind = key.partition("|")
        box.hosts.kbps[port, _STORMS[kind]] = int(row["kbps"])


def check(hosts: HostTables) -> None:
    """Raises UnknownTextError for rules of no list, and lists of another family than their rules."""
    for name, kinds in hosts.refused.items():
        if {_TYPES[kind][0] for kind in kinds} != {hosts.types.get(name)}:
            unfit(f"access list {name} is of another type than its rules")


LIFETIME_S = 540
"""What radvd advertises where nothing is stated: three times the 180 s of radvd.conf.j2 (RFC 4861, section 6.2.1)."""


def gateways(vlans: Mapping[int, Vlan], tables: Mapping[str, Any]) -> dict[int, Vlan]:
    """VLANs with their DHCP relay, which SONiC always tells where requests came in, and router advertisements."""
    radv = tables["FEATURE"].get("radv", {}).get("state", "")
    for name in (*tables.get("DHCP_RELAY", {}), *tables.get("DHCPV4_RELAY", {})):
        if int(name.removeprefix("Vlan")) not in vlans:
            unfit(f"DHCP relay of {name}, which is not there")
    return {number: _gateway(vlan, f"Vlan{number}", radv, tables) for number, vlan in vlans.items()}


def _four(vlan: Vlan, name: str, tables: Mapping[str, Any]) -> tuple[str, ...]:
    """The DHCP servers of the agent that runs, which must hear their replies."""
    isc, own = (
        tuple(tables.get(table, {}).get(name, {}).get(field, ()))
        for table, field in (("VLAN", "dhcp_servers"), ("DHCPV4_RELAY", "dhcpv4_servers"))
    )
    runs = tables["DEVICE_METADATA"]["localhost"].get("has_sonic_dhcpv4_relay") == "True"
    if (isc and runs) or (own and not runs):
        unfit(f"DHCP relay of {name} by an agent that does not run")
    bare = any(row.get("ipv6_use_link_local_only") == "enable" for row in tables.get("INTERFACE", {}).values())
    if isc and (vlan.vrf or bare or tables.get("MCLAG_DOMAIN")):
        unfit(f"isc-dhcp-relay of {name} would not hear its servers, or not all replies")
    if own and vlan.vrf and not all(tunnel.startswith("VXLAN") for tunnel in tables.get("VXLAN_TUNNEL", {})):
        unfit(f"the DHCP relay of {name} would not hear its servers over VXLAN")
    return own or isc


def _source(vlan: Vlan, name: str, tables: Mapping[str, Any]) -> str:
    """The loopback that servers answer to, "" for the gateway; raises UnknownTextError where they could not tell whose
    subnet it is, or where it is no loopback of the VRF.
    """
    row = tables.get("DHCPV4_RELAY", {}).get(name, {})
    source, selects = row.get("source_interface", ""), row.get("link_selection", "disable") == "enable"
    if not source and not selects:
        return ""
    rows = tables.get("LOOPBACK_INTERFACE", {})
    keys = [key.partition("|") for key in rows]
    found: list[str] = [address.partition("/")[0] for own, _, address in keys if own == source and "." in address]
    vrf = vrf_of(rows.get(source, {}).get("vrf_name", ""))
    if len(found) != 1 or not selects or vrf != vlan.vrf:
        unfit(f"the DHCP relay of {name} has the source {source!r}, of VRF {vrf!r}, and link selection {selects}")
    return found[0]


def _gateway(vlan: Vlan, name: str, radv: str, tables: Mapping[str, Any]) -> Vlan:
    four = _four(vlan, name, tables)
    servers = (*four, *tables.get("DHCP_RELAY", {}).get(name, {}).get("dhcpv6_servers", ()))
    if servers and tables["FEATURE"].get("dhcp_relay") != {"state": "enabled"}:
        unfit("DHCP relay that does not run")
    six = frozenset(network_of(address) for address in vlan.gateways if ":" in address)
    return replace(
        vlan,
        relay=Relay(frozenset(servers), bool(four), _source(vlan, name, tables)) if servers else None,
        advertised=Advertised(True, False, LIFETIME_S, six) if six and radv == "enabled" else None,
        silent=bool(six) and radv == "disabled",
    )

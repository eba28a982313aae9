"""What Cumulus Linux is told of ports of hosts, read back: access lists, storm control, BPDU guard, DHCP relay,
router advertisements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from ipaddress import ip_address, ip_interface
from typing import Any

from fabricgen.running.tree import allow_fields, report_misfit
from fabricgen.switch.interfaces import OPEN, Advertised, HostAccess, Relay

Row = Mapping[str, Any]

SMALLEST_BITS = 8 * 84
"""Bits that the smallest frame takes on the wire."""

# by kind of packets: (the family of a list that drops them, what its rule matches)
_RULES: dict[str, tuple[str, Row]] = {
    "dhcp": ("ipv4", {"protocol": "udp", "udp": {"source-port": {"67": {}}, "dest-port": {"68": {}}}}),
    "dhcp6": ("ipv6", {"protocol": "udp", "udp": {"source-port": {"547": {}}, "dest-port": {"546": {}}}}),
    "ra": ("ipv6", {"protocol": "icmpv6", "icmpv6-type": "router-advertisement"}),
}


def list_filters(tree: Row) -> dict[str, frozenset[str]]:
    """Return what each access list drops, by its name; packets that no rule takes pass."""
    drops_of_list = {}
    for name, acl in tree.get("acl", {}).items():
        allow_fields(acl, "rule", "type")
        kinds = [_find_kind(acl["type"], rule) for rule in acl["rule"].values()]
        drops_of_list[name] = frozenset(kinds) - {""}
    return drops_of_list


def _find_kind(family: str, rule: Row) -> str:
    """Return the kind of packets (`dhcp`, `dhcp6`, `ra`) that a rule drops; "" after reporting a
    rule of another kind.
    """
    for kind, (rule_family, match) in _RULES.items():
        if (family, rule) == (rule_family, {"action": {"deny": {}}, "match": {"ip": match}}):
            return kind
    report_misfit(f"a rule of an access list: {rule}")
    return ""


def make_access(
    row: Row, members: Iterable[tuple[Row, int]], filters_by_name: Mapping[str, frozenset[str]]
) -> HostAccess:
    """Return the traffic that a host interface blocks: access lists, storm limits, BPDU guard.

    `members` are (row, Gb/s) of its switch ports, one for a port that is in no bond; `filters_by_name` is what
    `list_filters` returns. Raises UnknownTextError for an access list that does not exist or is not inbound, and for
    members whose storm limits differ.
    """
    direction_by_list = row.get("acl", {})
    if any(
        direction != {"inbound": {}} or name not in filters_by_name for name, direction in direction_by_list.items()
    ):
        report_misfit(f"access lists: {direction_by_list}")
    storm_limits = [_list_storm_percents(member, gbps) for member, gbps in members]
    if any(limits != storm_limits[0] for limits in storm_limits):
        report_misfit("members of a bond refuse different things")
    stp = row.get("bridge", {}).get("domain", {}).get("br_default", {}).get("stp", {})
    result = HostAccess(
        storm_limits[0],
        stp.get("bpdu-guard") == "enabled",
        frozenset(kind for name in direction_by_list for kind in filters_by_name.get(name, ())),
    )
    return OPEN if result == OPEN else result


def _list_storm_percents(row: Row, speed_gbps: int) -> dict[str, float]:
    """Return the storm limits of a port by kind of frames, in percent of its speed; NVUE counts packets of 84 bytes a
    second.

    Copper that negotiates states no speed (0), and is 1 Gb/s.
    """
    limits = row.get("storm-control", {})
    allow_fields(limits, "broadcast", "multicast", "unknown-unicast")
    # 10**9 bit/s a Gb/s, less the 100 of percent
    return {kind: round(packets * SMALLEST_BITS / (speed_gbps or 1) / 10**7, 2) for kind, packets in limits.items()}


LIFETIME_S = 1800
"""For how long hosts keep a router whose advertisements state no lifetime, s."""


def list_vrf_loopbacks(tree: Row) -> dict[str, frozenset[str]]:
    """Return the addresses of the loopbacks of VRFs, by NVUE's name of the VRF."""
    addresses_of_vrf: dict[str, frozenset[str]] = {}
    for name, row in tree.get("vrf", {}).items():
        if loopback := row.get("loopback"):
            allow_fields(loopback, "ip")
            allow_fields(loopback["ip"], "address")
            addresses_of_vrf[name] = frozenset(loopback["ip"]["address"])
    return addresses_of_vrf


def list_relays(tree: Row, source6: str) -> dict[str, Relay]:
    """Return the DHCP relay of each interface that has one, by the name of the interface.

    `source6` is the IPv6 address that the switch sends its own packets from. Raises UnknownTextError for relays that
    would not reach their servers, or not hear them.
    """
    service = tree.get("service", {})
    allow_fields(service, "dhcp-relay", "dhcp-relay6")
    relay_of_interface: dict[str, Relay] = {}
    for vrf, settings in service.get("dhcp-relay", {}).items():
        allow_fields(settings, "agent", "downstream-interface", "gateway-interface", "server-group")
        agent = settings.get("agent", {})
        if agent not in ({}, {"state": "enabled", "use-pif-circuit-id": {"state": "enabled"}}):
            report_misfit(f"option 82: {agent}")
        evpn = tree.get("vrf", {}).get(vrf, {}).get("evpn")
        for group in settings["server-group"].values():
            if not group.get("upstream-interface") or not _list_links(tree, vrf) <= set(group["upstream-interface"]):
                report_misfit("a DHCP relay without a way to its servers, or back from them")
            if evpn and f"vlan{evpn.get('vlan')}_l3" not in group["upstream-interface"]:
                report_misfit(f"the DHCP relay of {vrf} would not hear its servers over VXLAN")
        source = _find_relay_source(tree, vrf, settings.get("gateway-interface", {}))
        for name, row in settings["downstream-interface"].items():
            servers = settings["server-group"][row["server-group-name"]]["server"]
            relay_of_interface[name] = Relay(frozenset(servers), bool(agent), source)
    for vrf, settings in service.get("dhcp-relay6", {}).items():
        allow_fields(settings, "interface")
        allow_fields(settings["interface"], "downstream", "upstream")
        upstream = settings["interface"]["upstream"]
        if not _list_links(tree, vrf) <= upstream.keys():
            report_misfit(f"the DHCPv6 relay of {vrf} does not hear what comes over {sorted(_list_links(tree, vrf))}")
        _check_upstream(tree, vrf, upstream)
        servers_v6 = {server for row in upstream.values() for server in row.get("server-address", ())}
        for name in settings["interface"]["downstream"]:
            relay = relay_of_interface.get(name, Relay(frozenset(), marked=False))
            relay_of_interface[name] = replace(
                relay, servers=relay.servers | servers_v6, source6="" if vrf != "default" else source6
            )
    return relay_of_interface


def _list_links(tree: Row, vrf: str) -> set[str]:
    """Return the interfaces of a VRF with a session over them: replies of servers may come in at any of them."""
    peers = set(tree.get("vrf", {}).get(vrf, {}).get("router", {}).get("bgp", {}).get("neighbor", {}))
    # peers are called by address, or by the port that they are found on
    numbers = [ip_address(peer) for peer in peers if re.match("[0-9a-f]+[.:]", peer)]
    links = set()
    for name, row in tree["interface"].items():
        subnets = [ip_interface(a).network for word in ("ipv4", "ipv6") for a in row.get(word, {}).get("address", ())]
        near = name in peers or any(number in subnet for number in numbers for subnet in subnets)
        links |= {name} if near and row["type"] != "svi" and row.get("vrf", "default") == vrf else set()
    return links


def _find_relay_source(tree: Row, vrf: str, gateways: Row) -> str:
    """Return the loopback that a relay names as its gateway address; "" if each interface has its own.

    Raises UnknownTextError for an address that is no loopback of the VRF.
    """
    if not gateways:
        return ""
    name = "lo" if vrf == "default" else vrf
    addresses = tree["interface"]["lo"]["ipv4"]["address"] if name == "lo" else list_vrf_loopbacks(tree).get(vrf, ())
    if (
        set(gateways) != {name}
        or set(gateways[name]) != {"address"}
        or f"{gateways[name]['address']}/32" not in addresses
    ):
        report_misfit(f"gateway addresses of a DHCP relay: {gateways}")
    return str(gateways[name]["address"])


def _check_upstream(tree: Row, vrf: str, upstream: Row) -> None:
    """Refuse a DHCPv6 relay of a VRF over EVPN that would not hear its servers; raises UnknownTextError."""
    evpn = tree.get("vrf", {}).get(vrf, {}).get("evpn")
    if not evpn:
        if len({frozenset(row.get("server-address", ())) for row in upstream.values()}) > 1:
            report_misfit(f"the DHCPv6 relay of {vrf} asks other servers over each link")
        return
    has_v6_loopback = any(":" in address for address in list_vrf_loopbacks(tree).get(vrf, ()))
    asked_over = {name for name, row in upstream.items() if row.get("server-address")}
    if not has_v6_loopback or asked_over != {vrf} or f"vlan{evpn.get('vlan')}_l3" not in upstream:
        report_misfit(f"the DHCPv6 relay of {vrf} would not hear its servers over VXLAN")


def read_advertised(row: Row) -> tuple[Advertised | None, bool]:
    """Return (router advertisements of an interface or None, whether it is told to send none)."""
    discovery = row.get("ipv6", {}).get("neighbor-discovery")
    if discovery is None:
        return None, False
    allow_fields(discovery, "prefix", "rdnss", "router-advertisement")
    flags = discovery["router-advertisement"]
    allow_fields(flags, "lifetime", "managed-config", "other-config", "state")
    if flags["state"] == "disabled":
        return None, True
    if any(prefix != {"autoconfig": "disabled"} for prefix in discovery.get("prefix", {}).values()):
        report_misfit(f"prefixes that are advertised: {discovery['prefix']}")
    return (
        Advertised(
            managed=flags.get("managed-config") == "enabled",
            other=flags.get("other-config") == "enabled",
            lifetime_s=flags.get("lifetime", LIFETIME_S),
            no_autoconfig=frozenset(discovery.get("prefix", {})),
            resolvers=frozenset(discovery.get("rdnss", {})),
        ),
        False,
    )

"""What Cumulus Linux is told of ports of hosts, read back: access lists, storm control, BPDU guard, DHCP relay,
router advertisements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from ipaddress import ip_address, ip_interface
from typing import Any

from fabricgen.running.tree import only, unfit
from fabricgen.switch.interfaces import OPEN, Access, Advertised, Relay

Row = Mapping[str, Any]

SMALLEST_BITS = 8 * 84
"""Of a frame on the wire."""

_RULES: dict[str, tuple[str, Row]] = {
    "dhcp": ("ipv4", {"protocol": "udp", "udp": {"source-port": {"67": {}}, "dest-port": {"68": {}}}}),
    "dhcp6": ("ipv6", {"protocol": "udp", "udp": {"source-port": {"547": {}}, "dest-port": {"546": {}}}}),
    "ra": ("ipv6", {"protocol": "icmpv6", "icmpv6-type": "router-advertisement"}),
}


def filters(tree: Row) -> dict[str, frozenset[str]]:
    """What each access list drops, by its name; what no rule takes passes."""
    found = {}
    for name, own in tree.get("acl", {}).items():
        only(own, "rule", "type")
        kinds = [_kind(own["type"], rule) for rule in own["rule"].values()]
        found[name] = frozenset(kinds) - {""}
    return found


def _kind(family: str, rule: Row) -> str:
    for kind, (of, match) in _RULES.items():
        if (family, rule) == (of, {"action": {"deny": {}}, "match": {"ip": match}}):
            return kind
    unfit(f"a rule of an access list: {rule}")
    return ""


def access(row: Row, members: Iterable[tuple[Row, int]], known: Mapping[str, frozenset[str]]) -> Access:
    """What an interface refuses, whose switch ports are `members` with their speeds in Gb/s.

    Raises UnknownTextError for lists that are not there, or members that are not alike.
    """
    lists = row.get("acl", {})
    if any(way != {"inbound": {}} or name not in known for name, way in lists.items()):
        unfit(f"access lists: {lists}")
    storms = [_storm(member, gbps) for member, gbps in members]
    if any(storm != storms[0] for storm in storms):
        unfit("members of a bond refuse different things")
    stp = row.get("bridge", {}).get("domain", {}).get("br_default", {}).get("stp", {})
    found = Access(
        storms[0],
        stp.get("bpdu-guard") == "enabled",
        frozenset(kind for name in lists for kind in known.get(name, ())),
    )
    return OPEN if found == OPEN else found


def _storm(row: Row, speed_gbps: int) -> dict[str, float]:
    """Percent of the speed; copper that negotiates states none, and is 1 Gb/s."""
    own = row.get("storm-control", {})
    only(own, "broadcast", "multicast", "unknown-unicast")
    return {kind: round(packets * SMALLEST_BITS / (speed_gbps or 1) / 10**7, 2) for kind, packets in own.items()}


LIFETIME_S = 1800


def vrf_loopbacks(tree: Row) -> dict[str, frozenset[str]]:
    """The addresses of loopbacks of VRFs, by NVUE's name of the VRF."""
    found: dict[str, frozenset[str]] = {}
    for name, row in tree.get("vrf", {}).items():
        if own := row.get("loopback"):
            only(own, "ip")
            only(own["ip"], "address")
            found[name] = frozenset(own["ip"]["address"])
    return found


def relays(tree: Row, source6: str) -> dict[str, Relay]:
    """The DHCP relay of each interface that has one; `source6` is what the switch itself sends from in IPv6."""
    service = tree.get("service", {})
    only(service, "dhcp-relay", "dhcp-relay6")
    found: dict[str, Relay] = {}
    for vrf, own in service.get("dhcp-relay", {}).items():
        only(own, "agent", "downstream-interface", "gateway-interface", "server-group")
        agent = own.get("agent", {})
        if agent not in ({}, {"state": "enabled", "use-pif-circuit-id": {"state": "enabled"}}):
            unfit(f"option 82: {agent}")
        over = tree.get("vrf", {}).get(vrf, {}).get("evpn")
        for group in own["server-group"].values():
            if not group.get("upstream-interface") or not _links(tree, vrf) <= set(group["upstream-interface"]):
                unfit("a DHCP relay without a way to its servers, or back from them")
            if over and f"vlan{over.get('vlan')}_l3" not in group["upstream-interface"]:
                unfit(f"the DHCP relay of {vrf} would not hear its servers over VXLAN")
        source = _source(tree, vrf, own.get("gateway-interface", {}))
        for name, row in own["downstream-interface"].items():
            servers = own["server-group"][row["server-group-name"]]["server"]
            found[name] = Relay(frozenset(servers), bool(agent), source)
    for vrf, own in service.get("dhcp-relay6", {}).items():
        only(own, "interface")
        only(own["interface"], "downstream", "upstream")
        upstream = own["interface"]["upstream"]
        if not _links(tree, vrf) <= upstream.keys():
            unfit(f"the DHCPv6 relay of {vrf} does not hear what comes over {sorted(_links(tree, vrf))}")
        _check_upstream(tree, vrf, upstream)
        six = {server for row in upstream.values() for server in row.get("server-address", ())}
        for name in own["interface"]["downstream"]:
            known = found.get(name, Relay(frozenset(), marked=False))
            found[name] = replace(known, servers=known.servers | six, source6="" if vrf != "default" else source6)
    return found


def _links(tree: Row, vrf: str) -> set[str]:
    """The interfaces of a VRF with a session over them: what servers say may come in at any of them."""
    peers = set(tree.get("vrf", {}).get(vrf, {}).get("router", {}).get("bgp", {}).get("neighbor", {}))
    numbers = [ip_address(peer) for peer in peers if re.match("[0-9a-f]+[.:]", peer)]
    found = set()
    for name, row in tree["interface"].items():
        own = [ip_interface(a).network for word in ("ipv4", "ipv6") for a in row.get(word, {}).get("address", ())]
        near = name in peers or any(number in subnet for number in numbers for subnet in own)
        found |= {name} if near and row["type"] != "svi" and row.get("vrf", "default") == vrf else set()
    return found


def _source(tree: Row, vrf: str, stated: Row) -> str:
    """The gateway address of a DHCP relay, "" where it is that of each interface: it must be a loopback of its VRF."""
    if not stated:
        return ""
    name = "lo" if vrf == "default" else vrf
    addresses = tree["interface"]["lo"]["ipv4"]["address"] if name == "lo" else vrf_loopbacks(tree).get(vrf, ())
    if set(stated) != {name} or set(stated[name]) != {"address"} or f"{stated[name]['address']}/32" not in addresses:
        unfit(f"gateway addresses of a DHCP relay: {stated}")
    return str(stated[name]["address"])


def _check_upstream(tree: Row, vrf: str, upstream: Row) -> None:
    """Raises UnknownTextError where a DHCPv6 relay in a VRF over EVPN would not hear its servers."""
    over = tree.get("vrf", {}).get(vrf, {}).get("evpn")
    if not over:
        if len({frozenset(row.get("server-address", ())) for row in upstream.values()}) > 1:
            unfit(f"the DHCPv6 relay of {vrf} asks other servers over each link")
        return
    has_own = any(":" in address for address in vrf_loopbacks(tree).get(vrf, ()))
    told = {name for name, row in upstream.items() if row.get("server-address")}
    if not has_own or told != {vrf} or f"vlan{over.get('vlan')}_l3" not in upstream:
        unfit(f"the DHCPv6 relay of {vrf} would not hear its servers over VXLAN")


def advertised(row: Row) -> tuple[Advertised | None, bool]:
    """(the advertisements of an interface, whether it is told to send none)."""
    own = row.get("ipv6", {}).get("neighbor-discovery")
    if own is None:
        return None, False
    only(own, "prefix", "rdnss", "router-advertisement")
    flags = own["router-advertisement"]
    only(flags, "lifetime", "managed-config", "other-config", "state")
    if flags["state"] == "disabled":
        return None, True
    if any(prefix != {"autoconfig": "disabled"} for prefix in own.get("prefix", {}).values()):
        unfit(f"prefixes that are advertised: {own['prefix']}")
    return (
        Advertised(
            managed=flags.get("managed-config") == "enabled",
            other=flags.get("other-config") == "enabled",
            lifetime_s=flags.get("lifetime", LIFETIME_S),
            no_autoconfig=frozenset(own.get("prefix", {})),
            resolvers=frozenset(own.get("rdnss", {})),
        ),
        False,
    )

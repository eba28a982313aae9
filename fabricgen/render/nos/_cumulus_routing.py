"""Routing of Cumulus Linux as values: policy, BGP of each VRF, static routes.

NVUE writes FRR's configuration from this, so that maps and lists are those of FRR: one for each family. A peer carries
IPv4 unless it is told not to, and IPv6 only if told so (NVUE Command Reference, BGP: `address-family`). Extended next
hops are on by themselves for unnumbered peers; they are stated so that the file says it.

BFD is a profile that peer groups refer to; timers of peers are gone since 5.15 (user guide 5.15, "Deprecated NVUE
Commands"). A route is announced once it is in the hardware (`wait-for-install`), so that a booting switch draws no
traffic that it would drop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fabricgen.blueprint.sections.routing import CONNECT_RETRY_S, HOLD_S, KEEPALIVE_S
from fabricgen.render import bgp
from fabricgen.render.escape import one_line, token, yaml_text
from fabricgen.render.static import DISCARD_DISTANCE
from fabricgen.views.switch import StaticRoute, SwitchView

MAX_ECMP = 128
"""The largest `multipaths ebgp` that NVUE takes (NVUE Command Reference, BGP)."""

_LONGEST = {False: 32, True: 128}
_MAPS, _VRF_MAPS = ("CONNECTED", "FABRIC-IN", "FABRIC-OUT"), ("CONNECTED", "IN", "OUT")


def family(address: str) -> str:
    """NVUE's word for the address family of an address or prefix: `ipv4` or `ipv6`."""
    return "ipv6" if bgp.is_v6(address) else "ipv4"


def routing_values(switch: SwitchView, vrf_name: Callable[[str], str]) -> dict[str, Any]:
    """Policy, and for each VRF its BGP and static routes."""
    carried = [vrf for vrf in switch.vrfs if bgp.vrf_sessions(switch, vrf)] if switch.asn else []
    known = ["", *carried] if switch.asn else []
    bfd = switch.fabric.bfd if switch.asn else None
    return {
        "asn": switch.asn,
        "router_id": switch.router_id,
        "bfd": bfd and (bfd.interval_ms, bfd.multiplier),
        "max_prefixes": switch.fabric.max_prefixes,
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
        "connect_retry": CONNECT_RETRY_S,
        "max_paths": min(switch.ecmp_width, MAX_ECMP),
        "only_own_routes": switch.is_lowest,
        "prefix_lists": [found for vrf in known for found in _prefix_lists(switch, vrf)],
        "route_maps": [found for vrf in known for found in _route_maps(switch, vrf)],
        "vrfs": [
            (
                vrf_name(vrf) or "default",
                _instance(switch, vrf) if vrf in known else None,
                () if vrf else routes(switch),
            )
            for vrf in ("", *switch.vrfs)
            if vrf or known or switch.routes
        ],
    }


def _words(switch: SwitchView) -> list[tuple[bool, str, str]]:
    """(whether IPv6, NVUE's word for the family, suffix of its list and map names) of each family routed."""
    return [*([(False, "ipv4", "")] if switch.has_v4 else []), *([(True, "ipv6", "6")] if switch.has_v6 else [])]


def _named(name: str, ending: str, vrf: str) -> str:
    return f"{name}{ending}-{token(vrf)}" if vrf else f"{name}{ending}"


def _prefix_lists(switch: SwitchView, vrf: str) -> list[tuple[object, ...]]:
    """(name, type, rules as (number, prefix, shortest, longest)) of a VRF; 0 for a length that is not stated."""
    found: list[tuple[object, ...]] = []
    for v6, word, ending in _words(switch):
        longest = _LONGEST[v6]
        hosts = bgp.host_rules(switch, vrf, v6=v6)
        if hosts:
            rows = [(seq, pool, 0, longest - 1 if longer else 0) for seq, pool, longer in hosts]
            found.append((_named("HOSTS", ending, vrf), word, rows))
        if not vrf:
            loopbacks = bgp.loopback_rules(switch, v6=v6)
            rows = [(seq, pool, *([longest] * 2 if longer else (0, 0))) for seq, pool, longer in loopbacks]
            found.append((f"LOOPBACKS{ending}", word, rows))
    return found


def _route_maps(switch: SwitchView, vrf: str) -> list[tuple[object, ...]]:
    """(name, type, whether own routes only, rules as (number, prefix list)) of a VRF."""
    found: list[tuple[object, ...]] = []
    for v6, word, ending in _words(switch):
        lists = [] if vrf else [(10, f"LOOPBACKS{ending}")]
        if bgp.host_rules(switch, vrf, v6=v6):
            lists.append((20, _named("HOSTS", ending, vrf)))
        for name in _VRF_MAPS if vrf else _MAPS:
            own = switch.is_lowest and name.endswith("OUT")
            found.append((_named(name, ending, vrf), word, own, lists))
    return found


def _instance(switch: SwitchView, vrf: str) -> tuple[object, ...]:
    """(families as (word, map of connected routes), peer groups, peers) of a VRF.

    A peer is (key, group, AS number, description, type). A group is (name, whether it takes its own AS number, whether
    IPv4 goes over IPv6 next hops, families as (word, map in, map out)); without maps it does not carry the family.
    """
    peers = bgp.vrf_sessions(switch, vrf) if vrf else bgp.sessions(switch)
    found, (connected, inward, outward) = bgp.groups(peers), _VRF_MAPS if vrf else _MAPS
    unnumbered = not vrf and switch.fabric.underlay == "ebgp-unnumbered"
    members = {
        word: (bgp.groups_of(found, v6=v6, unnumbered=unnumbered), ending) for v6, word, ending in _words(switch)
    }
    groups = [
        (
            group,
            switch.shares_asn and not group.startswith("DOWN"),
            unnumbered and switch.has_v4,
            [
                (word, *(_named(name, members[word][1], vrf) for name in (inward, outward)))
                if word in members and group in members[word][0]
                else (word, "", "")
                for word in ("ipv4", "ipv6")
                if word == "ipv4" or word in members
            ],
        )
        for group in found
    ]
    families = [(word, _named(connected, ending, vrf)) for _, word, ending in _words(switch)]
    return families, groups, [_peer(session) for session in peers]


def _peer(session: bgp.Session) -> tuple[object, ...]:
    port = session.port
    key, kind = (session.peer_address, "numbered") if session.peer_address else (token(port.name), "unnumbered")
    return key, session.group, session.asn, yaml_text(one_line(f"{port.peer} {port.peer_port}", 80)), kind


def routes(switch: SwitchView) -> list[tuple[object, ...]]:
    """(prefix, family, next hops as (address, port), distance of the discard route) of static routes.

    Distance 0: no discard route; 1: the discard route is the only one.
    """
    return [
        (route.prefix, family(route.prefix), [(h.address, token(h.port)) for h in route.hops], _discard(route))
        for route in switch.routes
    ]


def _discard(route: StaticRoute) -> int:
    return (DISCARD_DISTANCE if route.hops else 1) if route.discard else 0

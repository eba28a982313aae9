"""SONiC's routing as values: sessions, static routes and VRFs, in config_db tables or in an frr.conf."""

from __future__ import annotations

import re
from typing import Any

from fabricgen.blueprint.sections.routing import CONNECT_RETRY_S, HOLD_S, KEEPALIVE_S
from fabricgen.render import bgp
from fabricgen.render.escape import json_text, one_line, token
from fabricgen.render.static import DISCARD_DISTANCE
from fabricgen.views.switch import StaticRoute, SwitchPort, SwitchView

MAX_ECMP = 514
"""What SONiC builds FRR for (files/image_config/constants/constants.yml, maximum_paths)."""

NO_HOP = "0.0.0.0"  # noqa: S104 - not an address to bind: bgpcfgd's word for a discard among next hops
NO_HOP6 = "::"
"""The same in IPv6 (managers_static_rt.py, IpNextHop)."""

ROUTER_TYPES = ("ToRRouter", "LeafRouter", "SpineRouter")
"""SONiC's words for the first, second and every higher tier (T0, T1, T2; pattern in sonic-device_metadata.yang)."""


def owns_frr(switch: SwitchView) -> bool:
    """Whether a switch takes an frr.conf: unnumbered sessions, BFD, no IPv4, a VRF that announces a VLAN's subnet, an
    AS number that others share, or a prefix limit that is asked for: bgpcfgd has no words for these.

    Without BGP there is nothing to put there.
    """
    vlans = any(s.vrf and s.gateways and bgp.vrf_sessions(switch, s.vrf) for s in switch.services)
    asked = switch.fabric.bfd or switch.fabric.states_max_prefixes
    plain = switch.has_v4 and not asked and not vlans and not switch.shares_asn
    return bool(switch.asn) and (switch.fabric.underlay == "ebgp-unnumbered" or not plain)


def router_type(level: int) -> str:
    """SONiC's word for a switch with so many tiers below it."""
    return ROUTER_TYPES[min(level, len(ROUTER_TYPES) - 1)]


def vrf_name(vrf: str) -> str:
    """SONiC's name of a VRF: a kernel interface whose name says that it is one; "" for the default.

    Raises ValueError for a name of more than 11 letters, digits, `_` and `-` (pattern in sonic-vrf.yang).
    """
    if vrf and not re.fullmatch(r"[A-Za-z0-9_-]{1,11}", vrf):
        raise ValueError(f"{vrf!r} cannot be the name of a VRF in SONiC")
    return f"Vrf_{vrf}" if vrf else ""


def routing_values(switch: SwitchView) -> dict[str, Any]:
    """Sessions, neighbours, static routes and what an frr.conf names."""
    return {**_neighbors(switch), "static_routes": _static_routes(switch), **_frr(switch)}


def _static_routes(switch: SwitchView) -> list[tuple[str, ...]]:
    """(key, advertised, blackhole, distance, ports, next hops), comma lists of one length; "" where absent."""
    if switch.asn:
        routed = [service for service in switch.services if not service.gateways and not owns_frr(switch)]
        blocks = [(s.vrf, block) for s in routed for block in (s.host_subnet, s.host_subnet6) if block]
        keys = sorted({f"{vrf_name(vrf) or 'default'}|{block}" for vrf, block in blocks})
        return [(key, "true", "true", "", "", "") for key in keys]
    return sorted(static_route(route) for route in switch.routes)


def static_route(route: StaticRoute) -> tuple[str, ...]:
    """The row of a route; where it discards beside next hops, the discard is one more entry of each list."""
    key = f"default|{route.prefix}"
    if not route.hops:
        return key, "false", "true", "", "", ""
    ports, hops = [json_text(hop.port) for hop in route.hops], [hop.address for hop in route.hops]
    if not route.discard:
        return key, "false", "", "", ",".join(ports), ",".join(hops)
    ways = len(hops)
    return (
        key,
        "false",
        ",".join(["false"] * ways + ["true"]),
        ",".join(["0"] * ways + [str(DISCARD_DISTANCE)]),
        ",".join([*ports, ""]),
        ",".join([*hops, NO_HOP6 if route.is_v6 else NO_HOP]),
    )


def _neighbors(switch: SwitchView) -> dict[str, Any]:
    peers = bgp.sessions(switch)
    kinds = {port.peer: kind for port in switch.ports if (kind := _neighbor_type(switch, port))}
    return {
        "neighbors": sorted((json_text(p.name), json_text(p.peer), json_text(p.peer_port)) for p in switch.ports),
        "neighbor_types": sorted((json_text(name), kind) for name, kind in kinds.items()),
        "bgp_neighbors": [] if owns_frr(switch) else sorted([*map(_neighbor, peers), *_vrf_neighbors(switch)]),
        "bgp_vrfs": [] if owns_frr(switch) else [vrf_name(v) for v in switch.vrfs if bgp.vrf_sessions(switch, v)],
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
    }


def _neighbor(session: bgp.Session, vrf: str = "") -> tuple[str, int, str, str]:
    key = f"{vrf_name(vrf)}|{session.peer_address}" if vrf else session.peer_address
    return key, session.asn, session.address, json_text(session.port.peer)


def _vrf_neighbors(switch: SwitchView) -> list[tuple[str, int, str, str]]:
    return [_neighbor(session, vrf) for vrf in switch.vrfs for session in bgp.vrf_sessions(switch, vrf)]


def _neighbor_type(switch: SwitchView, port: SwitchPort) -> str:
    """What is at the far end; "" for the management port of a switch, which is no neighbour of the fabric."""
    if port.role == "host":
        return "Server" if port.peer_tier == "node" else ""
    return router_type(switch.level + {"up": 1, "down": -1}.get(port.role, 0))


def _frr(switch: SwitchView) -> dict[str, Any]:
    peers, bfd = bgp.sessions(switch), switch.fabric.bfd
    return {
        "families": _families(switch),
        "only_own_routes": switch.is_lowest,
        "shares_asn": switch.shares_asn,
        "connect_retry": CONNECT_RETRY_S,
        "groups": bgp.groups(peers),
        "unnumbered": switch.fabric.underlay == "ebgp-unnumbered",
        "bfd": (bfd.interval_ms, bfd.multiplier) if bfd else (),
        "max_prefixes": switch.fabric.max_prefixes,
        "own_bgp_lines": switch.lines_at("bgp"),
        "own_lines": switch.lines_at("frr"),
        "max_paths": min(switch.ecmp_width, MAX_ECMP),
        "peers": [_peer(session) for session in peers],
        "bgp_instances": [_frr_vrf(switch, vrf) for vrf in switch.vrfs if bgp.vrf_sessions(switch, vrf)],
    }


def _peer(session: bgp.Session) -> tuple[str, str, int, str]:
    """(peer's address or own port, group, AS number, description)"""
    port = session.port
    key = session.peer_address or token(port.name)
    return key, session.group, session.asn, one_line(f"{port.peer} {port.peer_port}", 80)


def _words(switch: SwitchView) -> list[tuple[bool, str, str]]:
    """(whether IPv6, FRR's word for a family, what ends the names of its lists and maps) of each family routed."""
    v4, v6 = [(False, "ip", "")] if switch.has_v4 else [], [(True, "ipv6", "6")] if switch.has_v6 else []
    return [*v4, *v6]


def _families(switch: SwitchView) -> list[tuple[object, ...]]:
    """(word, ending, rules of loopbacks, rules of hosts, peer groups that carry it) of each family routed."""
    found, unnumbered = bgp.groups(bgp.sessions(switch)), switch.fabric.underlay == "ebgp-unnumbered"
    return [
        (
            word,
            ending,
            bgp.loopback_rules(switch, v6=v6),
            bgp.host_rules(switch, v6=v6),
            bgp.groups_of(found, v6=v6, unnumbered=unnumbered),
        )
        for v6, word, ending in _words(switch)
    ]


def _frr_vrf(switch: SwitchView, vrf: str) -> tuple[object, ...]:
    """(VRF, families as (word, ending, rules of its host prefixes, groups), peer groups, sessions) of a VRF."""
    peers = bgp.vrf_sessions(switch, vrf)
    found = bgp.groups(peers)
    families = [
        (word, ending, bgp.host_rules(switch, vrf, v6=v6), bgp.groups_of(found, v6=v6, unnumbered=False))
        for v6, word, ending in _words(switch)
    ]
    return vrf_name(vrf), families, found, [_peer(session) for session in peers]

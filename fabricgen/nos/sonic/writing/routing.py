"""SONiC's routing as values: sessions, static routes and VRFs, in config_db tables or in an frr.conf."""

from __future__ import annotations

import re
from typing import Any

from fabricgen.blueprint.sections.routing import CONNECT_RETRY_S, HOLD_S, KEEPALIVE_S
from fabricgen.nos.sonic.writing.exits import exit_values
from fabricgen.nos.sonic.writing.leaks import leak_values
from fabricgen.render import bgp, evpn
from fabricgen.render.escape import one_line, token
from fabricgen.render.static import DISCARD_DISTANCE
from fabricgen.switch.routing import StaticRoute
from fabricgen.views.exits import EXIT
from fabricgen.views.model.daemon import is_routed_by_daemon, route_host_blocks
from fabricgen.views.switch import SwitchPort, SwitchView

MAX_ECMP = 514
"""What SONiC builds FRR for (files/image_config/constants/constants.yml, maximum_paths)."""

NO_HOP = "0.0.0.0"  # noqa: S104 - not an address to bind: bgpcfgd's word for a discard among next hops
NO_HOP6 = "::"
"""The same in IPv6 (managers_static_rt.py, IpNextHop)."""

ROUTER_TYPES = ("ToRRouter", "LeafRouter", "SpineRouter")
"""SONiC's words for the first, second and every higher tier (T0, T1, T2; pattern in sonic-device_metadata.yang).

It has consequences. Images choose default buffers, QoS maps and containers by it (files/build_templates,
buffers_config.j2, qos_config.j2, init_cfg.json.j2), so that another word would be a false one. bgpcfgd gives a
ToRRouter `allowas-in 1` and graceful restart with 240 s (dockers/docker-fpm-frr/frr/bgpd, templates/general/
peer-group.conf.j2 and bgpd.main.conf.j2); an frr.conf has neither.
"""


def owns_frr(switch: SwitchView) -> bool:
    """Whether a switch takes an frr.conf: it runs BGP of which bgpcfgd cannot make all of its tables. Of an MLAG pair
    bgpcfgd would announce the own VLAN; for other things it has no words, or SONiC's YANG models refuse them.
    """
    return bool(switch.asn) and not is_routed_by_daemon(switch)


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
    """Rows of the tables of neighbours, sessions and static routes, by table, and what an frr.conf names."""
    return {
        **_neighbors(switch),
        "BGP_NEIGHBOR": {} if owns_frr(switch) else _sessions(switch),
        "BGP_DEVICE_GLOBAL": {"STATE": {"tsa_enabled": "true"}} if _shifted(switch) else {},
        "STATIC_ROUTE": _static_routes(switch),
        **_frr(switch),
    }


def _shifted(switch: SwitchView) -> bool:
    """Whether bgpcfgd shifts traffic away (TSA): then it announces the loopbacks alone.

    BGP_DEVICE_GLOBAL|STATE, tsa_enabled, true or false, false by default (sonic-buildimage@086b03bd,
    sonic-bgp-device-global.yang; its other fields are of chassis, unequal paths and isolation). bgpcfgd finds the route
    maps of its sessions by `neighbor X route-map NAME out`, and lets PL_LoopbackV4 or V6 pass in each, and routes of
    its own internal tag, and no others (sonic-bgpcfgd, managers_device_global.py;
    dockers/docker-fpm-frr/frr/bgpd/tsa/bgpd.tsa.isolate.conf.j2). STATIC_ROUTE has tag 1 or 2 (managers_static_rt.py).
    """
    return switch.maintenance and bool(switch.asn) and not owns_frr(switch)


def _static_routes(switch: SwitchView) -> dict[str, dict[str, str]]:
    if switch.asn:
        blocks = () if owns_frr(switch) else route_host_blocks(switch)
        announced = {"advertise": "true", "blackhole": "true"}
        return {f"{vrf_name(vrf) or 'default'}|{block}": announced for vrf, block in blocks}
    return {f"default|{prefix}": static_route(prefix, route) for (_, prefix), route in switch.routes.items()}


def static_route(prefix: str, route: StaticRoute) -> dict[str, str]:
    """The fields of a route; where it discards beside next hops, the discard is one more entry of each list."""
    if not route.hops:
        return {"advertise": "false", "blackhole": "true"}
    ports, hops = zip(*route.hops, strict=True)
    if not route.discard:
        return {"advertise": "false", "ifname": ",".join(ports), "nexthop": ",".join(hops)}
    ways = len(hops)
    return {
        "advertise": "false",
        "blackhole": ",".join(["false"] * ways + ["true"]),
        "distance": ",".join(["0"] * ways + [str(DISCARD_DISTANCE)]),
        "ifname": ",".join([*ports, ""]),
        "nexthop": ",".join([*hops, NO_HOP6 if ":" in prefix else NO_HOP]),
    }


def _neighbors(switch: SwitchView) -> dict[str, Any]:
    types = {port.peer: word for port in switch.ports if (word := _neighbor_type(switch, port))}
    return {
        "DEVICE_NEIGHBOR": {port.name: {"name": port.peer, "port": port.peer_port} for port in switch.ports},
        "DEVICE_NEIGHBOR_METADATA": {name: {"type": word} for name, word in types.items()},
    }


def _sessions(switch: SwitchView) -> dict[str, Any]:
    """The table of which bgpcfgd makes FRR's sessions."""
    return {
        session.peer_address: {"asn": session.asn, "local_addr": session.address, "name": session.port.peer}
        for session in bgp.sessions(switch)
    }


def _neighbor_type(switch: SwitchView, port: SwitchPort) -> str:
    """What is at the far end; "" for the management port of a switch, which is no neighbour of the fabric."""
    if port.role in ("host", EXIT):
        return "Server" if port.peer_tier == "node" else ""
    return router_type(switch.level + {"up": 1, "down": -1}.get(port.role, 0))


def _frr(switch: SwitchView) -> dict[str, Any]:
    peers, bfd = bgp.sessions(switch), switch.fabric.bfd
    return {
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
        "families": _families(switch),
        "only_own_routes": switch.announces_own_only,
        "passes_to_mates": switch.passes_to_mates,
        "drained": switch.maintenance,
        "shares_asn": switch.shares_asn,
        "connect_retry": CONNECT_RETRY_S,
        "groups": bgp.groups(peers),
        "unnumbered": switch.fabric.underlay == "ebgp-unnumbered",
        "bfd": {"interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier} if bfd else None,
        "max_prefixes": switch.fabric.max_prefixes,
        "own_bgp_lines": switch.lines_at("bgp"),
        "own_lines": switch.lines_at("frr"),
        "max_paths": min(switch.ecmp_width, MAX_ECMP),
        "peers": [_peer(session) for session in peers],
        "leaks_here": any(leaked.sources for leaked in switch.leaks),
        "bgp_instances": [_frr_vrf(switch, vrf) for vrf in evpn.speaking_vrfs(switch)],
        "default_instance": {
            "maps": bgp.maps_in(switch),
            "outward": {group: bgp.outward(switch, group) for group in bgp.groups(peers)},
            **exit_values(switch, "", ""),
            **leak_values(switch, "", vrf_name),
        },
    }


def _peer(session: bgp.Session) -> dict[str, Any]:
    """A `neighbor` of FRR: the peer's address, or the own port where the session has none."""
    port = session.port
    return {
        "neighbor": session.peer_address or token(port.name),
        "group": session.group,
        "asn": session.asn,
        "description": one_line(f"{port.peer} {port.peer_port}", 80),
    }


def _words(switch: SwitchView) -> list[tuple[bool, str, str]]:
    """(whether IPv6, FRR's word for a family, what ends the names of its lists and maps) of each family routed."""
    v4, v6 = [(False, "ip", "")] if switch.has_v4 else [], [(True, "ipv6", "6")] if switch.has_v6 else []
    return [*v4, *v6]


def _families(switch: SwitchView) -> list[dict[str, Any]]:
    """Of each family routed its word and ending (`_words`), its prefix lists, and the peer groups that carry it."""
    found, unnumbered = bgp.groups(bgp.sessions(switch)), switch.fabric.underlay == "ebgp-unnumbered"
    return [
        {
            "word": word,
            "ending": ending,
            "loopback_rules": bgp.loopback_rules(switch, v6=v6),
            "host_rules": bgp.host_rules(switch, v6=v6),
            "groups": bgp.groups_of(found, v6=v6, unnumbered=unnumbered),
        }
        for v6, word, ending in _words(switch)
    ]


def _frr_vrf(switch: SwitchView, vrf: str) -> dict[str, Any]:
    """A VRF's name, its families as above but that no loopbacks travel, its peer groups and sessions."""
    peers = bgp.vrf_sessions(switch, vrf)
    found = bgp.groups(peers)
    families = [
        {
            "word": word,
            "ending": ending,
            "host_rules": bgp.host_rules(switch, vrf, v6=v6),
            "groups": bgp.groups_of(found, v6=v6, unnumbered=False),
        }
        for v6, word, ending in _words(switch)
    ]
    over = evpn.vrf_of(switch, vrf)
    return {
        "vrf": vrf_name(vrf),
        "evpn": over and {"vni": over.vni, "distinguisher": over.distinguisher, "target": over.target},
        "maps": bgp.maps_in(switch, vrf),
        "outward": {group: bgp.outward(switch, group) for group in found},
        "families": families,
        "groups": found,
        "peers": [_peer(session) for session in peers],
        **exit_values(switch, vrf, vrf_name(vrf)),
        **leak_values(switch, vrf, vrf_name),
    }

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
from fabricgen.nos.cumulus.writing.exits import bfd_profiles, exit_bgp, exit_lists
from fabricgen.nos.cumulus.writing.leaks import leak_imports, leak_policy
from fabricgen.nos.cumulus.writing.relay import answered6, vni_vlan
from fabricgen.nos.cumulus.writing.words import family
from fabricgen.render import bgp, evpn
from fabricgen.render.escape import one_line, token, yaml_text
from fabricgen.render.static import DISCARD_DISTANCE
from fabricgen.views.switch import SwitchView

MAX_ECMP = 128
"""The largest `multipaths ebgp` that NVUE accepts (NVUE Command Reference, BGP)."""

_LONGEST = {False: 32, True: 128}


def routing_values(switch: SwitchView, vrf_name: Callable[[str], str]) -> dict[str, Any]:
    """Values for the templates: routing policy, and BGP and static routes of each VRF."""
    carried = list(evpn.speaking_vrfs(switch)) if switch.asn else []
    known = ["", *carried] if switch.asn else []
    bfd = switch.fabric.bfd if switch.asn else None
    leaks = leak_policy(switch, vrf_name)
    return {
        "asn": switch.asn,
        "router_id": switch.router_id,
        "bfd": bool(bfd),
        "bfd_profiles": [
            *([{"name": "FABRIC", "interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier}] if bfd else []),
            *bfd_profiles(switch),
        ],
        "max_prefixes": switch.fabric.max_prefixes,
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
        "connect_retry": CONNECT_RETRY_S,
        "max_paths": min(switch.ecmp_width, MAX_ECMP),
        "as_path_lists": [
            *([("OWN", ("^$",))] if switch.announces_own_only else []),
            *(found for vrf in known for found in exit_lists(switch, vrf)["as_paths"]),
            *leaks["leak_paths"],
        ],
        "drained": switch.maintenance,
        "own_sources": _own_sources(switch) if switch.asn else [],
        "prefix_lists": [*(found for vrf in known for found in _prefix_lists(switch, vrf)), *leaks["leak_lists"]],
        "leak_maps": leaks["leak_maps"],
        "leak_mark": leaks["leak_mark"],
        "route_maps": [found for vrf in known for found in _route_maps(switch, vrf)],
        "vrfs": [
            {
                "name": vrf_name(vrf) or "default",
                "bgp": {**_bgp(switch, vrf), "leaks": leak_imports(switch, vrf, vrf_name)} if vrf in known else None,
                "evpn": evpn.vrf_of(switch, vrf),
                "vni_vlan": vni_vlan(switch, vrf),
                "loopback": own.prefixes if (own := switch.loopback_in(vrf)) else (),
                "routes": _route_rows(switch, vrf),
            }
            for vrf in ("", *switch.vrfs)
            if vrf or known or switch.routes
        ],
    }


def _own_sources(switch: SwitchView) -> list[tuple[str, str, str]]:
    """(family, route map, address) of what the switch itself sends by routes of BGP, where it is not to be from the
    address of a link, which nobody answers.
    """
    found = [("ipv4", "OWN-SOURCE", switch.own_source), ("ipv6", "OWN-SOURCE6", answered6(switch))]
    return [each for each in found if each[2]]


def _words(switch: SwitchView) -> list[tuple[bool, str, str]]:
    """(whether IPv6, NVUE's word for the family, suffix of its list and map names) of each family routed."""
    return [*([(False, "ipv4", "")] if switch.has_v4 else []), *([(True, "ipv6", "6")] if switch.has_v6 else [])]


def _named(name: str, ending: str, vrf: str) -> str:
    return f"{name}{ending}-{token(vrf)}" if vrf else f"{name}{ending}"


def _map_name(name: str, ending: str, vrf: str) -> str:
    """The name of a map: in the default VRF those of sessions begin with FABRIC."""
    return _named(name if vrf or name == "CONNECTED" else f"FABRIC-{name}", ending, vrf)


def _prefix_lists(switch: SwitchView, vrf: str) -> list[dict[str, Any]]:
    """The prefix lists of a VRF; `rules` are (number, prefix, shortest, longest), with 0 for a length that is not
    stated.
    """
    found: list[dict[str, Any]] = []
    for v6, word, ending in _words(switch):
        longest = _LONGEST[v6]
        hosts = bgp.host_rules(switch, vrf, v6=v6)
        if hosts:
            rows = [(seq, pool, 0, longest - 1 if longer else 0) for seq, pool, longer in hosts]
            found.append({"name": _named("HOSTS", ending, vrf), "type": word, "rules": rows})
        if not vrf:
            loopbacks = bgp.loopback_rules(switch, v6=v6)
            rows = [(seq, pool, *([longest] * 2 if longer else (0, 0))) for seq, pool, longer in loopbacks]
            found.append({"name": f"LOOPBACKS{ending}", "type": word, "rules": rows})
    return [*found, *exit_lists(switch, vrf)["prefix_lists"]]


def _route_maps(switch: SwitchView, vrf: str) -> list[dict[str, Any]]:
    """The route maps of a VRF; `rules` are (number, prefix list), `own_routes`: they pass own routes only."""
    found: list[dict[str, Any]] = []
    further = dict(exit_lists(switch, vrf)["entries"])
    for v6, word, ending in _words(switch):
        lists = [] if vrf else [(10, f"LOOPBACKS{ending}")]
        if bgp.host_rules(switch, vrf, v6=v6):
            lists.append((20, _named("HOSTS", ending, vrf)))
        for name in bgp.maps_in(switch, vrf):
            own = switch.announces_own_only and name == "OUT"
            own_name = _map_name(name, ending, vrf)
            exits = further.pop((own_name, v6), [])
            longer = switch.asn if switch.maintenance and name in ("OUT", "PEER") else 0
            row = {"name": own_name, "type": word, "own_routes": own, "rules": lists, "exits": exits}
            found.append({**row, "prepended": longer})
    return [*found, *({"name": name, "rules": [], "exits": exits} for (name, _), exits in further.items())]


def _bgp(switch: SwitchView, vrf: str) -> dict[str, Any]:
    """BGP in a VRF: `families` are (word, map of connected routes), those of a peer group (word, map in, map out);
    without maps the group does not carry the family.

    `allow_own_asn`: the group accepts routes with its own AS number; `extended_nexthop`: IPv4 over IPv6 next hops.
    """
    peers = bgp.vrf_sessions(switch, vrf) if vrf else bgp.sessions(switch)
    found = bgp.groups(peers)
    unnumbered = not vrf and switch.fabric.underlay == "ebgp-unnumbered"
    members = {
        word: (bgp.groups_of(found, v6=v6, unnumbered=unnumbered), ending) for v6, word, ending in _words(switch)
    }
    groups = [
        {
            "name": group,
            "allow_own_asn": switch.shares_asn and not group.startswith("DOWN"),
            "extended_nexthop": unnumbered and switch.has_v4,
            "families": [
                (word, *(_map_name(name, members[word][1], vrf) for name in ("IN", bgp.outward(switch, group))))
                if word in members and group in members[word][0]
                else (word, "", "")
                for word in ("ipv4", "ipv6")
                if word == "ipv4" or word in members
            ],
        }
        for group in found
    ]
    families = [(word, _map_name("CONNECTED", ending, vrf)) for _, word, ending in _words(switch)]
    own = [_peer(session) for session in peers]
    return {"families": families, "groups": groups, "peers": own, **exit_bgp(switch, vrf)}


def _peer(session: bgp.Session) -> dict[str, Any]:
    """A `neighbor` in NVUE: the peer's address, or the switch's own port for a session without addresses."""
    port = session.port
    return {
        "neighbor": session.peer_address or token(port.name),
        "group": session.group,
        "asn": session.asn,
        "description": yaml_text(one_line(f"{port.peer} {port.peer_port}", 80)),
        "type": "numbered" if session.peer_address else "unnumbered",
    }


def _route_rows(switch: SwitchView, vrf: str) -> list[dict[str, Any]]:
    """The static routes of a VRF; `hops` are the (address, port) of their next hops, `discard_distance` is 0 for
    none, and 1 where a discard is the only route.
    """
    return [
        {
            "prefix": prefix,
            "family": family(prefix),
            "hops": [(address, token(port)) for port, address in route.hops],
            "discard_distance": (DISCARD_DISTANCE if route.hops else 1) if route.discard else 0,
        }
        for (own, prefix), route in (*switch.routes.items(), *switch.exits.routes.items())
        if own == vrf
    ]

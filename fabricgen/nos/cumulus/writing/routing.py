"""Routing of Cumulus Linux as values: policy, BGP of each VRF, static routes, EVPN and its multihoming.

NVUE writes FRR's configuration from this, so that maps and lists are those of FRR: one for each family. A peer carries
IPv4 unless it is told not to, and IPv6 only if told so (NVUE Command Reference, BGP: `address-family`). Extended next
hops are on by themselves for unnumbered peers; they are stated so that the file says it.

BFD is a profile that peer groups refer to; timers of peers are gone since 5.15 (user guide 5.15, "Deprecated NVUE
Commands"). A route is announced once it is in the hardware (`wait-for-install`), so that a booting switch draws no
traffic that it would drop.

NVUE Command Reference: Router Policy (`route-map ... action deny`, `set as-path-prepend last-as` of up to 10, one
number of `as-path-prepend as`, `set community`, `match source-vrf`), BGP (`neighbor ... local-as`, `multihop-ttl`,
`update-source`, `password`, `timers`, `aggregate-route`, `redistribute static`; `vrf ... router bgp address-family ...
route-import from-vrf list`, `route-map` and `state`). NVUE writes FRR's `import vrf` from the last, which brings no
route on that was brought in itself.

EVPN (Command Reference: BGP EVPN, VXLAN; user guide, EVPN: Inter-subnet Routing): `vrf X evpn vni` gives a VRF its VNI,
for which NVUE takes a VLAN by itself; `route-export to-evpn` announces connected routes as type 5. `attribute-mod
nexthop disabled` leaves the VTEP of a route as it is. Names of peer groups have no hyphens (user guide, Optional BGP
Configuration).

The DSCP of a packet is copied to the outer header and its own is left as it is at the end (`nve vxlan encapsulation
dscp`, user guide, VXLAN Tunnel DSCP Operations); ECN bits follow RFC 6040 there: RoCE keeps its class and its marks.

Multihoming (user guide, EVPN Multihoming; Command Reference: EVPN): the ESI is of type 3, `03`, the MAC of the segment
and its local id; the MAC is the LACP system that hosts see. `uplink` tracks a port: the bonds of segments go down when
none is up. The gateway of hosts is that of VRR, at NVUE's own anycast MAC. The forwarder is elected at the default
preference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fabricgen.blueprint.sections.routing import CONNECT_RETRY_S, HOLD_S, KEEPALIVE_S
from fabricgen.nos.cumulus.writing.host_services import answered6, vni_vlan
from fabricgen.render.escape import one_line, token, yaml_text
from fabricgen.render.routing import (
    DISCARD_DISTANCE,
    MULTIHOP,
    PolicyNames,
    entry_rows,
    group_names,
    leak_rows,
    list_rows,
    member_rows,
    overlay_groups,
    overlay_maps,
    session_rows,
)
from fabricgen.switch.routing import GRACEFUL_SHUTDOWN, OWN_ROUTES, Bfd, Bgp, Permit
from fabricgen.views.leaks import LEAKED_PATH, match_leaked_paths, tells_leaked
from fabricgen.views.model.policies import OVERLAY_OUT
from fabricgen.views.switch import SwitchView

WORDS = {False: "ipv4", True: "ipv6"}
"""NVUE's word for a family, by whether it is IPv6."""


def family(address: str) -> str:
    """NVUE's word for the address family of an address or prefix: `ipv4` or `ipv6`."""
    return WORDS[":" in address]


ROUTER_BFD = "FABRIC"
"""The BFD profile of sessions between switches; that of an exit is named after it."""


def routing_values(switch: SwitchView, known: Mapping[str, Bgp], vrf_name: Callable[[str], str]) -> dict[str, Any]:
    """Values for the templates: routing policy, and BGP, by VRF, and static routes of each VRF."""
    instances = {vrf: _make_bgp_instance(switch, vrf, bgp, vrf_name) for vrf, bgp in known.items()}
    leaks = [leak for one in instances.values() for leak in one["leaks"].values()]
    told = [("OWN-LEAKED", (LEAKED_PATH,))] if tells_leaked(switch) else []
    return {
        "asn": switch.asn,
        "router_id": switch.router_id,
        "bfd_profiles": _bfd_profiles(switch, known),
        "connect_retry": CONNECT_RETRY_S,
        "hold": HOLD_S,
        "keepalive": KEEPALIVE_S,
        "as_path_lists": [
            *([("OWN", (OWN_ROUTES,))] if switch.announces_own_only else []),
            *(path for one in instances.values() for path in one["paths"]),
            *([("LEAKED", (match_leaked_paths(switch),)), *told] if leaks else []),
        ],
        "drained": switch.maintenance,
        "own_sources": _own_sources(switch) if switch.asn else [],
        "prefix_lists": [
            *(row for one in instances.values() for row in one["lists"]),
            *({**entry, "name": entry["prefix_list"]} for leak in leaks for entry in leak["sources"]),
        ],
        "leak_maps": leaks,
        "route_maps": [(name, rows) for one in instances.values() for name, rows in one["maps"].items()],
        "vrfs": [
            {
                "name": vrf_name(vrf) or "default",
                "bgp": instances.get(vrf),
                "evpn": switch.overlay_in(vrf),
                "vni_vlan": vni_vlan(switch, vrf),
                "loopback": own.prefixes if (own := switch.loopback_in(vrf)) else (),
                "routes": _route_rows(switch, vrf),
            }
            for vrf in ("", *switch.vrfs)
            if vrf or known or switch.routes
        ],
    }


def _bfd_profiles(switch: SwitchView, known: Mapping[str, Bgp]) -> dict[str, Bfd]:
    """The timers of BFD, of the fabric and of exits, by the names of their profiles."""
    own, peers = switch.fabric.bfd, [peer for bgp in known.values() for peer in bgp.peers.values()]
    fabric = {ROUTER_BFD: Bfd(own.interval_ms, own.multiplier)} if own and known else {}
    return fabric | {peer.group: peer.bfd for peer in peers if peer.is_exit and peer.bfd}


def _own_sources(switch: SwitchView) -> list[tuple[str, str, str]]:
    """(family, route map, address) of what the switch itself sends by routes of BGP, where it is not to be from the
    address of a link, which nobody answers.
    """
    found = [("ipv4", "OWN-SOURCE", switch.own_source), ("ipv6", "OWN-SOURCE6", answered6(switch))]
    return [each for each in found if each[2]]


def _make_bgp_instance(switch: SwitchView, vrf: str, bgp: Bgp, vrf_name: Callable[[str], str]) -> dict[str, Any]:
    """BGP in a VRF: lists, maps, sessions. In `groups` (name, a session of it, its maps by the family's word): IPv4 too
    where it has none, which a peer carries unless it is told not to.
    """
    names = PolicyNames(vrf, vrf and token(vrf), vrf_name)
    words = {WORDS[v6]: v6 for v6, has in ((False, switch.has_v4), (True, switch.has_v6)) if has}
    members = {
        word: {row["name"]: row for row in member_rows(bgp, names, "v6" if v6 else "v4")} for word, v6 in words.items()
    }
    maps: dict[str, list[dict[str, Any]]] = {
        names.name_map(name): [] for name in bgp.maps.maps if name != OVERLAY_OUT and not name.startswith("LEAKED")
    }
    empty = {names.name(name) for name, permits in bgp.maps.prefix_lists.items() if not permits}
    for row in entry_rows(bgp.maps, names, WORDS):
        if row["key"] != OVERLAY_OUT and row["prefix_list"] not in empty:
            maps[row["map"]].append(_entry(row))
    groups = {peer.group: peer for peer in bgp.peers.values()}
    return {
        "lists": [row for row in list_rows(bgp.maps, names, WORDS, nvue_rule) if row["rules"]],
        "paths": [(names.name("EXITS"), paths) for name, paths in bgp.maps.as_paths.items() if name == "EXITS"],
        "maps": maps,
        "max_paths": bgp.max_paths,
        "families": [(word, names.name_map(f"CONNECTED{'6' if v6 else ''}")) for word, v6 in words.items()],
        "groups": [
            (group, groups[group], {word: members.get(word, {}).get(group) for word in ("ipv4", *words)})
            for group in group_names(groups.values())
        ],
        "peers": [_with_quotes(row) for row in session_rows(bgp, exits=False)],
        "exits": [
            _with_quotes(row) | {"word": word, **members[word][row["neighbor"]]}
            for row in session_rows(bgp, exits=True)
            for word, v6 in words.items()
            if row["neighbor"] in members[word]
        ],
        "aggregates": {word: [p for p in bgp.aggregates if (":" in p) == v6] for word, v6 in words.items()},
        "static_maps": {
            word: names.name_map(name)
            for word, v6 in words.items()
            if (name := f"STATIC{'6' if v6 else ''}") in bgp.maps.maps
        },
        "leaks": {leak["word"]: leak for leak in leak_rows(bgp.maps, names, WORDS, nvue_rule)},
    }


def nvue_rule(permit: Permit) -> tuple[str, int, int]:
    """A rule of a prefix list: (prefix, shortest, longest), with 0 for a length that is not stated."""
    shortest, longest = permit.bounds
    return permit.prefix, shortest, permit.longest if shortest else longest


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    """A rule of a route map; `graceful-shutdown` of the router adds the community by itself, and an AS number is put
    once.
    """
    return row | {
        "seq": 20 if row["prefix_list"].startswith("HOSTS") else row["seq"],
        "communities": [each for each in row["communities"] if each != GRACEFUL_SHUTDOWN],
        "prepend": str(row["prepend"]).partition(" ")[0],
    }


def _with_quotes(row: dict[str, Any]) -> dict[str, Any]:
    """A session with its free text as the inside of a scalar of YAML."""
    return row | {"description": yaml_text(row["description"]), "password": yaml_text(row["session"].password)}


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


def overlay_values(switch: SwitchView, known: Mapping[str, Bgp]) -> dict[str, Any] | None:
    """The values of the overlay; None where the switch has none.

    In `groups`, (name, whether routes with the own AS number are taken, the map outward or ""); in `outward_maps`,
    (name, (number, list of AS paths or "") of its rules). The router adds the community of a drained switch by itself.
    """
    if switch.overlay is None:
        return None
    maps = overlay_maps(switch)
    exits = [(15, "OWN-LEAKED")] if tells_leaked(switch) else []
    for vrf, bgp in known.items():
        exits += [(number, f"EXITS-{token(vrf)}") for number in bgp.maps.maps.get(OVERLAY_OUT, ())]
    return {
        "vtep": switch.overlay.vtep,
        "copies_dscp": switch.overlay.copies_dscp,
        "multihop": MULTIHOP,
        "outward_maps": [(name, [(10, "OWN"), *exits] if own_only else [(10, "")]) for name, own_only in maps],
        "prepended": switch.asn if switch.maintenance else 0,
        "groups": [
            (group.name, group.allow_own_asn, group.outward if (group.outward, group.own_only) in maps else "")
            for group in overlay_groups(switch)
        ],
        "peers": [
            (address, peer.remote_asn, group.name, yaml_text(one_line(peer.description, 80)))
            for group in overlay_groups(switch)
            for address, peer in group.peers.items()
        ],
    }


def segment_values(switch: SwitchView) -> dict[str, Any]:
    """Whether a switch has Ethernet segments, its VLANs over EVPN, and the VNI of each by its number."""
    vlans = switch.overlay.vlans if switch.overlay else {}
    return {
        "multihoming": bool(switch.multihomed),
        "vni_of": {number: vlan.vni for number, vlan in vlans.items()},
        "vni_vlans": sorted(vlans.values(), key=lambda vlan: vlan.vni),
    }

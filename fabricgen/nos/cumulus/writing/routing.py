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

Link bandwidth (user guide, BGP Weighted Equal Cost Multipath; Command Reference: `set ext-community-bw multipaths` or
`cumulative`) is set outward alone; a local route has one path, which counts 1 Mb/s.

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
from fabricgen.nos.cumulus.writing.host_services import find_relay6_source, find_vni_vlan
from fabricgen.render.escape import escape_yaml, make_one_line, require_token
from fabricgen.render.routing import (
    DISCARD_DISTANCE,
    MULTIHOP,
    PolicyNames,
    list_entry_rows,
    list_group_names,
    list_leak_rows,
    list_member_rows,
    list_overlay_maps,
    list_prefix_list_rows,
    list_session_rows,
    make_overlay_groups,
)
from fabricgen.switch.routing import GRACEFUL_SHUTDOWN, OWN_ROUTES, Bgp, Permit, SessionBfd
from fabricgen.views.leaks import LEAKED_PATH, match_leaked_paths, tells_leaked
from fabricgen.views.model.policies import BASE, OVERLAY_OUT
from fabricgen.views.switch import SwitchView

WORDS = {False: "ipv4", True: "ipv6"}
"""NVUE's word for a family, by whether it is IPv6."""


def find_family_word(address: str) -> str:
    """Return NVUE's word for the family of an address or prefix: `ipv4` or `ipv6`."""
    return WORDS[":" in address]


ROUTER_BFD = "FABRIC"
"""The name of the BFD profile of sessions between switches; that of an exit is named after it."""


def make_routing_values(
    view: SwitchView, bgp_of_vrf: Mapping[str, Bgp], vrf_name: Callable[[str], str]
) -> dict[str, Any]:
    """Return routing policy, BGP by VRF, and static routes of each VRF, for the templates.

    `vrf_name` gives NVUE's name of a VRF.
    """
    instances = {vrf: _make_bgp_instance(view, vrf, bgp, vrf_name) for vrf, bgp in bgp_of_vrf.items()}
    leaks = [leak for instance in instances.values() for leak in instance["leaks"].values()]
    leaked_lists = [("OWN-LEAKED", (LEAKED_PATH,))] if tells_leaked(view) else []
    return {
        "asn": view.asn,
        "router_id": view.router_id,
        "bfd_profiles": _list_bfd_profiles(view, bgp_of_vrf),
        "connect_retry": CONNECT_RETRY_S,
        "hold": HOLD_S,
        "keepalive": KEEPALIVE_S,
        "as_path_lists": [
            *([("OWN", (OWN_ROUTES,))] if view.announces_own_only or view.weighs_paths else []),
            *(path for instance in instances.values() for path in instance["paths"]),
            *([("LEAKED", (match_leaked_paths(view),)), *leaked_lists] if leaks else []),
        ],
        "drained": view.maintenance,
        "own_sources": _list_own_sources(view) if view.asn else [],
        "prefix_lists": [
            *(row for instance in instances.values() for row in instance["lists"]),
            *({**entry, "name": entry["prefix_list"]} for leak in leaks for entry in leak["sources"]),
        ],
        "leak_maps": leaks,
        "route_maps": [(name, rows) for instance in instances.values() for name, rows in instance["maps"].items()],
        "vrfs": [
            {
                "name": vrf_name(vrf) or "default",
                "bgp": instances.get(vrf),
                "evpn": view.overlay_in(vrf),
                "vni_vlan": find_vni_vlan(view, vrf),
                "loopback": loopback.prefixes if (loopback := view.loopback_in(vrf)) else (),
                "routes": _make_route_rows(view, vrf),
            }
            for vrf in ("", *view.vrfs)
            if vrf or bgp_of_vrf or view.routes
        ],
    }


def _list_bfd_profiles(view: SwitchView, bgp_of_vrf: Mapping[str, Bgp]) -> dict[str, SessionBfd]:
    """Return the BFD timers of the fabric and of exits, by the names of their profiles."""
    bfd, peers = view.fabric.bfd, [peer for bgp in bgp_of_vrf.values() for peer in bgp.peers.values()]
    fabric = {ROUTER_BFD: SessionBfd(bfd.interval_ms, bfd.multiplier)} if bfd and bgp_of_vrf else {}
    return fabric | {peer.group: peer.bfd for peer in peers if peer.is_exit and peer.bfd}


def _list_own_sources(view: SwitchView) -> list[tuple[str, str, str]]:
    """Return (family, route map, address) for packets that the switch itself sends by routes of BGP.

    Only for families in which the address of a link, which nobody answers, would be their source.
    """
    sources = [("ipv4", "OWN-SOURCE", view.own_source), ("ipv6", "OWN-SOURCE6", find_relay6_source(view))]
    return [source for source in sources if source[2]]


def _make_bgp_instance(view: SwitchView, vrf: str, bgp: Bgp, vrf_name: Callable[[str], str]) -> dict[str, Any]:
    """Return the template's values of BGP in one VRF: prefix lists, route maps, groups and sessions, with exits of
    their own.

    `vrf_name` spells a VRF. `groups` are (name, one of its sessions, its maps by the family's word), and have IPv4 even
    if the VRF does not: FRR activates IPv4 at a peer unless it is told not to.
    """
    names = PolicyNames(vrf, vrf and require_token(vrf), vrf_name)
    is_v6_of_word = {WORDS[v6]: v6 for v6, has_family in ((False, view.has_v4), (True, view.has_v6)) if has_family}
    members = {
        word: {row["name"]: row for row in list_member_rows(bgp, names, "v6" if v6 else "v4")}
        for word, v6 in is_v6_of_word.items()
    }
    # a map without a rule is written too, as sessions name it
    maps: dict[str, list[dict[str, Any]]] = {
        names.name_map(name): [] for name in bgp.maps.maps if name != OVERLAY_OUT and not name.startswith("LEAKED")
    }
    empty_lists = {names.find_name(name) for name, permits in bgp.maps.prefix_lists.items() if not permits}
    for row in list_entry_rows(bgp.maps, names, WORDS):
        # lists without a rule are not written (`lists` below), so that no rule may name one
        if row["key"] != OVERLAY_OUT and row["prefix_list"] not in empty_lists:
            maps[row["map"]].append(_make_entry(row))
    peer_of_group = {peer.group: peer for peer in bgp.peers.values()}
    return {
        "lists": [row for row in list_prefix_list_rows(bgp.maps, names, WORDS, make_nvue_rule) if row["rules"]],
        "paths": [(names.find_name("EXITS"), paths) for name, paths in bgp.maps.as_paths.items() if name == "EXITS"],
        "maps": maps,
        "max_paths": bgp.max_paths,
        "families": [(word, names.name_map(f"CONNECTED{'6' if v6 else ''}")) for word, v6 in is_v6_of_word.items()],
        "groups": [
            (group, peer_of_group[group], {word: members.get(word, {}).get(group) for word in ("ipv4", *is_v6_of_word)})
            for group in list_group_names(peer_of_group.values())
        ],
        "peers": [_escape_session(row) for row in list_session_rows(bgp, exits=False)],
        "exits": [
            _escape_session(row) | {"word": word, **members[word][row["neighbor"]]}
            for row in list_session_rows(bgp, exits=True)
            for word, v6 in is_v6_of_word.items()
            if row["neighbor"] in members[word]
        ],
        "aggregates": {
            word: [prefix for prefix in bgp.aggregates if (":" in prefix) == v6] for word, v6 in is_v6_of_word.items()
        },
        "static_maps": {
            word: names.name_map(name)
            for word, v6 in is_v6_of_word.items()
            if (name := f"STATIC{'6' if v6 else ''}") in bgp.maps.maps
        },
        "leaks": {leak["word"]: leak for leak in list_leak_rows(bgp.maps, names, WORDS, make_nvue_rule)},
    }


def make_nvue_rule(permit: Permit) -> tuple[str, int, int]:
    """Return a rule of a prefix list: (prefix, shortest, longest), with 0 for a length that is not stated."""
    shortest, longest = permit.bounds
    return permit.prefix, shortest, permit.longest if shortest else longest


def _make_entry(row: dict[str, Any]) -> dict[str, Any]:
    """Return the template's values of a route map's entry, from `row` as all NOSes have it.

    The community of a drained switch is left out, since `graceful-shutdown` of the router adds it; of AS numbers that
    are prepended there, one is kept.
    """
    return row | {
        # loopbacks are 10 and hosts 20, also in a VRF, which has no loopbacks
        "seq": 20 if row["prefix_list"].startswith("HOSTS") and row["seq"] >= BASE else row["seq"],
        "communities": [community for community in row["communities"] if community != GRACEFUL_SHUTDOWN],
        "prepend": str(row["prepend"]).partition(" ")[0],
    }


def _escape_session(row: dict[str, Any]) -> dict[str, Any]:
    """Return a session with description and password escaped, to be printed inside double quotes of YAML."""
    return row | {"description": escape_yaml(row["description"]), "password": escape_yaml(row["session"].password)}


def _make_route_rows(view: SwitchView, vrf: str) -> list[dict[str, Any]]:
    """Return the static routes of a VRF; `hops` are (address, port) of their next hops.

    `discard_distance` is 0 for a route that discards nothing, and 1 if a discard is the only route.
    """
    return [
        {
            "prefix": prefix,
            "family": find_family_word(prefix),
            "hops": [(address, require_token(port)) for port, address in route.hops],
            "discard_distance": (DISCARD_DISTANCE if route.hops else 1) if route.discard else 0,
        }
        for (route_vrf, prefix), route in (*view.routes.items(), *view.exits.routes.items())
        if route_vrf == vrf
    ]


def make_overlay_values(view: SwitchView, bgp_of_vrf: Mapping[str, Bgp]) -> dict[str, Any] | None:
    """Return the values of the overlay; None for a switch without it.

    `groups` are (name, whether routes with the own AS number are taken, name of the outward map or ""). `outward_maps`
    are (name, rules), and a rule is (number, list of AS paths that it matches, "" for all). The router adds the
    community of a drained switch by itself.
    """
    if view.overlay is None:
        return None
    maps = list_overlay_maps(view)
    exits = [(15, "OWN-LEAKED")] if tells_leaked(view) else []
    for vrf, bgp in bgp_of_vrf.items():
        exits += [(number, f"EXITS-{require_token(vrf)}") for number in bgp.maps.maps.get(OVERLAY_OUT, ())]
    return {
        "vtep": view.overlay.vtep,
        "copies_dscp": view.overlay.copies_dscp,
        "multihop": MULTIHOP,
        "outward_maps": [(name, [(10, "OWN"), *exits] if own_only else [(10, "")]) for name, own_only in maps],
        "prepended": view.asn if view.maintenance else 0,
        "groups": [
            (group.name, group.allow_own_asn, group.outward if (group.outward, group.own_only) in maps else "")
            for group in make_overlay_groups(view)
        ],
        "peers": [
            (address, peer.remote_asn, group.name, escape_yaml(make_one_line(peer.description, 80)))
            for group in make_overlay_groups(view)
            for address, peer in group.peers.items()
        ],
    }


def make_segment_values(view: SwitchView) -> dict[str, Any]:
    """Return whether a switch has Ethernet segments, its VLANs over EVPN, and the VNI of each by its number."""
    vlans = view.overlay.vlans if view.overlay else {}
    return {
        "multihoming": bool(view.multihomed),
        "vni_of": {number: vlan.vni for number, vlan in vlans.items()},
        "vni_vlans": sorted(vlans.values(), key=lambda vlan: vlan.vni),
    }

"""BGP of EOS as values: lists and maps, sessions, ways out, leaks between VRFs, EVPN and its multihoming.

Arista EOS user manual, BGP and route maps; AVD's templates print the same (aristanetworks/avd, `eos/router-bgp.j2`,
`eos/route-maps.j2`, `eos/static-routes.j2`, `eos/ip-extcommunity-lists.j2`), but for passwords, which it takes
encrypted.

Leaks are by route targets of VPN-IPv4 and VPN-IPv6 that stay on the switch ("Inter-VRF Local Route Leaking using BGP
VPN"): a VRF exports its routes to the local VPN table with a route target, and another imports them, through a
route-map. No session carries VPN routes. The target tells which VRF they are of. Routes that were imported are not
exported again.

Over EVPN the same works with the EVPN table ("VRF route leaking is supported on VPN-IPv4, VPN-IPv6, and EVPN types",
`route-target import evpn TARGET` and `route-map`), which has the routes of all other leaves as well: each leaf takes
what is stated of another VRF from where it is announced, with that VRF's VNI, and tells nothing on. One map is for all
that is imported, so that it lets the VRF's own routes pass first.

The commands of EVPN are those of Arista's design (aristanetworks/avd, eos_designs, EVPN-OVERLAY-PEERS; the tests hold
them to pyavd's templates): `bgp next-hop-unchanged` in the address family, so that a spine changes no VTEP, and no
limit of routes, as EVPN routes of all VRFs are not those of a link. EOS takes a VLAN for each VNI of a VRF by itself.

Of a lossless fabric the DSCP and ECN bits of a packet are copied to the outer header, and its class in the tunnel's end
follows its own DSCP (Arista EOS user manual, VXLAN: `vxlan qos`): RoCE keeps its class, and its marks, over the tunnel.

EVPN multihoming of EOS as values: Ethernet segments of bonds, VNIs of VLANs, and what goes down with the uplinks.

The commands and their nesting are those of Arista's design (aristanetworks/avd, eos_designs: `ethernet_segment` with a
short ESI, which makes the identifier, the route target of type 4 routes and the LACP system id; the tests hold them to
pyavd's templates). The forwarder of broadcasts is elected as RFC 7432, 8.5, has it, by modulus. A switch without links
up takes its bonds down, so that hosts use the other (EOS user manual, Link Tracking Groups); it waits as long as AVD
does before it takes them up again.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from fabricgen.blueprint.sections.routing import HOLD_S, KEEPALIVE_S
from fabricgen.render.escape import make_one_line, require_token
from fabricgen.render.routing import (
    IP_WORDS,
    MULTIHOP,
    PolicyNames,
    find_family_word,
    list_entry_rows,
    list_group_names,
    list_leak_rows,
    list_member_rows,
    list_overlay_maps,
    list_path_rows,
    list_prefix_list_rows,
    list_session_rows,
    list_sources,
    make_overlay_groups,
    sort_outside_rows,
)
from fabricgen.switch.interfaces import Bond
from fabricgen.switch.routing import Bgp
from fabricgen.views.leaks import match_leaked_paths
from fabricgen.views.model.routing import model_bgp
from fabricgen.views.switch import SwitchView

WARNING_PERCENT = 80
"""Percentage of the prefix limit at which EOS warns."""

_MAPS = ("CONNECTED", "IN", "OUT", "PEER")


def make_bgp_values(view: SwitchView) -> dict[str, Any]:
    """Return the template's values of BGP: what all VRFs share, the instance of the default VRF, and those of the
    others.

    `interface_peers` are (range of interfaces, peer group, AS number) of the unnumbered sessions in the default VRF.
    """
    instances = [_make_bgp_instance(view, vrf, bgp) for vrf, bgp in model_bgp(view).items()]
    default_instance = instances[0]
    interfaces_by_group: dict[tuple[str, int], list[str]] = defaultdict(list)
    for peer in default_instance["peers"]:
        if not peer["session"].address:  # an unnumbered session, which is stated by its interface
            interfaces_by_group[peer["session"].group, peer["session"].remote_asn].append(peer["neighbor"])
    bfd = view.fabric.bfd
    return {
        "only_own_routes": view.announces_own_only,
        "drained": view.maintenance,
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
        "bfd": {"interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier} if bfd else None,
        "warning_percent": WARNING_PERCENT,
        "interface_peers": [
            (make_interface_range(names), *group_and_asn) for group_and_asn, names in interfaces_by_group.items()
        ],
        "default_instance": default_instance,
        "bgp_instances": instances[1:],
        "exit_paths": [(name, path) for instance in instances for name, _, path in instance["exit_paths"]],
        "exit_routes": [
            (
                find_family_word(prefix),
                f" vrf {require_token(vrf)}" if vrf else "",
                prefix,
                require_token(port),
                next_hop,
            )
            for vrf in ("", *view.vrfs)
            for prefix, route in view.exits.routes_in(vrf).items()
            for port, next_hop in route.hops
        ],
        **_make_leak_lists(view, instances),
    }


def make_vrf_word(vrf: str) -> str:
    """Return EOS's name of a VRF, "" for the default one."""
    return vrf and require_token(vrf)


def _make_bgp_instance(view: SwitchView, vrf: str, bgp: Bgp) -> dict[str, Any]:
    """Return the template's values of BGP in one VRF: its prefix lists and route maps, groups, sessions and leaks.

    `families` are (EOS's word for an address family, what is activated in it): rows of peer groups in the default VRF,
    and addresses of neighbours in the others, which have no groups. Exits have keys of their own: `exits`,
    `exit_lists`, `exit_entries` and `exit_paths`.
    """
    names = PolicyNames(vrf, make_vrf_word(vrf), make_vrf_word, joint=True)
    lists, entries = list(list_prefix_list_rows(bgp.maps, names, IP_WORDS)), list_entry_rows(bgp.maps, names, IP_WORDS)
    word_of_family = {family: IP_WORDS[family == "v6"] for family in ("v4", "v6") if family in view.fabric.families}
    members = {word: list_member_rows(bgp, names, family) for family, word in word_of_family.items()}
    member_rows = {row["name"]: row for rows in members.values() for row in rows}
    policies_with_communities = {
        policy.name for policy in view.exits.policies_in(vrf) if policy.communities or view.maintenance
    }
    static_maps = [name for name in ("STATIC", "STATIC6") if name in bgp.maps.maps]
    return {
        "vrf": make_vrf_word(vrf),
        "max_paths": bgp.max_paths,
        "lists": [row for row in lists if row["of_fabric"]],
        "entries": sorted((row for row in entries if row["of_fabric"]), key=_rank_map),
        "exit_paths": list_path_rows(bgp.maps, names),
        "exit_lists": [row for row in lists if not row["of_fabric"]],
        "exit_entries": sort_outside_rows(entries),
        "groups": [member_rows[group] for group in list_group_names(bgp.peers.values())],
        "peers": [member_rows[row["session"].group] | row for row in list_session_rows(bgp, exits=False)],
        "exits": [
            member_rows[row["neighbor"]]
            | row
            | {"tells": row["session"].group.removeprefix("EXIT-") in policies_with_communities}
            for row in list_session_rows(bgp, exits=True)
        ],
        "families": [
            (
                word,
                [neighbor for neighbor, peer in bgp.peers.items() if family in peer.families] if vrf else members[word],
            )
            for family, word in word_of_family.items()
            if not vrf or bgp.peers
        ],
        "aggregates": bgp.aggregates,
        "connected": names.name_map("CONNECTED"),
        "static_map": names.name_map(static_maps[0]) if static_maps else "",
        "leak_maps": list_leak_rows(bgp.maps, names, IP_WORDS),
        "leaks": _make_leak_targets(view, vrf, bgp),
        "evpn": _make_evpn_imports(view, vrf, bgp),
    }


def _rank_map(row: dict[str, Any]) -> int:
    """Return the rank of an entry's map in the file, so that the entries of both families of a map stand together."""
    return _MAPS.index(row["key"].removesuffix("6"))


def _list_targets(view: SwitchView) -> dict[str, str]:
    """Return the route target of each VRF that leaks: that of its VNI, or of its number in the fabric."""
    numbers = {leaked.vrf: leaked.number for leaked in view.leaks}
    numbers |= {source.vrf: source.number for leaked in view.leaks for source in leaked.sources}
    overlay_vrfs = {vrf: view.overlay_in(vrf) for vrf in numbers}
    return {
        vrf: over.target if (over := overlay_vrfs[vrf]) else f"{number}:{number}" for vrf, number in numbers.items()
    }


def _make_leak_lists(view: SwitchView, instances: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what route maps of leaks match: `leak_targets`, and `leak_path`, the AS paths of routes that they leave
    out.

    `leak_targets` are (name of a list, the route target in it), one for each VRF that routes are leaked from, and for
    each VRF over EVPN that imports any. `leak_path` is "" without leaks.
    """
    targets = _list_targets(view)
    target_of_name = {make_vrf_word(vrf) or "default": target for vrf, target in targets.items()}
    leaking = [instance for instance in instances if instance["leak_maps"]]
    own_vrfs = [instance["vrf"] for instance in leaking if instance["evpn"]]
    used = {entry["source"] for instance in leaking for leak in instance["leak_maps"] for entry in leak["sources"]}
    return {
        "leak_path": match_leaked_paths(view) if leaking else "",
        "leak_targets": [(f"VRF-{vrf}", target_of_name[vrf]) for vrf in sorted({*used, *own_vrfs}, key=_make_sort_key)],
    }


def _make_sort_key(vrf: str) -> str:
    return "" if vrf == "default" else vrf


def _make_leak_targets(view: SwitchView, vrf: str, bgp: Bgp) -> dict[str, Any] | None:
    """Return how a VRF leaks by the local VPN table: `distinguisher`, `target`, `families` and `map`.

    `target` is what its own routes get. `families` are (`vpn-ipv4` or `vpn-ipv6`, targets that it imports), and `map`
    is the route map that imported routes pass. None for a VRF that imports nothing, or that imports over EVPN
    (`_make_evpn_imports`).
    """
    leaked, targets = view.find_leaked(vrf), _list_targets(view)
    if leaked is None or not leaked.sources or view.overlay_in(vrf):
        return None
    words = {"": "vpn-ipv4"} if view.has_v4 else {}
    words |= {"6": "vpn-ipv6"} if view.has_v6 else {}
    return {
        "distinguisher": f"{view.router_id}:{leaked.number}",
        "target": targets[vrf],
        "families": [
            (word, [targets[source] for source in list_sources(bgp.maps, f"LEAKED{ending}")])
            for ending, word in words.items()
        ],
        "map": f"LEAKED-{make_vrf_word(vrf) or 'default'}",
    }


def _make_evpn_imports(view: SwitchView, vrf: str, bgp: Bgp) -> dict[str, Any] | None:
    """Return how a VRF imports over EVPN: `distinguisher`, its own `target`, and the targets that it imports, its own
    first.

    `map` is the route map that imported routes pass, "" without leaks. None for a VRF that is not over EVPN.
    """
    over, targets = view.overlay_in(vrf), _list_targets(view)
    if over is None:
        return None
    return {
        "distinguisher": over.distinguisher,
        "target": over.target,
        "imports": [over.target, *(targets[source] for source in sorted(bgp.leaks))],
        "map": f"LEAKED-{require_token(vrf)}" if bgp.leaks else "",
    }


def make_interface_range(names: list[str]) -> str:
    """Return interfaces as one word of an EOS line, the first name in full: Ethernet1/1,2/1."""
    first_name, *later_names = names
    return ",".join([first_name, *(name.removeprefix("Ethernet") for name in later_names)])


def make_overlay_values(view: SwitchView) -> dict[str, Any] | None:
    """Return the values of the overlay; None for a switch without it."""
    if view.overlay is None:
        return None
    maps = list_overlay_maps(view)
    return {
        "vnis": [(require_token(name), vrf.vni) for name, vrf in view.overlay.vrfs.items()],
        "lossless": view.overlay.copies_dscp,
        "multihop": MULTIHOP,
        "outward_maps": maps,
        "groups": [
            {
                "name": group.name,
                "allow_own_asn": group.allow_own_asn,
                "outward": group.outward if (group.outward, group.own_only) in maps else "",
                "peers": [
                    (address, p.remote_asn, make_one_line(p.description, 80)) for address, p in group.peers.items()
                ],
            }
            for group in make_overlay_groups(view)
        ],
    }


RECOVERY_S = 300
GROUP = "UPLINKS"


def make_bond_segment(bond: Bond) -> dict[str, Any]:
    """Return `segment`, the identifier, route target and LACP system of a bond's Ethernet segment, and `tracked`, its
    role in link tracking.

    A bond without a segment has None and "".
    """
    if not bond.segment:
        return {"segment": None, "tracked": ""}
    hex_digits = bond.segment.replace(":", "")
    quads = [hex_digits[start : start + 4] for start in (0, 4, 8)]
    segment = {"identifier": ":".join(["0000", "0000", *quads]), "target": bond.segment, "system": ".".join(quads)}
    return {"segment": segment, "tracked": "downstream"}


def make_segment_values(view: SwitchView) -> dict[str, Any]:
    """Return what a switch says once: the group of links that are tracked, and its VLANs over EVPN."""
    vlans = view.overlay.vlans if view.overlay else {}
    return {
        "tracking": {"group": GROUP, "recovery_s": RECOVERY_S} if view.multihomed else None,
        "vni_vlans": [
            {"vlan": number, "vni": vlan.vni, "distinguisher": vlan.distinguisher, "target": vlan.target}
            for number, vlan in vlans.items()
        ],
    }

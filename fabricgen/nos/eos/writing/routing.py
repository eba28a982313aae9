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
from fabricgen.render.escape import one_line, token
from fabricgen.render.routing import (
    IP_WORDS,
    MULTIHOP,
    PolicyNames,
    entry_rows,
    family_word,
    group_names,
    leak_rows,
    list_rows,
    member_rows,
    outside_rows,
    overlay_groups,
    overlay_maps,
    path_rows,
    session_rows,
    sources_of,
)
from fabricgen.switch.interfaces import Bond
from fabricgen.switch.routing import Bgp
from fabricgen.views.leaks import match_leaked_paths
from fabricgen.views.model.routing import model_bgp
from fabricgen.views.switch import SwitchView

WARNING_PERCENT = 80
"""Percentage of the prefix limit at which EOS warns."""

_MAPS = ("CONNECTED", "IN", "OUT", "PEER")


def bgp_values(switch: SwitchView) -> dict[str, Any]:
    """BGP of all VRFs, that of the default one apart; what differs from session to session is at peer groups there."""
    instances = [_make_bgp_instance(switch, vrf, bgp) for vrf, bgp in model_bgp(switch).items()]
    whole = instances[0]
    by_asn: dict[tuple[str, int], list[str]] = defaultdict(list)
    for far in whole["peers"]:
        if not far["session"].address:
            by_asn[far["session"].group, far["session"].remote_asn].append(far["neighbor"])
    bfd = switch.fabric.bfd
    return {
        "only_own_routes": switch.announces_own_only,
        "drained": switch.maintenance,
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
        "bfd": {"interval_ms": bfd.interval_ms, "multiplier": bfd.multiplier} if bfd else None,
        "warning_percent": WARNING_PERCENT,
        "interface_peers": [(interface_range(names), *key) for key, names in by_asn.items()],
        "default_instance": whole,
        "bgp_instances": instances[1:],
        "exit_paths": [(name, path) for one in instances for name, _, path in one["exit_paths"]],
        "exit_routes": [
            (family_word(prefix), f" vrf {token(vrf)}" if vrf else "", prefix, token(port), far)
            for vrf in ("", *switch.vrfs)
            for prefix, route in switch.exits.routes_in(vrf).items()
            for port, far in route.hops
        ],
        **_leak_lists(switch, instances),
    }


def vrf_word(vrf: str) -> str:
    """EOS's name of a VRF, "" for the default one."""
    return vrf and token(vrf)


def _make_bgp_instance(switch: SwitchView, vrf: str, bgp: Bgp) -> dict[str, Any]:
    """BGP in a VRF; `families` are (word, who carries it): outside the default VRF sessions are in no groups."""
    names = PolicyNames(vrf, vrf_word(vrf), vrf_word, joint=True)
    lists, entries = list(list_rows(bgp.maps, names, IP_WORDS)), entry_rows(bgp.maps, names, IP_WORDS)
    words = {family: IP_WORDS[family == "v6"] for family in ("v4", "v6") if family in switch.fabric.families}
    members = {word: member_rows(bgp, names, family) for family, word in words.items()}
    maps = {row["name"]: row for rows in members.values() for row in rows}
    tells = {policy.name for policy in switch.exits.policies_in(vrf) if policy.communities or switch.maintenance}
    static = [name for name in ("STATIC", "STATIC6") if name in bgp.maps.maps]
    return {
        "vrf": vrf_word(vrf),
        "max_paths": bgp.max_paths,
        "lists": [row for row in lists if row["of_fabric"]],
        "entries": sorted((row for row in entries if row["of_fabric"]), key=_place_of_map),
        "exit_paths": path_rows(bgp.maps, names),
        "exit_lists": [row for row in lists if not row["of_fabric"]],
        "exit_entries": outside_rows(entries),
        "groups": [maps[group] for group in group_names(bgp.peers.values())],
        "peers": [maps[row["session"].group] | row for row in session_rows(bgp, exits=False)],
        "exits": [
            maps[row["neighbor"]] | row | {"tells": row["session"].group.removeprefix("EXIT-") in tells}
            for row in session_rows(bgp, exits=True)
        ],
        "families": [
            (word, [far for far, peer in bgp.peers.items() if family in peer.families] if vrf else members[word])
            for family, word in words.items()
            if not vrf or bgp.peers
        ],
        "aggregates": bgp.aggregates,
        "connected": names.name_map("CONNECTED"),
        "static_map": names.name_map(static[0]) if static else "",
        "leak_maps": leak_rows(bgp.maps, names, IP_WORDS),
        "leaks": _leak_targets(switch, vrf, bgp),
        "evpn": _evpn_imports(switch, vrf, bgp),
    }


def _place_of_map(row: dict[str, Any]) -> int:
    """Maps one after the other, each with the entries of both families."""
    return _MAPS.index(row["key"].removesuffix("6"))


def _targets(switch: SwitchView) -> dict[str, str]:
    """The route target of each VRF that leaks: that of its VNI, or of its number among the fabric's."""
    numbers = {leaked.vrf: leaked.number for leaked in switch.leaks}
    numbers |= {source.vrf: source.number for leaked in switch.leaks for source in leaked.sources}
    found = {vrf: switch.overlay_in(vrf) for vrf in numbers}
    return {vrf: over.target if (over := found[vrf]) else f"{number}:{number}" for vrf, number in numbers.items()}


def _leak_lists(switch: SwitchView, instances: list[dict[str, Any]]) -> dict[str, Any]:
    """The targets that maps of leaks match, by the names of their lists, and the own one of a VRF over EVPN."""
    targets = _targets(switch)
    known = {vrf_word(vrf) or "default": target for vrf, target in targets.items()}
    leaking = [one for one in instances if one["leak_maps"]]
    own = [one["vrf"] for one in leaking if one["evpn"]]
    used = {entry["source"] for one in leaking for leak in one["leak_maps"] for entry in leak["sources"]}
    return {
        "leak_path": match_leaked_paths(switch) if leaking else "",
        "leak_targets": [(f"VRF-{vrf}", known[vrf]) for vrf in sorted({*used, *own}, key=_default_first)],
    }


def _default_first(vrf: str) -> str:
    return "" if vrf == "default" else vrf


def _leak_targets(switch: SwitchView, vrf: str, bgp: Bgp) -> dict[str, Any] | None:
    """The distinguisher of a VRF that leaks, its own target, and by family the targets that it imports, and the map.

    None where it brings in nothing, or does so over EVPN (`_evpn_imports`).
    """
    leaked, targets = switch.leaked(vrf), _targets(switch)
    if leaked is None or not leaked.sources or switch.overlay_in(vrf):
        return None
    words = {"": "vpn-ipv4"} if switch.has_v4 else {}
    words |= {"6": "vpn-ipv6"} if switch.has_v6 else {}
    return {
        "distinguisher": f"{switch.router_id}:{leaked.number}",
        "target": targets[vrf],
        "families": [
            (word, [targets[source] for source in sources_of(bgp.maps, f"LEAKED{ending}")])
            for ending, word in words.items()
        ],
        "map": f"LEAKED-{vrf_word(vrf) or 'default'}",
    }


def _evpn_imports(switch: SwitchView, vrf: str, bgp: Bgp) -> dict[str, Any] | None:
    """The distinguisher and target of a VRF over EVPN, the targets that it imports, its own first, and the map."""
    over, targets = switch.overlay_in(vrf), _targets(switch)
    if over is None:
        return None
    return {
        "distinguisher": over.distinguisher,
        "target": over.target,
        "imports": [over.target, *(targets[source] for source in sorted(bgp.leaks))],
        "map": f"LEAKED-{token(vrf)}" if bgp.leaks else "",
    }


def interface_range(names: list[str]) -> str:
    """Interfaces in EOS's comma form: Ethernet1/1,2/1."""
    first, *rest = names
    return ",".join([first, *(name.removeprefix("Ethernet") for name in rest)])


def overlay_values(switch: SwitchView) -> dict[str, Any] | None:
    """The values of the overlay; None where the switch has none."""
    if switch.overlay is None:
        return None
    maps = overlay_maps(switch)
    return {
        "vnis": [(token(name), vrf.vni) for name, vrf in switch.overlay.vrfs.items()],
        "lossless": switch.overlay.copies_dscp,
        "multihop": MULTIHOP,
        "outward_maps": maps,
        "groups": [
            {
                "name": group.name,
                "allow_own_asn": group.allow_own_asn,
                "outward": group.outward if (group.outward, group.own_only) in maps else "",
                "peers": [(address, p.remote_asn, one_line(p.description, 80)) for address, p in group.peers.items()],
            }
            for group in overlay_groups(switch)
        ],
    }


RECOVERY_S = 300
GROUP = "UPLINKS"


def segment_of(bond: Bond) -> dict[str, Any]:
    """The values of a bond's Ethernet segment: `segment` is None where it has none."""
    if not bond.segment:
        return {"segment": None, "tracked": ""}
    words = bond.segment.replace(":", "")
    parts = [words[start : start + 4] for start in (0, 4, 8)]
    found = {"identifier": ":".join(["0000", "0000", *parts]), "target": bond.segment, "system": ".".join(parts)}
    return {"segment": found, "tracked": "downstream"}


def segment_values(switch: SwitchView) -> dict[str, Any]:
    """What is said once for a switch: the group of links that are tracked, and its VLANs over EVPN."""
    vlans = switch.overlay.vlans if switch.overlay else {}
    return {
        "tracking": {"group": GROUP, "recovery_s": RECOVERY_S} if switch.multihomed else None,
        "vni_vlans": [
            {"vlan": number, "vni": vlan.vni, "distinguisher": vlan.distinguisher, "target": vlan.target}
            for number, vlan in vlans.items()
        ],
    }

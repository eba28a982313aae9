"""Ways out in an frr.conf: lists and maps, sessions and static routes of each VRF, as values.

docs.frrouting.org, user guide: bgpd (`neighbor PEER local-as`, `ebgp-multihop`, `password`, `aggregate-address`,
`redistribute static`), routemap (`set as-path prepend last-as`, `set community`), staticd (`ip route`).
"""

from __future__ import annotations

from typing import Any

from fabricgen.render.escape import one_line, token
from fabricgen.render.exits import HOLD_S, KEEPALIVE_S, ExitParts, MapEntry, MapNames, describes, exit_parts, map_name
from fabricgen.views.exits import ExitPeer
from fabricgen.views.switch import SwitchView

WORDS = {False: "ip", True: "ipv6"}


def names_in(vrf: str) -> MapNames:
    """The names of lists and maps of a VRF, as FRR has it."""
    return MapNames("IN", "OUT", vrf, joint=False) if vrf else MapNames("FABRIC-IN", "FABRIC-OUT", "", joint=False)


def exit_values(switch: SwitchView, vrf: str, name: str) -> dict[str, Any]:
    """What the exits of a VRF, `name` to FRR, come to: its policy, sessions with far devices, and static routes."""
    parts, names = exit_parts(switch, vrf, names_in(name)), names_in(name)
    peers = [_peer(peer, names) for peer in switch.exits.peers_in(vrf)]
    return {
        "exit_policy": _policy(parts),
        "exit_peers": peers,
        "exit_families": {word: [p for p in peers if p["v6"] == v6] for v6, word in WORDS.items()},
        "aggregates": {word: [p for p in parts.aggregates if (":" in p) == v6] for v6, word in WORDS.items()},
        "static_maps": {WORDS[v6]: map_ for v6, map_ in parts.statics},
        "exit_routes": [
            (WORDS[route.is_v6], route.prefix, far, token(port), f" vrf {name}" if name else "")
            for route in switch.exits.routes_in(vrf)
            for port, far in route.hops
        ],
    }


def _policy(parts: ExitParts) -> dict[str, Any]:
    return {
        "as_paths": [(name, 10 * n, path) for name, paths in parts.as_paths for n, path in enumerate(paths, 1)],
        "prefix_lists": [
            (WORDS[each.v6], each.name, seq, f"{prefix} le {longest}" if longest else prefix)
            for each in parts.prefix_lists
            for seq, prefix, longest in each.rules
        ],
        "entries": [_entry(each) for each in parts.entries],
    }


def _entry(entry: MapEntry) -> dict[str, Any]:
    return {
        "map": entry.map,
        "action": "permit" if entry.permit else "deny",
        "seq": entry.seq,
        "word": WORDS[entry.v6],
        "prefix_list": entry.prefix_list,
        "as_path": entry.as_path,
        "communities": " ".join(entry.communities),
        "last_as": entry.last_as,
        "prepend": " ".join([str(entry.prepend)] * entry.times) if entry.prepend else "",
        "drains": entry.drains,
    }


def _peer(peer: ExitPeer, names: MapNames) -> dict[str, Any]:
    """A `neighbor` of FRR outside the fabric."""
    return {
        "neighbor": peer.far,
        "v6": peer.is_v6,
        "asn": peer.asn,
        "description": one_line(describes(peer), 80),
        "local_as": peer.local_as,
        "password": peer.password,
        "hops": peer.hops if peer.hops > 1 else 0,
        "source": peer.address,
        "bfd": {"interval_ms": peer.bfd.interval_ms, "multiplier": peer.bfd.multiplier} if peer.bfd else None,
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
        "max_prefixes": peer.max_prefixes,
        "inward": map_name(peer.name, "IN", names, v6=peer.is_v6),
        "outward": map_name(peer.name, "OUT", names, v6=peer.is_v6),
    }

"""Ways out in an frr.conf: lists and maps, sessions and static routes of each VRF, as values.

docs.frrouting.org, user guide: bgpd (`neighbor PEER local-as`, `ebgp-multihop`, `password`, `aggregate-address`,
`redistribute static`), routemap (`set as-path prepend last-as`, `set community`), staticd (`ip route`).
"""

from __future__ import annotations

from typing import Any

from fabricgen.render.bgp import IP_WORDS
from fabricgen.render.escape import token
from fabricgen.render.exits import ExitParts, announced_values, entry_values, exit_parts, names_in, peer_values
from fabricgen.views.switch import SwitchView


def exit_values(switch: SwitchView, vrf: str, name: str) -> dict[str, Any]:
    """What the exits of a VRF, `name` to FRR, come to: its policy, sessions with far devices, and static routes."""
    names = names_in(name, joint=False)
    parts = exit_parts(switch, vrf, names)
    peers = [
        peer_values(peer, names) | {"v6": peer.is_v6, "source": peer.address} for peer in switch.exits.peers_in(vrf)
    ]
    return {
        "exit_policy": _policy(parts),
        "exit_peers": peers,
        "exit_families": {word: [p for p in peers if p["v6"] == v6] for v6, word in IP_WORDS.items()},
        **announced_values(parts, IP_WORDS),
        "exit_routes": [
            (IP_WORDS[":" in prefix], prefix, far, token(port), f" vrf {name}" if name else "")
            for prefix, route in switch.exits.routes_in(vrf).items()
            for port, far in route.hops
        ],
    }


def _policy(parts: ExitParts) -> dict[str, Any]:
    return {
        "as_paths": [(name, 10 * n, path) for name, paths in parts.as_paths for n, path in enumerate(paths, 1)],
        "prefix_lists": [
            (IP_WORDS[each.v6], each.name, seq, f"{prefix} le {longest}" if longest else prefix)
            for each in parts.prefix_lists
            for seq, prefix, longest in each.rules
        ],
        "entries": [entry_values(each, IP_WORDS) for each in parts.entries],
    }

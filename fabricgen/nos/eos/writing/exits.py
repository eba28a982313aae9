"""Ways out of EOS as values: lists and maps, sessions with far devices, and static routes of each VRF.

Arista EOS user manual, BGP and route maps; AVD's templates print the same (aristanetworks/avd,
`eos/router-bgp.j2`, `eos/route-maps.j2`, `eos/static-routes.j2`), but for passwords, which it takes encrypted.
"""

from __future__ import annotations

from typing import Any

from fabricgen.nos.eos.writing.pair import family_word
from fabricgen.render.bgp import IP_WORDS
from fabricgen.render.escape import token
from fabricgen.render.exits import MapNames, entry_values, exit_parts, names_in, peer_values
from fabricgen.views.switch import SwitchView


def _names(vrf: str) -> MapNames:
    """The names of lists and maps of a VRF; a map is of both families."""
    return names_in(vrf and token(vrf), joint=True)


def exit_policy(switch: SwitchView) -> dict[str, Any]:
    """The lists and maps of the exits of all VRFs, and static routes."""
    every = [exit_parts(switch, vrf, _names(vrf)) for vrf in ("", *switch.vrfs)]
    return {
        "exit_paths": [(name, path) for parts in every for name, paths in parts.as_paths for path in paths],
        "exit_lists": [
            {
                "word": IP_WORDS[each.v6],
                "name": each.name,
                "rules": [(seq, f"{p} le {longest}" if longest else p) for seq, p, longest in each.rules],
            }
            for parts in every
            for each in parts.prefix_lists
        ],
        "exit_entries": [entry_values(each, IP_WORDS) for parts in every for each in parts.entries],
        "exit_routes": [
            (family_word(prefix), f" vrf {token(vrf)}" if vrf else "", prefix, token(port), far)
            for vrf in ("", *switch.vrfs)
            for prefix, route in switch.exits.routes_in(vrf).items()
            for port, far in route.hops
        ],
    }


def exit_sessions(switch: SwitchView, vrf: str) -> dict[str, Any]:
    """The sessions with far devices of a VRF, what is announced to them as one, and the map of static routes."""
    names = _names(vrf)
    parts, peers = exit_parts(switch, vrf, names), switch.exits.peers_in(vrf)
    sets = {p.name for p in switch.exits.policies_in(vrf) if p.communities or switch.maintenance}
    return {
        "exits": [peer_values(peer, names) | {"tells": peer.name in sets} for peer in peers],
        "exit_families": {word: [p.far for p in peers if p.is_v6 == v6] for v6, word in IP_WORDS.items()},
        "aggregates": parts.aggregates,
        "static_map": parts.statics[0][1] if parts.statics else "",
    }

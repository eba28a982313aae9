"""Ways out of Cumulus Linux as values: lists and maps, sessions with far devices, and static routes of each VRF.

NVUE Command Reference: Router Policy (`route-map ... action deny`, `set as-path-prepend last-as` of up to 10, one
number of `as-path-prepend as`, `set community`), BGP (`neighbor ... local-as`, `multihop-ttl`, `update-source`,
`password`, `timers`, `aggregate-route`, `redistribute static`). A peer carries IPv4 unless it is told not to.
"""

from __future__ import annotations

from typing import Any

from fabricgen.nos.cumulus.writing.words import WORDS
from fabricgen.render.escape import token, yaml_text
from fabricgen.render.exits import (
    GRACEFUL_SHUTDOWN,
    OVERLAY_OUT,
    MapEntry,
    MapNames,
    announced_values,
    exit_parts,
    names_in,
    peer_values,
)
from fabricgen.views.exits import ExitPeer
from fabricgen.views.switch import SwitchView


def _names(vrf: str) -> MapNames:
    """The names of lists and maps of a VRF: those of FRR."""
    return names_in(vrf and token(vrf), joint=False)


def exit_lists(switch: SwitchView, vrf: str) -> dict[str, Any]:
    """What the exits of a VRF add to the policy: lists of AS paths, prefix lists, and entries by their map."""
    parts = exit_parts(switch, vrf, _names(vrf))
    entries: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for each in (each for each in parts.entries if each.map != OVERLAY_OUT):
        entries.setdefault((each.map, each.v6), []).append(_entry(each, switch.asn if each.drains else 0))
    return {
        "as_paths": parts.as_paths,
        "prefix_lists": [
            {
                "name": each.name,
                "type": WORDS[each.v6],
                "rules": [(seq, prefix, 0, longest) for seq, prefix, longest in each.rules],
            }
            for each in parts.prefix_lists
        ],
        "entries": entries,
    }


def exits_over_evpn(switch: SwitchView) -> list[tuple[int, str]]:
    """(number, list of AS paths) of what sessions for EVPN announce beside own routes."""
    every = [each for vrf in switch.vrfs for each in exit_parts(switch, vrf, _names(vrf)).entries]
    return [(each.seq, each.as_path) for each in every if each.map == OVERLAY_OUT]


def _entry(entry: MapEntry, drained_by: int) -> dict[str, Any]:
    """A rule; `graceful-shutdown` of the router adds the community by itself, and an AS number is put once."""
    return {
        "seq": entry.seq,
        "action": "permit" if entry.permit else "deny",
        "type": WORDS[entry.v6],
        "prefix_list": entry.prefix_list,
        "as_path": entry.as_path,
        "communities": [each for each in entry.communities if each != GRACEFUL_SHUTDOWN],
        "last_as": entry.last_as,
        "prepend": entry.prepend or drained_by,
    }


def exit_bgp(switch: SwitchView, vrf: str) -> dict[str, Any]:
    """The sessions with far devices of a VRF; aggregates and the map of static routes by family."""
    names = _names(vrf)
    return {
        "exits": [_peer(peer, names) for peer in switch.exits.peers_in(vrf)],
        **announced_values(exit_parts(switch, vrf, names), WORDS),
    }


def bfd_profiles(switch: SwitchView) -> list[dict[str, Any]]:
    """The BFD profiles of exits: name and timers."""
    found = {profile_of(peer): peer.bfd for peer in switch.exits.peers if peer.bfd}
    return [{"name": name, "interval_ms": b.interval_ms, "multiplier": b.multiplier} for name, b in found.items()]


def profile_of(peer: ExitPeer) -> str:
    """The name of the BFD profile of an exit."""
    return f"EXIT-{peer.name}"


def _peer(peer: ExitPeer, names: MapNames) -> dict[str, Any]:
    """A neighbour outside the fabric, as NVUE's YAML has it."""
    found = peer_values(peer, names)
    return found | {
        "word": WORDS[peer.is_v6],
        "description": yaml_text(found["description"]),
        "password": yaml_text(peer.password),
        "bfd": profile_of(peer) if peer.bfd else "",
    }

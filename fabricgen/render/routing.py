"""BGP as rows for the templates of every NOS: prefix lists, route maps and sessions, under the names of the NOS.

Sessions for EVPN run between loopbacks and have no policy of prefixes: what a VRF announces, its own map `CONNECTED`
permits. A switch of the lowest tier passes on nothing that it has learned except to other switches of its tier (over
`peer` links), as in the underlay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fabricgen.render.escape import make_one_line, require_token
from fabricgen.switch.routing import Bgp, OverlayPeer, Peer, Permit, RouteMapEntry, RouteMaps
from fabricgen.views.model.policies import DENIED, OVERLAY_OUT
from fabricgen.views.switch import SwitchView

IP_WORDS = {False: "ip", True: "ipv6"}
"""The word for a family in command lines of EOS and FRR, by whether it is IPv6."""


def find_family_word(address: str) -> str:
    """Return the word of EOS and FRR for the family of an address or prefix."""
    return IP_WORDS[":" in address]


DISCARD_DISTANCE = 250
"""Administrative distance of a discard route: it takes over when the last next hop is down."""

GROUPS = ("UP", "DOWN", "PEER", "UP6", "DOWN6", "PEER6")
"""Peer groups of sessions between switches, in their order."""


@dataclass(frozen=True, slots=True)
class PolicyNames:
    """What a NOS calls the lists and maps of a VRF. `suffix` is part of the names.

    `vrf_name` returns that part for any VRF, "" for the default one. `joint`: each map is of both families, with the
    entries of IPv6 after those of IPv4.
    """

    vrf: str
    suffix: str
    vrf_name: Callable[[str], str]
    joint: bool = False

    def find_name(self, name: str) -> str:
        """Return the name of a list, or of a map of one family."""
        alone = name in ("OWN", "LEAKED", OVERLAY_OUT) or name.startswith("EXIT-") or not self.vrf
        return name if alone else f"{name}-{self.suffix}"

    def name_map(self, name: str) -> str:
        """Return the name of a map; in the default VRF the maps of sessions begin with FABRIC, as in `FABRIC-IN`."""
        base = name.removesuffix("6") if self.joint else name
        if base in ("LEAKED", "LEAKED6"):
            return f"{base}-{self.vrf_name(self.vrf) or 'default'}"
        return (
            f"FABRIC-{base}"
            if not self.vrf and base.removesuffix("6") in ("IN", "OUT", "PEER")
            else self.find_name(base)
        )

    def name_leaked(self, entry: RouteMapEntry) -> str:
        """Return the name of the prefix list of an entry for leaked routes: it names the own VRF and the one they come
        from.
        """
        own_vrf, source_vrf = (self.vrf_name(vrf) or "default" for vrf in (self.vrf, entry.source_vrf or ""))
        return f"{entry.prefix_list.partition('-')[0]}-{own_vrf}-{source_vrf}"

    def number_entry(self, map_: str, number: int) -> int:
        """Return the number of an entry of a map; if the map is of both families, IPv6 has the higher numbers."""
        if not self.joint or not map_.endswith("6") or map_ == "LEAKED6":
            return number
        return number + (1 if number == DENIED else 5 if number not in (10, 20) else 10 if self.vrf else 20)


def make_rule_text(permit: Permit) -> str:
    """Return a rule of a prefix list in the syntax of EOS and FRR."""
    shortest, longest = permit.bounds
    return permit.prefix + (f" ge {shortest}" if shortest else f" le {longest}" if longest else "")


def list_prefix_list_rows(
    maps: RouteMaps, names: PolicyNames, words: dict[bool, str], make_rule: Callable[[Permit], Any] = make_rule_text
) -> Iterator[dict[str, Any]]:
    """Yield the prefix lists of a VRF except those of leaks; `of_fabric`: a list of loopbacks and hosts.

    `rules` are numbered; `words` are what the NOS calls families, by whether it is IPv6.
    """
    for name, permits in maps.prefix_lists.items():
        if not name.startswith("LEAKED"):
            word, of_fabric = words[name.endswith("6")], name.startswith(("HOSTS", "LOOPBACKS"))
            yield {
                "word": word,
                "name": names.find_name(name),
                "rules": number_rules(permits, make_rule),
                "of_fabric": of_fabric,
            }


def number_rules(
    permits: Iterable[Permit], make_rule: Callable[[Permit], Any] = make_rule_text
) -> list[tuple[int, Any]]:
    """Return (number, rule) of each permit of a prefix list; numbers are tens, which leaves operators room between."""
    return [(10 * n, make_rule(permit)) for n, permit in enumerate(permits, 1)]


def list_path_rows(maps: RouteMaps, names: PolicyNames) -> list[tuple[str, int, str]]:
    """Return (name, number, AS path) of the rules of AS path lists.

    They match what the exits of a VRF gave a switch that otherwise announces only own routes.
    """
    return [(names.find_name("EXITS"), 10 * n, path) for n, path in enumerate(maps.as_paths.get("EXITS", ()), 1)]


def list_entry_rows(maps: RouteMaps, names: PolicyNames, words: dict[bool, str]) -> list[dict[str, Any]]:
    """Return the entries of the maps of a VRF except those of leaks; `of_fabric`: an entry for loopbacks and hosts."""
    return [
        make_entry_row(map_, number, entry, names, words)
        for map_, entries in maps.maps.items()
        if not map_.startswith("LEAKED")
        for number, entry in entries.items()
    ]


def sort_outside_rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries for routes beyond exits, those that are not `of_fabric`, in the order in which they are
    printed.
    """

    def rank_row(row: dict[str, Any]) -> tuple[bool, bool, bool, bool]:
        """Return the sort key: overlay last; IPv4 before IPv6; outward denials first; maps inwards first."""
        map_ = row["key"]
        return (
            map_ == OVERLAY_OUT,
            map_.endswith("6"),
            not map_.startswith(("OUT", "PEER")) or row["action"] == "permit",
            map_ not in ("IN", "IN6"),
        )

    return sorted((row for row in rows if not row["of_fabric"]), key=rank_row)


def make_entry_row(
    map_: str, number: int, entry: RouteMapEntry, names: PolicyNames, words: dict[bool, str]
) -> dict[str, Any]:
    """Return entry `number` of the map `map_` as a row for templates; `words` are the NOS's words for families, by
    whether IPv6.

    `source` is the VRF that an entry for leaks takes routes from, False for another entry. `drains`: besides other
    communities, it adds that of a drained switch.
    """
    is_leak, ended = entry.source_vrf is not None, (entry.community,) if entry.added and entry.community else ()
    return {
        "map": names.name_map(map_),
        "key": map_,
        "seq": names.number_entry(map_, number),
        "action": "permit" if entry.permit else "deny",
        "word": words[map_.endswith("6")],
        "prefix_list": names.name_leaked(entry)
        if is_leak
        else entry.prefix_list and names.find_name(entry.prefix_list),
        "as_path": entry.as_path and names.find_name(entry.as_path),
        "source": is_leak and (names.vrf_name(entry.source_vrf or "") or "default"),
        "communities": [*entry.communities, *ended],
        "last_as": entry.last_as,
        "prepend": entry.prepend or entry.added or "",
        "bandwidth": entry.bandwidth,
        "drains": bool(entry.community and not entry.added),
        "of_fabric": entry.prefix_list.startswith(("HOSTS", "LOOPBACKS")),
    }


def list_group_names(peers: Iterable[Peer]) -> list[str]:
    """Return the names of the peer groups in use."""
    used = {peer.group for peer in peers}
    return [group for group in GROUPS if group in used]


def list_session_rows(bgp: Bgp, *, exits: bool) -> list[dict[str, Any]]:
    """Return the sessions with far devices of exits, or else with switches; `neighbor` is an address or an own port."""
    return [
        {
            "neighbor": far if peer.address else require_token(far),
            "session": peer,
            "description": make_one_line(peer.description, 80),
        }
        for far, peer in bgp.peers.items()
        if peer.is_exit == exits
    ]


def list_member_rows(bgp: Bgp, names: PolicyNames, family: str) -> list[dict[str, Any]]:
    """Return a row for each peer group, and for each session of an exit, that carries a family.

    It has the maps, the limit of prefixes, and the session, or one of the group's. Peer groups come first, in their
    order.
    """
    groups = {peer.group: peer for peer in bgp.peers.values() if family in peer.families and not peer.is_exit}
    exits = {far: peer for far, peer in bgp.peers.items() if family in peer.families and peer.is_exit}
    return [
        {
            "name": name,
            "session": peer,
            "limit": peer.max_prefixes.get(family, 0),
            "inward": names.name_map(bgp.maps.find_map_name(peer, "IN", family)),
            "outward": names.name_map(bgp.maps.find_map_name(peer, "OUT", family)),
        }
        for name, peer in [*((name, groups[name]) for name in GROUPS if name in groups), *exits.items()]
    ]


def list_sources(maps: RouteMaps, name: str) -> list[str]:
    """Return the VRFs from which a map of a leak imports routes, in its order."""
    return [entry.source_vrf for entry in maps.maps.get(name, {}).values() if entry.source_vrf is not None]


def list_leak_rows(
    maps: RouteMaps, names: PolicyNames, words: dict[bool, str], make_rule: Callable[[Permit], Any] = make_rule_text
) -> list[dict[str, Any]]:
    """Return the maps by which routes of other VRFs are imported into a VRF, IPv4 before IPv6, as rows for templates.

    A row has the name of its `map`, the `word` of its family, and `sources`: its permitting entries, each with the
    numbered `rules` of its prefix list. `words` are the NOS's words for families, by whether IPv6.
    """
    return [
        {
            "map": names.name_map(map_),
            "word": words[map_.endswith("6")],
            "sources": [
                make_entry_row(map_, number, entry, names, words)
                | {"rules": number_rules(maps.prefix_lists[entry.prefix_list], make_rule)}
                for number, entry in maps.maps[map_].items()
                if entry.permit
            ],
        }
        for map_ in ("LEAKED", "LEAKED6")
        if map_ in maps.maps
    ]


TO_MLAG_PEERS = "OVERLAY-PEER"
"""The map of what sessions for EVPN announce to mates of a switch that announces its own routes alone to others."""

MULTIHOP = 3
"""The TTL of sessions between loopbacks of neighbours: the hop between them, one more for either loopback's own box
(aristanetworks/avd, eos_designs: `evpn_ebgp_multihop` is 3)."""


@dataclass(frozen=True, slots=True)
class OverlayGroup:
    """The EVPN neighbours in one direction by address, and the name of their group, without hyphens (NVUE takes none).

    `allow_own_asn`: routes with the own AS number in their path are accepted. `own_only`: only own routes are
    announced. `outward`: the map of what is announced, which a session needs if it is `own_only` or the switch is
    drained.
    """

    name: str
    allow_own_asn: bool
    own_only: bool
    outward: str
    peers: Mapping[str, OverlayPeer]


def make_overlay_groups(view: SwitchView) -> tuple[OverlayGroup, ...]:
    """Return the peer groups of EVPN sessions; none without an overlay."""
    groups = []
    sessions = view.overlay.peers if view.overlay else {}
    for role in ("up", "down", "peer"):
        peers = {address: peer for address, peer in sessions.items() if peer.role == role}
        for first in list(peers.values())[:1]:
            outward = OVERLAY_OUT if first.own_only or not view.announces_own_only else TO_MLAG_PEERS
            groups.append(OverlayGroup(f"OVERLAY_{role.upper()}", first.own_as_in > 0, first.own_only, outward, peers))
    return tuple(groups)


def list_overlay_maps(view: SwitchView) -> tuple[tuple[str, bool], ...]:
    """Return (name, whether it permits only own routes) of each outward map that EVPN sessions need."""
    needed = (group for group in make_overlay_groups(view) if group.own_only or view.maintenance)
    return tuple(dict.fromkeys((group.outward, group.own_only) for group in needed))

"""Ways out, for every NOS: what passes between a fabric and what is beyond its exits.

Switches pass on what is beyond the exits of their VRF (`OUTSIDE`: the default route and accepted prefixes), so that it
comes down from where it is learned. A switch of the lowest tier announces of it only what its own exits gave it: the AS
path begins with that of a far device, or is empty where it is a static route; to a mate, all of it. To the outside goes
nothing but the stated aggregates, so that no exit is a way to another. A backup's routes have the far AS number
repeated, and what is announced to it has the own once more: each hop is eBGP, so that no other preference would travel.
Those of a switch in maintenance are made longer still, and what it announces carries the community of graceful shutdown
(RFC 8326).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from fabricgen.blueprint.sections.exits import EXIT_HOLD_S
from fabricgen.render import bgp
from fabricgen.render.bgp import PREFIX_STEP, prefix_length
from fabricgen.render.escape import one_line
from fabricgen.views.exits import PREPENDED, ExitPeer, ExitPolicy, Outside
from fabricgen.views.switch import SwitchView

KEEPALIVE_S, HOLD_S = 10, EXIT_HOLD_S
"""Timers of sessions to the outside, seconds."""

GRACEFUL_SHUTDOWN = "65535:0"
"""The community of what is drained (RFC 8326)."""

DRAINED_IN, DRAINED_OUT = 10, 3
"""How often AS numbers are repeated in maintenance: the far one inward, more than for a backup (NVUE takes 10 at most),
and the own one outward, as to other switches.
"""

OVERLAY_OUT = "OVERLAY-OUT"
"""The map of what sessions for EVPN announce."""

PrefixRules: TypeAlias = tuple[tuple[int, str, int], ...]
"""(sequence number, prefix, longest length within it that matches, 0 for the prefix alone)"""

DENIED, PASSED, LAST = 5, 50, 90
"""Sequence numbers in route maps, before and after those of loopbacks and hosts; each family has its own."""


@dataclass(frozen=True, slots=True)
class PrefixList:
    """A prefix list of one family that permits."""

    name: str
    v6: bool
    rules: PrefixRules


@dataclass(frozen=True, slots=True)
class MapEntry:
    """An entry of a route map: what it matches, "" for anything, and what it sets on routes that pass.

    `last_as`: how often the first AS number of the path is repeated; `prepend`: the AS number that is put before it,
    `times` as often. `drains`: what passes to other switches is made their last choice.
    """

    map: str
    seq: int
    permit: bool
    v6: bool
    prefix_list: str = ""
    as_path: str = ""
    communities: tuple[str, ...] = ()
    last_as: int = 0
    prepend: int = 0
    times: int = 1
    drains: bool = False


@dataclass(frozen=True, slots=True)
class ExitParts:
    """What the exits of a VRF add to the policy of a switch: lists of AS paths by name, prefix lists and entries."""

    as_paths: tuple[tuple[str, tuple[str, ...]], ...]
    prefix_lists: tuple[PrefixList, ...]
    entries: tuple[MapEntry, ...]
    aggregates: tuple[str, ...]
    """Prefixes of own routes that are announced to the far devices as one."""
    statics: tuple[tuple[bool, str], ...]
    """(whether IPv6, map) of the static routes that are passed on."""


@dataclass(frozen=True, slots=True)
class MapNames:
    """How a NOS names things of a VRF: `joint`, one map for both families; `vrf` as it stands in names, "" for none."""

    inward: str
    outward: str
    vrf: str
    joint: bool

    @property
    def mates(self) -> str:
        """The map of what is announced to mates, where it is another."""
        return self.outward.replace("OUT", "PEER")

    def of(self, name: str, *, v6: bool, map_: bool = False) -> str:
        """The name of a list or map in a family."""
        ending = "6" if v6 and not (map_ and self.joint) else ""
        return f"{name}{ending}-{self.vrf}" if self.vrf else f"{name}{ending}"

    def seq(self, number: int, *, v6: bool) -> int:
        """The number of an entry: of the second family behind that of the first where they share a map."""
        return number + (1 if number == DENIED else 5) * (v6 and self.joint)


def names_in(vrf: str, *, joint: bool) -> MapNames:
    """The names of lists and maps of a VRF, as the NOS calls it; `joint`: its maps are of both families."""
    return MapNames("IN", "OUT", vrf, joint) if vrf else MapNames("FABRIC-IN", "FABRIC-OUT", "", joint)


def exit_parts(switch: SwitchView, vrf: str, names: MapNames) -> ExitParts:
    """What the exits of a VRF, of this switch or others, add to its policy."""
    lists: list[PrefixList] = []
    entries: list[MapEntry] = []
    policies, paths = switch.exits.policies_in(vrf), as_paths(switch, vrf)
    path_list = names.of("EXITS", v6=False) if paths else ""
    announced = tuple(dict.fromkeys(prefix for policy in policies for prefix in policy.announces))
    told = [(names.outward, path_list)] if paths or not switch.announces_own_only else []
    mates = [(names.mates, "")] if "PEER" in bgp.maps_in(switch, vrf) else []
    statics = []
    for v6 in (v6 for v6, has in ((False, switch.has_v4), (True, switch.has_v6)) if has):
        rules = prefix_rules(switch.outside(vrf), v6=v6)
        aggregates = prefix_rules((Outside(prefix, 0) for prefix in announced), v6=v6)
        outside, ours = names.of("OUTSIDE", v6=v6), names.of("AGGREGATES", v6=v6)
        inward, static = (names.of(name, v6=v6, map_=True) for name in (names.inward, "STATIC"))
        seq = names.seq(PASSED, v6=v6)
        if aggregates:
            lists.append(PrefixList(ours, v6, aggregates))
            for name in (names.outward, *(name for name, _ in mates)):
                map_ = names.of(name, v6=v6, map_=True)
                entries.append(MapEntry(map_, names.seq(DENIED, v6=v6), False, v6, ours))
        if rules:
            lists.append(PrefixList(outside, v6, rules))
            entries.append(MapEntry(inward, seq, True, v6, outside))
            for name, asked in (*told, *mates):
                map_ = names.of(name, v6=v6, map_=True)
                entries.append(MapEntry(map_, seq, True, v6, outside, asked, drains=switch.maintenance))
        if switch.exits.announces_routes(vrf, (v6,)):
            statics.append((v6, static))
            entries.append(MapEntry(static, seq, True, v6, outside))
        for policy in policies:
            own_lists, own_entries = _of_exit(switch, policy, names, v6=v6)
            lists += own_lists
            entries += own_entries
    if set(paths) - {"^$"} and vrf and switch.overlay:
        place = PASSED + switch.vrfs.index(vrf)
        entries.append(MapEntry(OVERLAY_OUT, place, True, False, as_path=path_list, drains=switch.maintenance))
    known = ((path_list, paths),) if paths else ()
    return ExitParts(known, tuple(lists), tuple(entries), announced, tuple(statics))


def _of_exit(
    switch: SwitchView, policy: ExitPolicy, names: MapNames, *, v6: bool
) -> tuple[list[PrefixList], list[MapEntry]]:
    """The lists and entries of the sessions of an exit in one family; a map without prefixes denies all."""
    lists, entries = [], []
    drained = switch.maintenance
    further = DRAINED_IN if drained else PREPENDED if policy.backup else 0
    own = switch.asn if drained or policy.backup else 0
    told = (*policy.communities, GRACEFUL_SHUTDOWN) if drained else policy.communities
    taken = prefix_rules(policy.takes, v6=v6)
    announced = prefix_rules((Outside(prefix, 0) for prefix in policy.announces), v6=v6)
    for word, rules in (("IN", taken), ("OUT", announced)):
        ending = "6" if v6 else ""
        list_, map_ = f"EXIT-{policy.name}-{word}{ending}", map_name(policy.name, word, names, v6=v6)
        if rules:
            lists.append(PrefixList(list_, v6, rules))
            entry = MapEntry(map_, names.seq(PASSED, v6=v6), True, v6, list_)
            if word == "IN":
                entries.append(replace(entry, last_as=further))
            else:
                times = DRAINED_OUT if drained else 1
                entries.append(replace(entry, communities=told, prepend=own, times=times))
        else:
            entries.append(MapEntry(map_, names.seq(LAST, v6=v6), False, v6))
    return lists, entries


def map_name(exit_name: str, word: str, names: MapNames, *, v6: bool) -> str:
    """The map of the sessions of an exit, `word` IN or OUT, in one family."""
    return f"EXIT-{exit_name}-{word}" + ("6" if v6 and not names.joint else "")


def prefix_rules(prefixes: Iterable[Outside], *, v6: bool) -> PrefixRules:
    """Rules for prefixes of one family."""
    mine = (each for each in prefixes if each.is_v6 == v6)
    return tuple(
        (PREFIX_STEP * n, each.prefix, each.longest if each.longest > prefix_length(each.prefix) else 0)
        for n, each in enumerate(mine, 1)
    )


def as_paths(switch: SwitchView, vrf: str) -> tuple[str, ...]:
    """AS paths of what the own exits of a VRF gave a switch of the lowest tier; none of others, which pass on all."""
    if not switch.announces_own_only:
        return ()
    numbers = sorted({peer.asn for peer in switch.exits.peers_in(vrf)})
    own = ["^$"] if switch.exits.announces_routes(vrf) else []
    return (*own, *(f"^{number}_" for number in numbers))


def entry_values(entry: MapEntry, words: Mapping[bool, str]) -> dict[str, Any]:
    """An entry of a route map for a template; `words`: of IPv4 (False) and IPv6 (True)."""
    return {
        "map": entry.map,
        "action": "permit" if entry.permit else "deny",
        "seq": entry.seq,
        "word": words[entry.v6],
        "prefix_list": entry.prefix_list,
        "as_path": entry.as_path,
        "communities": " ".join(entry.communities),
        "last_as": entry.last_as,
        "prepend": " ".join([str(entry.prepend)] * entry.times) if entry.prepend else "",
        "drains": entry.drains,
    }


def peer_values(peer: ExitPeer, names: MapNames) -> dict[str, Any]:
    """A session with a far device for a template; `hops` is 0 where the device is on the link, `bfd` None without."""
    return {
        "neighbor": peer.far,
        "asn": peer.asn,
        "description": one_line(peer.description, 80),
        "local_as": peer.local_as,
        "password": peer.password,
        "hops": peer.hops if peer.hops > 1 else 0,
        "bfd": {"interval_ms": peer.bfd.interval_ms, "multiplier": peer.bfd.multiplier} if peer.bfd else None,
        "keepalive": KEEPALIVE_S,
        "hold": HOLD_S,
        "max_prefixes": peer.max_prefixes,
        "inward": map_name(peer.name, "IN", names, v6=peer.is_v6),
        "outward": map_name(peer.name, "OUT", names, v6=peer.is_v6),
    }


def announced_values(parts: ExitParts, words: Mapping[bool, str]) -> dict[str, Any]:
    """Aggregates, and the map of static routes, by the word of their family."""
    return {
        "aggregates": {word: [p for p in parts.aggregates if (":" in p) == v6] for v6, word in words.items()},
        "static_maps": {words[v6]: map_ for v6, map_ in parts.statics},
    }

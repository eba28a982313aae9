"""Route-maps and prefix lists, worked out: which routes pass, and what a switch therefore announces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_network
from typing import Any

from fabricgen.running.tree import tolerates, unfit
from fabricgen.switch.interfaces import Interface, Subinterface, Vlan
from fabricgen.switch.routing import Clause, Permit, Policy, network_of

ADDING = ("EXIT-", "LEAKED")
"""How maps begin in which an AS number in front of the path is no sign of maintenance."""

LEAKED = 4_294_967_294
LEARNED = "[0-9]"
"""All paths but the empty one."""
KEPT_OUT = ({f"_{LEAKED}_"}, {LEARNED})
"""The AS number in the path of what was brought in from another VRF."""

GRACEFUL = {"65535:0", "GSHUT", "graceful-shutdown"}
"""The community of graceful shutdown (RFC 8326), as files and devices have it."""

OWN_ROUTES = "^$"
"""The AS path of what a switch originates itself."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A numbered entry of a route-map: what it matches, "" for anything."""

    permit: bool
    prefix_list: str = ""
    as_path: str = ""
    interface: str = ""
    tag: str = ""
    communities: tuple[str, ...] = ()
    last_as: int = 0
    added: int = 0
    prepend: str = ""
    community: str = ""
    source_vrf: str | None = None
    """The VRF that it was brought from, "" for the default one."""
    extcommunity: str = ""

    @property
    def sets(self) -> bool:
        """Whether it changes what passes."""
        return bool(self.communities or self.last_as or self.added)


def of_exit(matched: dict[str, Any]) -> None:
    """Tell what an entry of an exit's map sets for the far device from what drains it, in place.

    A path that is longer by one is a backup's, or of one that is drained; by more, and with the community of graceful
    shutdown, it is drained.
    """
    numbers = matched.get("prepend", "").split()
    communities = matched.get("communities", ())
    matched["added"] = int(numbers[0]) if numbers else 0
    matched["prepend"] = matched.get("prepend", "") if len(numbers) > 1 else ""
    matched["community"] = "graceful-shutdown" if GRACEFUL & set(communities) else ""
    matched["communities"] = tuple(each for each in communities if each not in GRACEFUL)


@dataclass
class Policies:
    """The lists and maps of one switch, by name."""

    prefix_lists: dict[str, set[Permit]] = field(default_factory=dict)
    as_paths: dict[str, set[str]] = field(default_factory=dict)
    maps: dict[str, dict[int, Entry]] = field(default_factory=dict)

    def add_permit(self, name: str, prefix: str, bounds: str) -> None:
        """Add a rule `PREFIX [ge N] [le N]` to a prefix list."""
        words = bounds.split()
        given = dict(zip(words[::2], map(int, words[1::2]), strict=True))
        own, most = ip_network(prefix).prefixlen, ip_network(prefix).max_prefixlen
        longest = given.get("le", most if "ge" in given else own)
        self.prefix_lists.setdefault(name, set()).add(Permit(prefix, given.get("ge", own), longest))

    def policy(self, name: str) -> Policy | None:
        """What a map lets pass, None for everything; raises UnknownTextError for what a Policy cannot say."""
        if name not in self.maps and tolerates():
            unfit(f"route-map {name} is not there: nothing passes")
            return Policy(frozenset())
        entries = [entry for _, entry in sorted(self.maps[name].items())]
        permitting = [entry for entry in entries if entry.permit]
        if permitting and all(entry == Entry(True) for entry in permitting):
            return None
        plain = [entry for entry in entries if entry.permit and not entry.sets and not self._on_terms(entry)]
        own = {bool(entry.as_path) for entry in plain} or {False}
        permits, clauses = set[Permit](), set[Clause]()
        strange = any(entry.interface or entry.tag or not entry.prefix_list for entry in permitting)
        if strange or len(own) > 1:
            unfit(f"route-map {name} is no list of prefixes")
        for entry in permitting:
            found = self._permits(entry.prefix_list)
            if entry in plain:
                permits |= found
            else:
                paths = frozenset(self.as_paths[entry.as_path] if entry.as_path else ())
                sets = frozenset(entry.communities), entry.last_as, entry.added
                clauses.add(Clause(frozenset(found), paths, *sets))
        denies = {p for e in entries if not e.permit and e.prefix_list for p in self._permits(e.prefix_list)}
        return Policy(frozenset(permits), own.pop(), frozenset(denies), frozenset(clauses))

    def from_vrfs(self, name: str) -> Iterator[tuple[str, frozenset[Permit]]]:
        """(VRF, what passes of its routes) of each entry.

        Raises UnknownTextError for a map that says otherwise, lets pass what was brought in before, or marks nothing.
        """
        entries = [entry for _, entry in sorted(self.maps.get(name, {}).items())]
        first, rest = entries[:1], entries[1:]
        known = {Entry(False, as_path=path) for path, found in self.as_paths.items() if found in KEPT_OUT}
        if not known.issuperset(first):
            unfit(f"route-map {name} brings on what was brought in")
        for entry in rest:
            told = entry.permit and entry.source_vrf is not None and entry.prefix_list and entry.added == LEAKED
            if not told:
                unfit(
                    f"route-map {name} does not say of which VRF which prefixes are brought in, or does not mark them"
                )
            yield entry.source_vrf or "", frozenset(self._permits(entry.prefix_list))

    def brings_own_only(self, name: str) -> bool:
        """Whether a map of a leak keeps out all that the switch has learned."""
        entries = sorted(self.maps.get(name, {}).items())
        return bool(entries) and self.as_paths.get(entries[0][1].as_path) == {LEARNED}

    def passes(self, name: str) -> bool:
        """Whether a map lets anything pass."""
        return any(entry.permit for entry in self.maps.get(name, {}).values())

    def drains(self, name: str, *, by_community: bool) -> bool:
        """Whether all that a map lets pass gets a longer path and, `by_community`, that of graceful shutdown.

        Raises UnknownTextError where some does, and other does not.
        """
        entries = [entry for entry in self.maps.get(name, {}).values() if entry.permit]
        marks = {(bool(entry.prepend), bool(entry.community)) for entry in entries}
        if not marks <= {(True, by_community)} and marks != {(False, False)}:
            unfit(f"route-map {name} drains some of what it lets pass")
        return marks == {(True, by_community)}

    def _permits(self, name: str) -> set[Permit]:
        if name not in self.prefix_lists and tolerates():
            unfit(f"prefix list {name} is not there")
            return set()
        return self.prefix_lists[name]

    def _on_terms(self, entry: Entry) -> bool:
        """Whether it asks for another AS path than that of own routes."""
        return bool(entry.as_path) and self.as_paths[entry.as_path] != {OWN_ROUTES}

    def learned_paths(self, maps: Iterable[str]) -> frozenset[str] | None:
        """AS paths of the routes that maps of EVPN let pass beside own ones; None where they let all pass.

        Raises UnknownTextError for maps that look at anything else.
        """
        found = [entry for name in maps for entry in self.maps[name].values()]
        paths = {path for entry in found if entry.as_path for path in self.as_paths[entry.as_path]}
        limited = {bool(entry.as_path) for entry in found} or {False}
        strange = any(not e.permit or e.prefix_list or e.interface or e.tag or e.sets for e in found)
        if len(limited) > 1 or strange or (paths and OWN_ROUTES not in paths):
            unfit(f"sessions for EVPN pass all, or own routes and those of exits: {sorted(maps)}")
        return frozenset(paths - {OWN_ROUTES}) if limited == {True} else None

    def passing(self, name: str, routes: Iterable[Route]) -> Iterator[str]:
        """Yield the prefixes of the routes that a map lets pass."""
        for route in routes:
            hit = (entry for _, entry in sorted(self.maps[name].items()) if self._matches(entry, route))
            if next(hit, Entry(False)).permit:
                yield route.prefix

    def _matches(self, entry: Entry, route: Route) -> bool:
        within = not entry.prefix_list or any(_takes(p, route.prefix) for p in self._permits(entry.prefix_list))
        return within and entry.interface in ("", route.interface) and entry.tag in ("", route.tag)


def carried(families: Iterable[str], permits: Iterable[Permit]) -> frozenset[Permit]:
    """The permits of some families."""
    return frozenset(p for p in permits if ("v6" if ":" in p.prefix else "v4") in families)


@dataclass(frozen=True, slots=True)
class Route:
    """A route that a switch has of its own: connected, of an interface, or static, with a tag."""

    prefix: str
    interface: str = ""
    tag: str = ""


@cache
def _takes(permit: Permit, prefix: str) -> bool:
    inner, outer = ip_network(prefix), ip_network(permit.prefix)
    same = inner.version == outer.version
    return same and permit.shortest <= inner.prefixlen <= permit.longest and inner.subnet_of(outer)  # type: ignore[arg-type]


def connected(
    vrf: str,
    interfaces: Mapping[str, Interface],
    subinterfaces: Mapping[tuple[str, int], Subinterface],
    vlans: Mapping[int, Vlan],
    loopbacks: Iterable[str],
    vrf_loopbacks: Mapping[str, Iterable[str]] | None = None,
) -> Iterator[Route]:
    """Yield the connected routes of a VRF; loopbacks are in the default one, `vrf_loopbacks` in others."""
    for name, interface in interfaces.items():
        if interface.vrf == vrf and interface.admin_up:
            yield from (Route(network_of(address), name) for address in interface.addresses)
    for (name, tag), sub in subinterfaces.items():
        if sub.vrf == vrf:
            yield from (Route(network_of(address), f"{name}.{tag}") for address in sub.addresses)
    for number, vlan in vlans.items():
        if vlan.vrf == vrf:
            yield from (Route(network_of(gateway), f"Vlan{number}") for gateway in vlan.gateways)
    own, name = (loopbacks, "Loopback0") if not vrf else ((vrf_loopbacks or {}).get(vrf, ()), vrf)
    yield from (Route(network_of(address), name) for address in own)

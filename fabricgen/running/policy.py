"""Evaluation of route-maps and prefix lists: which routes they permit, and what a switch therefore announces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_network
from typing import Any

from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.interfaces import Interface, Subinterface, Vlan
from fabricgen.switch.routing import (
    LEAKED,
    LEARNED_PATH,
    OWN_ROUTES,
    Permit,
    Policy,
    RouteMapEntry,
    RouteMaps,
    find_network,
)

ADDING = ("EXIT-", "LEAKED")
"""Beginnings of names of maps in which a prepended AS number is no sign of maintenance."""

KEPT_OUT = ({f"_{LEAKED}_"}, {LEARNED_PATH})
"""AS paths of routes that are never leaked into a VRF."""

GRACEFUL = {"65535:0", "GSHUT", "graceful-shutdown"}
"""Spellings of the community of graceful shutdown (RFC 8326) in files and on devices."""


def separate_drain(matched: dict[str, Any]) -> None:
    """Separate, in place, what an entry of an exit's map always sets from what it sets while the switch is drained.

    The first prepended AS number marks a backup, and is moved to `added`; further ones, and the community of graceful
    shutdown, drain the switch.
    """
    numbers = matched.get("prepend", "").split()
    communities = matched.get("communities", ())
    matched["added"] = int(numbers[0]) if numbers else 0
    matched["prepend"] = matched.get("prepend", "") if len(numbers) > 1 else ""
    matched["community"] = "graceful-shutdown" if GRACEFUL & set(communities) else ""
    matched["communities"] = tuple(community for community in communities if community not in GRACEFUL)


def make_entry_rules(further: Mapping[str, Callable[..., dict[str, Any]]]) -> LineRules:
    """Make the rules for lines of an entry of a route map, which fill a dict with the fields of a RouteMapEntry.

    `further` are patterns that only one NOS has, with functions that return the fields.
    """
    rules = LineRules()
    for pattern, convert in {**_ENTRY_LINES, **further}.items():
        rules.line(pattern)(lambda matched, _, *words, convert=convert: matched.update(convert(*words)))
    return rules


_ENTRY_LINES: Mapping[str, Callable[..., dict[str, Any]]] = {
    r"match (?:ip|ipv6) address prefix-list (\S+)": lambda name: {"prefix_list": name},
    r"match as-path (\S+)": lambda name: {"as_path": name},
    r"set community ((?:(?:\d+:\d+|GSHUT|graceful-shutdown) ?)+)": lambda text: {"communities": tuple(text.split())},
    r"set community (?:65535:0|GSHUT|graceful-shutdown) additive": lambda: {"community": "graceful-shutdown"},
    r"set as-path prepend last-as (\d+)": lambda times: {"last_as": int(times)},
    r"set as-path prepend (\d+(?: \d+)*)": lambda path: {"prepend": path},
}
"""Lines of an entry that EOS and FRR have in common."""


class Policies(RouteMaps):
    """The prefix lists, AS path lists and route maps in the files of one switch."""

    def add_permit(self, name: str, prefix: str, bounds: str) -> None:
        """Add a rule to a prefix list; `bounds` is `ge N`, `le N`, both, or "" (only the prefix itself passes)."""
        bound_words = bounds.split()
        bound_of_word = dict(zip(bound_words[::2], map(int, bound_words[1::2]), strict=True))
        prefix_length, max_length = ip_network(prefix).prefixlen, ip_network(prefix).max_prefixlen
        upper_bound = bound_of_word.get("le", max_length if "ge" in bound_of_word else prefix_length)
        permit = Permit(prefix, bound_of_word.get("ge", prefix_length), upper_bound)
        self.prefix_lists[name] = {*self.prefix_lists.get(name, ()), permit}

    def add_entry(self, rules: LineRules, line: Line, name: str, action: str, seq: str) -> None:
        """Add entry `seq` of the route map `name`; `rules` read its fields from the lines below `line`.

        `action` is `permit` or `deny`.
        """
        matched: dict[str, Any] = {}
        rules.read(line.children, matched)
        if name.startswith(ADDING):
            separate_drain(matched)
        self.maps.setdefault(name, {})[int(seq)] = RouteMapEntry(action == "permit", **matched)

    def add_path(self, name: str, expression: str) -> None:
        """Add a regular expression, `expression`, to the list of AS paths `name`."""
        self.as_paths[name] = {*self.as_paths.get(name, ()), expression}

    def find_policy(self, names: Iterable[str], families: frozenset[str]) -> Policy | None:
        """Return what the route maps of a session together permit, one map for each of its families or one for all;
        None for everything.

        Raises UnknownTextError if a Policy cannot express it, for example everything but some prefixes; where
        `is_tolerant`, that is noted, and a policy is made of the entries as they are.
        """
        entries_of_names = {name: list(self._list_entries(name)) for name in sorted(names)}
        # of maps that do not permit everything, the entries that permit
        limiting_entries = {
            name: [entry for entry in entries if entry.permit]
            for name, entries in entries_of_names.items()
            if not entries or any(entry != RouteMapEntry(True) for entry in entries)
        }
        if not limiting_entries:
            return None
        # whether entries ask for the switch's own AS paths, which all of a policy do or none; entries that change
        # routes, or ask for paths of others, say nothing of that
        asks_own_paths = {
            name: {bool(e.as_path) for e in entries if not e.sets and not self._requires_other_path(e)}
            for name, entries in limiting_entries.items()
        }
        for name, entries in limiting_entries.items():
            if len(asks_own_paths[name]) > 1 or any(e.interface or e.tag or not e.prefix_list for e in entries):
                report_misfit(f"route-map {name} is no list of prefixes")
        if len(limiting_entries) < len(entries_of_names) or len(set().union(*asks_own_paths.values())) > 1:
            report_misfit(f"families differ in what may pass: {sorted(entries_of_names)}")
        return self.make_policy(limiting_entries, families)

    def _list_entries(self, name: str) -> Iterable[RouteMapEntry]:
        """Return the entries of a map; if a device lacks the map, report it, and let nothing pass."""
        if name not in self.maps and is_tolerant():
            report_misfit(f"route-map {name} is not there: nothing passes")
            self.maps[name] = {}
        return self.maps[name].values()

    def list_vrf_sources(self, name: str) -> Iterator[tuple[str, frozenset[Permit]]]:
        """Yield (VRF, its permitted routes) of each entry of a map for leaks except the first, which keeps leaked
        routes out.

        Raises UnknownTextError if the first entry does not keep out routes that were leaked before, or another does not
        name a VRF and prefixes and mark the routes as leaked.
        """
        entries = [entry for _, entry in sorted(self.maps.get(name, {}).items())]
        keeping_out = {RouteMapEntry(False, as_path=path) for path, paths in self.as_paths.items() if paths in KEPT_OUT}
        if not keeping_out.issuperset(entries[:1]):
            report_misfit(f"route-map {name} brings on what was brought in")
        for entry in entries[1:]:
            is_complete = entry.permit and entry.source_vrf is not None and entry.prefix_list and entry.added == LEAKED
            if not is_complete:
                report_misfit(
                    f"route-map {name} does not say of which VRF which prefixes are brought in, or does not mark them"
                )
            yield entry.source_vrf or "", frozenset(self.list_permits(entry.prefix_list))

    def brings_own_only(self, name: str) -> bool:
        """Whether a map for leaks keeps out all routes that the switch has learned."""
        entries = sorted(self.maps.get(name, {}).items())
        return bool(entries) and self.as_paths.get(entries[0][1].as_path) == {LEARNED_PATH}

    def is_open(self, name: str) -> bool:
        """Whether a map has an entry that permits everything."""
        return RouteMapEntry(permit=True) in self.maps.get(name, {}).values()

    def lets_pass(self, name: str) -> bool:
        """Whether a map permits anything."""
        return any(entry.permit for entry in self.maps.get(name, {}).values())

    def is_draining(self, name: str, *, by_community: bool) -> bool:
        """Whether all that a map permits gets a longer AS path and (`by_community`) the community of graceful shutdown.

        Raises UnknownTextError if that holds for only some of it.
        """
        entries = [entry for entry in self.maps.get(name, {}).values() if entry.permit]
        marks = {(bool(entry.prepend), bool(entry.community)) for entry in entries}
        if not marks <= {(True, by_community)} and marks != {(False, False)}:
            report_misfit(f"route-map {name} drains some of what it lets pass")
        return marks == {(True, by_community)}

    def list_permits(self, name: str) -> Set[Permit]:
        """Return the prefixes of a list; none if a running configuration lacks the list."""
        if name not in self.prefix_lists and is_tolerant():
            report_misfit(f"prefix list {name} is not there")
            return set()
        return super().list_permits(name)

    def _requires_other_path(self, entry: RouteMapEntry) -> bool:
        """Whether an entry requires an AS path that own routes, whose path is empty, do not have."""
        return bool(entry.as_path) and self.as_paths[entry.as_path] != {OWN_ROUTES}

    def list_learned_paths(self, maps: Iterable[str]) -> frozenset[str] | None:
        """Return the AS paths of the routes that maps of EVPN permit besides own routes; None if they permit all.

        Raises UnknownTextError, unless reading is tolerant, for maps that match or set anything else, deny anything, do
        not permit own routes, or permit all in one entry and not in another.
        """
        entries = [entry for name in maps for entry in self.maps[name].values()]
        permitted_paths = {path for entry in entries if entry.as_path for path in self.as_paths[entry.as_path]}
        limits_by_path = {bool(entry.as_path) for entry in entries} or {False}
        has_other_terms = any(not e.permit or e.prefix_list or e.interface or e.tag or e.sets for e in entries)
        if len(limits_by_path) > 1 or has_other_terms or (permitted_paths and OWN_ROUTES not in permitted_paths):
            report_misfit(f"sessions for EVPN pass all, or own routes and those of exits: {sorted(maps)}")
        return frozenset(permitted_paths - {OWN_ROUTES}) if limits_by_path == {True} else None

    def list_passing(self, name: str, routes: Iterable[OwnRoute]) -> Iterator[str]:
        """Yield the prefixes of the routes that a map permits, by the first entry (by number) that matches each.

        A route that no entry matches does not pass.
        """
        for route in routes:
            matching = (entry for _, entry in sorted(self.maps[name].items()) if self._matches(entry, route))
            if next(matching, RouteMapEntry(False)).permit:
                yield route.prefix

    def _matches(self, entry: RouteMapEntry, route: OwnRoute) -> bool:
        """Whether an entry matches a route by prefix, interface and tag, as far as it requires these."""
        is_permitted_prefix = not entry.prefix_list or any(
            _is_permitted(p, route.prefix) for p in self.list_permits(entry.prefix_list)
        )
        return is_permitted_prefix and entry.interface in ("", route.interface) and entry.tag in ("", route.tag)


@dataclass(frozen=True, slots=True)
class OwnRoute:
    """A route of the switch itself: a connected one with its interface, or a static one with its tag."""

    prefix: str
    interface: str = ""
    tag: str = ""


@cache
def _is_permitted(permit: Permit, prefix: str) -> bool:
    """Whether a permit matches a prefix."""
    inner, outer = ip_network(prefix), ip_network(permit.prefix)
    same_family = inner.version == outer.version
    return same_family and permit.shortest <= inner.prefixlen <= permit.longest and inner.subnet_of(outer)  # type: ignore[arg-type]


def list_connected_routes(
    vrf: str,
    interfaces: Mapping[str, Interface],
    subinterfaces: Mapping[tuple[str, int], Subinterface],
    vlans: Mapping[int, Vlan],
    loopbacks: Iterable[str],
    vrf_loopbacks: Mapping[str, Iterable[str]] | None = None,
) -> Iterator[OwnRoute]:
    """Yield the connected routes of a VRF ("" for the default one); `vrf_loopbacks` are loopbacks of other VRFs."""
    for name, interface in interfaces.items():
        if interface.vrf == vrf and interface.admin_up:
            yield from (OwnRoute(find_network(address), name) for address in interface.addresses)
    for (name, tag), sub in subinterfaces.items():
        if sub.vrf == vrf:
            yield from (OwnRoute(find_network(address), f"{name}.{tag}") for address in sub.addresses)
    for number, vlan in vlans.items():
        if vlan.vrf == vrf:
            yield from (OwnRoute(find_network(gateway), f"Vlan{number}") for gateway in vlan.gateways)
    loopback_addresses, name = (loopbacks, "Loopback0") if not vrf else ((vrf_loopbacks or {}).get(vrf, ()), vrf)
    yield from (OwnRoute(find_network(address), name) for address in loopback_addresses)

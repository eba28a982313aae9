"""Policies of a configuration of Junos, read back (Routing Policies User Guide)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field, replace
from typing import Any

from fabricgen.nos.junos.reading.text import pass_on, remove_quotes
from fabricgen.running.policy import ADDING, Policies, separate_drain
from fabricgen.running.tree import Line, LineRules, report_misfit
from fabricgen.switch.routing import ALL_LINKS, GRACEFUL_SHUTDOWN, ONE_LINK, OWN_ROUTES, RouteMapEntry

LAST = RouteMapEntry(permit=False)
"""The last entry of every policy: without it BGP would accept and pass on everything that no term matches."""

BALANCED = "PFE-LB"
"""The policy by which routes over several links are installed with all of them."""

STATIC = " static"
"""The ending of the name of the map of static routes, beside that of the connected ones."""

EXIT_PATHS = "EXIT-PATHS"
"""The AS paths of routes from exits of VRFs, which are announced over EVPN as own routes."""

EXIT = "EXIT-"
"""Begins the names of policies of sessions with far devices, to which aggregates alone are announced."""

ADDED = {
    GRACEFUL_SHUTDOWN: {"community": "graceful-shutdown"},
    "bandwidth-transitive:23456:125000": {"bandwidth": ONE_LINK},
}
"""The fields of an entry that stand for a community which a term adds.

The community of link bandwidth has two bytes for an AS number, so that 23456 stands for numbers of four (RFC 6793), and
its bandwidth is in bytes per second.
"""

OWN_KINDS = frozenset({"direct", "static", "aggregate", "evpn"})
"""Protocols whose routes a switch originates itself."""


@dataclass
class Term:
    """A term of a policy as its lines say it.

    `protocols` are those whose routes it matches, and `ends` is what it does with these: `accept` or `reject`.
    """

    protocols: set[str] = field(default_factory=set)
    said: dict[str, Any] = field(default_factory=dict)
    """Fields of a RouteMapEntry."""
    sets: str = ""
    """The name of the communities that replace those of a route."""
    adds: set[str] = field(default_factory=set)
    """Names of communities that are added to those of a route."""
    ends: set[str] = field(default_factory=set)

    @property
    def accepts(self) -> bool:
        """Whether routes that the term matches pass."""
        return self.ends == {"accept"}


@dataclass
class JunosPolicies:
    """The policies, communities and AS paths of a configuration, and the route maps that they stand for."""

    maps: Policies = field(default_factory=Policies)
    terms: dict[str, dict[str, Term]] = field(default_factory=dict)
    communities: dict[str, set[str]] = field(default_factory=dict)
    path_groups: dict[str, set[str]] = field(default_factory=dict)
    """AS paths in the form of the model, by name."""
    words: set[str] = field(default_factory=set)

    def check(self, outward: Iterable[str], originating: Set[str]) -> None:
        """Refuse policies that announce the prefixes of a list by another protocol than the switch originates these by.

        For example, a list of connected prefixes is announced `from protocol direct` and not `static`. `outward` are
        the policies of what sessions announce; those of them in `originating` say what the switch has itself, connected
        and static. Raises UnknownTextError, also for a term that announces routes of every protocol, or all prefixes.
        """
        lists_of_protocol: dict[str, set[str]] = {"direct": set(), "static": set()}
        for term in (term for name in originating for term in self._list_accepting(name)):
            for protocol in term.protocols & lists_of_protocol.keys():
                lists_of_protocol[protocol].add(term.said.get("prefix_list", ""))
        for name in outward:
            protocols_of_list: dict[str, set[str]] = defaultdict(set)
            for term in self._list_accepting(name):
                prefix_list = term.said.get("prefix_list", "")
                protocols_of_list[prefix_list] |= term.protocols
                if not term.protocols or not (prefix_list or (name in originating and term.protocols == {"bgp"})):
                    report_misfit(f"policy {name} announces routes of every protocol, or all prefixes")
            for prefix_list, protocols in protocols_of_list.items() if name not in originating else ():
                expected = {protocol for protocol, lists in lists_of_protocol.items() if prefix_list in lists}
                if name.startswith(EXIT):
                    is_fit = protocols == {"aggregate"}
                else:
                    is_fit = protocols & lists_of_protocol.keys() == expected and "aggregate" not in protocols
                if not is_fit:
                    report_misfit(f"policy {name} announces of {prefix_list} routes of {sorted(protocols)}")

    def passes_on_sessions(self, name: str) -> bool:
        """Return whether the policy `name` of a VRF announces over EVPN all routes that the sessions of the VRF
        learned.
        """
        terms = self._list_accepting(name)
        return any(term.protocols == {"bgp"} and not (term.said or term.sets or term.adds) for term in terms)

    def _list_accepting(self, name: str) -> list[Term]:
        """Return the terms of a policy that accept routes."""
        return [term for term in self.terms.get(name, {}).values() if term.accepts]

    def make_maps(self, originating: Set[str], exit_paths: Set[str]) -> None:
        """Make a route map of each policy, whose entries are its terms, numbered in their order, and keep them in
        `maps`.

        `originating` are policies of what the switch has itself: each becomes one map of connected and one of static
        routes. `exit_paths` are the AS paths of routes that exits of VRFs gave the switch. Raises UnknownTextError for
        terms without an end, and for policies that do not reject what they do not name.
        """
        self.maps.as_paths |= {"OWN": {OWN_ROUTES}, EXIT_PATHS: set(exit_paths), **self.path_groups}
        for name, terms in self.terms.items():
            entries = [(term, self._make_entry(name, term)) for term in terms.values()]
            if name == BALANCED or not entries:
                continue
            if entries[-1][1] != LAST:
                report_misfit(f"policy {name} does not reject what it does not name")
            entries = [(term, entry) for term, entry in entries if entry != LAST]
            if name in originating:
                kinds = {name: {"direct"}, name + STATIC: {"static"}}
                for map_name, protocols in kinds.items():
                    self.maps.maps[map_name] = _number_entries(
                        entry for term, entry in entries if term.protocols == protocols
                    )
            else:
                self.maps.maps[name] = _number_entries(self._join_entries(entries))

    def _join_entries(self, entries: list[tuple[Term, RouteMapEntry]]) -> Iterator[RouteMapEntry]:
        """Yield the entries of a policy's terms; two terms of the same prefixes become one entry with the AS paths of
        both.

        Such a pair is a term of static routes and the term behind it, of routes that an exit gave.
        """
        before: RouteMapEntry | None = None
        for term, entry in entries:
            if term.protocols == {"evpn"} and self.maps.as_paths[EXIT_PATHS]:
                yield replace(entry, as_path=EXIT_PATHS)
            if term.protocols == {"static"}:
                before = entry
            elif before and entry == replace(before, as_path=entry.as_path) and entry.as_path:
                name = f"{before.as_path}+{entry.as_path}"
                self.maps.as_paths[name] = {*self.maps.as_paths[before.as_path], *self.maps.as_paths[entry.as_path]}
                before = None
                yield replace(entry, as_path=name)
            else:
                yield from [before, entry] if before else [entry]
                before = None
        if before:
            yield before

    def _make_entry(self, name: str, term: Term) -> RouteMapEntry:
        """Return a term of the policy `name` as an entry of a route map.

        Terms of what the switch itself has match an empty AS path. Raises UnknownTextError for a term that neither
        accepts nor rejects, and for an added community of another meaning than in ADDED.
        """
        if len(term.ends) != 1:
            report_misfit(f"a term of policy {name} neither accepts nor rejects")
        fields = dict(term.said)
        if term.protocols and term.protocols <= OWN_KINDS - {"aggregate"}:
            fields["as_path"] = "OWN"
        for added in sorted(term.adds):
            members = self.communities.get(added, set())
            member = next(iter(members)) if len(members) == 1 else ""
            if member not in ADDED:
                report_misfit(f"community {added} is {sorted(members)}")
            fields |= ADDED.get(member, {})
        if term.sets:
            fields["communities"] = tuple(sorted(self.communities[term.sets]))
        if name.startswith(ADDING):
            separate_drain(fields)
        return RouteMapEntry(permit=term.accepts, **fields)


def _number_entries(entries: Iterable[RouteMapEntry]) -> dict[int, RouteMapEntry]:
    return {10 * n: entry for n, entry in enumerate(entries, 1)}


POLICY, _TERM = LineRules(), LineRules()
POLICY.store_fields(
    {r"policy-statement (\S+) then (load-balance per-packet)": ("words", lambda name, words: f"{name} {words}")}
)
_TERM.store_fields(
    {
        r"from protocol (\S+)": ("protocols", str),
        r"from route-filter-list (\S+)": ("said", lambda name: {"prefix_list": remove_quotes(name)}),
        r"from as-path-group (\S+)": ("said", lambda name: {"as_path": remove_quotes(name)}),
        r'then as-path-prepend "?([\d ]+)"?': ("said", lambda numbers: {"prepend": numbers}),
        r"then as-path-expand last-as count (\d+)": ("said", lambda count: {"last_as": int(count)}),
        r"then community set (\S+)": ("sets", remove_quotes),
        r"then community add (\S+)": ("adds", str),
        "then aggregate-bandwidth transitive": ("said", lambda: {"bandwidth": ALL_LINKS}),
        "then (accept|reject)": ("ends", str),
    }
)


@POLICY.line(r"route-filter-list (\S+) (\S+) (exact|prefix-length-range /\d+-/\d+)")
def _read_route_filter(policies: JunosPolicies, line: Line, name: str, prefix: str, length_words: str) -> None:
    shortest, _, longest = length_words.rpartition(" ")[2].replace("/", "").partition("-")
    bounds = f"ge {shortest} le {longest}" if longest else ""
    policies.maps.add_permit(name, prefix, bounds)


@POLICY.line(r"policy-statement (\S+) term (\S+) (.+)")
def _read_term_line(policies: JunosPolicies, line: Line, name: str, term: str, rest: str) -> None:
    new_term = policies.terms.setdefault(name, {}).setdefault(term, Term())
    pass_on(_TERM, line, rest, new_term)


@POLICY.line(r"community (\S+) members (\S+)")
def _read_community(policies: JunosPolicies, line: Line, name: str, value: str) -> None:
    policies.communities.setdefault(name, set()).add(value)


@POLICY.line(r'as-path-group (\S+) as-path \S+ "(\d+) \.\*"')
def _read_path(policies: JunosPolicies, line: Line, name: str, asn: str) -> None:
    policies.path_groups.setdefault(name, set()).add(f"^{asn}_")

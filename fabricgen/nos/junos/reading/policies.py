"""Policies of a configuration of Junos, read back (Routing Policies User Guide)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from fabricgen.nos.junos.reading.lines import pass_on, remove_quotes
from fabricgen.running.policy import ADDING, Policies, separate_drain
from fabricgen.running.tree import Line, LineRules, report_misfit
from fabricgen.switch.routing import ALL_LINKS, GRACEFUL_SHUTDOWN, ONE_LINK, OWN_ROUTES, RouteMapEntry

LAST = RouteMapEntry(permit=False)
"""What ends a policy: without it BGP does as it is used to, and takes and passes on everything."""

BALANCED = "PFE-LB"
"""The policy by which routes over several links are installed with all of them."""

STATIC = " static"
"""Ends the name of the map of the static routes that a policy announces, beside that of the connected ones."""

EXIT_PATHS = "EXIT-PATHS"
"""The AS paths of what exits of VRFs gave the switch, which goes on over EVPN as routes of its own."""

EXIT = "EXIT-"
"""Begins the names of policies of sessions with far devices, to which aggregates alone are announced."""

ADDED = {
    GRACEFUL_SHUTDOWN: {"community": "graceful-shutdown"},
    "bandwidth-transitive:23456:125000": {"bandwidth": ONE_LINK},
}
"""What an entry says by a community that it adds. That of link bandwidth has two bytes for an AS number, so that 23456
stands for those of four (RFC 6793), and its bandwidth is in bytes per second.
"""

OWN_KINDS = frozenset({"direct", "static", "aggregate", "evpn"})
"""Protocols whose routes a switch originates itself."""


@dataclass
class Term:
    """A term of a policy as its lines say it."""

    protocols: set[str] = field(default_factory=set)
    said: dict[str, Any] = field(default_factory=dict)
    ends: set[str] = field(default_factory=set)

    @property
    def accepts(self) -> bool:
        """Whether what it matches passes."""
        return self.ends == {"accept"}


@dataclass
class JunosPolicies:
    """What was read of policies, and the route maps that they come to."""

    maps: Policies = field(default_factory=Policies)
    terms: dict[str, dict[str, Term]] = field(default_factory=dict)
    communities: dict[str, set[str]] = field(default_factory=dict)
    path_groups: dict[str, set[str]] = field(default_factory=dict)
    """By name, AS paths as the model has them."""
    words: set[str] = field(default_factory=set)

    def check(self, outward: Iterable[str], originating: Set[str]) -> None:
        """Hold policies of what is announced to what each of them needs; `originating` say what a switch has itself.

        Raises UnknownTextError for terms that announce routes of any protocol, or of others than their prefixes are of.
        """
        lists_of: dict[str, set[str]] = {"direct": set(), "static": set()}
        for term in (term for name in originating for term in self._list_accepting(name)):
            for protocol in term.protocols & lists_of.keys():
                lists_of[protocol].add(term.said.get("prefix_list", ""))
        for name in outward:
            protocols_of_list: dict[str, set[str]] = defaultdict(set)
            for term in self._list_accepting(name):
                list_ = term.said.get("prefix_list", "")
                protocols_of_list[list_] |= term.protocols
                if not term.protocols or not (list_ or (name in originating and term.protocols == {"bgp"})):
                    report_misfit(f"policy {name} announces routes of every protocol, or all prefixes")
            for list_, protocols in protocols_of_list.items() if name not in originating else ():
                expected = {protocol for protocol, lists in lists_of.items() if list_ in lists}
                if name.startswith(EXIT):
                    is_fit = protocols == {"aggregate"}
                else:
                    is_fit = protocols & lists_of.keys() == expected and "aggregate" not in protocols
                if not is_fit:
                    report_misfit(f"policy {name} announces of {list_} routes of {sorted(protocols)}")

    def passes_on_sessions(self, name: str) -> bool:
        """Whether a policy of what goes over EVPN has what sessions of its VRF gave."""
        return any(term.protocols == {"bgp"} and not term.said for term in self._list_accepting(name))

    def _list_accepting(self, name: str) -> list[Term]:
        return [term for term in self.terms.get(name, {}).values() if term.accepts]

    def make_maps(self, originating: Set[str], exit_paths: Set[str]) -> None:
        """Make route maps of the policies: terms in their order, by numbers that follow on each other.

        `exit_paths` are AS paths of what exits of VRFs gave the switch. Raises UnknownTextError for terms without an
        end, and for policies that do not reject what they do not name.
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
                for map_, protocols in kinds.items():
                    self.maps.maps[map_] = _number_entries(
                        entry for term, entry in entries if term.protocols == protocols
                    )
            else:
                self.maps.maps[name] = _number_entries(self._join_entries(entries))

    def _join_entries(self, entries: list[tuple[Term, RouteMapEntry]]) -> Iterator[RouteMapEntry]:
        # static routes, and what an exit gave, have a term each of the same prefixes: together they are one entry
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
        # a term of a policy as an entry of a map. Terms of what the switch itself has ask for an empty AS path
        if len(term.ends) != 1:
            report_misfit(f"a term of policy {name} neither accepts nor rejects")
        fields = dict(term.said)
        if term.protocols and term.protocols <= OWN_KINDS - {"aggregate"}:
            fields["as_path"] = "OWN"
        for added in sorted(fields.pop("adds", ())):
            (members,) = self.communities.get(added, {""}) if len(self.communities.get(added, {""})) == 1 else ("",)
            if members not in ADDED:
                report_misfit(f"community {added} is {sorted(self.communities.get(added, ()))}")
            fields |= ADDED.get(members, {})
        if told := fields.pop("sets", ""):
            fields["communities"] = tuple(sorted(self.communities[told]))
        if name.startswith(ADDING):
            separate_drain(fields)
        return RouteMapEntry(permit=term.accepts, **fields)


def _number_entries(entries: Iterable[RouteMapEntry]) -> dict[int, RouteMapEntry]:
    return {10 * n: entry for n, entry in enumerate(entries, 1)}


POLICY, _TERM = LineRules(), LineRules()


@POLICY.line(r"route-filter-list (\S+) (\S+) (exact|prefix-length-range /\d+-/\d+)")
def _read_route_filter(policies: JunosPolicies, line: Line, name: str, prefix: str, lengths: str) -> None:
    low, _, high = lengths.rpartition(" ")[2].replace("/", "").partition("-")
    bounds = f"ge {low} le {high}" if high else ""
    policies.maps.add_permit(name, prefix, bounds)


@POLICY.line(r"policy-statement (\S+) term (\S+) (.+)")
def _read_term_line(policies: JunosPolicies, line: Line, name: str, term: str, rest: str) -> None:
    term_ = policies.terms.setdefault(name, {}).setdefault(term, Term())
    pass_on(_TERM, line, rest, term_)


@POLICY.line(r"policy-statement (\S+) then (load-balance per-packet)")
def _read_load_policy(policies: JunosPolicies, line: Line, name: str, words: str) -> None:
    policies.words.add(f"{name} {words}")


@POLICY.line(r"community (\S+) members (\S+)")
def _read_community(policies: JunosPolicies, line: Line, name: str, value: str) -> None:
    policies.communities.setdefault(name, set()).add(value)


@POLICY.line(r'as-path-group (\S+) as-path \S+ "(\d+) \.\*"')
def _read_path(policies: JunosPolicies, line: Line, name: str, asn: str) -> None:
    policies.path_groups.setdefault(name, set()).add(f"^{asn}_")


@_TERM.line(r"from protocol (\S+)")
def _read_protocol(term: Term, line: Line, name: str) -> None:
    term.protocols.add(name)


_SAID: Mapping[str, str] = {
    r"from route-filter-list (\S+)": "prefix_list",
    r"from as-path-group (\S+)": "as_path",
    r'then as-path-prepend "?([\d ]+)"?': "prepend",
    r"then as-path-expand last-as count (\d+)": "last_as",
    r"then community set (\S+)": "sets",
}
"""Lines of a term that are a field of its entry."""


def _take_field(name: str, term: Term, line: Line, value: str) -> None:
    term.said[name] = int(value) if name == "last_as" else remove_quotes(value)


for _pattern, _name in _SAID.items():
    _TERM.line(_pattern)(partial(_take_field, _name))


@_TERM.line(r"then community add (\S+)")
def _read_added(term: Term, line: Line, name: str) -> None:
    term.said.setdefault("adds", set()).add(name)


@_TERM.line("then aggregate-bandwidth transitive")
def _read_aggregate(term: Term, line: Line) -> None:
    term.said["bandwidth"] = ALL_LINKS


@_TERM.line(r"then (accept|reject)")
def _read_verdict(term: Term, line: Line, word: str) -> None:
    term.ends.add(word)

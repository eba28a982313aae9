"""What EOS is told of ports of hosts, read back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fabricgen.running.host_form import Access
from fabricgen.running.tree import Line, Rules, unfit

_REFUSALS = {
    "deny udp any eq bootps any eq bootpc": "dhcp",
    "deny udp any eq 547 any eq 546": "dhcp6",
    "deny icmpv6 any any router-advertisement": "ra",
}


@dataclass
class PortAccess:
    """What a section says that a port refuses; `lists` are (word of the family, name)."""

    storm: dict[str, float] = field(default_factory=dict)
    bpdu_guard: bool = True
    lists: list[tuple[str, str]] = field(default_factory=list)
    fallback: bool = False

    def access(self, filters: dict[tuple[str, str], frozenset[str]], *, edge: bool) -> Access:
        """What the port refuses, out of the access lists of the switch; `edge`: it is one to spanning tree."""
        if strange := [own for own in self.lists if own not in filters]:
            unfit(f"access lists that are not there: {strange}")
        refused = frozenset(kind for own in self.lists for kind in filters.get(own, ()))
        return Access(self.storm, self.bpdu_guard and edge, refused)


def host_rules(top: Rules, port: Rules) -> None:
    """Take access lists, of a box with `filters`, and what ports, with `access`, refuse."""

    @top.line(r"(ip|ipv6) access-list (\S+)")
    def _filter(box: Any, line: Line, word: str, name: str) -> None:
        *drops, last = [child.text.partition(" ") for child in line.children] or [("", "", "")]
        if last[2] != f"permit {word} any any":
            unfit(f"access list {name}: {line.children}")
        if strange := [text for _, _, text in drops if text not in _REFUSALS]:
            unfit(f"access list {name}: {strange}")
        box.filters[word, name] = frozenset(_REFUSALS[text] for _, _, text in drops if text in _REFUSALS)
        if any((kind == "dhcp") != (word == "ip") for kind in box.filters[word, name]):
            unfit(f"access list {name} is of another family")

    @port.line(r"(ip|ipv6) access-group (\S+) in")
    def _group(own: Any, line: Line, word: str, name: str) -> None:
        own.access.lists.append((word, name))

    @port.line(r"storm-control (broadcast|multicast|unknown-unicast) level (\d+(?:\.\d+)?)")
    def _storm(own: Any, line: Line, kind: str, percent: str) -> None:
        own.access.storm[kind] = float(percent)

    @port.line("spanning-tree bpduguard disable")
    def _no_guard(own: Any, line: Line) -> None:
        own.access.bpdu_guard = False

    @port.line("port-channel lacp fallback static")
    def _fallback(own: Any, line: Line) -> None:
        own.access.fallback = True

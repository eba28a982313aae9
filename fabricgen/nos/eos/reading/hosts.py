"""What EOS is told of ports of hosts, read back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fabricgen.running.tree import Line, Rules, unfit
from fabricgen.switch.interfaces import Access, Advertised, Relay

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


@dataclass
class Gateway:
    """What a section says that the gateway does, beside forwarding."""

    helpers: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    silent: bool = False
    managed: bool = False
    other: bool = False
    no_autoconfig: set[str] = field(default_factory=set)
    resolvers: set[str] = field(default_factory=set)

    def relay(self, *, marked: bool, box: Any = None, vrf: str = "") -> Relay | None:
        """The DHCP relay; `marked`: requests of IPv4 get option 82; those from a loopback, which must be in
        the `vrf` of the VLAN, do where its `box` says.

        Raises UnknownTextError where servers are asked from several addresses, or not told the subnet of the hosts.
        """
        four = any(":" not in server for server in self.helpers)
        if self.sources <= {""}:
            return Relay(frozenset(self.helpers), marked and four) if self.helpers else None
        name = min(self.sources)
        own = box.ports.get(name) if box and name.startswith("Loopback") else None
        if own is None or own.vrf != vrf or len(self.sources) > 1 or (four and not box.marks_ports):
            unfit(f"a DHCP relay from {sorted(self.sources)} that does not say what subnet a host is in")
        loopbacks = sorted(own.addresses) if own else []
        source = next((text.partition("/")[0] for text in loopbacks if ":" not in text), "")
        return Relay(frozenset(self.helpers), four, source if four else "")

    def advertised(self) -> Advertised | None:
        """The advertisements, where they are not EOS's own; their lifetime is EOS's."""
        if not (self.managed or self.other or self.no_autoconfig or self.resolvers):
            return None
        prefixes, resolvers = frozenset(self.no_autoconfig), frozenset(self.resolvers)
        return Advertised(self.managed, self.other, LIFETIME_S, prefixes, resolvers)


LIFETIME_S = 1800
MARKING = {
    "ip dhcp snooping",
    "ip dhcp snooping information option",
    "ip dhcp snooping information option circuit-id type 2 format %h:%p",
}
"""What makes switches add option 82 in VLANs."""


def gateway_rules(top: Rules, port: Rules) -> None:
    """Take DHCP relay and router advertisements, of ports with a `gateway`, and option 82 of a box."""

    @top.line("|".join(MARKING))
    def _marking(box: Any, line: Line) -> None:
        box.marking.add(line.text)

    @top.line(r"ip dhcp snooping vlan ([\d,]+)")
    def _marked(box: Any, line: Line, vlans: str) -> None:
        box.marked_vlans = set(map(int, vlans.split(",")))

    @top.line("ip dhcp relay information option")
    def _marks(box: Any, line: Line) -> None:
        box.marks_ports = True

    @port.line(r"(?:ip helper-address (\S+)(?: source-interface (\S+))?)")
    @port.line(r"(?:ipv6 dhcp relay destination (\S+)(?: local-interface (\S+))?)")
    def _helper(own: Any, line: Line, server: str, source: str | None) -> None:
        own.gateway.helpers.add(server)
        own.gateway.sources.add(source or "")

    @port.line(r"ipv6 nd (?:(managed|other)-config-flag|(ra disabled)|prefix (\S+) no-autoconfig|ra dns-server (\S+))")
    def _advertise(own: Any, line: Line, flag: str, silent: str, prefix: str, resolver: str) -> None:
        own.gateway.silent |= bool(silent)
        own.gateway.managed |= flag == "managed"
        own.gateway.other |= flag == "other"
        own.gateway.no_autoconfig |= {prefix} - {None}
        own.gateway.resolvers |= {resolver} - {None}

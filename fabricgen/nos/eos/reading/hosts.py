"""What EOS is told of ports of hosts, read back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fabricgen.running.tree import Line, LineRules, mark_absent, mark_present, report_misfit
from fabricgen.switch.interfaces import Advertised, HostAccess, Relay

_REFUSALS = {
    "deny udp any eq bootps any eq bootpc": "dhcp",
    "deny udp any eq 547 any eq 546": "dhcp6",
    "deny icmpv6 any any router-advertisement": "ra",
}


@dataclass
class PortAccess:
    """What a section says that a port refuses; `lists` are (`ip` or `ipv6`, name) of its access lists.

    `fallback`: one port of the bond carries traffic until the host speaks LACP.
    """

    storm: dict[str, float] = field(default_factory=dict)
    bpdu_guard: bool = True
    lists: list[tuple[str, str]] = field(default_factory=list)
    fallback: bool = False

    def make_access(self, filters: dict[tuple[str, str], frozenset[str]], *, edge: bool) -> HostAccess:
        """Return what the port refuses.

        `filters` are the kinds of packets ("dhcp", "dhcp6", "ra") that each access list drops, by (`ip` or `ipv6`,
        name). `edge`: whether it is an edge port of spanning tree. Raises UnknownTextError for an access list that is
        not there.
        """
        if strange := [key for key in self.lists if key not in filters]:
            report_misfit(f"access lists that are not there: {strange}")
        refused = frozenset(kind for key in self.lists for kind in filters.get(key, ()))
        return HostAccess(self.storm, self.bpdu_guard and edge, refused)


def add_host_rules(top: LineRules, port: LineRules) -> None:
    """Add the lines of access lists to the rules of a configuration, and those of what ports refuse to the rules of a
    port.
    """

    @top.line(r"(ip|ipv6) access-list (\S+)")
    def read_filter(box: Any, line: Line, word: str, name: str) -> None:
        # (sequence number, blank, rule) of each line; the last one lets the rest pass
        *drops, last = [child.text.partition(" ") for child in line.children] or [("", "", "")]
        if last[2] != f"permit {word} any any":
            report_misfit(f"access list {name}: {line.children}")
        if strange := [text for _, _, text in drops if text not in _REFUSALS]:
            report_misfit(f"access list {name}: {strange}")
        box.filters[word, name] = frozenset(_REFUSALS[text] for _, _, text in drops if text in _REFUSALS)
        if any((kind == "dhcp") != (word == "ip") for kind in box.filters[word, name]):
            report_misfit(f"access list {name} is of another family")

    port.store_fields(
        {
            r"(ip|ipv6) access-group (\S+) in": ("access.lists", lambda word, name: (word, name)),
            r"storm-control (broadcast|multicast|unknown-unicast) level (\d+(?:\.\d+)?)": (
                "access.storm",
                lambda kind, percent: {kind: float(percent)},
            ),
            "spanning-tree bpduguard disable": ("access.bpdu_guard", mark_absent),
            "port-channel lacp fallback static": ("access.fallback", mark_present),
        }
    )


@dataclass
class EosGateway:
    """What a section says of DHCP relay and router advertisements.

    `helpers` are DHCP servers, and `sources` the interfaces that requests to them are sent from, "" for the interface
    itself. `silent`: it advertises nothing.
    """

    helpers: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    silent: bool = False
    managed: bool = False
    other: bool = False
    no_autoconfig: set[str] = field(default_factory=set)
    resolvers: set[str] = field(default_factory=set)

    def make_relay(self, *, marked: bool, box: Any = None, vrf: str = "") -> Relay | None:
        """Return the DHCP relay, None without servers; `marked`: whether IPv4 requests get option 82 where they come
        in.

        If requests are sent from a loopback, its address is the relay's source, and IPv4 requests get option 82 from
        the relay itself. Raises UnknownTextError for several sources, for one that is no loopback in `vrf`, and if the
        switch (`box`) does not add option 82, so that servers are not told the subnet of the host.
        """
        has_v4 = any(":" not in server for server in self.helpers)
        if self.sources <= {""}:
            return Relay(frozenset(self.helpers), marked and has_v4) if self.helpers else None
        name = min(self.sources)
        loopback = box.ports.get(name) if box and name.startswith("Loopback") else None
        if loopback is None or loopback.vrf != vrf or len(self.sources) > 1 or (has_v4 and not box.marks_ports):
            report_misfit(f"a DHCP relay from {sorted(self.sources)} that does not say what subnet a host is in")
        loopbacks = sorted(loopback.addresses) if loopback else []
        source = next((text.partition("/")[0] for text in loopbacks if ":" not in text), "")
        return Relay(frozenset(self.helpers), has_v4, source if has_v4 else "")

    def make_advertised(self) -> Advertised | None:
        """Return the router advertisements, with EOS's lifetime; None if they are EOS's own."""
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
"""The line that makes switches add option 82 in VLANs."""


def add_gateway_rules(top: LineRules, port: LineRules) -> None:
    """Add the lines of option 82 to the rules of a configuration, and those of relay and advertisements to the rules of
    a port.
    """
    top.store_fields(
        {
            f"({'|'.join(MARKING)})": ("marking", str),
            r"ip dhcp snooping vlan ([\d,]+)": ("marked_vlans", lambda vlans: frozenset(map(int, vlans.split(",")))),
            "ip dhcp relay information option": ("marks_ports", mark_present),
        }
    )
    port.store_fields(
        {
            "ipv6 nd managed-config-flag": ("gateway.managed", mark_present),
            "ipv6 nd other-config-flag": ("gateway.other", mark_present),
            "ipv6 nd ra disabled": ("gateway.silent", mark_present),
            r"ipv6 nd prefix (\S+) no-autoconfig": ("gateway.no_autoconfig", str),
            r"ipv6 nd ra dns-server (\S+)": ("gateway.resolvers", str),
        }
    )

    @port.line(r"(?:ip helper-address (\S+)(?: source-interface (\S+))?)")
    @port.line(r"(?:ipv6 dhcp relay destination (\S+)(?: local-interface (\S+))?)")
    def read_helper(interface: Any, line: Line, server: str, source: str | None) -> None:
        interface.gateway.helpers.add(server)
        interface.gateway.sources.add(source or "")

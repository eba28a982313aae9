"""Groups and neighbours of BGP of one table of a configuration of Junos, read back (BGP User Guide)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface

from fabricgen.nos.junos.reading.text import pass_on, remove_quotes
from fabricgen.running.bgp import Instance, Neighbor
from fabricgen.running.tree import Line, LineRules, is_tolerant, mark_present, report_misfit
from fabricgen.switch.routing import EVPN, SessionBfd

FAMILIES = {"inet": "v4", "inet6": "v6"}

OF_GROUP = frozenset({"type external", "multipath multiple-as"})
"""The lines of every group of sessions."""

OF_LOCAL_AS = frozenset({"private", "no-prepend-global-as"})
"""The words after a local AS number: neither it nor the switch's own is in a path beside the other."""


@dataclass
class JunosGroup:
    """A group of sessions: the settings of all its neighbours (`shared`), and what is said of the group itself.

    `ports` are those on which Junos finds neighbours by itself, `as_list` is the list of the AS numbers that these may
    have, `loops` are the stated counts of `loops N`. `local_addresses` has the own address of each session, by
    neighbour.
    """

    shared: Neighbor
    words: set[str] = field(default_factory=set)
    ports: list[str] = field(default_factory=list)
    as_list: str = ""
    loops: set[int] = field(default_factory=set)
    over_v6: bool = False
    teardowns: set[tuple[str, str]] = field(default_factory=set)
    """(group or neighbour, family) whose prefix limit closes the session."""
    local_addresses: dict[str, str] = field(default_factory=dict)
    intervals: dict[str, int] = field(default_factory=dict)
    local_as: dict[str, set[str]] = field(default_factory=dict)
    """The words after the AS number that is announced to a neighbour, by neighbour."""


@dataclass
class Sessions:
    """BGP of one table: groups of sessions by name, and the instance with their neighbours, None without BGP."""

    instance: Instance | None = None
    groups: dict[str, JunosGroup] = field(default_factory=dict)

    def find_or_begin_instance(self) -> Instance:
        """Return BGP of the table, which is added if it is new; its AS number is filled in later."""
        self.instance = self.instance or Instance(0)
        return self.instance

    def find_group(self, name: str) -> JunosGroup:
        """Return the group of sessions of a name, which is added if it is new."""
        shared = self.find_or_begin_instance().find_neighbor(name)
        shared.is_group = True
        return self.groups.setdefault(name, JunosGroup(shared))

    def list_families(self, name: str) -> set[str]:
        """Return the families that a group, or any of its neighbours, carries."""
        neighbors = self.instance.neighbors.items() if self.instance else ()
        of_group = [neighbor for key, neighbor in neighbors if name in (key, neighbor.group)]
        return {family for neighbor in of_group for family in neighbor.active}

    def complete_all(self, addresses: Iterable[str], loopbacks: Set[str], as_lists: Mapping[str, set[int]]) -> None:
        """Fill in fields of groups and neighbours that need more than one line: BFD, `own_as_in`, and the source of
        sessions.

        Neighbours that Junos finds on ports are added. `addresses` are those of the ports of the table, with prefix
        lengths; `as_lists` are AS numbers by the name of a list. Raises UnknownTextError for groups that lack what a
        session needs, and for sessions from no address of a link.
        """
        own_interfaces = [ip_interface(address) for address in addresses]
        for name, group in self.groups.items():
            if EVPN in self.list_families(name):
                self._finish_overlay(name, group)
            else:
                self._finish_group(name, group, as_lists)
                for far in self._list_members(name):
                    self._finish_neighbor(far, group, own_interfaces, loopbacks)

    def _list_members(self, name: str) -> list[str]:
        """Return the neighbours whose group is `name`."""
        neighbors = self.find_or_begin_instance().neighbors
        return [key for key, neighbor in neighbors.items() if neighbor.group == name]

    def _finish_overlay(self, name: str, group: JunosGroup) -> None:
        """Set `own_as_in` of a group for EVPN, and check its lines.

        Raises UnknownTextError, unless reading is tolerant, if these are other than `type external`, `multipath
        multiple-as` and `vpn-apply-export`.
        """
        # Junos counts how often the own AS number may be in a path (`loops 1`: not received at all), the model how
        # often beyond that
        group.shared.own_as_in = max(group.loops, default=1) - 1
        if not is_tolerant() and group.words != (required := OF_GROUP | {"vpn-apply-export"}):
            report_misfit(
                f"group {name} is not external, has one path, or its policy no effect: {sorted(group.words ^ required)}"
            )

    def _finish_group(self, name: str, group: JunosGroup, as_lists: Mapping[str, set[int]]) -> None:
        """Set BFD and `own_as_in` of what a group shares, check the group, and add the neighbours that Junos finds on
        its ports.

        These have the one AS number of the list `as_list`. Raises UnknownTextError for a group with other lines than
        every group has (`OF_GROUP`), without a policy in and out, with a prefix limit that does not close the session,
        or whose ports have no single AS number, or carry IPv4 without IPv6 next hops.
        """
        instance, shared = self.find_or_begin_instance(), group.shared
        found_by = {"family inet6 ipv6-nd"} if group.ports else set[str]()
        if not is_tolerant() and group.words != OF_GROUP | found_by:
            report_misfit(f"group {name} is not external, has one path, or finds nobody: {sorted(group.words)}")
        if group.intervals:
            shared.bfd = SessionBfd(group.intervals["minimum-interval"], group.intervals["multiplier"])
        limits = {
            (key, family)
            for key in (name, *self._list_members(name))
            for family in instance.neighbors[key].max_prefixes
        }
        if len(group.loops) > 1 or group.teardowns != limits:
            report_misfit(f"families of group {name} differ, or prefixes are limited and the session is not closed")
        shared.own_as_in = max(group.loops, default=1) - 1
        if not is_tolerant() and not (shared.map_in and shared.map_out):
            report_misfit(f"group {name} takes or passes on everything")
        allowed, finds = as_lists.get(group.as_list, set()), bool(group.ports)
        # neighbours that are found have no AS number in the group: a list with one number stands for it
        if finds != (len(allowed) == 1) or (finds and "v4" in shared.active) != group.over_v6:
            report_misfit(f"group {name} finds neighbours of {sorted(allowed)}, or carries IPv4 without next hops")
        for port in group.ports:
            neighbor = instance.find_neighbor(port)
            neighbor.group, neighbor.remote_asn = name, min(allowed)

    def _finish_neighbor(
        self, far: str, group: JunosGroup, own_interfaces: list[IPv4Interface | IPv6Interface], loopbacks: Set[str]
    ) -> None:
        """Check the own address of the session with `far`, and set it as the source of a session over several hops.

        The own address is that of the link to `far`, or a loopback over several hops. Raises UnknownTextError for any
        other address, and for a local AS number that is not `private` and `no-prepend-global-as`, so that paths would
        have two AS numbers of the switch.
        """
        if far in group.ports:
            return
        neighbor, own_address = self.find_or_begin_instance().find_neighbor(far), group.local_addresses.get(far)
        link = {str(interface.ip) for interface in own_interfaces if ip_address(far) in interface.network}
        sources = {text.partition("/")[0] for text in loopbacks} if neighbor.multihop else link
        if own_address not in sources and not is_tolerant():
            report_misfit(f"the session with {far} is from {own_address or 'an address of its choice'}")
        neighbor.source = (own_address or "") if neighbor.multihop else ""
        required = OF_LOCAL_AS if neighbor.local_asn else frozenset[str]()
        if not is_tolerant() and group.local_as.get(far, set()) != required:
            report_misfit(f"paths of {far} have an AS number too many")


SESSIONS, _GROUP, _FAMILY, _NEIGHBOR = LineRules(), LineRules(), LineRules(), LineRules()
_GROUP.store_fields(
    {
        "(type external|multipath multiple-as|vpn-apply-export)": ("words", str),
        r"dynamic-neighbor \S+ peer-auto-discovery (family inet6 ipv6-nd)": ("words", str),
        r"dynamic-neighbor \S+ peer-auto-discovery interface (\S+)\.0": ("ports", str),
        r"peer-as-list (\S+)": ("as_list", str),
        r"bfd-liveness-detection (minimum-interval|multiplier) (\d+)": (
            "intervals",
            lambda word, number: {word: int(number)},
        ),
        # the keepalive of Junos is a third of the hold time
        r"hold-time (\d+)": ("shared.timers", lambda seconds: (int(seconds) // 3, int(seconds))),
        r"import (\S+)": ("shared.map_in", str),
        r"export (\S+)": ("shared.map_out", str),
        r"multihop ttl (\d+)": ("shared.multihop", int),
        "multihop no-nexthop-change": ("shared.keeps_next_hop", mark_present),
        r"local-address (\S+)": ("shared.source", str),
    }
)
_FAMILY.store_fields({r"loops (\d+)": ("loops", int)})
_NEIGHBOR.store_fields(
    {
        r"peer-as (\d+)": ("remote_asn", int),
        r"multihop ttl (\d+)": ("multihop", int),
        r"authentication-key (\S+)": ("password", remove_quotes),
        r"local-as (\d+)": ("local_asn", int),
        r"description (.+)": ("description", remove_quotes),
    }
)


@SESSIONS.line(r"export (\S+)")
def _read_export(sessions: Sessions, line: Line, name: str) -> None:
    instance = sessions.find_or_begin_instance()
    for family in FAMILIES.values():
        instance.families.setdefault(family, set()).add(name)


@SESSIONS.line(r"group (\S+) (.+)")
def _read_group_line(sessions: Sessions, line: Line, name: str, rest: str) -> None:
    group = sessions.find_group(name)
    pass_on(_GROUP, line, rest, group, name, sessions.find_or_begin_instance())


@_GROUP.line(r"family (inet6?) unicast(?: (.+))?")
def _read_group_family(
    group: JunosGroup, name: str, instance: Instance, line: Line, word: str, rest: str | None
) -> None:
    _read_neighbor_family(group.shared, group, name, line, word, rest)


@_GROUP.line(r"family evpn signaling(?: loops (\d+))?")
def _read_evpn(group: JunosGroup, name: str, instance: Instance, line: Line, loops: str | None) -> None:
    group.shared.active.add(EVPN)
    group.loops |= {int(loops)} if loops else set()


@_GROUP.line(r"neighbor (\S+) (.+)")
def _read_neighbor_line(
    group: JunosGroup, name: str, instance: Instance, line: Line, address: str, last_words: str
) -> None:
    neighbor = instance.find_neighbor(address)
    neighbor.group = name
    pass_on(_NEIGHBOR, line, last_words, neighbor, group, address)


@_NEIGHBOR.line(r"family (?:(inet6?) unicast|evpn signaling)(?: (.+))?")
def _read_neighbor_family(
    neighbor: Neighbor, group: JunosGroup, name: str, line: Line, word: str | None, rest: str | None
) -> None:
    """Store a line on an address family of `name`, a neighbour or group; `word` is `inet` or `inet6`, None for EVPN.

    `rest` are the words behind it, such as a prefix limit.
    """
    family = FAMILIES[word] if word else EVPN
    neighbor.active.add(family)
    if rest:
        pass_on(_FAMILY, line, rest, group, neighbor, name, family)


@_FAMILY.line(r"prefix-limit maximum (\d+)")
def _read_maximum(group: JunosGroup, neighbor: Neighbor, name: str, family: str, line: Line, count: str) -> None:
    neighbor.max_prefixes[family] = int(count)


@_FAMILY.line(r"prefix-limit teardown \d+")
def _read_teardown(group: JunosGroup, neighbor: Neighbor, name: str, family: str, line: Line) -> None:
    group.teardowns.add((name, family))


@_FAMILY.line("extended-nexthop")
def _read_over_v6(group: JunosGroup, neighbor: Neighbor, name: str, family: str, line: Line) -> None:
    group.over_v6 = family == "v4"


@_NEIGHBOR.line("local-as (private|no-prepend-global-as)")
def _read_local_as(neighbor: Neighbor, group: JunosGroup, far: str, line: Line, word: str) -> None:
    group.local_as.setdefault(far, set()).add(word)


@_NEIGHBOR.line(r"local-address (\S+)")
def _read_neighbor_address(neighbor: Neighbor, group: JunosGroup, far: str, line: Line, address: str) -> None:
    group.local_addresses[far] = address

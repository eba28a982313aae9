"""Groups and neighbours of BGP of one table of a configuration of Junos, read back (BGP User Guide)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface

from fabricgen.nos.junos.reading.lines import pass_on, remove_quotes
from fabricgen.running.bgp import Instance
from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.routing import EVPN, SessionBfd

FAMILIES = {"inet": "v4", "inet6": "v6"}

OF_GROUP = frozenset({"type external", "multipath multiple-as"})
"""What every group of sessions says."""

OF_LOCAL_AS = frozenset({"private", "no-prepend-global-as"})
"""What goes with an AS number that is shown instead of the switch's: neither stands in a path beside the other."""


@dataclass
class JunosGroup:
    """What is said of a group of sessions beside what its neighbours have from it."""

    words: set[str] = field(default_factory=set)
    ports: list[str] = field(default_factory=list)
    as_list: str = ""
    loops: set[int] = field(default_factory=set)
    over_v6: bool = False
    teardowns: set[tuple[str, str]] = field(default_factory=set)
    """(group or neighbour, family) of the limits of prefixes that close a session."""
    locals_: dict[str, str] = field(default_factory=dict)
    intervals: dict[str, int] = field(default_factory=dict)
    local_as: dict[str, set[str]] = field(default_factory=dict)
    """By neighbour, what is said of the AS number that is shown to it."""


@dataclass
class Sessions:
    """BGP of one table."""

    instance: Instance | None = None
    groups: dict[str, JunosGroup] = field(default_factory=dict)

    def find_or_begin_instance(self) -> Instance:
        """BGP, when it is first spoken of; its AS number is filled in later."""
        self.instance = self.instance or Instance(0)
        return self.instance

    def find_group(self, name: str) -> JunosGroup:
        """A group of sessions, when it is first spoken of."""
        self.find_or_begin_instance().find_neighbor(name).is_group = True
        return self.groups.setdefault(name, JunosGroup())

    def list_families(self, name: str) -> set[str]:
        """The families of a group, and of its neighbours."""
        neighbors = self.instance.neighbors.items() if self.instance else ()
        of_group = [neighbor for key, neighbor in neighbors if name in (key, neighbor.group)]
        return {family for neighbor in of_group for family in neighbor.active}

    def complete_all(self, addresses: Iterable[str], loopbacks: Set[str], as_lists: Mapping[str, set[int]]) -> None:
        """Give sessions what Junos says elsewhere, or with other numbers, given the addresses of ports, loopbacks, and
        lists of AS numbers by name.

        Raises UnknownTextError for groups that lack what a session needs, and for sessions from no address of a link.
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
        neighbors = self.find_or_begin_instance().neighbors
        return [key for key, neighbor in neighbors.items() if neighbor.group == name]

    def _finish_overlay(self, name: str, group: JunosGroup) -> None:
        """Hold a group of sessions for EVPN to what these need."""
        shared = self.find_or_begin_instance().find_neighbor(name)
        # Junos counts how often the own AS number may be in a path (`loops 1`: not received at all), the model how
        # often beyond that
        shared.own_as_in = max(group.loops, default=1) - 1
        if not is_tolerant() and group.words != (required := OF_GROUP | {"vpn-apply-export"}):
            report_misfit(
                f"group {name} is not external, has one path, or its policy no effect: {sorted(group.words ^ required)}"
            )

    def _finish_group(self, name: str, group: JunosGroup, as_lists: Mapping[str, set[int]]) -> None:
        # what a group of sessions shares, and the ports on which its neighbours are found
        instance = self.find_or_begin_instance()
        shared = instance.find_neighbor(name)
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
        # a session by address: from that of the link to the neighbour, or from a loopback over more than one hop
        if far in group.ports:
            return
        neighbor, own_address = self.find_or_begin_instance().find_neighbor(far), group.locals_.get(far)
        link = {str(interface.ip) for interface in own_interfaces if ip_address(far) in interface.network}
        sources = {text.partition("/")[0] for text in loopbacks} if neighbor.multihop else link
        if own_address not in sources and not is_tolerant():
            report_misfit(f"the session with {far} is from {own_address or 'an address of its choice'}")
        neighbor.source = own_address or "" if neighbor.multihop else ""
        required = OF_LOCAL_AS if neighbor.local_asn else frozenset[str]()
        if not is_tolerant() and group.local_as.get(far, set()) != required:
            report_misfit(f"paths of {far} have an AS number too many")


SESSIONS, _GROUP, _FAMILY, _NEIGHBOR = LineRules(), LineRules(), LineRules(), LineRules()


@SESSIONS.line(r"export (\S+)")
def _read_export(sessions: Sessions, line: Line, name: str) -> None:
    instance = sessions.find_or_begin_instance()
    for family in FAMILIES.values():
        instance.families.setdefault(family, set()).add(name)


@SESSIONS.line(r"group (\S+) (.+)")
def _read_group_line(sessions: Sessions, line: Line, name: str, rest: str) -> None:
    group = sessions.find_group(name)
    pass_on(_GROUP, line, rest, sessions.find_or_begin_instance(), name, group)


@_GROUP.line("type external|multipath multiple-as|vpn-apply-export")
def _read_group_word(instance: Instance, name: str, group: JunosGroup, line: Line) -> None:
    group.words.add(line.text)


@_GROUP.line(r"hold-time (\d+)")
def _read_hold_time(instance: Instance, name: str, group: JunosGroup, line: Line, seconds: str) -> None:
    instance.find_neighbor(name).timers = (int(seconds) // 3, int(seconds))


@_GROUP.line(r"(import|export) (\S+)")
def _read_policy(instance: Instance, name: str, group: JunosGroup, line: Line, direction: str, policy: str) -> None:
    (instance.find_neighbor(name).map_in if direction == "import" else instance.find_neighbor(name).map_out).add(policy)


@_GROUP.line(r"bfd-liveness-detection (minimum-interval|multiplier) (\d+)")
def _read_bfd(instance: Instance, name: str, group: JunosGroup, line: Line, word: str, number: str) -> None:
    group.intervals[word] = int(number)


@_GROUP.line(r"family (inet6?) unicast(?: (.+))?")
def _read_family(instance: Instance, name: str, group: JunosGroup, line: Line, word: str, rest: str) -> None:
    instance.find_neighbor(name).active.add(FAMILIES[word])
    if rest:
        pass_on(_FAMILY, line, rest, instance, name, group, FAMILIES[word])


@_FAMILY.line(r"prefix-limit maximum (\d+)")
def _read_maximum(instance: Instance, name: str, group: JunosGroup, family: str, line: Line, count: str) -> None:
    instance.find_neighbor(name).max_prefixes[family] = int(count)


@_FAMILY.line(r"prefix-limit teardown \d+")
def _read_teardown(instance: Instance, name: str, group: JunosGroup, family: str, line: Line) -> None:
    group.teardowns.add((name, family))


@_FAMILY.line(r"loops (\d+)")
def _read_loops(instance: Instance, name: str, group: JunosGroup, family: str, line: Line, count: str) -> None:
    group.loops.add(int(count))


@_FAMILY.line("extended-nexthop")
def _read_over_v6(instance: Instance, name: str, group: JunosGroup, family: str, line: Line) -> None:
    group.over_v6 = family == "v4"


@_GROUP.line(r"family evpn signaling(?: loops (\d+))?")
def _read_evpn(instance: Instance, name: str, group: JunosGroup, line: Line, loops: str) -> None:
    instance.find_neighbor(name).active.add(EVPN)
    group.loops |= {int(loops)} if loops else set()


@_GROUP.line(r"multihop (?:ttl (\d+)|no-nexthop-change)")
def _read_multihop(instance: Instance, name: str, group: JunosGroup, line: Line, ttl: str) -> None:
    # `multihop ttl N`, or `no-nexthop-change`, of a group
    if ttl:
        instance.find_neighbor(name).multihop = int(ttl)
    else:
        instance.find_neighbor(name).keeps_next_hop = True


@_GROUP.line(r"local-address (\S+)")
def _read_group_address(instance: Instance, name: str, group: JunosGroup, line: Line, address: str) -> None:
    instance.find_neighbor(name).source = address


@_GROUP.line(r"neighbor (\S+) (.+)")
def _read_neighbor_line(instance: Instance, name: str, group: JunosGroup, line: Line, far: str, rest: str) -> None:
    instance.find_neighbor(far).group = name
    pass_on(_NEIGHBOR, line, rest, instance, group, far)


@_NEIGHBOR.line(r"peer-as (\d+)")
def _read_peer_as(instance: Instance, group: JunosGroup, far: str, line: Line, asn: str) -> None:
    instance.find_neighbor(far).remote_asn = int(asn)


@_NEIGHBOR.line(r"family (?:(inet6?) unicast|evpn signaling)(?: (.+))?")
def _read_neighbor_family(instance: Instance, group: JunosGroup, far: str, line: Line, word: str, rest: str) -> None:
    family = FAMILIES[word] if word else EVPN
    instance.find_neighbor(far).active.add(family)
    if rest:
        pass_on(_FAMILY, line, rest, instance, far, group, family)


@_NEIGHBOR.line(r"multihop ttl (\d+)|authentication-key (\S+)")
def _read_hops_or_key(instance: Instance, group: JunosGroup, far: str, line: Line, ttl: str, key: str) -> None:
    neighbor = instance.find_neighbor(far)
    neighbor.multihop = int(ttl or neighbor.multihop)
    neighbor.password = remove_quotes(key) if key else neighbor.password


@_NEIGHBOR.line(r"local-as (?:(\d+)|(private|no-prepend-global-as))")
def _read_local_as(instance: Instance, group: JunosGroup, far: str, line: Line, asn: str, word: str) -> None:
    if asn:
        instance.find_neighbor(far).local_asn = int(asn)
    else:
        group.local_as.setdefault(far, set()).add(word)


@_NEIGHBOR.line(r"description (.+)")
def _read_description(instance: Instance, group: JunosGroup, far: str, line: Line, text: str) -> None:
    instance.find_neighbor(far).description = remove_quotes(text)


@_NEIGHBOR.line(r"local-address (\S+)")
def _read_neighbor_address(instance: Instance, group: JunosGroup, far: str, line: Line, address: str) -> None:
    group.locals_[far] = address


@_GROUP.line(r"dynamic-neighbor \S+ peer-auto-discovery (family inet6 ipv6-nd|interface (\S+)\.0)")
def _read_discovery(instance: Instance, name: str, group: JunosGroup, line: Line, words: str, port: str) -> None:
    # a port on which Junos finds a neighbour by IPv6, or a further word of the group
    if port:
        group.ports.append(port)
    else:
        group.words.add(words)


@_GROUP.line(r"peer-as-list (\S+)")
def _read_peer_as_list(instance: Instance, name: str, group: JunosGroup, line: Line, list_: str) -> None:
    group.as_list = list_

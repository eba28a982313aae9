"""Policies, BGP and routes of a configuration of Junos, read back (Routing Policies and BGP User Guides)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from typing import Any, Protocol

from fabricgen.nos.junos.reading.bonds import BRIDGING, MAC_VRF, MacVrf
from fabricgen.nos.junos.reading.lines import pass_on, remove_quotes
from fabricgen.nos.junos.reading.vrfs import OWN_TABLE, VRF, Vrf
from fabricgen.running.bgp import Instance, is_drained, make_overlay
from fabricgen.running.policy import Policies, Route
from fabricgen.running.tree import Line, Rules, is_tolerant, report_misfit
from fabricgen.switch.routing import EVPN, OWN_ROUTES, Bfd, Bgp, Entry, Overlay, OverlayVlan

FAMILIES = {"inet": "v4", "inet6": "v6"}

LAST = Entry(permit=False)
"""What ends a policy: without it BGP does as it is used to, and takes and passes on everything."""

BALANCED = "PFE-LB"
"""The policy by which routes over several links are installed with all of them."""

GRACEFUL_SHUTDOWN = "65535:0"


@dataclass
class Group:
    """What is said of a group of sessions beside what its neighbours have from it."""

    words: set[str] = field(default_factory=set)
    ports: list[str] = field(default_factory=list)
    as_list: str = ""
    loops: set[int] = field(default_factory=set)
    over_v6: bool = False
    teardowns: dict[str, str] = field(default_factory=dict)
    locals_: dict[str, str] = field(default_factory=dict)
    intervals: dict[str, int] = field(default_factory=dict)


@dataclass
class Term:
    """A term of a policy as its lines say it."""

    protocols: set[str] = field(default_factory=set)
    said: dict[str, Any] = field(default_factory=dict)
    ends: set[str] = field(default_factory=set)


@dataclass
class JunosRouting:
    """What was read."""

    policies: Policies = field(default_factory=Policies)
    terms: dict[str, dict[str, Term]] = field(default_factory=dict)
    as_lists: dict[str, set[int]] = field(default_factory=dict)
    communities: dict[str, set[str]] = field(default_factory=dict)
    instance: Instance | None = None
    asn: int = 0
    router_id: str = ""
    groups: dict[str, Group] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    """Lines of all of BGP, and of the forwarding table, as they are."""
    max_paths: int = 0
    advertised: set[str] = field(default_factory=set)
    """Ports that send router advertisements."""
    vrfs: dict[str, Vrf] = field(default_factory=dict)
    mac_vrf: MacVrf = field(default_factory=MacVrf)

    def find_or_begin_instance(self) -> Instance:
        """BGP, when it is first spoken of."""
        self.instance = self.instance or Instance(self.asn)
        return self.instance

    def make_bgp(
        self, routes_in: Callable[[str], Iterable[Route]], addresses: Mapping[str, Iterable[str]]
    ) -> dict[str, Bgp]:
        """Sessions and announcements by VRF, given the addresses of each port.

        Raises UnknownTextError for groups that lack what a session needs, and for sessions from no address of a link.
        """
        if self.asn == 0 and self.instance is None:
            return {}
        self._make_maps()
        instance, instance.asn, instance.router_id = self.find_or_begin_instance(), self.asn, self.router_id
        instance.max_paths, instance.relax = {self.max_paths}, True
        if not is_tolerant() and not {"precision-timers", "log-updown"} <= self.words:
            report_misfit("BGP has imprecise timers, or logs no session that goes down")
        sessions = [
            (key, neighbor)
            for key, neighbor in instance.neighbors.items()
            if EVPN not in self._list_active_families(instance, key)
        ]
        # names of the policies by which anything is announced
        outward = [*instance.families.values(), *(neighbor.map_out for _, neighbor in sessions)]
        outward += [{vrf.policy} for vrf in self.vrfs.values()]
        for name in {name for names in outward for name in names}:
            accepting = [term for term in self.terms.get(name, {}).values() if term.ends == {"accept"}]
            if not all(term.protocols and "prefix_list" in term.said for term in accepting):
                report_misfit(f"policy {name} announces routes of every protocol, or all prefixes")
        for name, group in self.groups.items():
            if EVPN in self._list_active_families(instance, name):
                self._finish_overlay(instance, name, group)
            else:
                self._finish_sessions(
                    instance,
                    name,
                    group,
                    [ip_interface(a) for port_addresses in addresses.values() for a in port_addresses],
                )
        if strange := self.advertised ^ {port for group in self.groups.values() for port in group.ports}:
            report_misfit(f"ports find neighbours, or send router advertisements, and not both: {sorted(strange)}")
        instances = {"": instance.make_bgp(self.policies, routes_in(""), ())}
        for vrf, vrf_instance in self.vrfs.items():
            if vrf_instance.vni:
                of_vrf = Instance(self.asn, self.router_id, relax=True, max_paths={self.max_paths})
                of_vrf.families = {family: {vrf_instance.policy} for family in FAMILIES.values()}
                instances[vrf] = of_vrf.make_bgp(self.policies, routes_in(vrf), ())
        return instances

    def make_overlay(self, loopbacks: Iterable[str], vlans: Mapping[int, OverlayVlan]) -> Overlay | None:
        """EVPN, given the loopbacks of the switch, and its VLANs over EVPN.

        Raises UnknownTextError for VRFs that lack a part of it.
        """
        families = frozenset(
            f for neighbor in (self.instance or Instance(0)).neighbors.values() for f in neighbor.active
        ) - {EVPN}
        lines = {
            vrf: vrf_read.make_vrf_lines(vrf, families)
            for vrf, vrf_read in self.vrfs.items()
            if vrf_read.vni or vrf_read.words - OWN_TABLE
        }
        address = next((text.partition("/")[0] for text in sorted(loopbacks) if ":" not in text), "")
        if bool(lines or vlans) != ("chained-composite-next-hop ingress evpn" in self.words):
            report_misfit("next hops of EVPN are not composed, or without VRFs and VLANs over it")
        overlay = make_overlay(self.instance, self.policies, lines, address if lines or vlans else "", vlans=vlans)
        if overlay and overlay.source != address:
            report_misfit(f"sessions for EVPN come from {overlay.source}")
        return overlay

    def _list_active_families(self, instance: Instance, name: str) -> set[str]:
        """The families of a group, and of its neighbours."""
        of_group = [neighbor for key, neighbor in instance.neighbors.items() if name in (key, neighbor.group)]
        return {family for neighbor in of_group for family in neighbor.active}

    def _finish_overlay(self, instance: Instance, name: str, group: Group) -> None:
        """Hold a group of sessions for EVPN to what these need."""
        shared = instance.find_neighbor(name)
        # Junos counts how often the own AS number may be in a path (`loops 1`: not received at all), the model how
        # often beyond that
        shared.own_as_in = max(group.loops, default=1) - 1
        required = {"type external", "multipath multiple-as", "vpn-apply-export"}
        if not is_tolerant() and group.words != required:
            report_misfit(
                f"group {name} is not external, has one path, or its policy no effect: {sorted(group.words ^ required)}"
            )

    def list_uplinks(self, addresses: Mapping[str, Iterable[str]]) -> set[str]:
        """The ports with sessions to the tier above, given the addresses of each."""
        upward = {name for name in self.groups if name.startswith("UP")}
        own = {address for name in upward for address in self.groups[name].locals_.values()}
        held = {port for port, texts in addresses.items() if own.intersection(text.partition("/")[0] for text in texts)}
        return held | {port for name in upward for port in self.groups[name].ports}

    def drained(self) -> bool:
        """Whether all sessions are the last choice of their neighbours."""
        return is_drained(self.policies, [self.instance] if self.instance else [])

    def _finish_sessions(self, instance: Instance, name: str, group: Group, own_interfaces: list[Any]) -> None:
        """Give a group's sessions what Junos says elsewhere, or with other numbers."""
        shared = instance.find_neighbor(name)
        found_by = {"family inet6 ipv6-nd"} if group.ports else set[str]()
        if not is_tolerant() and group.words != {"type external", "multipath multiple-as"} | found_by:
            report_misfit(f"group {name} is not external, has one path, or finds nobody: {sorted(group.words)}")
        if group.intervals:
            shared.bfd = Bfd(group.intervals["minimum-interval"], group.intervals["multiplier"])
        if len(group.loops) > 1 or set(group.teardowns) != set(shared.max_prefixes):
            report_misfit(f"families of group {name} differ, or prefixes are limited and the session is not closed")
        shared.own_as_in = max(group.loops, default=1) - 1
        if not is_tolerant() and not (shared.map_in and shared.map_out):
            report_misfit(f"group {name} takes or passes on everything")
        members = [key for key, neighbor in instance.neighbors.items() if neighbor.group == name]
        for far in members:
            link = [interface for interface in own_interfaces if ip_address(far) in interface.network]
            if group.locals_.get(far) not in {str(interface.ip) for interface in link} and not is_tolerant():
                report_misfit(f"the session with {far} is from {group.locals_.get(far, 'an address of its choice')}")
        allowed = self.as_lists.get(group.as_list, set())
        finds = bool(group.ports)
        # neighbours that are found have no AS number in the group: a list with one number stands for it
        if finds != (len(allowed) == 1) or (finds and "v4" in shared.active) != group.over_v6:
            report_misfit(f"group {name} finds neighbours of {sorted(allowed)}, or carries IPv4 without next hops")
        for port in group.ports:
            neighbor = instance.find_neighbor(port)
            neighbor.group, neighbor.remote_asn = name, min(allowed)

    def _make_maps(self) -> None:
        """Route maps of the policies: terms in their order, by numbers that follow on each other."""
        self.policies.as_paths["OWN"] = {OWN_ROUTES}
        for name, terms in self.terms.items():
            entries = [self._make_entry(name, term) for term in terms.values()]
            if name == BALANCED or not entries:
                continue
            if entries[-1] != LAST:
                report_misfit(f"policy {name} does not reject what it does not name")
            self.policies.maps[name] = {10 * n: entry for n, entry in enumerate(entries, 1) if entry != LAST}

    def _make_entry(self, name: str, term: Term) -> Entry:
        # a term of a policy as an entry of a map. Terms from `direct` or `evpn` announce what the switch itself has
        if len(term.ends) != 1:
            report_misfit(f"a term of policy {name} neither accepts nor rejects")
        if term.protocols and not term.protocols & {"direct", "evpn"}:
            report_misfit(f"policy {name} passes on what others announce, and nothing of the switch's own")
        fields = dict(term.said)
        if term.protocols in ({"direct"}, {"evpn"}):
            fields["as_path"] = "OWN"
        if added := fields.pop("adds", ""):
            if self.communities.get(added) != {GRACEFUL_SHUTDOWN}:
                report_misfit(f"community {added} is {sorted(self.communities.get(added, ()))}")
            fields["community"] = "graceful-shutdown"
        return Entry(permit=term.ends == {"accept"}, **fields)


class HasRouting(Protocol):
    """What is read into."""

    routing: JunosRouting


POLICY, OPTIONS, PROTOCOLS, INSTANCES = Rules(), Rules(), Rules(), Rules()
_TERM, _BGP, _GROUP, _FAMILY, _NEIGHBOR = Rules(), Rules(), Rules(), Rules(), Rules()


@POLICY.line(r"route-filter-list (\S+) (\S+) (exact|prefix-length-range /\d+-/\d+)")
def _read_route_filter(box: HasRouting, line: Line, name: str, prefix: str, lengths: str) -> None:
    low, _, high = lengths.rpartition(" ")[2].replace("/", "").partition("-")
    bounds = f"ge {low} le {high}" if high else ""
    box.routing.policies.add_permit(name, prefix, bounds)


@POLICY.line(r"policy-statement (\S+) term (\S+) (.+)")
def _read_term_line(box: HasRouting, line: Line, name: str, term: str, rest: str) -> None:
    term_ = box.routing.terms.setdefault(name, {}).setdefault(term, Term())
    pass_on(_TERM, line, rest, term_)


@POLICY.line(r"policy-statement (\S+) then (load-balance per-packet)")
def _read_load_policy(box: HasRouting, line: Line, name: str, words: str) -> None:
    box.routing.words.add(f"{name} {words}")


@POLICY.line(r"as-list (\S+) members (\d+)")
def _read_as_list(box: HasRouting, line: Line, name: str, asn: str) -> None:
    box.routing.as_lists.setdefault(name, set()).add(int(asn))


@POLICY.line(r"community (\S+) members (\S+)")
def _read_community(box: HasRouting, line: Line, name: str, value: str) -> None:
    box.routing.communities.setdefault(name, set()).add(value)


@_TERM.line(r"from protocol (\S+)")
def _read_protocol(term: Term, line: Line, name: str) -> None:
    term.protocols.add(name)


@_TERM.line(r"from route-filter-list (\S+)")
def _read_filter_name(term: Term, line: Line, name: str) -> None:
    term.said["prefix_list"] = name


@_TERM.line(r'then as-path-prepend "?([\d ]+)"?')
def _read_prepend(term: Term, line: Line, path: str) -> None:
    term.said["prepend"] = path


@_TERM.line(r"then community add (\S+)")
def _read_added_community(term: Term, line: Line, name: str) -> None:
    term.said["adds"] = name


@_TERM.line(r"then (accept|reject)")
def _read_verdict(term: Term, line: Line, word: str) -> None:
    term.ends.add(word)


@OPTIONS.line(r"router-id (\S+)")
def _read_router_id(box: HasRouting, line: Line, address: str) -> None:
    box.routing.router_id = address


@OPTIONS.line(r"autonomous-system (\d+)")
def _read_asn(box: HasRouting, line: Line, asn: str) -> None:
    box.routing.asn = int(asn)


@OPTIONS.line(r"forwarding-table (export \S+|ecmp-fast-reroute|chained-composite-next-hop ingress evpn)")
def _read_forwarding(box: HasRouting, line: Line, words: str) -> None:
    box.routing.words.add(words)


@PROTOCOLS.line(r"router-advertisement interface (\S+)\.0")
def _read_advertisement(box: HasRouting, line: Line, port: str) -> None:
    box.routing.advertised.add(port)


@PROTOCOLS.line(r"bgp (.+)")
def _read_bgp_line(box: HasRouting, line: Line, rest: str) -> None:
    pass_on(_BGP, line, rest, box.routing)


@_BGP.line("precision-timers|log-updown")
def _read_plain_word(routing: JunosRouting, line: Line) -> None:
    routing.words.add(line.text)


@_BGP.line(r"export (\S+)")
def _read_export(routing: JunosRouting, line: Line, name: str) -> None:
    for family in FAMILIES.values():
        routing.find_or_begin_instance().families.setdefault(family, set()).add(name)


@_BGP.line(r"group (\S+) (.+)")
def _read_group_line(routing: JunosRouting, line: Line, name: str, rest: str) -> None:
    group, instance = routing.groups.setdefault(name, Group()), routing.find_or_begin_instance()
    instance.find_neighbor(name).is_group = True
    pass_on(_GROUP, line, rest, instance, name, group)


@_GROUP.line("type external|multipath multiple-as|vpn-apply-export")
def _read_group_word(instance: Instance, name: str, group: Group, line: Line) -> None:
    group.words.add(line.text)


@_GROUP.line(r"hold-time (\d+)")
def _read_hold_time(instance: Instance, name: str, group: Group, line: Line, seconds: str) -> None:
    instance.find_neighbor(name).timers = (int(seconds) // 3, int(seconds))


@_GROUP.line(r"(import|export) (\S+)")
def _read_policy(instance: Instance, name: str, group: Group, line: Line, direction: str, policy: str) -> None:
    (instance.find_neighbor(name).map_in if direction == "import" else instance.find_neighbor(name).map_out).add(policy)


@_GROUP.line(r"bfd-liveness-detection (minimum-interval|multiplier) (\d+)")
def _read_bfd(instance: Instance, name: str, group: Group, line: Line, word: str, number: str) -> None:
    group.intervals[word] = int(number)


@_GROUP.line(r"family (inet6?) unicast(?: (.+))?")
def _read_family(instance: Instance, name: str, group: Group, line: Line, word: str, rest: str) -> None:
    instance.find_neighbor(name).active.add(FAMILIES[word])
    if rest:
        pass_on(_FAMILY, line, rest, instance, name, group, FAMILIES[word])


@_FAMILY.line(r"prefix-limit maximum (\d+)")
def _read_maximum(instance: Instance, name: str, group: Group, family: str, line: Line, count: str) -> None:
    instance.find_neighbor(name).max_prefixes[family] = int(count)


@_FAMILY.line(r"prefix-limit teardown \d+")
def _read_teardown(instance: Instance, name: str, group: Group, family: str, line: Line) -> None:
    group.teardowns[family] = line.text


@_FAMILY.line(r"loops (\d+)")
def _read_loops(instance: Instance, name: str, group: Group, family: str, line: Line, count: str) -> None:
    group.loops.add(int(count))


@_FAMILY.line("extended-nexthop")
def _read_over_v6(instance: Instance, name: str, group: Group, family: str, line: Line) -> None:
    group.over_v6 = family == "v4"


@_GROUP.line(r"family evpn signaling(?: loops (\d+))?")
def _read_evpn(instance: Instance, name: str, group: Group, line: Line, loops: str) -> None:
    instance.find_neighbor(name).active.add(EVPN)
    group.loops |= {int(loops)} if loops else set()


@_GROUP.line(r"multihop (?:ttl (\d+)|no-nexthop-change)")
def _read_multihop(instance: Instance, name: str, group: Group, line: Line, ttl: str) -> None:
    # `multihop ttl N`, or `no-nexthop-change`, of a group
    if ttl:
        instance.find_neighbor(name).multihop = int(ttl)
    else:
        instance.find_neighbor(name).keeps_next_hop = True


@_GROUP.line(r"local-address (\S+)")
def _read_group_address(instance: Instance, name: str, group: Group, line: Line, address: str) -> None:
    instance.find_neighbor(name).source = address


@_GROUP.line(r"neighbor (\S+) (.+)")
def _read_neighbor_line(instance: Instance, name: str, group: Group, line: Line, far: str, rest: str) -> None:
    instance.find_neighbor(far).group = name
    pass_on(_NEIGHBOR, line, rest, instance, group, far)


@_NEIGHBOR.line(r"peer-as (\d+)")
def _read_peer_as(instance: Instance, group: Group, far: str, line: Line, asn: str) -> None:
    instance.find_neighbor(far).remote_asn = int(asn)


@_NEIGHBOR.line(r"family (?:(inet6?) unicast|evpn signaling)")
def _read_neighbor_family(instance: Instance, group: Group, far: str, line: Line, word: str) -> None:
    instance.find_neighbor(far).active.add(FAMILIES[word] if word else EVPN)


@_NEIGHBOR.line(r"description (.+)")
def _read_description(instance: Instance, group: Group, far: str, line: Line, text: str) -> None:
    instance.find_neighbor(far).description = remove_quotes(text)


@_NEIGHBOR.line(r"local-address (\S+)")
def _read_neighbor_address(instance: Instance, group: Group, far: str, line: Line, address: str) -> None:
    group.locals_[far] = address


@_GROUP.line(r"dynamic-neighbor \S+ peer-auto-discovery (family inet6 ipv6-nd|interface (\S+)\.0)")
def _read_discovery(instance: Instance, name: str, group: Group, line: Line, words: str, port: str) -> None:
    # a port on which Junos finds a neighbour by IPv6, or a further word of the group
    if port:
        group.ports.append(port)
    else:
        group.words.add(words)


@_GROUP.line(r"peer-as-list (\S+)")
def _read_peer_as_list(instance: Instance, name: str, group: Group, line: Line, list_: str) -> None:
    group.as_list = list_


@INSTANCES.line(rf"{MAC_VRF} (?!vlans )(.+)")
def _read_bridging(box: HasRouting, line: Line, rest: str) -> None:
    pass_on(BRIDGING, line, rest, box.routing.mac_vrf)


@INSTANCES.line(rf"(?!mgmt_junos |{MAC_VRF} )(\S+) (.+)")
def _read_vrf_line(box: HasRouting, line: Line, name: str, rest: str) -> None:
    pass_on(VRF, line, rest, box.routing.vrfs.setdefault(name, Vrf()))

"""BGP, EVPN and routes of a configuration of Junos, read back (BGP, EVPN and Protocol-Independent Routing Guides)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from fabricgen.nos.junos.reading.bonds import BRIDGING, MAC_VRF, MacVrf
from fabricgen.nos.junos.reading.lines import pass_on
from fabricgen.nos.junos.reading.policies import POLICY as TERMS
from fabricgen.nos.junos.reading.policies import STATIC, JunosPolicies
from fabricgen.nos.junos.reading.sessions import FAMILIES, SESSIONS, Sessions
from fabricgen.nos.junos.reading.tables import TABLE, JunosTable
from fabricgen.nos.junos.reading.vrfs import OWN_TABLE, VRF, Vrf
from fabricgen.running.bgp import Instance, is_drained, make_overlay
from fabricgen.running.policy import OwnRoute
from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.routing import EVPN, Bgp, EvpnOverlay, OverlayVlan, StaticRoute

PortAddresses = Mapping[str, Iterable[str]]
"""By port, addresses with prefix lengths."""


@dataclass
class JunosRouting(Sessions):
    """What was read: sessions of the default VRF, and what there is once."""

    policies: JunosPolicies = field(default_factory=JunosPolicies)
    as_lists: dict[str, set[int]] = field(default_factory=dict)
    asn: int = 0
    router_id: str = ""
    words: set[str] = field(default_factory=set)
    """Lines of all of BGP, and of the forwarding table, as they are."""
    max_paths: int = 0
    advertised: set[str] = field(default_factory=set)
    """Ports that send router advertisements."""
    table: JunosTable = field(default_factory=JunosTable)
    vrfs: dict[str, Vrf] = field(default_factory=dict)
    mac_vrf: MacVrf = field(default_factory=MacVrf)

    def make_routes(self, addresses_in: Callable[[str], PortAddresses]) -> dict[tuple[str, str], StaticRoute]:
        """The static routes by VRF and prefix, given the addresses of the ports of a VRF."""
        tables = {"": self.table, **{vrf: instance.table for vrf, instance in self.vrfs.items()}}
        for vrf, table in tables.items():
            table.check_ribs(vrf)
        return {
            (vrf, prefix): route
            for vrf, table in tables.items()
            for prefix, route in table.make_routes(addresses_in(vrf)).items()
        }

    def make_bgp(
        self,
        routes_in: Callable[[str], Iterable[OwnRoute]],
        addresses_in: Callable[[str], PortAddresses],
        loopbacks: frozenset[str],
    ) -> dict[str, Bgp]:
        """Sessions and announcements by VRF, given the connected routes and the addresses of the ports of each.

        Raises UnknownTextError for groups that lack what a session needs, and for sessions from no address of a link.
        """
        if self.asn == 0 and self.instance is None:
            return {}
        if not is_tolerant() and not {"precision-timers", "log-updown"} <= self.words:
            report_misfit("BGP has imprecise timers, or logs no session that goes down")
        speaking = {vrf: read for vrf, read in self.vrfs.items() if read.vni or read.sessions.instance}
        for read in speaking.values():
            # what a VRF announces over EVPN, a policy of its own says
            for family in FAMILIES.values() if read.policy else ():
                read.sessions.find_or_begin_instance().families[family] = {read.policy}
        all_sessions: dict[str, tuple[Sessions, JunosTable]] = {"": (self, self.table)}
        all_sessions |= {vrf: (read.sessions, read.table) for vrf, read in speaking.items()}
        instances = {vrf: sessions.find_or_begin_instance() for vrf, (sessions, _) in all_sessions.items()}
        self._make_maps(instances, speaking)
        for vrf, (sessions, table) in all_sessions.items():
            texts = [text for port_addresses in addresses_in(vrf).values() for text in port_addresses]
            sessions.complete_all(texts, frozenset() if vrf else loopbacks, self.as_lists)
            instance = instances[vrf]
            instance.asn, instance.router_id, instance.relax = self.asn, self.router_id, True
            instance.max_paths, instance.aggregates = {self.max_paths}, set(table.list_aggregates())
            instance.statics = {f: {name + STATIC for name in names} for f, names in instance.families.items()}
        if strange := self.advertised ^ {port for group in self.groups.values() for port in group.ports}:
            report_misfit(f"ports find neighbours, or send router advertisements, and not both: {sorted(strange)}")
        return {
            vrf: instance.make_bgp(
                self.policies.maps, routes_in(vrf), [OwnRoute(prefix) for prefix in all_sessions[vrf][1].hops]
            )
            for vrf, instance in instances.items()
        }

    def _make_maps(self, instances: Mapping[str, Instance], speaking: Mapping[str, Vrf]) -> None:
        # route maps of policies, by what these are for
        originating = {name for i in instances.values() for names in i.families.values() for name in names}
        outward = {
            name
            for instance in instances.values()
            for key, neighbor in instance.neighbors.items()
            if EVPN not in instance.merge_values(neighbor, "active") and EVPN not in self.list_families(key)
            for name in neighbor.map_out
        }
        self.policies.check(sorted(outward | originating), originating)
        paths = set[str]()
        for vrf, read in speaking.items():
            neighbors = [neighbor for neighbor in instances[vrf].neighbors.values() if not neighbor.is_group]
            paths |= {f"^{neighbor.remote_asn}_" for neighbor in neighbors if read.vni}
            if read.vni and bool(neighbors) != self.policies.passes_on_sessions(read.policy):
                report_misfit(f"what sessions of VRF {vrf} give does not go over EVPN, or there are none")
        self.policies.make_maps(originating, paths)

    def make_overlay(self, loopbacks: Iterable[str], vlans: Mapping[int, OverlayVlan]) -> EvpnOverlay | None:
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
        vtep = address if lines or vlans else ""
        overlay = make_overlay(self.instance, self.policies.maps, lines, vtep, vlans=vlans)
        if overlay and overlay.source != address:
            report_misfit(f"sessions for EVPN come from {overlay.source}")
        return overlay

    def list_uplinks(self, addresses: PortAddresses) -> set[str]:
        """The ports with sessions to the tier above, given the addresses of each."""
        upward = {name for name in self.groups if name.startswith("UP")}
        own = {address for name in upward for address in self.groups[name].locals_.values()}
        held = {port for port, texts in addresses.items() if own.intersection(text.partition("/")[0] for text in texts)}
        return held | {port for name in upward for port in self.groups[name].ports}

    def is_drained(self) -> bool:
        """Whether all sessions are the last choice of their neighbours."""
        instances = [self.instance, *(vrf.sessions.instance for vrf in self.vrfs.values())]
        return is_drained(self.policies.maps, [instance for instance in instances if instance])


class HasRouting(Protocol):
    """What is read into."""

    routing: JunosRouting


POLICY, OPTIONS, PROTOCOLS, INSTANCES, _BGP = LineRules(), LineRules(), LineRules(), LineRules(), LineRules()


@POLICY.line(r"as-list (\S+) members (\d+)")
def _read_as_list(box: HasRouting, line: Line, name: str, asn: str) -> None:
    box.routing.as_lists.setdefault(name, set()).add(int(asn))


@POLICY.line(r"(.+)")
def _read_policy_line(box: HasRouting, line: Line, rest: str) -> None:
    pass_on(TERMS, line, rest, box.routing.policies)


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


@_BGP.line(r"(.+)")
def _read_sessions(routing: JunosRouting, line: Line, rest: str) -> None:
    pass_on(SESSIONS, line, rest, routing)


@OPTIONS.line(r"((?:rib \S+ )?(?:static|aggregate) route .+)")
def _read_route(box: HasRouting, line: Line, rest: str) -> None:
    pass_on(TABLE, line, rest, box.routing.table)


@INSTANCES.line(rf"{MAC_VRF} (?!vlans )(.+)")
def _read_bridging(box: HasRouting, line: Line, rest: str) -> None:
    pass_on(BRIDGING, line, rest, box.routing.mac_vrf)


@INSTANCES.line(rf"(?!mgmt_junos |{MAC_VRF} )(\S+) (.+)")
def _read_vrf_line(box: HasRouting, line: Line, name: str, rest: str) -> None:
    pass_on(VRF, line, rest, box.routing.vrfs.setdefault(name, Vrf()))

"""BGP, EVPN, VRFs and routes of a configuration of Junos, read back.

After the user guides BGP, EVPN and Protocol-Independent Routing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from typing import Any

from fabricgen.nos.junos.reading.hosts import RELAY, Relays
from fabricgen.nos.junos.reading.policies import POLICY as TERMS
from fabricgen.nos.junos.reading.policies import STATIC, JunosPolicies
from fabricgen.nos.junos.reading.sessions import FAMILIES, SESSIONS, Sessions
from fabricgen.nos.junos.reading.text import pass_on, pass_on_lines
from fabricgen.running.bgp import Instance, VrfLines, is_drained, make_overlay
from fabricgen.running.policy import OwnRoute
from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.routing import EVPN, Bgp, EvpnOverlay, OverlayVlan, StaticRoute

PortAddresses = Mapping[str, Iterable[str]]
"""Addresses with prefix lengths, by port."""


OF_AGGREGATE = frozenset({"brief", "discard"})
"""The lines of every aggregate: it omits AS numbers that only some of its routes have, and drops packets that none of
its routes takes."""


@dataclass
class JunosTable:
    """Static routes and aggregates of one table, both families together."""

    hops: dict[str, list[str]] = field(default_factory=dict)
    """Next hops by prefix."""
    aggregates: dict[str, set[str]] = field(default_factory=dict)
    ribs: set[tuple[bool, str]] = field(default_factory=set)
    """(whether a route is of IPv6, the name of the table that it stands in or "")."""

    def make_routes(self, addresses: Mapping[str, Iterable[str]]) -> dict[str, StaticRoute]:
        """Return the static routes by prefix; `addresses` are those of each port of the table, with prefix lengths.

        Raises UnknownTextError for next hops on no link.
        """
        return {
            prefix: StaticRoute(frozenset((_find_port(far, addresses), far) for far in hops), discard=False)
            for prefix, hops in self.hops.items()
        }

    def check_ribs(self, vrf: str) -> None:
        """Refuse routes that stand in the table of the other family, or of another VRF; raises UnknownTextError."""
        if strange := self.ribs - {(False, ""), (True, f"{vrf}.inet6.0" if vrf else "inet6.0")}:
            report_misfit(f"routes are in tables of others: {sorted(strange)}")

    def list_aggregates(self) -> frozenset[str]:
        """Return the aggregates; raises UnknownTextError if one lacks `brief` or `discard`."""
        strange = [prefix for prefix, words in self.aggregates.items() if words != OF_AGGREGATE]
        if strange and not is_tolerant():
            report_misfit(f"aggregates show AS numbers of their routes, or answer for them: {strange}")
        return frozenset(self.aggregates)


def _find_port(far: str, addresses: Mapping[str, Iterable[str]]) -> str:
    """Return the port whose link an address is on; raises UnknownTextError if there is none."""
    for port, own_addresses in addresses.items():
        if any(ip_address(far) in ip_interface(address).network for address in own_addresses):
            return port
    report_misfit(f"next hop {far} is on no link")
    return ""


TABLE = LineRules()


@TABLE.line(r"(?:rib (\S+) )?static route (\S+) next-hop (\S+)")
def _read_hop(table: JunosTable, line: Line, rib: str, prefix: str, hop: str) -> None:
    table.ribs.add((":" in prefix, rib or ""))
    table.hops.setdefault(prefix, []).append(hop)


@TABLE.line(r"(?:rib (\S+) )?aggregate route (\S+) (brief|discard)")
def _read_aggregate(table: JunosTable, line: Line, rib: str, prefix: str, word: str) -> None:
    table.ribs.add((":" in prefix, rib or ""))
    table.aggregates.setdefault(prefix, set()).add(word)


OWN_TABLE = frozenset({"instance-type virtual-router"})
"""The settings of a VRF that concern only the switch."""


@dataclass
class Vrf:
    """A routing instance; `words` are lines, as they are, that it needs beside others, such as those of EVPN."""

    interfaces: set[str] = field(default_factory=set)
    relays: dict[str, Relays] = field(default_factory=dict)
    """DHCP relay there: of IPv4 under "", of IPv6 under `dhcpv6`."""
    words: set[str] = field(default_factory=set)
    vni: int = 0
    policy: str = ""
    distinguisher: str = ""
    target: str = ""
    sessions: Sessions = field(default_factory=Sessions)
    table: JunosTable = field(default_factory=JunosTable)

    def make_vrf_lines(self, name: str, families: Set[str]) -> VrfLines:
        """Return the EVPN settings of the VRF `name`, whose routes of `families` ("v4", "v6") go over EVPN.

        Raises UnknownTextError if a part is missing.
        """
        ribs = {f"routing-options rib {name}.inet6.0 multipath"} if "v6" in families else set()
        required = {*OVER_EVPN, *ribs}
        if not is_tolerant() and (self.words != required or not (self.vni and self.policy and self.target)):
            report_misfit(f"VRF {name} lacks a part of what it takes over EVPN: {sorted(self.words ^ required)}")
        targets = {self.target} if self.target else set[str]()
        return VrfLines(self.vni, self.distinguisher, targets, set(targets), set(families))


OVER_EVPN = frozenset(
    {
        "instance-type vrf",
        "routing-options multipath",
        "protocols evpn ip-prefix-routes advertise direct-nexthop",
        "protocols evpn ip-prefix-routes encapsulation vxlan",
        "protocols evpn ip-prefix-routes route-attributes as-path import-action allow",
        "protocols evpn ip-prefix-routes route-attributes as-path export-action allow",
    }
)
"""The settings of a VRF that concern EVPN."""


MAC_VRF = "MAC-VRF"
"""The instance of all VLANs over EVPN."""

OF_MAC_VRF = frozenset(
    {
        "instance-type mac-vrf",
        "protocols evpn encapsulation vxlan",
        "protocols evpn default-gateway no-gateway-community",
        "protocols evpn extended-vni-list all",
        "vtep-source-interface lo0.0",
        "service-type vlan-aware",
    }
)


@dataclass
class MacVrf:
    """The routing instance (MAC-VRF) of all VLANs over EVPN; `words` are lines, as they are, that it needs beside
    others.
    """

    words: set[str] = field(default_factory=set)
    interfaces: set[str] = field(default_factory=set)
    distinguisher: str = ""
    target: str = ""
    target_of: dict[int, str] = field(default_factory=dict)
    """Route targets by VNI."""
    vni_of: dict[str, int] = field(default_factory=dict)
    """VNIs by name of a VLAN."""

    def make_vlans(self, vlans: Mapping[str, int], bridged: Set[str]) -> dict[int, OverlayVlan]:
        """Return the VLANs over EVPN by number.

        `vlans` are the numbers of all VLANs of the switch by name, `bridged` the interfaces that are in any of them.
        Raises UnknownTextError if a VLAN is not over EVPN, or if the instance lacks a part; not for a running
        configuration (`is_tolerant`).
        """
        if self == MacVrf():
            return {}
        fits = self.words == OF_MAC_VRF and self.interfaces == bridged and self.vni_of.keys() == vlans.keys()
        if not is_tolerant() and not (fits and self.target and set(self.vni_of.values()) == self.target_of.keys()):
            report_misfit(f"{MAC_VRF} lacks words, ports, VLANs or targets: {sorted(self.words ^ OF_MAC_VRF)}")
        # in a running configuration a VLAN may lack its number, or a VNI its target: such a one is not over EVPN
        return {
            vlans[name]: OverlayVlan(vni, self.distinguisher, frozenset({self.target_of[vni]}))
            for name, vni in self.vni_of.items()
            if name in vlans and vni in self.target_of
        }


@dataclass
class JunosRouting(Sessions):
    """BGP of the default VRF, and what a switch has once: policies, VRFs, and the MAC-VRF of its VLANs."""

    policies: JunosPolicies = field(default_factory=JunosPolicies)
    as_lists: dict[str, set[int]] = field(default_factory=dict)
    asn: int = 0
    router_id: str = ""
    words: set[str] = field(default_factory=set)
    """Lines, as they are, of BGP as a whole and of the forwarding table."""
    max_paths: int = 0
    advertised: set[str] = field(default_factory=set)
    """Ports that send router advertisements."""
    table: JunosTable = field(default_factory=JunosTable)
    vrfs: dict[str, Vrf] = field(default_factory=dict)
    mac_vrf: MacVrf = field(default_factory=MacVrf)

    def make_routes(self, addresses_in: Callable[[str], PortAddresses]) -> dict[tuple[str, str], StaticRoute]:
        """Return the static routes by (VRF, prefix).

        `addresses_in` gives the addresses of each port of a VRF, with prefix lengths.
        """
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
        """Return BGP by VRF; {} for a switch without BGP.

        `routes_in` gives the connected routes of a VRF, and `addresses_in` the addresses of its ports. Raises
        UnknownTextError for groups that lack what a session needs, and for sessions from no address of a link.
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
        """Make the route maps of all policies, after checks that each policy suits the sessions and VRFs that use it.

        `instances` is BGP by VRF, `speaking` has the VRFs with BGP. Raises UnknownTextError for a policy that does not
        suit.
        """
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
        """Return EVPN, None without it; `vlans` are those over EVPN.

        Raises UnknownTextError for VRFs that lack a part of it, and for sessions that are not from the loopback.
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
        """Return the ports with sessions to the tier above; `addresses` are those of each port."""
        upward = {name for name in self.groups if name.startswith("UP")}
        upward_addresses = {address for name in upward for address in self.groups[name].local_addresses.values()}
        numbered = {
            port
            for port, texts in addresses.items()
            if upward_addresses.intersection(text.partition("/")[0] for text in texts)
        }
        return numbered | {port for name in upward for port in self.groups[name].ports}

    def is_drained(self) -> bool:
        """Whether all sessions are the last choice of their neighbours."""
        instances = [self.instance, *(vrf.sessions.instance for vrf in self.vrfs.values())]
        return is_drained(self.policies.maps, [instance for instance in instances if instance])


POLICY, OPTIONS, PROTOCOLS, INSTANCES, VRF, _BRIDGING = (LineRules() for _ in range(6))
_ROUTE = "((?:rib \\S+ )?(?:static|aggregate) route .+)"
OPTIONS.store_fields(
    {
        r"router-id (\S+)": ("routing.router_id", str),
        r"autonomous-system (\d+)": ("routing.asn", int),
        r"forwarding-table (export \S+|ecmp-fast-reroute|chained-composite-next-hop ingress evpn)": (
            "routing.words",
            str,
        ),
    }
)
pass_on_lines(OPTIONS, {_ROUTE: (TABLE, "routing.table")})
PROTOCOLS.store_fields(
    {
        r"router-advertisement interface (\S+)\.0": ("routing.advertised", str),
        "bgp (precision-timers|log-updown)": ("routing.words", str),
    }
)
pass_on_lines(PROTOCOLS, {"bgp (.+)": (SESSIONS, "routing")})
pass_on_lines(INSTANCES, {f"{MAC_VRF} (?!vlans )(.+)": (_BRIDGING, "routing.mac_vrf")})
_BRIDGING.store_fields(
    {
        r"interface (\S+)": ("interfaces", str),
        r"protocols evpn vni-options vni (\d+) vrf-target target:(\S+)": (
            "target_of",
            lambda vni, target: {int(vni): target},
        ),
        r"route-distinguisher (\S+)": ("distinguisher", str),
        r"vrf-target target:(\S+)": ("target", str),
        f"({'|'.join(sorted(OF_MAC_VRF))})": ("words", str),
    }
)
VRF.store_fields(
    {
        r"interface (\S+)": ("interfaces", str),
        r"(instance-type (?:vrf|virtual-router)|routing-options (?:rib \S+ )?multipath|"
        r"protocols evpn ip-prefix-routes (?:advertise direct-nexthop|encapsulation vxlan|"
        r"route-attributes as-path (?:import|export)-action allow))": ("words", str),
        r"protocols evpn ip-prefix-routes vni (\d+)": ("vni", int),
        r"protocols evpn ip-prefix-routes export (\S+)": ("policy", str),
        r"route-distinguisher (\S+)": ("distinguisher", str),
        r"vrf-target target:(\S+)": ("target", str),
    }
)
pass_on_lines(VRF, {f"routing-options {_ROUTE}": (TABLE, "table"), "protocols bgp (.+)": (SESSIONS, "sessions")})


@VRF.line(r"forwarding-options dhcp-relay (?:(dhcpv6) )?(.+)")
def _read_relay(vrf: Vrf, line: Line, word: str, rest: str) -> None:
    pass_on(RELAY, line, rest, vrf.relays.setdefault(word or "", Relays()))


@POLICY.line(r"as-list (\S+) members (\d+)")
def _read_as_list(box: Any, line: Line, name: str, asn: str) -> None:
    box.routing.as_lists.setdefault(name, set()).add(int(asn))


@INSTANCES.line(rf"(?!mgmt_junos |{MAC_VRF} )(\S+) (.+)")
def _read_vrf_line(box: Any, line: Line, name: str, rest: str) -> None:
    pass_on(VRF, line, rest, box.routing.vrfs.setdefault(name, Vrf()))


pass_on_lines(POLICY, {"(.+)": (TERMS, "routing.policies")})

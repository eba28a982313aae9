"""The routing policy and BGP of an EOS configuration, read back (EOS user manual: BGP, route-maps, prefix lists).

Leaks between VRFs are by route targets of the local VPN table, or of EVPN (EOS user manual,
Inter-VRF Local Route Leaking).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fabricgen.nos.eos.reading.overlay import BRIDGED, FAMILY, VXLAN, Vxlan, make_switch_overlay
from fabricgen.nos.eos.reading.words import parse_ports
from fabricgen.running.bgp import (
    MAP_LINES,
    SESSION_LINES,
    Instance,
    VrfLines,
    add_setting_lines,
    is_drained,
)
from fabricgen.running.policy import OwnRoute, Policies, make_entry_rules
from fabricgen.running.tree import Line, LineRules, is_tolerant, make_item, mark_present, report_misfit
from fabricgen.switch.routing import Bgp, EvpnOverlay, RouteMapEntry, SessionBfd, select_families

FAMILIES = {"vpn-ipv4": "v4", "vpn-ipv6": "v6"}

MOST_ROUTES = 12_000
"""The limit of a session that states none; 0 is no limit."""


@dataclass
class EosTargets:
    """Route targets: numbers such as `65000:1` that routes carry between VRFs, exported by one and imported by others.

    `distinguishers` is the route distinguisher of each VRF. `exports` is, by family, the VRF that exports each target
    of the VPN table. `lists` is the target in each extcommunity-list, by the list's name. `evpn_maps` is, by VRF, the
    route map that all routes pass which it imports from EVPN.
    """

    distinguishers: dict[str, str] = field(default_factory=dict)
    exports: dict[str, dict[str, str]] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    evpn_maps: dict[str, str] = field(default_factory=dict)

    def resolve_targets(
        self, instances: Mapping[str, Instance], policies: Policies, over: Mapping[str, VrfLines]
    ) -> None:
        """Replace targets by the VRFs that export them, in the imports of instances and in what route maps match.

        `over` are the EVPN settings of VRFs. Raises UnknownTextError for a target that no VRF exports, and for two VRFs
        with one distinguisher.
        """
        vrf_of_target = {target: vrf for exported in self.exports.values() for target, vrf in exported.items()}
        vrf_of_target |= {target: vrf for vrf, lines in over.items() for target in lines.exports}
        if len(set(self.distinguishers.values())) < len(self.distinguishers):
            report_misfit(f"VRFs share a distinguisher: {self.distinguishers}")
        for instance in instances.values():
            for family, (targets, _) in instance.imports.items():
                exported = self.exports.get(family, {})
                if not targets <= exported.keys():
                    report_misfit(f"{sorted(targets - exported.keys())} are imported, and no VRF exports them")
                vrfs = {exported.get(target, target) for target in targets}
                targets.clear()
                targets.update(vrfs)
        for entries in policies.maps.values():
            for seq, entry in entries.items():
                if entry.extcommunity and entry.source_vrf is None:
                    target = self.lists.get(entry.extcommunity, "")
                    if target not in vrf_of_target:
                        report_misfit(f"extcommunity-list {entry.extcommunity} is no VRF's target")
                    entries[seq] = replace(entry, source_vrf=vrf_of_target.get(target, target))
        for vrf, lines in over.items():
            self._leak_over_evpn(vrf, lines, instances[vrf], policies, vrf_of_target)

    def _leak_over_evpn(
        self, vrf: str, lines: VrfLines, instance: Instance, policies: Policies, vrf_of_target: Mapping[str, str]
    ) -> None:
        """Treat targets that a VRF imports from EVPN and another VRF exports as leaks from that VRF.

        They are removed from `lines.imports`; the VRFs and the route map are put into `instance.imports`. The map's
        entry for the VRF's own routes is deleted, since it is no leak. Raises UnknownTextError if the map has no such
        entry, or names other VRFs than these.
        """
        foreign = {target: vrf_of_target[target] for target in lines.imports if vrf_of_target.get(target, vrf) != vrf}
        lines.imports -= foreign.keys()
        name = self.evpn_maps.get(vrf, "")
        if not foreign and not name:
            return
        entries = policies.maps.get(name, {})
        own_entries = [
            seq
            for seq, entry in entries.items()
            if entry == RouteMapEntry(True, source_vrf=vrf, extcommunity=f"VRF-{vrf}")
        ]
        if not own_entries:
            report_misfit(
                f"VRF {vrf} imports from EVPN through route-map {name or '(none)'}, which lacks its own routes"
            )
        for seq in own_entries:
            del entries[seq]
        sources_and_permits = list(policies.list_vrf_sources(name))
        if (used := {source for source, _ in sources_and_permits}) != set(foreign.values()):
            report_misfit(
                f"VRF {vrf} imports {sorted(foreign.values())} from EVPN, and route-map {name} takes {sorted(used)}"
            )
        for family in ("v4", "v6"):
            sources = {source for source, permits in sources_and_permits if select_families((family,), permits)}
            if sources:
                instance.imports[family] = sources, {name}


@dataclass
class EosRouting:
    """Lists and maps, BGP by VRF, EVPN, and the BFD timers of sessions that state none."""

    policies: Policies = field(default_factory=Policies)
    instances: dict[str, Instance] = field(default_factory=dict)
    over_v6: set[str] = field(default_factory=set)
    """Groups whose IPv4 routes have IPv6 next hops."""
    link_local: dict[str, str] = field(default_factory=dict)
    """The group of each interface with a session over link-local addresses."""
    over_evpn: dict[str, VrfLines] = field(default_factory=dict)
    vxlan: Vxlan = field(default_factory=Vxlan)
    targets: EosTargets = field(default_factory=EosTargets)
    bfd: SessionBfd = field(default_factory=SessionBfd)
    """The timers of sessions that state none of their own."""

    def make_bgp(
        self, connected: Callable[[str], Iterable[OwnRoute]], statics: Callable[[str], Iterable[OwnRoute]]
    ) -> dict[str, Bgp]:
        """Return BGP by VRF; `connected` and `statics` give the routes of a VRF.

        Raises UnknownTextError for sessions that carry IPv4 without next hops, and for BFD timers without BFD.
        """
        for port, group in self.link_local.items():
            if "v4" in self.instances[""].neighbors[group].active and group not in self.over_v6:
                report_misfit(f"{port} carries IPv4 without `next-hop address-family ipv6 originate`")
        for vrf, instance in self.instances.items() if not is_tolerant() else ():
            # `no bgp default ipv4-unicast` (`activates`) is stated in the default VRF, and in no other
            if not instance.waits or instance.activates is bool(vrf):
                report_misfit(
                    f"BGP in {vrf or 'default'} announces routes before they are installed, or carries IPv4 unasked"
                )
        self.targets.resolve_targets(self.instances, self.policies, self.over_evpn)
        for neighbor in (neighbor for bgp in self.instances.values() for neighbor in bgp.neighbors.values()):
            if neighbor.bfd and not neighbor.has_bfd:
                report_misfit("a session has timers of BFD, and no BFD")
            neighbor.bfd = neighbor.bfd or (self.bfd if neighbor.has_bfd else None)
        for bgp in self.instances.values():
            self._check_communities(bgp)
            for neighbor in [candidate for candidate in bgp.neighbors.values() if not candidate.is_group]:
                limits = bgp.inherit_value(neighbor, "max_prefixes")
                neighbor.max_prefixes = limits or dict.fromkeys(("v4", "v6"), MOST_ROUTES)
        return {vrf: bgp.make_bgp(self.policies, connected(vrf), statics(vrf)) for vrf, bgp in self.instances.items()}

    def _check_communities(self, instance: Instance) -> None:
        """Refuse a session whose map sets communities and that sends none; raises UnknownTextError."""
        for neighbor in instance.neighbors.values():
            entries = [e for name in neighbor.map_out for e in self.policies.maps.get(name, {}).values()]
            if any(e.communities or e.community for e in entries) and not neighbor.sends_communities:
                report_misfit("a session has communities to say, and is sent none")

    def is_drained(self) -> bool:
        """Whether all sessions ask their neighbours, by a community (GRACEFUL_SHUTDOWN), to be the last choice.

        Raises UnknownTextError if a session is to send it and sends no communities.
        """
        is_last = is_drained(self.policies, self.instances.values())
        for instance in self.instances.values():
            if is_last and any(
                neighbor.map_out and not neighbor.sends_communities for neighbor in instance.neighbors.values()
            ):
                report_misfit("a session is drained, and is sent no communities")
        return is_last

    def make_overlay(self, loopbacks: Iterable[str]) -> EvpnOverlay | None:
        """Return EVPN, None without it; `loopbacks` are those of the switch."""
        for vrf, lines in self.over_evpn.items():
            lines.distinguisher = self.targets.distinguishers.get(vrf, "")
        return make_switch_overlay(self.instances, self.over_evpn, self.vxlan, self.policies, loopbacks)


_LIST, _BGP, _FAMILY = LineRules(), LineRules(), LineRules()
_ENTRY = make_entry_rules({r"match extcommunity (\S+)": lambda name: {"extcommunity": name}})
add_setting_lines(
    _BGP,
    {
        **SESSION_LINES,
        **MAP_LINES,
        r"neighbor (\S+) peer[ -]group": ("is_group", mark_present),
        r"neighbor (\S+) peer[ -]group (\S+)": ("group", str),
        r"neighbor (\S+) remote-as (\d+)": ("remote_asn", int),
        r"neighbor (\S+) password (?:0|7|8a) (\S+)": ("password", str),
        r"neighbor (\S+) send-community(?: standard)?": ("sends_communities", mark_present),
        r"neighbor (\S+) bfd": ("has_bfd", mark_present),
        r"neighbor (\S+) allowas-in (\d+)": ("own_as_in", int),
        r"neighbor (\S+) shutdown": ("shut", mark_present),
        r"router-id (\S+)": ("router_id", str),
        "update wait-install": ("waits", mark_present),
        "no bgp default ipv4-unicast": ("activates", mark_present),
        r"aggregate-address (\S+)": ("aggregates", str),
    },
)
_BFD = LineRules()
_BGP.line("address-family evpn")(lambda routing, bgp, line: FAMILY.read(line.children, bgp))
_FAMILY.store_fields({r"neighbor (\S+) next-hop address-family ipv6 originate": ("over_v6", str)})


def add_routing_rules(top: LineRules) -> None:
    """Add the sections of routing to those of a whole configuration."""
    top.line(r"(?:ip|ipv6) prefix-list (\S+)")(_read_prefix_list)
    top.line(r"ip as-path access-list (\S+) permit (\S+) any")(_read_as_path)
    top.line(r"route-map (\S+) (permit|deny) (\d+)")(_read_route_map)
    top.line(r"router bgp (\d+)")(_read_router)
    top.store_fields({r"ip extcommunity-list (\S+) permit rt (\S+)": ("routing.targets.lists", make_item)})
    top.read_below({"router bfd": (_BFD, "routing"), "interface Vxlan1": (VXLAN, "routing.vxlan")})


@_BFD.line(r"interval (\d+) min-rx (\d+) multiplier (\d+) default")
def _read_bfd_timers(routing: EosRouting, line: Line, interval: str, least: str, multiplier: str) -> None:
    if interval != least:
        report_misfit(f"intervals differ: {line.text}")
    routing.bfd = SessionBfd(int(interval), int(multiplier))


def _read_prefix_list(box: Any, line: Line, name: str) -> None:
    _LIST.read(line.children, box.routing.policies, name)


@_LIST.line(r"seq \d+ permit (\S+)((?: [gl]e \d+)*)")
def _read_rule(policies: Policies, name: str, line: Line, prefix: str, bounds: str) -> None:
    policies.add_permit(name, prefix, bounds)


def _read_as_path(box: Any, line: Line, name: str, expression: str) -> None:
    box.routing.policies.add_path(name, expression)


def _read_route_map(box: Any, line: Line, name: str, action: str, seq: str) -> None:
    box.routing.policies.add_entry(_ENTRY, line, name, action, seq)


def _read_router(box: Any, line: Line, asn: str) -> None:
    bgp = box.routing.instances[""] = Instance(int(asn), relax=True)  # the default of EOS
    _BGP.read(line.children, box.routing, bgp)


@_BGP.line(r"vrf (\S+)")
def _read_vrf(routing: EosRouting, parent: Instance, line: Line, vrf: str) -> None:
    bgp = parent if vrf == "default" else Instance(parent.asn, relax=True)
    routing.instances["" if vrf == "default" else vrf] = bgp
    _BGP.read(line.children, routing, bgp)


@_BGP.line(r"route-target import (vpn-ipv[46]) route-map (\S+)")
def _read_import_map(routing: EosRouting, bgp: Instance, line: Line, word: str, name: str) -> None:
    bgp.imports.setdefault(FAMILIES[word], (set(), set()))[1].add(name)


@_BGP.line(r"route-target (import|export) (vpn-ipv[46]) (\d+:\d+)")
def _read_leak_target(routing: EosRouting, bgp: Instance, line: Line, direction: str, word: str, target: str) -> None:
    """Add a route target of the VPN table: to the imports of the VRF, or as the target that it exports."""
    if direction == "import":
        bgp.imports.setdefault(FAMILIES[word], (set(), set()))[0].add(target)
    else:
        routing.targets.exports.setdefault(FAMILIES[word], {})[target] = _find_vrf_name(routing, bgp)


def _find_vrf_name(routing: EosRouting, bgp: Instance) -> str:
    (vrf,) = [name for name, instance in routing.instances.items() if instance is bgp]
    return vrf


@_BGP.line(r"route-target import evpn route-map (\S+)")
def _read_evpn_import_map(routing: EosRouting, bgp: Instance, line: Line, name: str) -> None:
    routing.targets.evpn_maps[_find_vrf_name(routing, bgp)] = name


@_BGP.line(r"rd (\S+)|route-target (import|export) evpn (\S+)")
def _read_over_evpn(
    routing: EosRouting, bgp: Instance, line: Line, distinguisher: str, direction: str, target: str
) -> None:
    """Store what a VRF says of EVPN: its distinguisher, or a target that it imports or exports."""
    vrf = _find_vrf_name(routing, bgp)
    if distinguisher:
        routing.targets.distinguishers[vrf] = distinguisher
    else:
        lines = routing.over_evpn.setdefault(vrf, VrfLines())
        (lines.imports if direction == "import" else lines.exports).add(target)


@_BGP.line(r"vlan (\d+)")
def _read_bridged(routing: EosRouting, bgp: Instance, line: Line, vlan: str) -> None:
    BRIDGED.read(line.children, routing.vxlan.bridged.setdefault(int(vlan), VrfLines()))


@_BGP.line(r"maximum-paths (\d+)(?: ecmp (\d+))?")
def _read_max_paths(routing: EosRouting, bgp: Instance, line: Line, count: str, ecmp: str) -> None:
    bgp.max_paths |= {int(count), int(ecmp or count)}


@_BGP.line(r"neighbor interface (\S+) peer[ -]group (\S+) remote-as (\d+)")
def _read_interface(routing: EosRouting, bgp: Instance, line: Line, ports: str, group: str, asn: str) -> None:
    """Add a session over link-local addresses at each port of `neighbor interface PORTS peer-group GROUP remote-as
    ASN`.
    """
    for port in parse_ports(ports):
        bgp.find_neighbor(port).group = group
        bgp.find_neighbor(port).remote_asn = int(asn)
        routing.link_local[port] = group


@_BGP.line(r"neighbor (\S+) bfd interval (\d+) min-rx (\d+) multiplier (\d+)")
def _read_neighbor_bfd(
    routing: EosRouting, bgp: Instance, line: Line, peer: str, interval: str, least: str, multiplier: str
) -> None:
    if interval != least:
        report_misfit(f"intervals differ: {line.text}")
    bgp.find_neighbor(peer).bfd = SessionBfd(int(interval), int(multiplier))


@_BGP.line(r"neighbor (\S+) maximum-routes (\d+)(?: warning-limit \d+ percent)?")
def _read_max_routes(routing: EosRouting, bgp: Instance, line: Line, peer: str, count: str) -> None:
    bgp.find_neighbor(peer).max_prefixes |= {"v4": int(count), "v6": int(count)}


@_BGP.line(r"redistribute static route-map (\S+)")
def _read_redistribute_static(routing: EosRouting, bgp: Instance, line: Line, name: str) -> None:
    for family in ("v4", "v6"):
        bgp.statics.setdefault(family, set()).add(name)


@_BGP.line(r"redistribute connected route-map (\S+)")
def _read_redistribute(routing: EosRouting, bgp: Instance, line: Line, name: str) -> None:
    for family in ("v4", "v6"):
        bgp.families.setdefault(family, set()).add(name)


@_BGP.line(r"address-family (ipv4|ipv6)")
def _read_family(routing: EosRouting, bgp: Instance, line: Line, word: str) -> None:
    _FAMILY.read(line.children, routing, bgp, word.replace("ip", ""))


@_FAMILY.line(r"neighbor (\S+) activate")
def _read_activate(routing: EosRouting, bgp: Instance, family: str, line: Line, peer: str) -> None:
    bgp.find_neighbor(peer).active.add(family)

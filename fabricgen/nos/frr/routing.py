"""FRR's configuration read back: an frr.conf of ours, or what bgpcfgd would make of config_db tables.

Words: docs.frrouting.org, user guide (bgpd, routemap, filter, staticd, EVPN Multihoming).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from fabricgen.running.bgp import (
    MAP_LINES,
    SESSION_LINES,
    Instance,
    VrfLines,
    add_setting_lines,
    is_drained,
    make_overlay,
)
from fabricgen.running.policy import OwnRoute, Policies, make_entry_rules
from fabricgen.running.tree import (
    FieldLines,
    Line,
    LineRules,
    is_tolerant,
    mark_absent,
    mark_present,
    parse_tree,
    report_misfit,
)
from fabricgen.switch.routing import (
    ALL_LINKS,
    EVPN,
    ONE_LINK,
    Bgp,
    EvpnOverlay,
    OverlayVlan,
    SessionBfd,
    StaticRoute,
    find_network,
)

RETRY_S = 10
"""Seconds between attempts to open a session that is down."""


@dataclass
class SegmentLines:
    """EVPN multihoming in an frr.conf: MAC and number of each bond's segment, tracked ports, seconds at the start."""

    macs: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    tracked: set[str] = field(default_factory=set)
    startup_s: int = 0


@dataclass
class Frr:
    """What the lines of FRR's configuration say: BGP by VRF, and static routes by (VRF, prefix).

    A static route is a list of (next hop, port, tag), with "" for both in a discard.
    """

    hostname: str = ""
    policies: Policies = field(default_factory=Policies)
    instances: dict[str, Instance] = field(default_factory=dict)
    statics: dict[tuple[str, str], list[tuple[str, str, str]]] = field(default_factory=dict)
    over_evpn: dict[str, VrfLines] = field(default_factory=dict)
    all_vnis: bool = False
    of_vnis: dict[int, VrfLines] = field(default_factory=dict)
    """The settings of VNIs of VLANs."""
    segments: SegmentLines = field(default_factory=SegmentLines)

    def make_bgp(self, connected: Callable[[str], Iterable[OwnRoute]]) -> dict[str, Bgp]:
        """Return BGP by VRF; `connected` gives the connected routes of a VRF.

        Raises UnknownTextError for sessions that FRR tries again less often than a build has it.
        """
        for instance in self.instances.values() if not is_tolerant() else ():
            neighbors = instance.neighbors.values()
            if any(
                not neighbor.is_group and instance.inherit_value(neighbor, "retry_s") != RETRY_S
                for neighbor in neighbors
            ):
                report_misfit(f"sessions are not tried again every {RETRY_S} s")
        return {
            vrf: instance.make_bgp(self.policies, connected(vrf), self._list_static_routes(vrf))
            for vrf, instance in self.instances.items()
        }

    def is_drained(self) -> bool:
        """Whether all sessions are the last choice of their neighbours."""
        return is_drained(self.policies, self.instances.values())

    def _list_static_routes(self, vrf: str) -> list[OwnRoute]:
        """Return the static routes of a VRF, once for each next hop, with the tag of the hop."""
        return [
            OwnRoute(prefix, tag=tag)
            for (route_vrf, prefix), hops in self.statics.items()
            if route_vrf == vrf
            for *_, tag in hops
        ]

    def make_overlay(self, vtep: str, vlans: Mapping[int, OverlayVlan] | None = None) -> EvpnOverlay | None:
        """Return EVPN, None without it; `vtep` is the address of its tunnels, "" for none, `vlans` the VLANs over it.

        Raises UnknownTextError if FRR announces VNIs and there are no tunnels, or there are tunnels and it announces
        none.
        """
        if bool(vtep) != self.all_vnis:
            report_misfit("VXLAN tunnels and `advertise-all-vni` are not both there")
        return make_overlay(self.instances.get(""), self.policies, self.over_evpn, vtep, vlans=vlans)

    def make_static_routes(self) -> Mapping[tuple[str, str], StaticRoute]:
        """Return the static routes by (VRF, prefix) as the model of a switch has them."""
        return {
            key: StaticRoute(frozenset((port, hop) for hop, port, _ in hops if hop), any(not hop for hop, *_ in hops))
            for key, hops in self.statics.items()
        }


def read_frr(text: str) -> Frr:
    """Read the text of FRR's configuration; raises UnknownTextError for a line that is not understood."""
    frr = Frr()
    _TOP.read(parse_tree(text).children, frr)
    return frr


def strip_vrf_prefix(name: str) -> str:
    """Return the blueprint's name of a VRF, whose name in SONiC begins with `Vrf_`."""
    return name.removeprefix("Vrf_")


_TOP, _PORT, _VRF, _BGP, _FAMILY, _EVPN, _VNI = (LineRules() for _ in range(7))
_ENTRY = make_entry_rules(
    {
        r"match interface (\S+)": lambda name: {"interface": name},
        r"match tag (\S+)": lambda tag: {"tag": tag},
        r"match source-vrf (\S+)": lambda vrf: {"source_vrf": "" if vrf == "default" else strip_vrf_prefix(vrf)},
        "set extcommunity bandwidth num-multipaths": lambda: {"bandwidth": ONE_LINK},
        "set extcommunity bandwidth cumulative": lambda: {"bandwidth": ALL_LINKS},
    }
)
_TOP.store_fields(
    {
        r"hostname (\S+)": ("hostname", str),
        r"evpn mh startup-delay (\d+)": ("segments.startup_s", int),
    }
)
_TOP.ignore_lines("frr defaults traditional", "log syslog informational", "service integrated-vtysh-config")


_TOP.line(r"(?:ip|ipv6) prefix-list (\S+) seq \d+ permit (\S+)((?: [gl]e \d+)*)")(
    lambda frr, line, name, prefix, bounds: frr.policies.add_permit(name, prefix, bounds)
)
_TOP.line(r"bgp as-path access-list (\S+) seq \d+ permit (\S+)")(
    lambda frr, line, name, expression: frr.policies.add_path(name, expression)
)


@_TOP.line(r"route-map (\S+) (permit|deny) (\d+)")
def _read_route_map(frr: Frr, line: Line, name: str, action: str, seq: str) -> None:
    frr.policies.add_entry(_ENTRY, line, name, action, seq)


@_TOP.line(r"interface (\S+)")
def _read_interface(frr: Frr, line: Line, name: str) -> None:
    _PORT.read(line.children, frr.segments, name)


@_PORT.line(r"evpn mh (?:es-id (\d+)|es-sys-mac (\S+)|uplink)")
def _read_segment(segments: SegmentLines, name: str, line: Line, number: str | None, mac: str | None) -> None:
    """Store the number or the MAC of the Ethernet segment of the bond `name`, or that the port `name` is a tracked
    uplink.
    """
    if number:
        segments.numbers[name] = int(number)
    elif mac:
        segments.macs[name] = mac
    else:
        segments.tracked.add(name)


TARGET_LINES: FieldLines = {
    r"rd (\S+)": ("distinguisher", str),
    r"route-target import (\S+)": ("imports", str),
    r"route-target export (\S+)": ("exports", str),
}
"""Lines of a VRF, and of the VNI of a VLAN, for EVPN."""

_HOP = r"(?:(blackhole|reject|Null0)|(\S+)(?: ([A-Z]\S+))?)"


@_TOP.line(rf"(?:ip|ipv6) route (\S+) {_HOP}(?: (\d+))?(?: tag (\d+))?(?: vrf (\S+))?")
def _read_static_route(
    frr: Frr, line: Line, prefix: str, drop: str, hop: str, port: str, distance: str, tag: str, vrf: str
) -> None:
    """Add a next hop to a static route, ("", "") for one that drops packets.

    A distance is allowed only on a drop behind other hops, which takes what these do not carry; raises UnknownTextError
    otherwise.
    """
    hops = frr.statics.setdefault((strip_vrf_prefix(vrf or ""), prefix), [])
    if bool(distance) != (bool(drop) and bool(hops)):
        report_misfit(f"a distance is for what drops the rest: {line.text}")
    hops.append(("", "", tag) if drop else (hop, port or "", tag))


@_TOP.line(r"vrf (\S+)")
def _read_vrf(frr: Frr, line: Line, vrf: str) -> None:
    _VRF.read(line.children, frr, vrf)


@_VRF.line("ip(?:v6)? route .+")
def _read_vrf_route(frr: Frr, vrf: str, line: Line) -> None:
    """Read a static route in the section of a VRF, where FRR shows it, as one on the top level that names the VRF."""
    line.text += f" vrf {vrf}"
    _TOP.read([line], frr)


@_VRF.line(r"vni (\d+)")
def _read_vni(frr: Frr, vrf: str, line: Line, vni: str) -> None:
    frr.over_evpn.setdefault(strip_vrf_prefix(vrf), VrfLines()).vni = int(vni)


@_TOP.line(r"router bgp (\d+)(?: vrf (\S+))?")
def _read_router(frr: Frr, line: Line, asn: str, vrf: str) -> None:
    """Read BGP of a VRF, then its EVPN section, which needs the instance that the other lines make."""
    instance = frr.instances[strip_vrf_prefix(vrf or "")] = Instance(int(asn), requires_policy=True)
    _BGP.read(line.children, instance)
    for section in line.children:
        if section.text == "address-family l2vpn evpn":
            lines = frr.over_evpn.setdefault(strip_vrf_prefix(vrf), VrfLines()) if vrf else VrfLines()
            _EVPN.read(section.children, lines, frr, instance)


add_setting_lines(
    _BGP,
    {
        **SESSION_LINES,
        r"neighbor (\S+) peer-group": ("is_group", mark_present),
        r"neighbor (\S+)(?: interface)? peer-group (\S+)": ("group", str),
        r"neighbor (\S+)(?: interface)? remote-as (\d+)": ("remote_asn", int),
        r"neighbor (\S+) password (\S+)": ("password", str),
        r"neighbor (\S+) shutdown(?: .*)?": ("shut", mark_present),
        r"bgp router-id (\S+)": ("router_id", str),
        "bgp bestpath as-path multipath-relax": ("relax", mark_present),
        "bgp suppress-fib-pending": ("waits", mark_present),
        "no bgp ebgp-requires-policy": ("requires_policy", mark_absent),
        r"neighbor (\S+) timers connect (\d+)": ("retry_s", int),
    },
)
add_setting_lines(
    _FAMILY,
    {
        **MAP_LINES,
        r"neighbor (\S+) peer-group (\S+)": ("group", str),
        r"neighbor (\S+) allowas-in (\d+)": ("own_as_in", int),
        r"network (\S+)": ("networks", find_network),
        r"aggregate-address (\S+)": ("aggregates", find_network),
        r"maximum-paths (\d+)": ("max_paths", int),
    },
)
add_setting_lines(
    _EVPN,
    {
        **MAP_LINES,
        r"neighbor (\S+) activate": ("active", lambda: EVPN),
        r"neighbor (\S+) attribute-unchanged next-hop": ("keeps_next_hop", mark_present),
        r"neighbor (\S+) allowas-in (\d+)": ("own_as_in", int),
    },
)
_BGP.ignore_lines(
    "bgp log-neighbor-changes",
    # FRR does so by itself on sessions over an interface (bgp_nexthop.c); here it is said aloud.
    r"neighbor \S+ capability extended-nexthop",
)


_BGP.line("address-family l2vpn evpn")(lambda instance, line: None)  # `_read_router` reads it
_BGP.require_lines("no bgp default ipv4-unicast")


@_BGP.line(r"neighbor (\S+) bfd(?: (\d+) (\d+) (\d+))?")
def _read_bfd(bgp: Instance, line: Line, peer: str, multiplier: str, receive: str, transmit: str) -> None:
    if receive != transmit:
        report_misfit(f"intervals differ: {line.text}")
    bgp.find_neighbor(peer).bfd = SessionBfd(int(receive), int(multiplier)) if receive else SessionBfd()


_VNI.store_fields(TARGET_LINES)
_EVPN.store_fields({**TARGET_LINES, "advertise ip(v[46]) unicast": ("families", str)})


@_EVPN.line("advertise-all-vni")
def _read_all_vnis(lines: VrfLines, frr: Frr, instance: Instance, line: Line) -> None:
    frr.all_vnis = True


@_EVPN.line(r"vni (\d+)")
def _read_vlan_vni(lines: VrfLines, frr: Frr, instance: Instance, line: Line, vni: str) -> None:
    _VNI.read(line.children, frr.of_vnis.setdefault(int(vni), VrfLines(int(vni))))


@_BGP.line(r"address-family (ipv4|ipv6)(?: unicast)?")
def _read_family(bgp: Instance, line: Line, word: str) -> None:
    _FAMILY.read(line.children, bgp, word.replace("ip", ""))


_FAMILY.ignore_lines(r"neighbor \S+ soft-reconfiguration inbound")
_FAMILY.needed.append(re.compile(r"maximum-paths \d+"))  # without it FRR has a number of its own


@_FAMILY.line(r"redistribute connected route-map (\S+)")
def _read_redistribute(bgp: Instance, family: str, line: Line, name: str) -> None:
    bgp.families.setdefault(family, set()).add(name)


@_FAMILY.line(r"redistribute static route-map (\S+)")
def _read_redistribute_static(bgp: Instance, family: str, line: Line, name: str) -> None:
    bgp.statics.setdefault(family, set()).add(name)


@_FAMILY.line(r"import vrf route-map (\S+)|import vrf (\S+)")
def _read_import(bgp: Instance, family: str, line: Line, name: str, vrf: str) -> None:
    """Add a VRF whose routes are imported in a family, or the route map that all imported routes pass."""
    sources, maps = bgp.imports.setdefault(family, (set(), set()))
    if name:
        maps.add(name)
    else:
        sources.add("" if vrf == "default" else strip_vrf_prefix(vrf))


@_FAMILY.line(r"neighbor (\S+) activate")
def _read_activate(bgp: Instance, family: str, line: Line, peer: str) -> None:
    bgp.find_neighbor(peer).active.add(family)


@_FAMILY.line(r"neighbor (\S+) maximum-prefix (\d+)(?: .*)?")
def _read_max_prefixes(bgp: Instance, family: str, line: Line, peer: str, count: str) -> None:
    bgp.find_neighbor(peer).max_prefixes[family] = int(count)

"""FRR's configuration read back: an frr.conf of ours, or what bgpcfgd would make of config_db tables.

Words: docs.frrouting.org, user guide (bgpd, routemap, filter, staticd, EVPN Multihoming).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.running.bgp import (
    MAP_LINES,
    SESSION_LINES,
    Instance,
    VrfLines,
    add_setting_lines,
    is_drained,
    make_overlay,
    mark_present,
)
from fabricgen.running.policy import OwnRoute, Policies, make_entry_rules
from fabricgen.running.tree import Line, LineRules, is_tolerant, parse_tree, report_misfit
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
"""How often a session that is down is tried."""


@dataclass
class SegmentLines:
    """What FRR is told: MAC and number of each bond's segment, the ports that are tracked, seconds at the start."""

    macs: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    tracked: set[str] = field(default_factory=set)
    startup_s: int = 0


_PORT = LineRules()


def add_segment_rules(top: LineRules) -> None:
    """Add what is said of segments to the rules of an frr.conf."""
    top.line(r"evpn mh startup-delay (\d+)")(_read_startup)
    top.line(r"interface (\S+)")(_read_interface)


def _read_startup(frr: Any, line: Line, seconds: str) -> None:
    frr.segments.startup_s = int(seconds)


def _read_interface(frr: Any, line: Line, name: str) -> None:
    _PORT.read(line.children, frr.segments, name)


@_PORT.line(r"evpn mh es-id (\d+)")
def _read_segment_number(segments: SegmentLines, name: str, line: Line, number: str) -> None:
    segments.numbers[name] = int(number)


@_PORT.line(r"evpn mh es-sys-mac (\S+)")
def _read_segment_mac(segments: SegmentLines, name: str, line: Line, mac: str) -> None:
    segments.macs[name] = mac


@_PORT.line("evpn mh uplink")
def _read_uplink(segments: SegmentLines, name: str, line: Line) -> None:
    segments.tracked.add(name)


@dataclass
class Frr:
    """What was read: instances by VRF, static routes by (VRF, prefix) as (next hop, port, tag), "" for a discard."""

    hostname: str = ""
    policies: Policies = field(default_factory=Policies)
    instances: dict[str, Instance] = field(default_factory=dict)
    statics: dict[tuple[str, str], list[tuple[str, str, str]]] = field(default_factory=dict)
    over_evpn: dict[str, VrfLines] = field(default_factory=dict)
    all_vnis: bool = False
    of_vnis: dict[int, VrfLines] = field(default_factory=dict)
    """What is said of VNIs of VLANs."""
    segments: SegmentLines = field(default_factory=SegmentLines)

    def make_bgp(self, connected: Callable[[str], Iterable[OwnRoute]]) -> dict[str, Bgp]:
        """Sessions and announcements by VRF, given what is connected in each.

        Raises UnknownTextError for sessions that are tried again later than a build has it.
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
        """Whether its neighbours choose it last."""
        return is_drained(self.policies, self.instances.values())

    def _list_static_routes(self, vrf: str) -> list[OwnRoute]:
        # the static routes of a VRF, one for each next hop, with its tag
        return [
            OwnRoute(prefix, tag=tag)
            for (route_vrf, prefix), hops in self.statics.items()
            if route_vrf == vrf
            for *_, tag in hops
        ]

    def make_overlay(self, vtep: str, vlans: Mapping[int, OverlayVlan] | None = None) -> EvpnOverlay | None:
        """EVPN, where tunnels end at an address, with VLANs; raises UnknownTextError where these do not fit VRFs."""
        if bool(vtep) != self.all_vnis:
            report_misfit("VXLAN tunnels and `advertise-all-vni` are not both there")
        return make_overlay(self.instances.get(""), self.policies, self.over_evpn, vtep, vlans=vlans)

    def make_static_routes(self) -> Mapping[tuple[str, str], StaticRoute]:
        """Static routes as the model of a switch has them."""
        return {
            key: StaticRoute(frozenset((port, hop) for hop, port, _ in hops if hop), any(not hop for hop, *_ in hops))
            for key, hops in self.statics.items()
        }


def read_frr(text: str) -> Frr:
    """Read an frr.conf; raises UnknownTextError for a line that is not understood."""
    frr = Frr()
    _TOP.read(parse_tree(text).children, frr)
    return frr


def strip_vrf_prefix(name: str) -> str:
    """The blueprint's name of a VRF: SONiC's begins with Vrf_."""
    return name.removeprefix("Vrf_")


_TOP, _VRF, _BGP, _FAMILY, _EVPN, _VNI = (LineRules() for _ in range(6))
_ENTRY = make_entry_rules(
    {
        r"match interface (\S+)": lambda name: {"interface": name},
        r"match tag (\S+)": lambda tag: {"tag": tag},
        r"match source-vrf (\S+)": lambda vrf: {"source_vrf": "" if vrf == "default" else strip_vrf_prefix(vrf)},
        "set extcommunity bandwidth num-multipaths": lambda: {"bandwidth": ONE_LINK},
        "set extcommunity bandwidth cumulative": lambda: {"bandwidth": ALL_LINKS},
    }
)
add_segment_rules(_TOP)
_TOP.ignore_lines("frr defaults traditional", "log syslog informational", "service integrated-vtysh-config")


@_TOP.line(r"hostname (\S+)")
def _read_hostname(frr: Frr, line: Line, name: str) -> None:
    frr.hostname = name


@_TOP.line(r"(?:ip|ipv6) prefix-list (\S+) seq \d+ permit (\S+)((?: [gl]e \d+)*)")
def _read_prefix_list(frr: Frr, line: Line, name: str, prefix: str, bounds: str) -> None:
    frr.policies.add_permit(name, prefix, bounds)


@_TOP.line(r"bgp as-path access-list (\S+) seq \d+ permit (\S+)")
def _read_as_path(frr: Frr, line: Line, name: str, expression: str) -> None:
    frr.policies.add_path(name, expression)


@_TOP.line(r"route-map (\S+) (permit|deny) (\d+)")
def _read_route_map(frr: Frr, line: Line, name: str, action: str, seq: str) -> None:
    frr.policies.add_entry(_ENTRY, line, name, action, seq)


_HOP = r"(?:(blackhole|reject|Null0)|(\S+)(?: ([A-Z]\S+))?)"


@_TOP.line(rf"(?:ip|ipv6) route (\S+) {_HOP}(?: (\d+))?(?: tag (\d+))?(?: vrf (\S+))?")
def _read_static_route(
    frr: Frr, line: Line, prefix: str, drop: str, hop: str, port: str, distance: str, tag: str, vrf: str
) -> None:
    # add a next hop, ("", "") for a discard; a `distance` marks the discard of what the others do not carry
    hops = frr.statics.setdefault((strip_vrf_prefix(vrf or ""), prefix), [])
    if bool(distance) != (bool(drop) and bool(hops)):
        report_misfit(f"a distance is for what drops the rest: {line.text}")
    hops.append(("", "", tag) if drop else (hop, port or "", tag))


@_TOP.line(r"vrf (\S+)")
def _read_vrf(frr: Frr, line: Line, vrf: str) -> None:
    _VRF.read(line.children, frr, vrf)


@_VRF.line("ip(?:v6)? route .+")
def _read_vrf_route(frr: Frr, vrf: str, line: Line) -> None:
    """FRR shows the static routes of a VRF in its section; written, they name it."""
    line.text += f" vrf {vrf}"
    _TOP.read([line], frr)


@_VRF.line(r"vni (\d+)")
def _read_vni(frr: Frr, vrf: str, line: Line, vni: str) -> None:
    frr.over_evpn.setdefault(strip_vrf_prefix(vrf), VrfLines()).vni = int(vni)


@_TOP.line(r"router bgp (\d+)(?: vrf (\S+))?")
def _read_router(frr: Frr, line: Line, asn: str, vrf: str) -> None:
    # BGP of a VRF; its EVPN section is read after the rest, as it needs the instance
    instance = frr.instances[strip_vrf_prefix(vrf or "")] = Instance(int(asn), requires_policy=True)
    _BGP.read(line.children, instance)
    for section in line.children:
        if section.text == "address-family l2vpn evpn":
            lines = frr.over_evpn.setdefault(strip_vrf_prefix(vrf), VrfLines()) if vrf else VrfLines()
            _EVPN.read(section.children, frr, instance, lines)


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
        "no bgp ebgp-requires-policy": ("requires_policy", lambda: False),
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


_BGP.require_lines("no bgp default ipv4-unicast")


@_BGP.line(r"neighbor (\S+) bfd(?: (\d+) (\d+) (\d+))?")
def _read_bfd(bgp: Instance, line: Line, peer: str, multiplier: str, receive: str, transmit: str) -> None:
    if receive != transmit:
        report_misfit(f"intervals differ: {line.text}")
    bgp.find_neighbor(peer).bfd = SessionBfd(int(receive), int(multiplier)) if receive else SessionBfd()


@_BGP.line("address-family l2vpn evpn")
def _skip_evpn(bgp: Instance, line: Line) -> None:
    """Read by `_read_router`: it tells of the VRF, too."""


@_EVPN.line("advertise-all-vni")
def _read_all_vnis(frr: Frr, bgp: Instance, lines: VrfLines, line: Line) -> None:
    frr.all_vnis = True


@_EVPN.line(r"vni (\d+)")
def _read_vlan_vni(frr: Frr, bgp: Instance, lines: VrfLines, line: Line, vni: str) -> None:
    _VNI.read(line.children, frr.of_vnis.setdefault(int(vni), VrfLines(int(vni))))


@_VNI.line(r"rd (\S+)|route-target (import|export) (\S+)")
def _read_vni_target(lines: VrfLines, line: Line, distinguisher: str, direction: str, target: str) -> None:
    lines.add_target(distinguisher, direction, target)


@_EVPN.line(r"advertise (ipv4|ipv6) unicast")
def _read_advertise(frr: Frr, bgp: Instance, lines: VrfLines, line: Line, word: str) -> None:
    lines.families.add(word.replace("ip", ""))


@_EVPN.line(r"rd (\S+)")
def _read_distinguisher(frr: Frr, bgp: Instance, lines: VrfLines, line: Line, text: str) -> None:
    lines.distinguisher = text


@_EVPN.line(r"route-target (import|export) (\S+)")
def _read_target(frr: Frr, bgp: Instance, lines: VrfLines, line: Line, direction: str, text: str) -> None:
    (lines.imports if direction == "import" else lines.exports).add(text)


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
    # what a VRF imports from another: `import vrf VRF`, or the map of `import vrf route-map NAME`
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

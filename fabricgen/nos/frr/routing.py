"""FRR's configuration read back: an frr.conf of ours, or what bgpcfgd would make of config_db tables.

Words: docs.frrouting.org, user guide (bgpd, routemap, filter, staticd, EVPN Multihoming).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.running.bgp import MAP_LINES, SESSION_LINES, Instance, VrfLines, drained, overlay, present, take_settings
from fabricgen.running.policy import Policies, Route, entry_rules
from fabricgen.running.tree import Line, Rules, tolerates, tree, unfit
from fabricgen.switch.routing import EVPN, Bfd, Bgp, Overlay, OverlayVlan, StaticRoute, network_of

RETRY_S = 10
"""How often a session that is down is tried."""


@dataclass
class SegmentLines:
    """What FRR is told: MAC and number of each bond's segment, the ports that are tracked, seconds at the start."""

    macs: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    tracked: set[str] = field(default_factory=set)
    startup_s: int = 0


_PORT = Rules()


def segment_rules(top: Rules) -> None:
    """Add what is said of segments to the rules of an frr.conf."""
    top.line(r"evpn mh startup-delay (\d+)")(_startup)
    top.line(r"interface (\S+)")(_interface)


def _startup(found: Any, line: Line, seconds: str) -> None:
    found.segments.startup_s = int(seconds)


def _interface(found: Any, line: Line, name: str) -> None:
    _PORT.read(line.children, found.segments, name)


@_PORT.line(r"evpn mh es-id (\d+)")
def _number(found: SegmentLines, name: str, line: Line, number: str) -> None:
    found.numbers[name] = int(number)


@_PORT.line(r"evpn mh es-sys-mac (\S+)")
def _mac(found: SegmentLines, name: str, line: Line, mac: str) -> None:
    found.macs[name] = mac


@_PORT.line("evpn mh uplink")
def _uplink(found: SegmentLines, name: str, line: Line) -> None:
    found.tracked.add(name)


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

    def bgp(self, connected: Callable[[str], Iterable[Route]]) -> dict[str, Bgp]:
        """Sessions and announcements by VRF, given what is connected in each.

        Raises UnknownTextError for sessions that are tried again later than a build has it.
        """
        for instance in self.instances.values() if not tolerates() else ():
            neighbors = instance.neighbors.values()
            if any(not one.is_group and instance.either(one, "retry_s") != RETRY_S for one in neighbors):
                unfit(f"sessions are not tried again every {RETRY_S} s")
        return {
            vrf: instance.bgp(self.policies, connected(vrf), self._static_routes(vrf))
            for vrf, instance in self.instances.items()
        }

    def drained(self) -> bool:
        """Whether its neighbours choose it last."""
        return drained(self.policies, self.instances.values())

    def _static_routes(self, vrf: str) -> list[Route]:
        return [
            Route(prefix, tag=tag) for (own, prefix), ways in self.statics.items() if own == vrf for *_, tag in ways
        ]

    def overlay(self, vtep: str, vlans: Mapping[int, OverlayVlan] | None = None) -> Overlay | None:
        """EVPN, where tunnels end at an address, with VLANs; raises UnknownTextError where these do not fit VRFs."""
        if bool(vtep) != self.all_vnis:
            unfit("VXLAN tunnels and `advertise-all-vni` are not both there")
        return overlay(self.instances.get(""), self.policies, self.over_evpn, vtep, vlans=vlans)

    def routes(self) -> Mapping[tuple[str, str], StaticRoute]:
        """Static routes as the model of a switch has them."""
        return {
            key: StaticRoute(frozenset((port, hop) for hop, port, _ in ways if hop), any(not hop for hop, *_ in ways))
            for key, ways in self.statics.items()
        }


def read_frr(text: str) -> Frr:
    """Read an frr.conf; raises UnknownTextError for a line that is not understood."""
    found = Frr()
    _TOP.read(tree(text).children, found)
    return found


def vrf_of(name: str) -> str:
    """The blueprint's name of a VRF: SONiC's begins with Vrf_."""
    return name.removeprefix("Vrf_")


_TOP, _VRF, _BGP, _FAMILY, _EVPN, _VNI = (Rules() for _ in range(6))
_ENTRY = entry_rules(
    {
        r"match interface (\S+)": lambda name: {"interface": name},
        r"match tag (\S+)": lambda tag: {"tag": tag},
        r"match source-vrf (\S+)": lambda vrf: {"source_vrf": "" if vrf == "default" else vrf_of(vrf)},
    }
)
segment_rules(_TOP)
_TOP.nothing("frr defaults traditional", "log syslog informational", "service integrated-vtysh-config")


@_TOP.line(r"hostname (\S+)")
def _hostname(found: Frr, line: Line, name: str) -> None:
    found.hostname = name


@_TOP.line(r"(?:ip|ipv6) prefix-list (\S+) seq \d+ permit (\S+)((?: [gl]e \d+)*)")
def _prefix_list(found: Frr, line: Line, name: str, prefix: str, bounds: str) -> None:
    found.policies.add_permit(name, prefix, bounds)


@_TOP.line(r"bgp as-path access-list (\S+) seq \d+ permit (\S+)")
def _as_path(found: Frr, line: Line, name: str, expression: str) -> None:
    found.policies.add_path(name, expression)


@_TOP.line(r"route-map (\S+) (permit|deny) (\d+)")
def _route_map(found: Frr, line: Line, name: str, action: str, seq: str) -> None:
    found.policies.add_entry(_ENTRY, line, name, action, seq)


_HOP = r"(?:(blackhole|reject|Null0)|(\S+)(?: ([A-Z]\S+))?)"


@_TOP.line(rf"(?:ip|ipv6) route (\S+) {_HOP}(?: (\d+))?(?: tag (\d+))?(?: vrf (\S+))?")
def _static(
    found: Frr, line: Line, prefix: str, drop: str, hop: str, port: str, distance: str, tag: str, vrf: str
) -> None:
    ways = found.statics.setdefault((vrf_of(vrf or ""), prefix), [])
    if bool(distance) != (bool(drop) and bool(ways)):
        unfit(f"a distance is for what drops the rest: {line.text}")
    ways.append(("", "", tag) if drop else (hop, port or "", tag))


@_TOP.line(r"vrf (\S+)")
def _vrf(found: Frr, line: Line, vrf: str) -> None:
    _VRF.read(line.children, found, vrf)


@_VRF.line("ip(?:v6)? route .+")
def _static_of_vrf(found: Frr, vrf: str, line: Line) -> None:
    """FRR shows the static routes of a VRF in its section; written, they name it."""
    line.text += f" vrf {vrf}"
    _TOP.read([line], found)


@_VRF.line(r"vni (\d+)")
def _vni(found: Frr, vrf: str, line: Line, vni: str) -> None:
    found.over_evpn.setdefault(vrf_of(vrf), VrfLines()).vni = int(vni)


@_TOP.line(r"router bgp (\d+)(?: vrf (\S+))?")
def _router(found: Frr, line: Line, asn: str, vrf: str) -> None:
    instance = found.instances[vrf_of(vrf or "")] = Instance(int(asn), requires_policy=True)
    _BGP.read(line.children, instance)
    for section in line.children:
        if section.text == "address-family l2vpn evpn":
            lines = found.over_evpn.setdefault(vrf_of(vrf), VrfLines()) if vrf else VrfLines()
            _EVPN.read(section.children, found, instance, lines)


take_settings(
    _BGP,
    {
        **SESSION_LINES,
        r"neighbor (\S+) peer-group": ("is_group", present),
        r"neighbor (\S+)(?: interface)? peer-group (\S+)": ("group", str),
        r"neighbor (\S+)(?: interface)? remote-as (\d+)": ("remote_asn", int),
        r"neighbor (\S+) password (\S+)": ("password", str),
        r"neighbor (\S+) shutdown(?: .*)?": ("shut", present),
        r"bgp router-id (\S+)": ("router_id", str),
        "bgp bestpath as-path multipath-relax": ("relax", present),
        "bgp suppress-fib-pending": ("waits", present),
        "no bgp ebgp-requires-policy": ("requires_policy", lambda: False),
        r"neighbor (\S+) timers connect (\d+)": ("retry_s", int),
    },
)
take_settings(
    _FAMILY,
    {
        **MAP_LINES,
        r"neighbor (\S+) peer-group (\S+)": ("group", str),
        r"neighbor (\S+) allowas-in (\d+)": ("own_as_in", int),
        r"network (\S+)": ("networks", network_of),
        r"aggregate-address (\S+)": ("aggregates", network_of),
        r"maximum-paths (\d+)": ("max_paths", int),
    },
)
take_settings(
    _EVPN,
    {
        **MAP_LINES,
        r"neighbor (\S+) activate": ("active", lambda: EVPN),
        r"neighbor (\S+) attribute-unchanged next-hop": ("keeps_next_hop", present),
        r"neighbor (\S+) allowas-in (\d+)": ("own_as_in", int),
    },
)
_BGP.nothing(
    "bgp log-neighbor-changes",
    # FRR does so by itself on sessions over an interface (bgp_nexthop.c); here it is said aloud.
    r"neighbor \S+ capability extended-nexthop",
)


_BGP.require_lines("no bgp default ipv4-unicast")


@_BGP.line(r"neighbor (\S+) bfd(?: (\d+) (\d+) (\d+))?")
def _bfd(bgp: Instance, line: Line, peer: str, multiplier: str, receive: str, transmit: str) -> None:
    if receive != transmit:
        unfit(f"intervals differ: {line.text}")
    bgp.neighbor(peer).bfd = Bfd(int(receive), int(multiplier)) if receive else Bfd()


@_BGP.line("address-family l2vpn evpn")
def _evpn(bgp: Instance, line: Line) -> None:
    """Read by `_router`: it tells of the VRF, too."""


@_EVPN.line("advertise-all-vni")
def _all_vnis(found: Frr, bgp: Instance, lines: VrfLines, line: Line) -> None:
    found.all_vnis = True


@_EVPN.line(r"vni (\d+)")
def _of_vni(found: Frr, bgp: Instance, lines: VrfLines, line: Line, vni: str) -> None:
    _VNI.read(line.children, found.of_vnis.setdefault(int(vni), VrfLines(int(vni))))


@_VNI.line(r"rd (\S+)|route-target (import|export) (\S+)")
def _says_vni(lines: VrfLines, line: Line, distinguisher: str, way: str, target: str) -> None:
    lines.add(distinguisher, way, target)


@_EVPN.line(r"advertise (ipv4|ipv6) unicast")
def _advertise(found: Frr, bgp: Instance, lines: VrfLines, line: Line, word: str) -> None:
    lines.families.add(word.replace("ip", ""))


@_EVPN.line(r"rd (\S+)")
def _distinguisher(found: Frr, bgp: Instance, lines: VrfLines, line: Line, text: str) -> None:
    lines.distinguisher = text


@_EVPN.line(r"route-target (import|export) (\S+)")
def _target(found: Frr, bgp: Instance, lines: VrfLines, line: Line, way: str, text: str) -> None:
    (lines.imports if way == "import" else lines.exports).add(text)


@_BGP.line(r"address-family (ipv4|ipv6)(?: unicast)?")
def _family(bgp: Instance, line: Line, word: str) -> None:
    _FAMILY.read(line.children, bgp, word.replace("ip", ""))


_FAMILY.nothing(r"neighbor \S+ soft-reconfiguration inbound")
_FAMILY.needed.append(re.compile(r"maximum-paths \d+"))  # without it FRR has a number of its own


@_FAMILY.line(r"redistribute connected route-map (\S+)")
def _redistribute(bgp: Instance, family: str, line: Line, name: str) -> None:
    bgp.families.setdefault(family, set()).add(name)


@_FAMILY.line(r"redistribute static route-map (\S+)")
def _redistribute_static(bgp: Instance, family: str, line: Line, name: str) -> None:
    bgp.statics.setdefault(family, set()).add(name)


@_FAMILY.line(r"import vrf route-map (\S+)|import vrf (\S+)")
def _import(bgp: Instance, family: str, line: Line, name: str, vrf: str) -> None:
    sources, maps = bgp.imports.setdefault(family, (set(), set()))
    if name:
        maps.add(name)
    else:
        sources.add("" if vrf == "default" else vrf_of(vrf))


@_FAMILY.line(r"neighbor (\S+) activate")
def _activate(bgp: Instance, family: str, line: Line, peer: str) -> None:
    bgp.neighbor(peer).active.add(family)


@_FAMILY.line(r"neighbor (\S+) maximum-prefix (\d+)(?: .*)?")
def _most(bgp: Instance, family: str, line: Line, peer: str, count: str) -> None:
    bgp.neighbor(peer).max_prefixes[family] = int(count)

"""Vxlan1, the address family evpn, Ethernet segments and link tracking read back (Arista EOS user manual: VXLAN, EVPN,
EVPN multihoming, Link Tracking Groups).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fabricgen.running.bgp import MAP_LINES, Instance, VrfLines, add_setting_lines, make_overlay
from fabricgen.running.policy import Policies
from fabricgen.running.tree import Line, LineRules, make_item, mark_present, report_misfit
from fabricgen.switch.routing import EVPN, EvpnOverlay, OverlayVlan


@dataclass
class Vxlan:
    """What Vxlan1 says: the interface that tunnels end at, VNIs by VRF and by VLAN, and what is
    copied of DSCP and ECN.
    """

    source: str = ""
    vnis: dict[str, int] = field(default_factory=dict)
    of_vlans: dict[int, int] = field(default_factory=dict)
    bridged: dict[int, VrfLines] = field(default_factory=dict)
    """The settings of VLANs in `router bgp`."""
    qos: set[str] = field(default_factory=set)


VXLAN, FAMILY = LineRules(), LineRules()
VXLAN.require_lines("vxlan udp-port 4789")
add_setting_lines(
    FAMILY,
    {
        **MAP_LINES,
        "bgp next-hop-unchanged": ("keeps_next_hops", mark_present),
        r"neighbor (\S+) activate": ("active", lambda: EVPN),
    },
)
_ALL_OF_QOS = {"ecn propagation", "dscp propagation encapsulation", "map dscp to traffic-class decapsulation"}


VXLAN.store_fields(
    {
        r"vxlan source-interface (\S+)": ("source", str),
        r"vxlan vrf (\S+) vni (\d+)": ("vnis", lambda vrf, vni: {vrf: int(vni)}),
        r"vxlan vlan (\d+) vni (\d+)": ("of_vlans", lambda vlan, vni: {int(vlan): int(vni)}),
        "vxlan qos (.+)": ("qos", str),
    }
)
BRIDGED = LineRules()
BRIDGED.require_lines("redistribute learned")
BRIDGED.store_fields({r"rd (\S+)": ("distinguisher", str), r"route-target both (\S+)": ("imports", str)})


def _make_bridged(vxlan: Vxlan) -> dict[int, OverlayVlan]:
    """Return the VLANs over EVPN; raises UnknownTextError if Vxlan1 and BGP have different ones."""
    if vxlan.of_vlans.keys() != vxlan.bridged.keys():
        report_misfit(f"VLANs of Vxlan1 are {sorted(vxlan.of_vlans)}, and of BGP {sorted(vxlan.bridged)}")
    return {
        vlan: OverlayVlan(vxlan.of_vlans.get(vlan, 0), lines.distinguisher, frozenset(lines.imports))
        for vlan, lines in vxlan.bridged.items()
    }


def make_switch_overlay(
    instances: Mapping[str, Instance],
    vrfs: Mapping[str, VrfLines],
    vxlan: Vxlan,
    policies: Policies,
    loopbacks: Iterable[str],
) -> EvpnOverlay | None:
    """Return EVPN, None without it; `vrfs` are the EVPN settings of VRFs, which get their VNIs and families here.

    Raises UnknownTextError for VRFs that Vxlan1 lacks, and for sessions that send no extended communities or are
    limited.
    """
    address = next((text.partition("/")[0] for text in sorted(loopbacks) if ":" not in text), "")
    if vxlan.qos not in (set(), _ALL_OF_QOS) or vrfs.keys() != vxlan.vnis.keys():
        report_misfit(f"Vxlan1 has {vxlan}, and VRFs over EVPN are {sorted(vrfs)}")
    for name, lines in vrfs.items():
        lines.vni = vxlan.vnis.get(name, 0)
        lines.families = set(instances[name].families) & list_session_families(instances[""])
    evpn = make_overlay(
        instances.get(""),
        policies,
        vrfs,
        {"": "", "Loopback0": address}[vxlan.source],
        copies_dscp=vxlan.qos == _ALL_OF_QOS,
        vlans=_make_bridged(vxlan),
    )
    if evpn and any(
        not instances[""].inherit_value(instances[""].find_neighbor(peer), "sends_communities") for peer in evpn.peers
    ):
        report_misfit("sessions for EVPN send no route targets")
    if evpn and any(instances[""].find_neighbor(peer).max_prefixes.get("v4") for peer in evpn.peers):
        report_misfit("sessions for EVPN are limited")
    return evpn and _replace_source(evpn, address)


def list_session_families(bgp: Instance) -> set[str]:
    """Return the families other than EVPN ("v4", "v6") that any session or group of `bgp` carries."""
    return {family for neighbor in bgp.neighbors.values() for family in neighbor.active} - {EVPN}


def _replace_source(evpn: EvpnOverlay, address: str) -> EvpnOverlay:
    """Return the overlay with the address of the loopback in place of its name."""
    if evpn.source != "Loopback0":
        report_misfit(f"sessions for EVPN come from {evpn.source}")
    return replace(evpn, source=address)


@dataclass
class EosSegment:
    """What an interface says of its Ethernet segment, of link tracking, and of anycast addresses."""

    words: dict[str, str] = field(default_factory=dict)
    tracked: str = ""
    virtual: list[str] = field(default_factory=list)

    def find_name(self) -> str:
        """Return the MAC that names the segment, "" for none; raises UnknownTextError if its parts name several."""
        if not self.words:
            return ""
        plain = {word: text.replace(":", "").replace(".", "") for word, text in self.words.items()}
        mac = plain.get("route-target import", "")
        expected = {"identifier": f"00000000{mac}", "route-target import": mac, "lacp system-id": mac}
        if plain != expected or self.tracked != "downstream":
            report_misfit(f"an Ethernet segment of several: {self.words}, tracked {self.tracked or 'not at all'}")
        return self.words["route-target import"]


_SEGMENT = LineRules()
_SEGMENT.store_fields({r"(identifier|route-target import) (\S+)": ("words", make_item)})


def add_segment_rules(top: LineRules, port: LineRules) -> None:
    """Add the lines of segments to the rules of a configuration (`top`) and of an interface (`port`)."""
    top.line(r"link tracking group (\S+)")(_read_tracking_group)
    port.read_below({"evpn ethernet-segment": (_SEGMENT, "segment")})
    port.store_fields(
        {
            r"(lacp system-id) (\S+)": ("segment.words", make_item),
            r"link tracking group \S+ (upstream|downstream)": ("segment.tracked", str),
            r"(?:ip|ipv6) address virtual (\S+)": ("segment.virtual", str),
        }
    )


def _read_tracking_group(box: Any, line: Line, name: str) -> None:
    if [child.text.rpartition(" ")[0] for child in line.children] != ["recovery delay"]:
        report_misfit(f"link tracking group {name} waits for more than its links")
    box.tracking.add(name)


def check_segments(tracking: set[str], mac: str, ports: Mapping[str, Any]) -> None:
    """Refuse links that are tracked in no group or only in one direction, and anycast gateways without a common MAC.

    `tracking` are the names of the link tracking groups, `mac` is the MAC of gateways, "" for none, and `ports` are all
    interfaces by name. Raises UnknownTextError.
    """
    directions = {port.segment.tracked for port in ports.values()} - {""}
    if bool(tracking) != (directions == {"upstream", "downstream"}) or (directions and not tracking):
        report_misfit(f"link tracking groups are {sorted(tracking)}, and links are {sorted(directions)}")
    if any(port.segment.virtual for port in ports.values()) and not mac:
        report_misfit("anycast gateways have no MAC in common")

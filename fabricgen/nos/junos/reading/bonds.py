"""Bonds and VLANs over EVPN of a configuration of Junos, read back (Interfaces and EVPN User Guides)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.routing import OverlayVlan

MAC_VRF = "MAC-VRF"
"""The instance of all VLANs over EVPN."""

OF_BOND = frozenset({"lacp active", "lacp periodic fast"})
"""What the LACP of every bond says."""

OF_SEGMENT = frozenset({"all-active"})

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
class Aggregate:
    """What is said of a bond beside what ports have."""

    words: set[str] = field(default_factory=set)
    system: str = ""
    esi: str = ""

    def find_segment(self, name: str) -> str:
        """What names its segment, "" for none; raises UnknownTextError for LACP of another kind, or half a segment."""
        number = int(name.removeprefix("ae"))
        esi = ":".join(["00", self.system, *(f"{byte:02x}" for byte in number.to_bytes(3, "big"))])
        required = OF_BOND | (OF_SEGMENT if self.system else set())
        if not is_tolerant() and (self.words != required or self.esi != (esi if self.system else "")):
            report_misfit(f"{name} has another LACP or segment: {sorted(self.words ^ required)} {self.esi}")
        return self.system


@dataclass
class MacVrf:
    """What is said of the VLANs over EVPN."""

    words: set[str] = field(default_factory=set)
    interfaces: set[str] = field(default_factory=set)
    distinguisher: str = ""
    target: str = ""
    target_of: dict[int, str] = field(default_factory=dict)
    """By VNI."""
    vni_of: dict[str, int] = field(default_factory=dict)
    """By name of a VLAN."""

    def make_vlans(self, vlans: Mapping[str, int], bridged: Set[str]) -> dict[int, OverlayVlan]:
        """VLANs over EVPN by number, given all that a switch has, and the interfaces that are in any.

        Raises UnknownTextError where some are not over EVPN, or their instance lacks a part.
        """
        if self == MacVrf():
            return {}
        fits = self.words == OF_MAC_VRF and self.interfaces == bridged and self.vni_of.keys() == vlans.keys()
        if not is_tolerant() and not (fits and self.target and set(self.vni_of.values()) == self.target_of.keys()):
            report_misfit(f"{MAC_VRF} lacks words, ports, VLANs or targets: {sorted(self.words ^ OF_MAC_VRF)}")
        return {
            vlans[name]: OverlayVlan(vni, self.distinguisher, frozenset({self.target_of[vni]}))
            for name, vni in self.vni_of.items()
        }


AGGREGATE, BRIDGING = LineRules(), LineRules()


@AGGREGATE.line(r"aggregated-ether-options lacp system-id (\S+)|esi ((?:[\da-f]{2}:){9}[\da-f]{2})")
def _read_segment(aggregate: Aggregate, line: Line, system: str, esi: str) -> None:
    aggregate.system, aggregate.esi = system or aggregate.system, esi or aggregate.esi


@AGGREGATE.line(r"aggregated-ether-options (lacp active|lacp periodic fast)|esi (all-active)")
def _read_word(aggregate: Aggregate, line: Line, lacp: str, mode: str) -> None:
    aggregate.words.add(lacp or mode)


@BRIDGING.line(r"interface (\S+)")
def _read_interface(mac_vrf: MacVrf, line: Line, name: str) -> None:
    mac_vrf.interfaces.add(name)


@BRIDGING.line(r"protocols evpn vni-options vni (\d+) vrf-target target:(\S+)")
def _read_vni_target(mac_vrf: MacVrf, line: Line, vni: str, target: str) -> None:
    mac_vrf.target_of[int(vni)] = target


@BRIDGING.line(r"route-distinguisher (\S+)|vrf-target target:(\S+)")
def _read_distinguisher_or_target(mac_vrf: MacVrf, line: Line, distinguisher: str, target: str) -> None:
    mac_vrf.distinguisher, mac_vrf.target = distinguisher or mac_vrf.distinguisher, target or mac_vrf.target


@BRIDGING.line("|".join(sorted(OF_MAC_VRF)))
def _read_bridging_word(mac_vrf: MacVrf, line: Line) -> None:
    mac_vrf.words.add(line.text)

"""VXLAN and EVPN multihoming read back: tables (sonic-vxlan.yang, sonic-evpn.yang), and lines of an frr.conf."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fabricgen.nos.frr.routing import SegmentLines
from fabricgen.running.tree import allow_fields, report_misfit, require_fields
from fabricgen.switch.routing import OverlayVlan, OverlayVrf


@dataclass
class Tunnels:
    """What the tables say: where tunnels end, by name, which of them EVPN uses, and the VNI of each VLAN."""

    sources: dict[str, str] = field(default_factory=dict)
    used: list[str] = field(default_factory=list)
    vnis: dict[str, int] = field(default_factory=dict)

    def read_tunnels(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Note the address that each tunnel of VXLAN_TUNNEL is from."""
        for name, row in table.items():
            allow_fields(row, "src_ip")
            self.sources[name] = row["src_ip"]

    def read_evpn(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Note the tunnels of VXLAN_EVPN_NVO that EVPN uses."""
        for row in table.values():
            allow_fields(row, "source_vtep")
            self.used.append(row["source_vtep"])

    def read_maps(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Note the VNI of each VLAN in VXLAN_TUNNEL_MAP, whichever tunnel it goes through."""
        for row in table.values():
            allow_fields(row, "vlan", "vni")
            self.vnis[row["vlan"]] = int(row["vni"])

    def find_vtep(self) -> str:
        """The address that tunnels of EVPN end at, "" for none; raises UnknownTextError for several."""
        if len(self.used) > 1 or set(self.used) != set(self.sources):
            report_misfit(f"tunnels are {sorted(self.sources)}, and EVPN uses {self.used}")
        return self.sources[self.used[0]] if self.used else ""


NAMES = frozenset({"EVPN_ETHERNET_SEGMENT", "EVPN_MH_GLOBAL", "SAG"})
_ROW = {"df_pref": "32767", "esi": "AUTO", "type": "TYPE_3_MAC_BASED"}


def read_segments(tables: Mapping[str, Any], lines: SegmentLines) -> dict[str, str]:
    """The MAC of each bond's segment, by the bond; raises UnknownTextError where tables and FRR do not say the same."""
    rows, delays = tables.get("EVPN_ETHERNET_SEGMENT", {}), tables.get("EVPN_MH_GLOBAL", {})
    if any(row != _ROW for row in rows.values()):
        report_misfit(f"Ethernet segments of another type: {rows}")
    macs = {name: row["system_mac"] for name, row in tables.get("PORTCHANNEL", {}).items() if "system_mac" in row}
    numbers = {name: int(name.removeprefix("PortChannel")) for name in rows}
    if not (rows.keys() == macs.keys() and macs == lines.macs and numbers == lines.numbers):
        report_misfit(f"segments are {sorted(rows)} with {macs}, and of FRR {lines.macs} with {lines.numbers}")
    for row in delays.values():
        require_fields(row, "mac_holdtime", "neigh_holdtime", "startup_delay")
    if [int(row["startup_delay"]) for row in delays.values()] != ([lines.startup_s] if lines.startup_s else []):
        report_misfit(f"segments wait {delays}, and {lines.startup_s} s of FRR")
    if rows and not delays:
        report_misfit("Ethernet segments, and nothing of how long they wait")
    return macs


def find_shared_gateways(tables: Mapping[str, Any]) -> frozenset[str]:
    """The VLANs whose gateways are on another switch, too; raises UnknownTextError where they have no MAC in common."""
    rows = tables.get("VLAN_INTERFACE", {}).items()
    vlans = frozenset(name for name, row in rows if row.get("static_anycast_gateway") == "true")
    if vlans and not tables.get("SAG", {}).get("GLOBAL", {}).get("gateway_mac"):
        report_misfit("anycast gateways have no MAC in common")
    return vlans


def make_overlay_vlans(vnis: Mapping[int, int], of_frr: Mapping[int, OverlayVrf]) -> dict[int, OverlayVlan]:
    """VLANs over EVPN from the VNI of each and FRR's lines by VNI; raises UnknownTextError where these are others."""
    if set(vnis.values()) != set(of_frr) or any(lines.imports != lines.exports for lines in of_frr.values()):
        report_misfit(f"VNIs of VLANs are {vnis}, and of FRR {dict(of_frr)}")
    return {vlan: OverlayVlan(vni, of_frr[vni].distinguisher, of_frr[vni].imports) for vlan, vni in vnis.items()}

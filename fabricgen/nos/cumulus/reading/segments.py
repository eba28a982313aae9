"""Ethernet segments, tracked links and VLANs over EVPN of a startup.yaml (NVUE Command Reference: EVPN, Bridge)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.running.tree import only, unfit
from fabricgen.switch.overlay import OverlayVlan

Row = Mapping[str, Any]
ON = "enabled"


def is_tracked(row: Row) -> bool:
    """Whether a port is tracked; raises UnknownTextError for other words of EVPN there."""
    own = row.get("evpn")
    if own not in (None, {"multihoming": {"uplink": ON}}):
        unfit(f"a port has {own} of EVPN")
    return own is not None


def segment(row: Row, number: int) -> str:
    """What names the Ethernet segment of a bond, "" for none; raises UnknownTextError for another than its own."""
    own = row.get("evpn")
    if own is None:
        return ""
    mac = str(own["multihoming"]["segment"]["mac-address"])
    wanted = {"multihoming": {"segment": {"local-id": number, "mac-address": mac, "state": ON}}}
    if own != wanted or int(mac[-5:].replace(":", ""), 16) != number:
        unfit(f"bond {number} is of the segment {own}")
    return mac


def bridged(tree: Row) -> dict[int, OverlayVlan]:
    """VLANs over EVPN; raises UnknownTextError where the bridge and `evpn` have other VNIs, or multihoming is off."""
    own = tree.get("evpn", {})
    only(own, "multihoming", "state", "vni")
    vlans = tree.get("bridge", {}).get("domain", {}).get("br_default", {}).get("vlan", {})
    of_vlans = {int(vlan): vni for vlan, row in vlans.items() for vni in row.get("vni", {})}
    if set(of_vlans.values()) != set(own.get("vni", {})):
        unfit(f"VNIs of the bridge are {of_vlans}, and of EVPN {sorted(own.get('vni', {}))}")
    segments = [name for name, row in tree["interface"].items() if row["type"] == "bond" and "evpn" in row]
    if bool(segments) and own.get("multihoming") != {"state": ON}:
        unfit("Ethernet segments, and EVPN multihoming is off")
    return {
        vlan: OverlayVlan(int(vni), own["vni"][vni]["rd"], frozenset(own["vni"][vni]["route-target"]["both"]))
        for vlan, vni in of_vlans.items()
    }

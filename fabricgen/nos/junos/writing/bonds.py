"""Bonds of Junos, and VLANs over EVPN, as values.

Those of Juniper's five-stage design (github.com/Juniper/jvd, data_center/adc/5stage_evpn_vxlan, storage-leaf1, a
QFX5130-32CD): an aggregated Ethernet interface with LACP, over two leaves with an ESI of type 0 (0, the MAC that hosts
see as the system of LACP, and a number) and all links active; one `mac-vrf` for all VLANs, a target for each VNI and
one for segments; gateways of one address and MAC on both. A leaf whose last session for EVPN is gone takes such bonds
down by itself (EVPN User Guide, core isolation). `force-up` keeps one port up without LACP (YANG,
junos-conf-interfaces).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.nos.junos.reading.text import quote_word
from fabricgen.render.escape import make_one_line
from fabricgen.switch.interfaces import Bond
from fabricgen.views.switch import SwitchView

GATEWAY_MAC = "00:1c:73:00:00:01"
"""Of gateways that another switch has, too: that of Juniper's designs."""


def make_bond_row(number: int, bond: Bond) -> dict[str, Any]:
    """What a bond has that no port has: its LACP, and its segment, "" for none."""
    return {
        "name": f"ae{number}",
        "description": quote_word(make_one_line(bond.description)),
        "lacp": True,
        "system": bond.segment,
        "esi": spell_segment(bond.segment, number) if bond.segment else "",
        "shutdown": not bond.admin_up,
    }


def spell_segment(mac: str, number: int) -> str:
    """The ESI of a bond: ten bytes of type 0."""
    return ":".join(["00", mac, *(f"{byte:02x}" for byte in number.to_bytes(3, "big"))])


def list_fallbacks(bonds: Mapping[int, Bond]) -> set[str]:
    """Of each bond that is to carry traffic before its host speaks LACP, the port that does."""
    return {next(iter(bond.members)) for bond in bonds.values() if bond.fallback}


def make_mac_vrf(switch: SwitchView) -> dict[str, Any] | None:
    """What all VLANs have over EVPN, and (VNI, target) of each by its number; None where none goes over it."""
    vlans = switch.overlay.vlans if switch.overlay else {}
    if not vlans:
        return None
    (distinguisher,) = {vlan.distinguisher for vlan in vlans.values()}
    number = distinguisher.rpartition(":")[2]
    return {
        "distinguisher": distinguisher,
        "target": f"{switch.multihomed}:{number}",
        "of_vlan": {vlan: (over.vni, over.target) for vlan, over in vlans.items()},
    }

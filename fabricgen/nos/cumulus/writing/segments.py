"""EVPN multihoming of Cumulus Linux as values: Ethernet segments of bonds, VNIs of VLANs, links up that are tracked.

NVUE (user guide, EVPN Multihoming; Command Reference: EVPN): the ESI is of type 3, `03`, the MAC of the segment and its
local id; the MAC is the LACP system that hosts see. `uplink` tracks a port: the bonds of segments go down when none is
up. The gateway of hosts is that of VRR, at NVUE's own anycast MAC. The forwarder is elected at the default preference.
"""

from __future__ import annotations

from typing import Any

from fabricgen.views.switch import SwitchView


def segment_values(switch: SwitchView) -> dict[str, Any]:
    """Whether a switch has Ethernet segments, its VLANs over EVPN, and the VNI of each by its number."""
    vlans = switch.overlay.vlans if switch.overlay else {}
    return {
        "multihoming": bool(switch.multihomed),
        "vni_of": {number: vlan.vni for number, vlan in vlans.items()},
        "vni_vlans": sorted(vlans.values(), key=lambda vlan: vlan.vni),
    }

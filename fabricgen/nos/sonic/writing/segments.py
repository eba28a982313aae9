"""EVPN multihoming of SONiC as values: Ethernet segments of bonds, shared gateways, and FRR's part of both.

Tables: sonic-buildimage@086b03bd, src/sonic-yang-models/yang-models: sonic-evpn.yang (EVPN_ETHERNET_SEGMENT,
EVPN_MH_GLOBAL), sonic-portchannel.yang (`system_mac`), sonic-static-anycast-gateway.yang (SAG) and sonic-vlan.yang
(`static_anycast_gateway`). All came to its master with pull 27543 of June 2026, and are in no branch up to 202605.

sonic-net/SONiC, doc/vxlan/EVPN/EVPN_VxLAN_Multihoming.md: an ESI of type 3 is of the bond's LACP system and its number,
`AUTO` in the table; the forwarder is elected by preference, 32767 where nothing is said; a static anycast gateway is
the one gateway that both switches may have. orchagent takes the bonds of segments from the table
(sonic-swss@e6b0c5b5, orchagent/orchdaemon.cpp), yet nothing hands it to FRR: neither bgpcfgd nor frrcfgd of that
sonic-buildimage reads it. So an frr.conf says the same once more (docs.frrouting.org, EVPN Multihoming): `es-sys-mac`
and `es-id` make that ESI too. FRR takes SONiC's bonds, which are team devices, for bonds (zebra/if_netlink.c).

`evpn mh uplink` has FRR take the bonds down when no link up is left, by the protocol-down of their ports.
"""

from __future__ import annotations

from typing import Any

from fabricgen.render.escape import token
from fabricgen.views.model.ports import model_bonds
from fabricgen.views.switch import SwitchView

STARTUP_S = 300
"""How long bonds stay down when a switch starts: the default of sonic-evpn.yang; FRR's own is 180 s."""

PREFERENCE = 32767
GATEWAY_MAC = "00:00:5e:00:01:01"
"""Of the shared gateways: that of virtual router 1 (RFC 5798, section 7.3)."""

HOLD_S = {"mac_holdtime": 1080, "neigh_holdtime": 1080}
"""Seconds for which what the other switch has withdrawn is kept: defaults of sonic-evpn.yang and of FRR alike."""


def segment_tables(switch: SwitchView) -> dict[str, dict[str, dict[str, Any]]]:
    """Rows of the tables of multihoming, by table; empty for a switch without it."""
    if not switch.multihomed:
        return {"EVPN_ETHERNET_SEGMENT": {}, "EVPN_MH_GLOBAL": {}, "SAG": {}}
    fields = {"df_pref": PREFERENCE, "esi": "AUTO", "type": "TYPE_3_MAC_BASED"}
    shared = any(service.gateways for service in switch.services)
    return {
        "EVPN_ETHERNET_SEGMENT": {f"PortChannel{n}": fields for n, bond in model_bonds(switch).items() if bond.segment},
        "EVPN_MH_GLOBAL": {"default": {**HOLD_S, "startup_delay": STARTUP_S}},
        "SAG": {"GLOBAL": {"gateway_mac": GATEWAY_MAC}} if shared else {},
    }


def segment_values(switch: SwitchView) -> dict[str, Any]:
    """What an frr.conf says: segments, links up that are tracked, and VLANs over EVPN; `segments` is None without."""
    vlans = switch.overlay.vlans if switch.overlay else {}
    return {
        "segments": {
            "startup_s": STARTUP_S,
            "bonds": [(f"PortChannel{n}", n, b.segment) for n, b in model_bonds(switch).items() if b.segment],
            "uplinks": [token(port.name) for port in switch.ports if port.role == "up"],
        }
        if switch.multihomed
        else None,
        "vni_vlans": sorted(vlans.values(), key=lambda vlan: vlan.vni),
    }

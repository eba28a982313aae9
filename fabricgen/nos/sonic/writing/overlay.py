"""EVPN of SONiC as values: VXLAN in config_db, sessions and VRFs in an frr.conf; multihoming in both.

SONiC's HLD (sonic-net/SONiC, doc/vxlan/EVPN/EVPN_VXLAN_HLD.md): the one VXLAN_TUNNEL ends at the loopback, the
VXLAN_EVPN_NVO names it, VXLAN_TUNNEL_MAP gives a VLAN without ports to the VNI of each VRF, and VRF the VNI. Types:
sonic-vxlan.yang, sonic-vrf.yang. FRR learns the VNI from `vrf X / vni N` (docs.frrouting.org, EVPN), which bgpcfgd
writes for no `split-unified` configuration.

Such a switch does not wait for the hardware before it announces routes: `bgp suppress-fib-pending` of an FRR without
that commit holds back EVPN routes for ever, as no one tells of these that they are installed
(FRRouting/frr commit 4d616f022f, "some safi's do not mix with bgp suppress-fib"; edge-core/sonic-buildimage pull 452).

FRR leaves the next hop of an EVPN route as it is on any session; it is said aloud, so that the file tells.

Multihoming: Ethernet segments of bonds, shared gateways, and FRR's part of both. Tables: sonic-buildimage@086b03bd,
src/sonic-yang-models/yang-models: sonic-evpn.yang (EVPN_ETHERNET_SEGMENT, EVPN_MH_GLOBAL), sonic-portchannel.yang
(`system_mac`), sonic-static-anycast-gateway.yang (SAG) and sonic-vlan.yang (`static_anycast_gateway`). All came to its
master with pull 27543 of June 2026, and are in no branch up to 202605.

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

from fabricgen.nos.sonic.writing.host_services import has_sonic_relay
from fabricgen.render.escape import make_one_line, require_token
from fabricgen.render.routing import MULTIHOP, make_overlay_groups
from fabricgen.views.model.ports import model_bonds
from fabricgen.views.switch import SwitchView

TUNNEL, INSTANCE = "vtep", "nvo"
RELAYED_TUNNEL = "VXLAN"
"""The tunnel's name where SONiC's own DHCP relay runs: it hears devices whose name begins so (sonic-dhcp-relay,
dhcp4relay/src/dhcp4relay.cpp), and those of a tunnel are called TUNNEL-VLAN, such as VXLAN-3002 (sonic-swss@e6b0c5b5,
cfgmgr/vxlanmgr.cpp, createVxlanNetdevice)."""


def make_overlay_values(switch: SwitchView) -> dict[str, Any]:
    """Rows of the tables of VXLAN, and what an frr.conf names of EVPN: None without an overlay."""
    overlay = switch.overlay
    mapped = [(vrf.vlan, vrf.vni) for vrf in overlay.vrfs.values()] if overlay else []
    mapped += [(number, vlan.vni) for number, vlan in overlay.vlans.items()] if overlay else []
    tunnel = RELAYED_TUNNEL if has_sonic_relay(switch) else TUNNEL
    return {
        "VXLAN_EVPN_NVO": {INSTANCE: {"source_vtep": tunnel}} if mapped else {},
        "VXLAN_TUNNEL": {tunnel: {"src_ip": overlay.vtep}} if overlay and mapped else {},
        "VXLAN_TUNNEL_MAP": {
            f"{tunnel}|map_{vni}_Vlan{vlan}": {"vlan": f"Vlan{vlan}", "vni": vni} for vlan, vni in mapped
        },
        "overlay": overlay
        and {
            "source": overlay.source,
            "multihop": MULTIHOP,
            "is_vtep": bool(mapped),
            "groups": [
                {
                    "name": group.name,
                    "allow_own_asn": group.allow_own_asn,
                    "outward": group.outward,
                    "peers": [
                        (address, p.remote_asn, make_one_line(p.description, 80)) for address, p in group.peers.items()
                    ],
                }
                for group in make_overlay_groups(switch)
            ],
        },
    }


def list_vni_vlans(switch: SwitchView) -> dict[str, int]:
    """The VLAN of each VRF's VNI, by VRF."""
    return {name: vrf.vlan for name, vrf in switch.overlay.vrfs.items()} if switch.overlay else {}


STARTUP_S = 300
"""How long bonds stay down when a switch starts: the default of sonic-evpn.yang; FRR's own is 180 s."""

PREFERENCE = 32767
GATEWAY_MAC = "00:00:5e:00:01:01"
"""Of the shared gateways: that of virtual router 1 (RFC 5798, section 7.3)."""

HOLD_S = {"mac_holdtime": 1080, "neigh_holdtime": 1080}
"""Seconds for which what the other switch has withdrawn is kept: defaults of sonic-evpn.yang and of FRR alike."""


def make_segment_tables(switch: SwitchView) -> dict[str, dict[str, dict[str, Any]]]:
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


def make_segment_values(switch: SwitchView) -> dict[str, Any]:
    """What an frr.conf says: segments, links up that are tracked, and VLANs over EVPN; `segments` is None without."""
    vlans = switch.overlay.vlans if switch.overlay else {}
    return {
        "segments": {
            "startup_s": STARTUP_S,
            "bonds": [(f"PortChannel{n}", n, b.segment) for n, b in model_bonds(switch).items() if b.segment],
            "uplinks": [require_token(port.name) for port in switch.ports if port.role == "up"],
        }
        if switch.multihomed
        else None,
        "vni_vlans": sorted(vlans.values(), key=lambda vlan: vlan.vni),
    }

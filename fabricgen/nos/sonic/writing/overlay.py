"""EVPN of SONiC as values: VXLAN in config_db, sessions and VRFs in an frr.conf.

SONiC's HLD (sonic-net/SONiC, doc/vxlan/EVPN/EVPN_VXLAN_HLD.md): the one VXLAN_TUNNEL ends at the loopback, the
VXLAN_EVPN_NVO names it, VXLAN_TUNNEL_MAP gives a VLAN without ports to the VNI of each VRF, and VRF the VNI. Types:
sonic-vxlan.yang, sonic-vrf.yang. FRR learns the VNI from `vrf X / vni N` (docs.frrouting.org, EVPN), which bgpcfgd
writes for no `split-unified` configuration.

Such a switch does not wait for the hardware before it announces routes: `bgp suppress-fib-pending` of an FRR without
that commit holds back EVPN routes for ever, as no one tells of these that they are installed
(FRRouting/frr commit 4d616f022f, "some safi's do not mix with bgp suppress-fib"; edge-core/sonic-buildimage pull 452).

FRR leaves the next hop of an EVPN route as it is on any session; it is said aloud, so that the file tells.
"""

from __future__ import annotations

from typing import Any

from fabricgen.nos.sonic.writing.host_services import own_relay
from fabricgen.render import evpn
from fabricgen.render.escape import one_line
from fabricgen.views.switch import SwitchView

TUNNEL, INSTANCE = "vtep", "nvo"
RELAYED_TUNNEL = "VXLAN"
"""The tunnel's name where SONiC's own DHCP relay runs: it hears devices whose name begins so (sonic-dhcp-relay,
dhcp4relay/src/dhcp4relay.cpp), and those of a tunnel are called TUNNEL-VLAN, such as VXLAN-3002 (sonic-swss@e6b0c5b5,
cfgmgr/vxlanmgr.cpp, createVxlanNetdevice)."""


def overlay_values(switch: SwitchView) -> dict[str, Any]:
    """Rows of the tables of VXLAN, and what an frr.conf names of EVPN: None without an overlay."""
    overlay = switch.overlay
    mapped = [(vrf.vlan, vrf.vni) for vrf in overlay.vrfs.values()] if overlay else []
    mapped += [(number, vlan.vni) for number, vlan in overlay.vlans.items()] if overlay else []
    tunnel = RELAYED_TUNNEL if own_relay(switch) else TUNNEL
    return {
        "VXLAN_EVPN_NVO": {INSTANCE: {"source_vtep": tunnel}} if mapped else {},
        "VXLAN_TUNNEL": {tunnel: {"src_ip": overlay.vtep}} if overlay and mapped else {},
        "VXLAN_TUNNEL_MAP": {
            f"{tunnel}|map_{vni}_Vlan{vlan}": {"vlan": f"Vlan{vlan}", "vni": vni} for vlan, vni in mapped
        },
        "overlay": overlay
        and {
            "source": overlay.source,
            "multihop": evpn.MULTIHOP,
            "is_vtep": bool(mapped),
            "groups": [
                {
                    "name": group.name,
                    "allow_own_asn": group.allow_own_asn,
                    "outward": group.outward,
                    "peers": [
                        (address, p.remote_asn, one_line(p.description, 80)) for address, p in group.peers.items()
                    ],
                }
                for group in evpn.groups(switch)
            ],
        },
    }


def vni_vlans(switch: SwitchView) -> dict[str, int]:
    """The VLAN of each VRF's VNI, by VRF."""
    return {name: vrf.vlan for name, vrf in switch.overlay.vrfs.items()} if switch.overlay else {}

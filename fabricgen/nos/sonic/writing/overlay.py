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
from fabricgen.nos.sonic.writing.routing import make_vrf_name
from fabricgen.render.escape import make_one_line, require_token
from fabricgen.render.routing import MULTIHOP, make_overlay_groups
from fabricgen.switch.interfaces import MlagPair
from fabricgen.views.model.ports import model_bonds
from fabricgen.views.switch import SwitchView
from fabricgen.wiring.bonds import PAIR_VLAN

TUNNEL, INSTANCE = "vtep", "nvo"
RELAYED_TUNNEL = "VXLAN"
"""The tunnel's name where SONiC's own DHCP relay runs: it hears devices whose name begins so (sonic-dhcp-relay,
dhcp4relay/src/dhcp4relay.cpp), and those of a tunnel are called TUNNEL-VLAN, such as VXLAN-3002 (sonic-swss@e6b0c5b5,
cfgmgr/vxlanmgr.cpp, createVxlanNetdevice)."""


def make_overlay_values(view: SwitchView) -> dict[str, Any]:
    """Return the rows of the tables of VXLAN, and what frr.conf says of EVPN (`overlay`, None without it)."""
    overlay = view.overlay
    mapped = [(vrf.vlan, vrf.vni) for vrf in overlay.vrfs.values()] if overlay else []
    mapped += [(number, vlan.vni) for number, vlan in overlay.vlans.items()] if overlay else []
    tunnel = RELAYED_TUNNEL if has_sonic_relay(view) else TUNNEL
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
                for group in make_overlay_groups(view)
            ],
        },
    }


def list_vni_vlans(view: SwitchView) -> dict[str, int]:
    """Return the VLAN that carries the VNI of each VRF, by VRF."""
    return {name: vrf.vlan for name, vrf in view.overlay.vrfs.items()} if view.overlay else {}


STARTUP_S = 300
"""How long bonds stay down when a switch starts: the default of sonic-evpn.yang; FRR's own is 180 s."""

PREFERENCE = 32767
GATEWAY_MAC = "00:00:5e:00:01:01"
"""The MAC of the shared gateways: that of virtual router 1 (RFC 5798, section 7.3)."""

HOLD_S = {"mac_holdtime": 1080, "neigh_holdtime": 1080}
"""Seconds for which routes are kept that the other switch has withdrawn: the default of sonic-evpn.yang and of FRR."""


def make_segment_tables(view: SwitchView) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the rows of the tables of multihoming, by table; no rows for a switch without it."""
    if not view.multihomed:
        return {"EVPN_ETHERNET_SEGMENT": {}, "EVPN_MH_GLOBAL": {}, "SAG": {}}
    fields = {"df_pref": PREFERENCE, "esi": "AUTO", "type": "TYPE_3_MAC_BASED"}
    shared = any(service.gateways for service in view.services)
    return {
        "EVPN_ETHERNET_SEGMENT": {f"PortChannel{n}": fields for n, bond in model_bonds(view).items() if bond.segment},
        "EVPN_MH_GLOBAL": {"default": {**HOLD_S, "startup_delay": STARTUP_S}},
        "SAG": {"GLOBAL": {"gateway_mac": GATEWAY_MAC}} if shared else {},
    }


def make_segment_values(view: SwitchView) -> dict[str, Any]:
    """Return what frr.conf says of multihoming: segments, tracked uplinks, and VLANs over EVPN.

    `segments` is None for a switch without multihoming.
    """
    vlans = view.overlay.vlans if view.overlay else {}
    return {
        "segments": {
            "startup_s": STARTUP_S,
            "bonds": [(f"PortChannel{n}", n, b.segment) for n, b in model_bonds(view).items() if b.segment],
            "uplinks": [require_token(port.name) for port in view.ports if port.role == "up"],
        }
        if view.multihomed
        else None,
        "vni_vlans": sorted(vlans.values(), key=lambda vlan: vlan.vni),
    }


# MCLAG of SONiC as values: the peer link, the VLAN of the pair, the domain and its interfaces.
# Tables: sonic-buildimage, src/sonic-yang-models/yang-models/sonic-mclag.yang. sonic-net/SONiC,
# doc/mclag/MCLAG_Enhancements_HLD.md: a bond has the same name on both switches, the peer link is stated, and both
# have the same address on a VLAN of hosts: ICCPd gives them one MAC there, so that the gateway is that of either. A
# VLAN in which the two talk to each other is in MCLAG_UNIQUE_IP: it keeps the MAC of each; there are one of the pair
# and one of each VRF. No VLAN of hosts is there: a gateway beside such addresses would be VRRP or a static anycast
# gateway (2.1.9, 3.3.6), and sonic-buildimage has no YANG model of VRRP, while a static anycast gateway gives its MAC
# to all addresses of the VLAN (doc/sag/sag-HLD.md; sonic-static-anycast-gateway.yang). ICCPd runs over IPv4: where
# the fabric has no such address between them, over a link-local one (RFC 3927) that no route leads to. It is off in
# images that have it until FEATURE says otherwise (files/build_templates/init_cfg.json.j2). `if_type` of
# MCLAG_INTERFACE makes the row, and no more (sonic-mclag.yang, a placeholder): PortChannel, as `config mclag member
# add` has it (sonic-utilities, config/mclag.py).

Rows = dict[str, dict[str, Any]]


def make_pair_tables(view: SwitchView) -> dict[str, Rows]:
    """Return the rows of the tables of MCLAG, by table; no rows for a switch in no pair."""
    pair = view.pair
    if pair is None:
        return {"MCLAG_DOMAIN": {}, "MCLAG_INTERFACE": {}, "MCLAG_UNIQUE_IP": {}}
    _, addresses = pair.vlans[PAIR_VLAN]
    mlag_ids = [bond.mlag_id for bond in model_bonds(view).values() if bond.mlag_id]
    fields = {
        "source_ip": next(iter(addresses)).partition("/")[0],
        "peer_ip": pair.peer,
        "peer_link": _name_peer_link(pair),
    }
    return {
        "MCLAG_DOMAIN": {pair.name: fields},
        "MCLAG_INTERFACE": {f"{pair.name}|PortChannel{number}": {"if_type": "PortChannel"} for number in mlag_ids},
        "MCLAG_UNIQUE_IP": {f"Vlan{vlan}": {"unique_ip": "enable"} for vlan in pair.vlans},
    }


def make_pair_rows(view: SwitchView) -> dict[str, Rows]:
    """Return the rows that the peer link of a pair adds to the tables of bonds and VLANs, by table."""
    pair, end = view.pair, view.pair_end
    if pair is None or end is None:
        return {}
    name, vlans = _name_peer_link(pair), [service.vlan for service in view.services if service.gateways]
    unnumbered = view.fabric.underlay == "ebgp-unnumbered" and end.peer_asn
    interfaces: Rows = {}
    for vlan, (vrf, addresses) in pair.vlans.items():
        interfaces[f"Vlan{vlan}"] = {"vrf_name": make_vrf_name(vrf)} if vrf else {}
        interfaces |= {f"Vlan{vlan}|{address}": {} for address in addresses}
    interfaces[f"Vlan{PAIR_VLAN}"] = {"ipv6_use_link_local_only": "enable" if unnumbered else None}
    return {
        "PORTCHANNEL": {
            name: {
                "admin_status": "up",
                "description": make_one_line(f"MCLAG peer link to {pair.mate}", 255),
                "fallback": None,
                "fast_rate": "true",
                "lacp_key": "auto",
                "min_links": 1,
                "mtu": pair.mtu,
            }
        },
        "PORTCHANNEL_MEMBER": {f"{name}|{port}": {} for port in pair.members},
        "VLAN": {f"Vlan{vlan}": {"dhcp_servers": None, "vlanid": vlan} for vlan in pair.vlans},
        "VLAN_INTERFACE": interfaces,
        "VLAN_MEMBER": {f"Vlan{vlan}|{name}": {"tagging_mode": "tagged"} for vlan in [*vlans, *pair.vlans]},
    }


def _name_peer_link(pair: MlagPair) -> str:
    """Return the name of the bond of the peer link."""
    return f"PortChannel{pair.number}"

"""MCLAG of SONiC as values: the peer link, the VLAN of the pair, the domain and its interfaces.

Tables: sonic-buildimage, src/sonic-yang-models/yang-models/sonic-mclag.yang. sonic-net/SONiC,
doc/mclag/MCLAG_Enhancements_HLD.md: a bond has the same name on both switches, the peer link is stated, and both have
the same address on a VLAN of hosts: ICCPd gives them one MAC there, so that the gateway is that of either. A VLAN in
which the two talk to each other is in MCLAG_UNIQUE_IP: it keeps the MAC of each; there are one of the pair and one of
each VRF. No VLAN of hosts is there: a gateway beside such addresses would be VRRP or a static anycast gateway (2.1.9,
3.3.6), and sonic-buildimage has no YANG model of VRRP, while a static anycast gateway gives its MAC to all addresses of
the VLAN (doc/sag/sag-HLD.md; sonic-static-anycast-gateway.yang). ICCPd runs over IPv4: where the fabric
has no such address between them, over a link-local one (RFC 3927) that no route leads to. It is off in images that have
it until FEATURE says otherwise (files/build_templates/init_cfg.json.j2). `if_type` of MCLAG_INTERFACE makes the row,
and no more (sonic-mclag.yang, a placeholder): PortChannel, as `config mclag member add` has it (sonic-utilities,
config/mclag.py).
"""

from __future__ import annotations

from typing import Any

from fabricgen.nos.sonic.writing.routing import make_vrf_name
from fabricgen.render.escape import make_one_line
from fabricgen.switch.interfaces import MlagPair
from fabricgen.views.model.ports import model_bonds
from fabricgen.views.switch import SwitchView
from fabricgen.wiring.bonds import PAIR_VLAN

VLAN = f"Vlan{PAIR_VLAN}"

Rows = dict[str, dict[str, Any]]


def make_pair_tables(switch: SwitchView) -> dict[str, Rows]:
    """Rows of the tables of MCLAG, by table; empty for a switch that is in no pair."""
    pair = switch.pair
    if pair is None:
        return {"MCLAG_DOMAIN": {}, "MCLAG_INTERFACE": {}, "MCLAG_UNIQUE_IP": {}}
    _, addresses = pair.vlans[PAIR_VLAN]
    mlag_ids = [bond.mlag_id for bond in model_bonds(switch).values() if bond.mlag_id]
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


def make_pair_rows(switch: SwitchView) -> dict[str, Rows]:
    """Further rows of the tables of bonds and VLANs for the peer link of a pair, by table."""
    pair, end = switch.pair, switch.pair_end
    if pair is None or end is None:
        return {}
    name, vlans = _name_peer_link(pair), [service.vlan for service in switch.services if service.gateways]
    unnumbered = switch.fabric.underlay == "ebgp-unnumbered" and end.peer_asn
    interfaces: Rows = {}
    for vlan, (vrf, addresses) in pair.vlans.items():
        interfaces[f"Vlan{vlan}"] = {"vrf_name": make_vrf_name(vrf)} if vrf else {}
        interfaces |= {f"Vlan{vlan}|{address}": {} for address in addresses}
    interfaces[VLAN] = {"ipv6_use_link_local_only": "enable" if unnumbered else None}
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
    return f"PortChannel{pair.number}"

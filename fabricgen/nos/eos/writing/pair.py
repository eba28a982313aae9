"""MLAG of EOS as values: the peer link, the VLANs that run over it alone, and the pair's protocol.

Arista EOS user manual, Multi-Chassis Link Aggregation: the VLAN of the peers is in a trunk group of the peer link, and
without spanning tree; `peer-address heartbeat` over the management network tells a lost peer link from a lost peer.
The protocol of the pair runs over IPv4: where the fabric has no such address between them, over a link-local one (RFC
3927) that no route leads to. Hosts have the gateway of both switches (VARP, `ip virtual-router address`), at the MAC
that Arista's designs give it.
"""

from __future__ import annotations

from typing import Any

from fabricgen.render.escape import one_line, token
from fabricgen.render.routing import IP_WORDS
from fabricgen.views.switch import SwitchView
from fabricgen.wiring.bonds import PAIR_VLAN

GATEWAY_MAC = "00:1c:73:00:dc:01"


def family_word(address: str) -> str:
    """EOS's word for the address family of an address or prefix: `ip` or `ipv6`."""
    return IP_WORDS[":" in address]


def pair_values(switch: SwitchView) -> dict[str, Any] | None:
    """The values of an MLAG pair; None for a switch that is in none.

    `vlans` run over the peer link alone: the pair's own, and those of VRFs without hosts here.
    """
    pair, end = switch.pair, switch.pair_end
    if pair is None or end is None:
        return None
    unnumbered = bool(end.peer_asn) and switch.fabric.underlay == "ebgp-unnumbered"
    return {
        "vlans": [
            {
                "vlan": vlan,
                "name": token(f"MLAG-{vrf}" if vrf else "MLAG"),
                "vrf": vrf and token(vrf),
                "addresses": [(family_word(address), address) for address in addresses],
                "link_local": unnumbered and vlan == PAIR_VLAN,
            }
            for vlan, (vrf, addresses) in pair.vlans.items()
        ],
        "vlan": PAIR_VLAN,
        "number": pair.number,
        "description": one_line(f"MLAG peer link to {pair.mate}"),
        "mtu": pair.mtu,
        "domain": token(pair.name),
        "peer_address": pair.peer,
        "heartbeat": pair.backup[0],
    }

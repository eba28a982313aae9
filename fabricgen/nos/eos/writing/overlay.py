"""EVPN of EOS as values: Vxlan1, sessions between loopbacks, and VRFs with their route targets.

The commands are those of Arista's design (aristanetworks/avd, eos_designs, EVPN-OVERLAY-PEERS; the tests hold them to
pyavd's templates): `bgp next-hop-unchanged` in the address family, so that a spine changes no VTEP, and no limit of
routes, as EVPN routes of all VRFs are not those of a link. EOS takes a VLAN for each VNI of a VRF by itself.

Of a lossless fabric the DSCP and ECN bits of a packet are copied to the outer header, and its class in the tunnel's end
follows its own DSCP (Arista EOS user manual, VXLAN: `vxlan qos`): RoCE keeps its class, and its marks, over the tunnel.
"""

from __future__ import annotations

from typing import Any

from fabricgen.render import evpn
from fabricgen.render.escape import one_line, token
from fabricgen.views.switch import SwitchView


def overlay_values(switch: SwitchView) -> dict[str, Any] | None:
    """The values of the overlay; None where the switch has none."""
    if switch.overlay is None:
        return None
    maps = evpn.outward_maps(switch)
    return {
        "vnis": [(token(name), vrf.vni) for name, vrf in switch.overlay.vrfs.items()],
        "lossless": switch.overlay.copies_dscp,
        "multihop": evpn.MULTIHOP,
        "outward_maps": maps,
        "groups": [
            {
                "name": group.name,
                "allow_own_asn": group.allow_own_asn,
                "outward": group.outward if (group.outward, group.own_only) in maps else "",
                "peers": [(address, p.remote_asn, one_line(p.description, 80)) for address, p in group.peers.items()],
            }
            for group in evpn.groups(switch)
        ],
    }

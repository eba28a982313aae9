"""EVPN of Cumulus Linux as values: the tunnel's end, sessions between loopbacks, and VRFs with their route targets.

NVUE (Command Reference: BGP EVPN, VXLAN; user guide, EVPN: Inter-subnet Routing): `vrf X evpn vni` gives a VRF its VNI,
for which NVUE takes a VLAN by itself; `route-export to-evpn` announces connected routes as type 5. `attribute-mod
nexthop disabled` leaves the VTEP of a route as it is. Names of peer groups have no hyphens (user guide, Optional BGP
Configuration).

The DSCP of a packet is copied to the outer header and its own is left as it is at the end (`nve vxlan encapsulation
dscp`, user guide, VXLAN Tunnel DSCP Operations); ECN bits follow RFC 6040 there: RoCE keeps its class and its marks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.render import evpn
from fabricgen.render.escape import one_line, token, yaml_text
from fabricgen.switch.routing import Bgp
from fabricgen.views.leaks import tells_leaked
from fabricgen.views.model.policies import OVERLAY_OUT
from fabricgen.views.switch import SwitchView


def overlay_values(switch: SwitchView, known: Mapping[str, Bgp]) -> dict[str, Any] | None:
    """The values of the overlay; None where the switch has none.

    In `groups`, (name, whether routes with the own AS number are taken, the map outward or ""); in `outward_maps`,
    (name, (number, list of AS paths or "") of its rules). The router adds the community of a drained switch by itself.
    """
    if switch.overlay is None:
        return None
    maps = evpn.outward_maps(switch)
    exits = [(15, "OWN-LEAKED")] if tells_leaked(switch) else []
    for vrf, bgp in known.items():
        exits += [(number, f"EXITS-{token(vrf)}") for number in bgp.maps.maps.get(OVERLAY_OUT, ())]
    return {
        "vtep": switch.overlay.vtep,
        "copies_dscp": switch.overlay.copies_dscp,
        "multihop": evpn.MULTIHOP,
        "outward_maps": [(name, [(10, "OWN"), *exits] if own_only else [(10, "")]) for name, own_only in maps],
        "prepended": switch.asn if switch.maintenance else 0,
        "groups": [
            (group.name, group.allow_own_asn, group.outward if (group.outward, group.own_only) in maps else "")
            for group in evpn.groups(switch)
        ],
        "peers": [
            (address, peer.remote_asn, group.name, yaml_text(one_line(peer.description, 80)))
            for group in evpn.groups(switch)
            for address, peer in group.peers.items()
        ],
    }

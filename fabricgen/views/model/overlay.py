"""EVPN of a switch: VRFs of its hosts and exits, VLANs over two switches, and sessions with its neighbours."""

from __future__ import annotations

from fabricgen.blueprint.sections.routing import HOLD_S, KEEPALIVE_S
from fabricgen.switch.overlay import Overlay, OverlayPeer, OverlayVlan, OverlayVrf
from fabricgen.views.switch import SwitchView

LEAKED_PATH = "^4294967294$"
"""The AS path of what a switch has leaked itself: the last number for private use (RFC 6996)."""


def model_overlay(switch: SwitchView) -> Overlay | None:
    """EVPN of a switch; None without an overlay."""
    own = switch.overlay
    if own is None:
        return None
    vrfs = {
        vrf.name: OverlayVrf(
            vrf.vni,
            vrf.distinguisher,
            frozenset({vrf.target}),
            frozenset({vrf.target}),
            frozenset(switch.fabric.families),
        )
        for vrf in own.vrfs
    }
    vlans = {vlan.vlan: OverlayVlan(vlan.vni, vlan.distinguisher, frozenset({vlan.target})) for vlan in own.vlans}
    outside = frozenset(f"^{peer.asn}_" for peer in switch.exits.peers if peer.vrf in vrfs)
    if switch.naming.configuration.tells_imports and any(leaked.sources for leaked in switch.leaks):
        outside |= {LEAKED_PATH}
    peers = {}
    for peer in own.peers:
        own_only = switch.announces_own_only and not (peer.role == "peer" and switch.passes_to_mates)
        peers[peer.address] = OverlayPeer(
            remote_asn=peer.asn,
            own_only=own_only,
            own_as_in=1 if switch.shares_asn and peer.role != "down" else 0,
            keepalive_s=KEEPALIVE_S,
            hold_s=HOLD_S,
            description=peer.name,
            outside=outside if own_only else frozenset(),
        )
    has_tunnels = bool(vrfs or vlans)
    copies = has_tunnels and switch.fabric.qos.lossless and not switch.lacks("vxlan-dscp")
    return Overlay(own.vtep, own.vtep if has_tunnels else "", vrfs, peers, copies, vlans)

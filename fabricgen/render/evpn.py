"""EVPN for every NOS: the peer groups of its sessions, and which VRFs of a switch run BGP.

Sessions run between loopbacks and pass no policy of prefixes: a VRF announces what its own `CONNECTED` map lets pass. A
switch of the lowest tier passes on nothing that it has learned but to mates, as in the underlay.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.render.exits import OVERLAY_OUT
from fabricgen.views.switch import Overlay, OverlayPeer, OverlayVrf, SwitchView

TO_MATES = "OVERLAY-PEER"
"""The map of what sessions for EVPN announce to mates of a switch that announces its own routes alone to others."""

MULTIHOP = 3
"""The TTL of sessions between loopbacks of neighbours: the hop between them, one more for either loopback's own box
(aristanetworks/avd, eos_designs: `evpn_ebgp_multihop` is 3)."""


@dataclass(frozen=True, slots=True)
class Group:
    """The neighbours in one direction, by a name without hyphens, which NVUE does not take in it.

    `allow_own_asn`: routes with the own AS number in their path are taken. `own_only`: own routes alone are announced.
    `outward`: the map of what is announced, which a session needs where it is `own_only` or the switch is drained.
    """

    name: str
    allow_own_asn: bool
    own_only: bool
    outward: str
    peers: tuple[OverlayPeer, ...]


def groups(switch: SwitchView) -> tuple[Group, ...]:
    """The peer groups of EVPN sessions; none without an overlay."""
    peers = switch.overlay.peers if switch.overlay else ()
    found = []
    for role in ("up", "down", "peer"):
        if mine := tuple(peer for peer in peers if peer.role == role):
            own_only = switch.announces_own_only and not (role == "peer" and switch.passes_to_mates)
            outward = OVERLAY_OUT if own_only or not switch.announces_own_only else TO_MATES
            allow_own_asn = switch.shares_asn and role != "down"
            found.append(Group(f"OVERLAY_{role.upper()}", allow_own_asn, own_only, outward, mine))
    return tuple(found)


def outward_maps(switch: SwitchView) -> tuple[tuple[str, bool], ...]:
    """The maps that sessions for EVPN need outward, and whether each lets own routes alone pass."""
    needed = (group for group in groups(switch) if group.own_only or switch.maintenance)
    return tuple(dict.fromkeys((group.outward, group.own_only) for group in needed))


def vrf_of(switch: SwitchView, vrf: str) -> OverlayVrf | None:
    """What a VRF has in the overlay; None where it is not there."""
    found = switch.overlay.vrfs if switch.overlay else ()
    return next((one for one in found if one.name == vrf), None)


def speaking_vrfs(switch: SwitchView) -> tuple[str, ...]:
    """The VRFs that run BGP: with sessions of their own, for exits, or over EVPN."""
    return tuple(vrf for vrf in switch.vrfs if vrf_of(switch, vrf) or switch.speaks_in(vrf))


def is_vtep(switch: SwitchView) -> bool:
    """Whether VXLAN tunnels end at a switch."""
    overlay: Overlay | None = switch.overlay
    return bool(overlay and (overlay.vrfs or overlay.vlans))

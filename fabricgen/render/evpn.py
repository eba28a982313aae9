"""EVPN for every NOS: the peer groups of its sessions, and which VRFs of a switch run BGP.

Sessions run between loopbacks and pass no policy of prefixes: a VRF announces what its own `CONNECTED` map lets pass. A
switch of the lowest tier passes on nothing that it has learned but to mates, as in the underlay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fabricgen.switch.overlay import OverlayPeer, OverlayVrf
from fabricgen.views.model.policies import OVERLAY_OUT
from fabricgen.views.switch import SwitchView

TO_MATES = "OVERLAY-PEER"
"""The map of what sessions for EVPN announce to mates of a switch that announces its own routes alone to others."""

MULTIHOP = 3
"""The TTL of sessions between loopbacks of neighbours: the hop between them, one more for either loopback's own box
(aristanetworks/avd, eos_designs: `evpn_ebgp_multihop` is 3)."""


@dataclass(frozen=True, slots=True)
class Group:
    """The neighbours in one direction by address, under a name without hyphens, which NVUE does not take in it.

    `allow_own_asn`: routes with the own AS number in their path are taken. `own_only`: own routes alone are announced.
    `outward`: the map of what is announced, which a session needs where it is `own_only` or the switch is drained.
    """

    name: str
    allow_own_asn: bool
    own_only: bool
    outward: str
    peers: Mapping[str, OverlayPeer]


def groups(switch: SwitchView) -> tuple[Group, ...]:
    """The peer groups of EVPN sessions; none without an overlay."""
    found = []
    sessions = switch.overlay.peers if switch.overlay else {}
    for role in ("up", "down", "peer"):
        peers = {address: peer for address, peer in sessions.items() if peer.role == role}
        for first in list(peers.values())[:1]:
            outward = OVERLAY_OUT if first.own_only or not switch.announces_own_only else TO_MATES
            found.append(Group(f"OVERLAY_{role.upper()}", first.own_as_in > 0, first.own_only, outward, peers))
    return tuple(found)


def outward_maps(switch: SwitchView) -> tuple[tuple[str, bool], ...]:
    """The maps that sessions for EVPN need outward, and whether each lets own routes alone pass."""
    needed = (group for group in groups(switch) if group.own_only or switch.maintenance)
    return tuple(dict.fromkeys((group.outward, group.own_only) for group in needed))


def vrf_of(switch: SwitchView, vrf: str) -> OverlayVrf | None:
    """What a VRF has in the overlay; None where it is not there."""
    return switch.overlay.vrfs.get(vrf) if switch.overlay else None


def speaking_vrfs(switch: SwitchView) -> tuple[str, ...]:
    """The VRFs that run BGP: with sessions of their own, for exits, or over EVPN."""
    return tuple(vrf for vrf in switch.vrfs if vrf_of(switch, vrf) or switch.speaks_in(vrf))

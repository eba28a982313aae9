"""EVPN of a switch, in words that belong to no NOS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

EVPN = "evpn"
"""The address family l2vpn evpn, beside `v4` and `v6`."""


@dataclass(frozen=True, slots=True)
class OverlayVrf:
    """A VRF over EVPN: route targets that it takes and gives, and the families whose routes are announced."""

    vni: int
    distinguisher: str
    imports: frozenset[str]
    exports: frozenset[str]
    families: frozenset[str]
    vlan: int = field(default=0, compare=False)
    """The VLAN of its VNI, where the switch needs one."""

    @property
    def target(self) -> str:
        """The first target that it gives: the only one of a VRF that is planned."""
        return min(self.exports)


@dataclass(frozen=True, slots=True)
class OverlayVlan:
    """A VLAN over EVPN: route targets that it takes and gives."""

    vni: int
    distinguisher: str
    targets: frozenset[str]

    @property
    def target(self) -> str:
        """The first of its targets: the only one of a VLAN that is planned."""
        return min(self.targets)


@dataclass(frozen=True, slots=True)
class OverlayPeer:
    """A session for EVPN: `own_only`, it announces nothing that it has learned; `keeps_next_hop` of what it passes on.

    `own_as_in`: how often the own AS number may stand in a path. Times in seconds.
    """

    remote_asn: int
    own_only: bool
    own_as_in: int
    keepalive_s: int
    hold_s: int
    keeps_next_hop: bool = True
    multihop: int = 3
    description: str = ""
    outside: frozenset[str] = frozenset()
    """AS paths of what it announces beside own routes: those of exits, and of what is leaked."""
    role: str = field(default="", compare=False)
    """That of the links to it: `up`, `down` or `peer`."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """EVPN on a switch: the address of its sessions, that of its tunnels ("" for none), VRFs by name, peers by address.

    One without VRFs and VLANs passes routes on.
    """

    source: str
    vtep: str
    vrfs: Mapping[str, OverlayVrf] = field(default_factory=dict)
    peers: Mapping[str, OverlayPeer] = field(default_factory=dict)
    copies_dscp: bool = False
    """Whether DSCP and ECN of a packet are those of its tunnel, too, and its class at either end is of its DSCP."""
    vlans: Mapping[int, OverlayVlan] = field(default_factory=dict)

"""What readers of every NOS gather of EVPN."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabricgen.running.tree import unfit
from fabricgen.switch.overlay import EVPN, Overlay, OverlayPeer, OverlayVlan, OverlayVrf

if TYPE_CHECKING:
    from fabricgen.running.bgp import Instance, Neighbor
    from fabricgen.running.policy import Policies


@dataclass
class VrfLines:
    """What is read of EVPN in a VRF."""

    vni: int = 0
    distinguisher: str = ""
    imports: set[str] = field(default_factory=set)
    exports: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)

    def add(self, distinguisher: str, way: str, target: str) -> None:
        """Take a distinguisher, or a target to `import` or `export`."""
        if distinguisher:
            self.distinguisher = distinguisher
        else:
            (self.imports if way == "import" else self.exports).add(target)

    def vrf(self) -> OverlayVrf:
        """The VRF in neutral form."""
        imports, exports, families = map(frozenset, (self.imports, self.exports, self.families))
        return OverlayVrf(self.vni, self.distinguisher, imports, exports, families)


def overlay(
    instance: Instance | None,
    policies: Policies,
    vrfs: Mapping[str, VrfLines],
    vtep: str,
    copies: bool = False,
    vlans: Mapping[int, OverlayVlan] | None = None,
) -> Overlay | None:
    """The overlay of a switch from its BGP in the default VRF; None where it has none.

    `copies`: tunnels take the DSCP of packets. Raises UnknownTextError for tunnels without sessions,
    or VRFs without tunnels, and for sessions that differ in where they come from.
    """
    found = {n: one for n, one in (instance.neighbors if instance else {}).items() if not one.is_group}
    mine = {n: one for n, one in found.items() if instance and EVPN in instance.both(one, "active")}
    if not mine or instance is None:
        if vtep or vrfs:
            unfit("there are VXLAN tunnels, and no session for EVPN")
        return None
    if bool(vrfs or vlans) != bool(vtep):
        unfit("VRFs over EVPN and VXLAN tunnels are not both there")
    sources = {instance.either(one, "source") for one in mine.values()}
    if len(sources) != 1:
        unfit(f"sessions for EVPN come from {sorted(sources)}")
    return Overlay(
        source=sources.pop(),
        vtep=vtep,
        vrfs={name: lines.vrf() for name, lines in vrfs.items()},
        peers={n: _peer(instance, policies, one) for n, one in mine.items()},
        copies_dscp=copies,
        vlans=vlans or {},
    )


def _peer(instance: Instance, policies: Policies, one: Neighbor) -> OverlayPeer:
    keepalive, hold = instance.either(one, "timers") or instance.timers
    outward = policies.learned_paths(instance.both(one, "map_out"))
    if policies.learned_paths(instance.both(one, "map_in")) is not None or instance.both(one, "active") != {EVPN}:
        unfit(f"a session for EVPN takes less than all, or carries more: {one}")
    return OverlayPeer(
        remote_asn=one.remote_asn,
        own_only=outward is not None,
        own_as_in=instance.either(one, "own_as_in"),
        keepalive_s=keepalive,
        hold_s=hold,
        keeps_next_hop=instance.keeps_next_hops or instance.either(one, "keeps_next_hop"),
        multihop=instance.either(one, "multihop"),
        description=one.description,
        outside=outward or frozenset(),
    )

"""The overlay of a neutral form in FRR's words."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.switch.model import Switch
from fabricgen.switch.routing import Overlay, OverlayVrf


def vnis(switch: Switch) -> Iterator[str]:
    """The VNI of each VRF, and what sessions announce of what they have learned."""
    if switch.overlay:
        yield "bgp as-path access-list OWN seq 5 permit ^$"
        yield "route-map EVPN-ALL permit 10\nexit\nroute-map EVPN-OWN permit 10\n match as-path OWN\nexit"
        yield from (f"vrf {vrf}\n vni {one.vni}\nexit-vrf" for vrf, one in sorted(switch.overlay.vrfs.items()))


def over_evpn(switch: Switch, vrf: str) -> Iterator[str]:
    """Sessions for EVPN in the default VRF, and targets in another that travels over it."""
    if switch.overlay and not vrf:
        yield from _sessions(switch.overlay)
    elif switch.overlay and vrf in switch.overlay.vrfs:
        yield from _targets(switch.overlay.vrfs[vrf])


def _sessions(overlay: Overlay) -> Iterator[str]:
    for address, peer in overlay.peers.items():
        yield f" neighbor {address} remote-as {peer.remote_asn}\n neighbor {address} update-source {overlay.source}"
        yield f" neighbor {address} ebgp-multihop {peer.multihop}\n neighbor {address} timers connect 10"
        yield f" neighbor {address} timers {peer.keepalive_s} {peer.hold_s}"
    yield " address-family l2vpn evpn"
    for address, peer in overlay.peers.items():
        yield f"  neighbor {address} activate\n  neighbor {address} route-map EVPN-ALL in"
        yield f"  neighbor {address} route-map EVPN-{'OWN' if peer.own_only else 'ALL'} out"
        if peer.keeps_next_hop:
            yield f"  neighbor {address} attribute-unchanged next-hop"
        if peer.own_as_in:
            yield f"  neighbor {address} allowas-in {peer.own_as_in}"
    if overlay.vtep:
        yield "  advertise-all-vni"
    yield " exit-address-family"


def _targets(one: OverlayVrf) -> Iterator[str]:
    yield f" address-family l2vpn evpn\n  rd {one.distinguisher}"
    yield from (f"  advertise ip{family} unicast" for family in sorted(one.families))
    yield from (f"  route-target import {target}" for target in sorted(one.imports))
    yield from (f"  route-target export {target}" for target in sorted(one.exports))
    yield " exit-address-family"

"""Route leaks between the VRFs of a switch: routes that it imports from one into another, and those that pass in a VRF.

A switch that has both VRFs of a leak imports the prefixes of each into the other. A switch that has one of them lets
pass what others imported into it. Only prefixes of hosts leak: neither loopbacks and links between switches, nor
default routes.

Over EVPN a switch that has hosts of one VRF of a leak gets the other VRF, too. It leaks only its own subnets, and
announces them to all others in routes of type 5: so packets enter the switch of a host in the VRF from which they are
sent, and are routed into the other VRF there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from ipaddress import ip_network
from typing import TYPE_CHECKING

from fabricgen.switch.routing import LEAKED, LEARNED_PATH, EvpnOverlay
from fabricgen.views.service import Service
from fabricgen.views.switch import Leaked, LeakSource, SwitchView

if TYPE_CHECKING:
    from fabricgen.views.frames import SwitchFrames

LEAKED_PATH = f"^{LEAKED}$"
"""The AS path of what a switch has leaked itself."""

DEFAULT_NUMBER = 1
"""The number of the default VRF among those of a switch: VLANs of fabrics begin at 2."""


def add_leaks(switch: SwitchView, frames: SwitchFrames) -> SwitchView:
    """Return a switch with the leaks into its VRFs: the prefixes of the other VRF that each leak permits.

    Its overlay announces them as well, if its NOS announces imported routes.
    """
    fabric = frames.design.fabric(switch.fabric.name)
    owner = fabric.carrier or fabric.name
    # "" is the default VRF
    vrfs = ("", *switch.vrfs)
    leaked_by_vrf = []
    for vrf in vrfs:
        leaks = [
            leak for leak in frames.design.leaks if owner in leak.fabrics and leak.find_source_vrf(vrf) is not None
        ]
        if leaks:
            prefixes: dict[str, list[str]] = {}
            for leak in leaks:
                other_vrf = leak.find_source_vrf(vrf) or ""
                leaked_prefixes = _intersect_prefixes(
                    leak.prefixes.get(other_vrf), _list_pools(frames, owner, other_vrf)
                )
                prefixes.setdefault(other_vrf, []).extend(leaked_prefixes)
            # a switch imports from VRFs that it has; what others import from further VRFs only passes here
            sources = tuple(
                LeakSource(other_vrf, _number_vrf(frames, owner, other_vrf), tuple(dict.fromkeys(prefixes_of_vrf)))
                for other_vrf, prefixes_of_vrf in sorted(prefixes.items())
                if other_vrf in vrfs
            )
            passing = dict.fromkeys(prefix for prefixes_of_vrf in prefixes.values() for prefix in prefixes_of_vrf)
            leaked_by_vrf.append(Leaked(vrf, _number_vrf(frames, owner, vrf), sources, tuple(passing)))
    return replace(switch, leaks=tuple(leaked_by_vrf), overlay=_add_leaks_to_overlay(switch, leaked_by_vrf))


def _add_leaks_to_overlay(switch: SwitchView, leaks: Iterable[Leaked]) -> EvpnOverlay | None:
    """Return the overlay of a switch (None without one) with the leaked routes that it has to announce over EVPN.

    They are added to the sessions that announce only own routes, if the switch leaks routes itself and its NOS
    announces imported routes.
    """
    overlay = switch.overlay
    if overlay is None or not switch.naming.configuration.tells_imports or not any(leaked.sources for leaked in leaks):
        return overlay
    peers = {
        address: replace(peer, outside=peer.outside | {LEAKED_PATH}) if peer.own_only else peer
        for address, peer in overlay.peers.items()
    }
    return replace(overlay, peers=peers)


def match_leaked_paths(switch: SwitchView) -> str:
    """Return a regular expression for the AS paths of routes that a switch does not leak into another VRF: routes that
    were leaked before or, if it announces leaked routes over EVPN, all that it has learned. "" if it leaks nothing
    itself.
    """
    if not any(leaked.sources for leaked in switch.leaks):
        return ""
    return LEARNED_PATH if switch.overlay and switch.naming.configuration.tells_imports else f"_{LEAKED}_"


def tells_leaked(switch: SwitchView) -> bool:
    """Whether a switch that otherwise announces only its own routes announces leaked ones too.

    It does if it leaks routes into a VRF itself and has an overlay (EVPN).
    """
    return bool(switch.overlay and switch.announces_own_only and any(leaked.sources for leaked in switch.leaks))


def list_services_of_leaks(owner: str, vrfs: Collection[str], frames: SwitchFrames, row: int) -> tuple[Service, ...]:
    """Return services, without ports, for the VRFs that leak over EVPN with one of `vrfs` (the VRFs of a switch's
    hosts) and are not in `vrfs` themselves; ordered by VRF.
    """
    other_vrfs = {leak.find_source_vrf(vrf) for leak in frames.design.leaks if owner in leak.fabrics for vrf in vrfs}
    return tuple(
        frames.find_passing_service(row, owner, vrf) for vrf in sorted(other_vrfs - {None, "", *vrfs}, key=str) if vrf
    )


def _number_vrf(frames: SwitchFrames, owner: str, vrf: str) -> int:
    """Return a number that no other VRF on the switches of a fabric has: its VLAN on links between them."""
    return frames.find_vlan(owner, vrf) if vrf else DEFAULT_NUMBER


def _list_pools(frames: SwitchFrames, owner: str, vrf: str) -> tuple[str, ...]:
    """Return the prefixes that contain all hosts of a VRF."""
    if vrf in frames.tenant_pools:
        return frames.tenant_pools[vrf]
    fabrics = [f for f in frames.design.fabrics if owner in (f.name, f.carrier) and f.vrf == vrf]
    return tuple(dict.fromkeys(pool for fabric in fabrics for pool in frames.intents[fabric.name].host_pools))


def _intersect_prefixes(prefixes: Iterable[str] | None, pools: tuple[str, ...]) -> Iterator[str]:
    """Yield the parts of the stated prefixes that are in the pools; the pools if no prefixes are stated."""
    if prefixes is None:
        yield from pools
        return
    for prefix in map(ip_network, prefixes):
        for pool in map(ip_network, pools):
            if prefix.version == pool.version and prefix.overlaps(pool):
                yield str(max(prefix, pool, key=lambda network: network.prefixlen))

"""Routing that a NOS's own daemon makes of its tables: SONiC's bgpcfgd, which has no words for most of a policy."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.switch.routing import Bgp, StaticRoute, network_of
from fabricgen.views.model.routing import prefixes_of_loopbacks
from fabricgen.views.switch import SwitchView


def is_routed_by_daemon(switch: SwitchView) -> bool:
    """Whether a switch runs BGP, and its NOS's own daemon is enough for what it is asked: sessions on numbered links of
    IPv4, each with an AS number of its own, that carry nothing but the fabric.

    Without one, text of FRR is written.
    """
    facts, fabric = switch.naming.configuration, switch.fabric
    asked = fabric.bfd or fabric.states_max_prefixes or any(service.outside for service in switch.services)
    beside = (
        switch.leaks or switch.shares_asn or switch.overlay or switch.pair or any(map(switch.speaks_in, switch.vrfs))
    )
    is_plain = switch.has_v4 and fabric.underlay != "ebgp-unnumbered"
    return bool(facts.announces_blocks and switch.asn and is_plain and not asked and not beside)


def as_own_daemon(switch: SwitchView, vrf: str, bgp: Bgp) -> Bgp:
    """The sessions of a VRF as the NOS's own daemon has them: all pass all, named after the far device."""
    peers = {
        key: replace(
            peer,
            policy_in=None,
            policy_out=None,
            own_as_in=1 if switch.level == 0 else 0,
            max_prefixes={},
            description=peer.device,
        )
        for key, peer in bgp.peers.items()
    }
    blocks = {block for own, block in route_host_blocks(switch) if own == vrf}
    vlans = {network_of(gateway) for s in switch.services if s.vrf == vrf for gateway in s.gateways}
    loopbacks = set() if vrf else set(prefixes_of_loopbacks(switch))
    paths = switch.naming.configuration.daemon_paths
    return replace(bgp, max_paths=paths, peers=peers, announced=frozenset(loopbacks | blocks | vlans))


def route_host_blocks(switch: SwitchView) -> dict[tuple[str, str], StaticRoute]:
    """The blocks of routed hosts by VRF and prefix, as discard routes, which the daemon announces."""
    blocks = (
        (s.vrf, block) for s in switch.services if not s.gateways for block in (s.host_subnet, s.host_subnet6) if block
    )
    return {block: StaticRoute(frozenset(), discard=True) for block in blocks}

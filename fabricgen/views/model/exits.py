"""Ways out of a switch: sessions with far devices, their policies, static routes, and what passes inside the fabric."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from ipaddress import ip_network

from fabricgen.blueprint.sections.exits import EXIT_HOLD_S
from fabricgen.switch.routing import Bfd, Clause, Peer, Permit, Policy
from fabricgen.views.exits import PREPENDED, ExitPeer, Outside
from fabricgen.views.switch import SwitchView

KEEPALIVE_S = 10
"""Of sessions to the outside, seconds."""

DRAINED = 10
"""How often the far AS number is repeated in maintenance: more than for a backup."""


def permit_outside(prefixes: Iterable[Outside], families: Iterable[str]) -> frozenset[Permit]:
    """Prefixes of some families ("v4", "v6") with the lengths that are taken."""
    networks = [(outside, ip_network(outside.prefix)) for outside in prefixes]
    return frozenset(
        Permit(outside.prefix, network.prefixlen, max(outside.longest, network.prefixlen))
        for outside, network in networks
        if f"v{network.version}" in families
    )


def add_outside(switch: SwitchView, vrf: str, families: tuple[str, ...], peer: Peer) -> Peer:
    """A session inside the fabric: what is beyond exits comes down, and only those who have an exit send it up."""
    outside = permit_outside(switch.outside(vrf), families)
    if not outside or peer.policy_in is None or peer.policy_out is None:
        return peer
    asns = {far.asn for far in switch.exits.peers_in(vrf)}
    has_static = switch.exits.announces_routes(vrf)
    outward = peer.policy_out
    if not outward.own_only or (has_static and not asns):
        outward = replace(outward, permits=outward.permits | outside)
    elif asns:
        paths = {f"^{asn}_" for asn in asns} | ({"^$"} if has_static else set())
        outward = replace(outward, clauses=frozenset({Clause(outside, frozenset(paths))}))
    aggregates = (Outside(prefix, 0) for prefix in aggregates_of(switch, vrf))
    outward = replace(outward, denies=permit_outside(aggregates, families))
    inward = replace(peer.policy_in, permits=peer.policy_in.permits | outside)
    return replace(peer, policy_in=inward, policy_out=outward)


def aggregates_of(switch: SwitchView, vrf: str) -> frozenset[str]:
    """What is announced to far devices as one."""
    return frozenset(prefix for policy in switch.exits.policies_in(vrf) for prefix in policy.announces)


def exit_peers(switch: SwitchView, vrf: str) -> dict[str, Peer]:
    """The sessions to the outside in a VRF by the address of the far device."""
    return {peer.far: _model_peer(switch, peer) for peer in switch.exits.peers_in(vrf)}


def _model_peer(switch: SwitchView, peer: ExitPeer) -> Peer:
    family = "v6" if peer.is_v6 else "v4"
    policy = next(policy for policy in switch.exits.policies if policy.name == peer.name)
    announced = permit_outside((Outside(prefix, 0) for prefix in policy.announces), (family,))
    repeated = DRAINED if switch.maintenance else PREPENDED if policy.backup else 0
    inward = _permit_on_terms(Clause(permit_outside(policy.takes, (family,)), last_as=repeated))
    prepended = switch.asn if policy.backup or switch.maintenance else 0
    communities = frozenset(policy.communities)
    return Peer(
        remote_asn=peer.asn,
        families=frozenset({family}),
        policy_in=inward,
        policy_out=_permit_on_terms(Clause(announced, communities=communities, prepend=prepended)),
        keepalive_s=KEEPALIVE_S,
        hold_s=EXIT_HOLD_S,
        bfd=Bfd(peer.bfd.interval_ms, peer.bfd.multiplier) if peer.bfd else None,
        max_prefixes={family: peer.max_prefixes} if peer.max_prefixes else {},
        description=peer.description,
        hops=peer.hops,
        from_loopback=peer.hops > 1,
        local_asn=peer.local_as,
        password=peer.password,
    )


def _permit_on_terms(clause: Clause) -> Policy:
    """A policy of one clause, which is a plain permit where nothing is set on what passes."""
    if clause == Clause(clause.permits) or not clause.permits:
        return Policy(clause.permits)
    return Policy(frozenset(), clauses=frozenset({clause}))

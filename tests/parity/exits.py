"""What the files of a switch are to say of ways out: sessions, policies, routes and aggregates, from its view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network

from fabricgen.switch.routing import Bfd, Clause, Peer, Permit, Policy, StaticRoute
from fabricgen.views.exits import ExitPeer, Outside
from fabricgen.views.switch import SwitchView

REPEATED, DRAINED = 8, 10
TIMERS = 10, 30


def permits(prefixes: tuple[Outside, ...], family: str) -> frozenset[Permit]:
    """Prefixes of a family with the lengths that are taken."""
    mine = [(each, ip_network(each.prefix)) for each in prefixes]
    return frozenset(
        Permit(each.prefix, network.prefixlen, max(each.longest, network.prefixlen))
        for each, network in mine
        if f"v{network.version}" == family
    )


def with_outside(switch: SwitchView, vrf: str, families: tuple[str, ...], peer: Peer) -> Peer:
    """A session inside the fabric: what is beyond exits comes down, and only those who have an exit send it up."""
    outside = frozenset(p for family in families for p in permits(switch.outside(vrf), family))
    if not outside or peer.policy_in is None or peer.policy_out is None:
        return peer
    asns = {far.asn for far in switch.exits.peers if far.vrf == vrf}
    static = any(route.vrf == vrf and route.passed_on for route in switch.exits.routes)
    out = peer.policy_out
    own_only = out.own_only
    if not own_only or (static and not asns):
        out = replace(out, permits=out.permits | outside)
    elif asns:
        paths = {f"^{asn}_" for asn in asns} | ({"^$"} if static else set())
        out = replace(out, clauses=frozenset({Clause(outside, frozenset(paths))}))
    own = tuple(Outside(prefix, 0) for prefix in aggregates(switch, vrf))
    out = replace(out, denies=frozenset(p for family in families for p in permits(own, family)))
    return replace(peer, policy_in=replace(peer.policy_in, permits=peer.policy_in.permits | outside), policy_out=out)


def aggregates(switch: SwitchView, vrf: str) -> frozenset[str]:
    """What is announced to far devices as one."""
    return frozenset(p for policy in switch.exits.policies if policy.vrf == vrf for p in policy.announces)


def exit_peers(switch: SwitchView, vrf: str) -> Iterator[tuple[str, Peer]]:
    """(far address, session) of the sessions to the outside."""
    for peer in switch.exits.peers:
        if peer.vrf == vrf:
            yield peer.far, _peer(switch, peer)


def _peer(switch: SwitchView, peer: ExitPeer) -> Peer:
    family = "v6" if ":" in peer.far else "v4"
    policy = next(p for p in switch.exits.policies if p.name == peer.name)
    taken, announced = policy.takes, tuple(Outside(prefix, 0) for prefix in policy.announces)
    inward = _terms(permits(taken, family), last_as=DRAINED if switch.maintenance else REPEATED if policy.backup else 0)
    prepend = switch.asn if policy.backup or switch.maintenance else 0
    outward = _terms(permits(announced, family), communities=frozenset(policy.communities), prepend=prepend)
    return Peer(
        remote_asn=peer.asn,
        families=frozenset({family}),
        policy_in=inward,
        policy_out=outward,
        keepalive_s=TIMERS[0],
        hold_s=TIMERS[1],
        bfd=Bfd(peer.bfd.interval_ms, peer.bfd.multiplier) if peer.bfd else None,
        max_prefixes={family: peer.max_prefixes} if peer.max_prefixes else {},
        description=" ".join(f"{peer.device} {peer.far_port} exit {peer.name}".split()),
        hops=peer.hops,
        from_loopback=peer.hops > 1,
        local_asn=peer.local_as,
        password=f"<{peer.password}>" if peer.password else "",
    )


def _terms(found: frozenset[Permit], **sets: object) -> Policy:
    if not found or not any(sets.values()):
        return Policy(found)
    return Policy(frozenset(), clauses=frozenset({Clause(found, **sets)}))  # type: ignore[arg-type]


def exit_routes(switch: SwitchView) -> dict[tuple[str, str], StaticRoute]:
    """Static routes to the outside, by VRF and prefix."""
    return {(r.vrf, r.prefix): StaticRoute(frozenset(r.hops), discard=False) for r in switch.exits.routes}


def passed_on(switch: SwitchView, vrf: str) -> Iterator[str]:
    """Prefixes of static routes that the switch announces."""
    return (route.prefix for route in switch.exits.routes if route.vrf == vrf and route.passed_on)

"""The parts of the switch model for BGP and static routes: sessions by VRF, their policies, and announced prefixes.

eBGP runs with explicit AS numbers on every link (RFC 7938, 5.2). A switch that shares its AS number with others (leaves
of a rack, groups of a tier with one number) accepts routes from above that contain its own number once (`allowas-in`);
otherwise it would drop the others' routes as loops.

A NOS's own daemon, such as bgpcfgd of SONiC, cannot express most of a policy: what it makes of tables is worked out
here, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from fabricgen.blueprint.sections.routing import HOLD_S, KEEPALIVE_S
from fabricgen.design.srv6 import IDENTIFIER_BITS
from fabricgen.switch.interfaces import Subinterface
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.routing import (
    LEARNED_PATH,
    Bgp,
    Peer,
    Policy,
    RouteMaps,
    SessionBfd,
    StaticRoute,
    SwitchSrv6,
    find_network,
)
from fabricgen.views.exits import EXIT
from fabricgen.views.model.policies import model_maps
from fabricgen.views.switch import SwitchPort, SwitchView


def list_loopback_prefixes(view: SwitchView) -> tuple[str, ...]:
    """Return the loopbacks of the default VRF with prefix lengths, IPv4 before IPv6."""
    loopbacks = ((view.loopback, 32), (view.loopback6, 128))
    return tuple(f"{address}/{length}" for address, length in loopbacks if address)


def model_srv6(view: SwitchView) -> SwitchSrv6 | None:
    """Return the SRv6 identifiers of a switch, those of its links by their prefixes; None if its fabric has none."""
    block = view.fabric.srv6
    if block is None:
        return None
    links = {p.adjacency: (p.name, p.peer_address6.partition("/")[0]) for p in view.ports if p.adjacency}
    return SwitchSrv6((block.bits, IDENTIFIER_BITS, IDENTIFIER_BITS), view.locator, links)


def model_bgp(view: SwitchView) -> dict[str, Bgp]:
    """Return BGP by VRF: in the default one (""), and in those with sessions, with exits, or over EVPN.

    `announced` is left empty: writers do not print it, as it follows from the rest.
    """
    over_evpn = set(view.overlay.vrfs) if view.overlay else set()
    most_paths = view.naming.configuration.ecmp_paths or view.ecmp_width
    limits = view.dialect.ecmp_limits or (min(view.ecmp_width, most_paths),)
    max_paths = next((limit for limit in limits if limit >= view.ecmp_width), limits[-1])
    instances = {}
    for vrf in ("", *(vrf for vrf in view.vrfs if vrf in over_evpn or view.speaks_in(vrf))):
        peers = dict(_model_sessions(view, vrf))
        maps = model_maps(view, vrf, {peer.group.removesuffix("6") for peer in peers.values()})
        instances[vrf] = Bgp(
            asn=view.asn,
            router_id=view.router_id,
            max_paths=max_paths,
            multipath_relax=True,
            peers=_add_policies({**peers, **view.exits.peers_in(vrf)}, maps),
            announced=frozenset(),
            aggregates=OrderedSet(p for policy in view.exits.policies_in(vrf) for p in policy.announces),
            leaks=_list_leaks(maps),
            maps=maps,
        )
    return instances


def _model_sessions(view: SwitchView, vrf: str) -> Iterator[tuple[str, Peer]]:
    """Yield (far address or own port, session) of each link between switches.

    A link has one session a family if it has addresses, or one over link-local addresses for all families.
    """
    ends: tuple[tuple[SwitchPort, SwitchPort | Subinterface], ...] = tuple((port, port) for port in view.ends)
    for port, end in view.links_in(vrf) if vrf else ends:
        if port.role in ("host", EXIT) or not end.peer_asn or not view.asn:
            continue
        pairs = [pair for pair in end.pairs if pair[0]]
        for own_address, far_address in pairs:
            family, ending = ("v6", "6") if ":" in own_address else ("v4", "")
            peer = _model_peer(view, port, end.peer_asn, frozenset({family}))
            address = own_address.partition("/")[0]
            yield far_address.partition("/")[0], replace(peer, group=f"{peer.group}{ending}", address=address)
        if not pairs:
            peer = _model_peer(view, port, end.peer_asn, frozenset(view.fabric.families))
            yield port.name, peer if view.dialect.describes_unnumbered else replace(peer, description="")


def _model_peer(view: SwitchView, port: SwitchPort, asn: int, families: frozenset[str]) -> Peer:
    """Return a session over a link with the AS number `asn` at its far end; policies and addresses are filled in
    later.
    """
    bfd, limit = view.fabric.bfd, view.fabric.max_prefixes
    return Peer(
        remote_asn=asn,
        families=families,
        policy_in=None,
        policy_out=None,
        keepalive_s=KEEPALIVE_S,
        hold_s=HOLD_S,
        bfd=SessionBfd(bfd.interval_ms, bfd.multiplier) if bfd else None,
        own_as_in=1 if view.shares_asn and port.role != "down" else 0,
        max_prefixes=dict.fromkeys(families, limit) if limit else {},
        description=f"{port.peer} {port.peer_port}",
        group=port.role.upper(),
        device=port.peer,
        port=port.name,
    )


def _add_policies(peers: Mapping[str, Peer], maps: RouteMaps) -> dict[str, Peer]:
    """Return sessions with the policies of their maps; hundreds of sessions have the same."""
    make_policy = cache(maps.make_policy)

    def find_policy(peer: Peer, direction: str) -> Policy:
        """Return the policy of a session in one direction; computed once for its maps."""
        return make_policy(
            tuple(maps.find_map_name(peer, direction, family) for family in sorted(peer.families)), peer.families
        )

    return {
        key: replace(peer, policy_in=find_policy(peer, "IN"), policy_out=find_policy(peer, "OUT"))
        for key, peer in peers.items()
    }


def _list_leaks(maps: RouteMaps) -> dict[str, Policy]:
    """Return, by VRF, what is imported from there: subnets of hosts of the routed families."""
    leaks: dict[str, Policy] = {}
    is_own = maps.as_paths.get("LEAKED") == {LEARNED_PATH}
    for entry in (entry for name in ("LEAKED", "LEAKED6") for entry in maps.maps.get(name, {}).values()):
        if entry.source_vrf is not None:
            before = leaks.get(entry.source_vrf, Policy(frozenset())).permits
            leaks[entry.source_vrf] = Policy(before | maps.prefix_lists[entry.prefix_list], is_own)
    return leaks


def list_announced_prefixes(view: SwitchView, vrf: str) -> frozenset[str]:
    """Return what a switch originates in a VRF: loopbacks, subnets of its hosts, and static routes to the outside."""
    return frozenset(_iterate_announced_prefixes(view, vrf))


def _iterate_announced_prefixes(view: SwitchView, vrf: str) -> Iterator[str]:
    """Yield the same: loopbacks, subnets of hosts, routed ports, and routes of exits that are passed on."""
    loopback = view.loopback_in(vrf)
    yield from loopback.prefixes if loopback else list_loopback_prefixes(view) if not vrf else ()
    for service in view.services:
        if service.vrf == vrf:
            yield from map(find_network, service.gateways)
    for port in view.ports:
        service_here = view.find_service(port)
        is_inside = port.role != EXIT and not port.settings.shutdown
        if service_here and service_here.vrf == vrf and is_inside:
            yield from map(find_network, port.addresses)
    yield from (prefix for prefix, route in view.exits.routes_in(vrf).items() if route.passed_on)


def is_routed_by_daemon(view: SwitchView) -> bool:
    """Whether a switch runs BGP for which its NOS's own daemon suffices.

    That daemon has sessions on numbered links of IPv4, each with an AS number of its own, that carry only routes of the
    fabric. Without it, text of FRR is written.
    """
    facts, fabric = view.naming.configuration, view.fabric
    needs_frr = (
        fabric.bfd
        or fabric.states_max_prefixes
        or view.weighs_paths
        or any(service.outside for service in view.services)
    )
    has_more_sessions = (
        view.leaks or view.shares_asn or view.overlay or view.pair or any(map(view.speaks_in, view.vrfs))
    )
    is_plain = view.has_v4 and fabric.underlay != "ebgp-unnumbered"
    return bool(facts.announces_blocks and view.asn and is_plain and not needs_frr and not has_more_sessions)


def model_own_daemon(view: SwitchView, vrf: str, bgp: Bgp) -> Bgp:
    """Return the sessions of a VRF in the NOS's own daemon: all permit everything, and are named
    after the far device.
    """
    peers = {
        key: replace(
            peer,
            policy_in=None,
            policy_out=None,
            own_as_in=1 if view.level == 0 else 0,
            max_prefixes={},
            description=peer.device,
        )
        for key, peer in bgp.peers.items()
    }
    blocks = {block for block_vrf, block in discard_host_blocks(view) if block_vrf == vrf}
    vlans = {find_network(gateway) for s in view.services if s.vrf == vrf for gateway in s.gateways}
    loopbacks = set() if vrf else set(list_loopback_prefixes(view))
    paths = view.naming.configuration.daemon_paths
    return replace(bgp, max_paths=paths, peers=peers, announced=frozenset(loopbacks | blocks | vlans))


def discard_host_blocks(view: SwitchView) -> dict[tuple[str, str], StaticRoute]:
    """Return discard routes for the blocks of routed hosts, by (VRF, prefix); the daemon announces them."""
    blocks = (
        (s.vrf, block) for s in view.services if not s.gateways for block in (s.host_subnet, s.host_subnet6) if block
    )
    return {block: StaticRoute(frozenset(), discard=True) for block in blocks}

"""BGP and static routes of a switch: sessions by VRF, what passes on them, and what is announced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network

from fabricgen.blueprint.sections.routing import HOLD_S, KEEPALIVE_S
from fabricgen.switch.routing import Bfd, Bgp, Peer, Permit, Policy, network_of
from fabricgen.views.exits import EXIT
from fabricgen.views.model.exits import add_outside, aggregates_of, exit_peers
from fabricgen.views.switch import SwitchPort, SwitchView


def prefixes_of_loopbacks(switch: SwitchView) -> tuple[str, ...]:
    """The loopbacks of the default VRF with prefix lengths, IPv4 before IPv6."""
    loopbacks = ((switch.loopback, 32), (switch.loopback6, 128))
    return tuple(f"{address}/{length}" for address, length in loopbacks if address)


def model_bgp(switch: SwitchView) -> dict[str, Bgp]:
    """BGP by VRF: in the default one, and in those with sessions, with exits, or over EVPN."""
    over_evpn = set(switch.overlay.vrfs) if switch.overlay else set()
    most_paths = switch.naming.configuration.ecmp_paths or switch.ecmp_width
    return {
        vrf: Bgp(
            asn=switch.asn,
            router_id=switch.router_id,
            max_paths=min(switch.ecmp_width, most_paths),
            multipath_relax=True,
            peers={**dict(_peers(switch, vrf)), **exit_peers(switch, vrf)},
            announced=frozenset(_announced(switch, vrf)),
            aggregates=aggregates_of(switch, vrf),
            leaks=_leaks_into(switch, vrf),
        )
        for vrf in ("", *(vrf for vrf in switch.vrfs if vrf in over_evpn or switch.speaks_in(vrf)))
    }


def _peers(switch: SwitchView, vrf: str) -> Iterator[tuple[str, Peer]]:
    """(far address, or own port; session) of each link between switches: one a family where it has addresses."""
    ends = switch.links_in(vrf) if vrf else tuple((port, port) for port in switch.ends)
    for port, end in ends:
        if port.role in ("host", EXIT) or not end.peer_asn:
            continue
        for address in (far for own, far in end.pairs if own):
            families = ("v6",) if ":" in address else ("v4",)
            yield address.partition("/")[0], _model_peer(switch, vrf, port, end.peer_asn, families)
        if not end.addresses:
            peer = _model_peer(switch, vrf, port, end.peer_asn, switch.fabric.families)
            yield port.name, peer if switch.dialect.describes_unnumbered else replace(peer, description="")


def _model_peer(switch: SwitchView, vrf: str, port: SwitchPort, asn: int, families: tuple[str, ...]) -> Peer:
    permits = frozenset(permit for family in families for permit in _permits(switch, vrf, family))
    bfd, limit = switch.fabric.bfd, switch.fabric.max_prefixes
    to_mate = port.role == "peer" and switch.passes_to_mates
    peer = Peer(
        remote_asn=asn,
        families=frozenset(families),
        policy_in=Policy(permits),
        policy_out=Policy(permits, own_only=switch.announces_own_only and not to_mate),
        keepalive_s=KEEPALIVE_S,
        hold_s=HOLD_S,
        bfd=Bfd(bfd.interval_ms, bfd.multiplier) if bfd else None,
        own_as_in=1 if switch.shares_asn and port.role != "down" else 0,
        max_prefixes=dict.fromkeys(families, limit) if limit else {},
        description=f"{port.peer} {port.peer_port}",
    )
    return add_outside(switch, vrf, families, peer)


def _permits(switch: SwitchView, vrf: str, family: str) -> Iterator[Permit]:
    """Loopbacks of the default VRF, and in each VRF the prefixes of its hosts: up to links of two addresses."""
    bits, leaked = 128 if family == "v6" else 32, switch.leaked(vrf)
    pools = {pool for service in switch.services if service.vrf == vrf for pool in service.host_pools}
    pools |= set(leaked.prefixes) if leaked else set()
    loopback = switch.loopback_in(vrf)
    pools |= set(loopback.prefixes) if loopback else set()
    for is_loopback, prefixes in ((True, () if vrf else switch.fabric.loopback_pools), (False, pools)):
        for pool in prefixes:
            network = ip_network(pool)
            if network.max_prefixlen == bits:
                longest = bits if is_loopback else max(bits - 1, network.prefixlen)
                yield Permit(pool, bits if is_loopback else network.prefixlen, longest)


def _announced(switch: SwitchView, vrf: str) -> Iterator[str]:
    """Loopbacks, the subnets of hosts here, and static routes to the outside."""
    loopback = switch.loopback_in(vrf)
    yield from loopback.prefixes if loopback else prefixes_of_loopbacks(switch) if not vrf else ()
    for service in switch.services:
        if service.vrf == vrf:
            yield from map(network_of, service.gateways)
    for port in switch.ports:
        service_here = switch.service_of(port)
        is_inside = port.role != EXIT and not port.settings.shutdown
        if service_here and service_here.vrf == vrf and is_inside:
            yield from map(network_of, port.addresses)
    yield from (prefix for prefix, route in switch.exits.routes_in(vrf).items() if route.passed_on)


def _leaks_into(switch: SwitchView, vrf: str) -> dict[str, Policy]:
    """By VRF that a switch has, what it brings from there into another: subnets of hosts of the routed families."""
    leaked, is_own = switch.leaked(vrf), switch.overlay is not None and switch.naming.configuration.tells_imports
    return {
        source.vrf: Policy(frozenset(_permits_of(switch, source.prefixes)), own_only=is_own)
        for source in (leaked.sources if leaked else ())
    }


def _permits_of(switch: SwitchView, prefixes: tuple[str, ...]) -> Iterator[Permit]:
    for network in map(ip_network, prefixes):
        if f"v{network.version}" in switch.fabric.families:
            yield Permit(str(network), network.prefixlen, max(network.prefixlen, network.max_prefixlen - 1))

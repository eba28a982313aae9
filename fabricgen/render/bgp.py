"""What every NOS needs to know of the underlay: timers, sessions, and which prefixes may travel.

eBGP with explicit AS numbers on every link (RFC 7938, 5.2). Only router ids and host prefixes travel: each switch
admits and announces nothing outside the pools that these come from, and a switch of the lowest tier announces only
what it originates, so that it never carries traffic between its spines.

A switch whose AS number others share (leaves of a rack, groups of a tier with one number) takes routes from above in
which its own number stands once (`allowas-in`): else it would drop theirs as loops.
"""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.switch_view import Subinterface, SwitchPort, SwitchView

KEEPALIVE_S, HOLD_S, CONNECT_RETRY_S = 3, 9, 10
"""Session timers, seconds: the `datacenter` profile of FRR (docs.frrouting.org, bgpd: `frr defaults datacenter`)."""

PREFIX_STEP = 10


def prefix_length(prefix: str) -> int:
    """The length of a prefix such as 10.0.0.0/16."""
    return int(prefix.rpartition("/")[2])


def bare(address: str) -> str:
    """An address without its prefix length."""
    return address.partition("/")[0]


def loopback_rules(switch: SwitchView) -> tuple[tuple[int, str, bool], ...]:
    """(sequence, pool, whether it holds longer prefixes): a router id is any /32 in the pool."""
    return tuple(
        (PREFIX_STEP * n, pool, prefix_length(pool) < 32) for n, pool in enumerate(switch.fabric.loopback_pools, 1)
    )


def host_rules(switch: SwitchView, vrf: str = "") -> tuple[tuple[int, str, bool], ...]:
    """(sequence, pool, whether it holds longer prefixes) of the services in a VRF: host prefixes run to /31."""
    pools = dict.fromkeys(pool for service in switch.services if service.vrf == vrf for pool in service.host_pools)
    return tuple((PREFIX_STEP * n, pool, prefix_length(pool) < 31) for n, pool in enumerate(pools, 1))


def sessions(switch: SwitchView) -> tuple[SwitchPort, ...]:
    """The ports that carry a BGP session: all links to other switches of the fabric."""
    return tuple(port for port in switch.ports if port.role != "host" and port.peer_asn)


def vrf_sessions(switch: SwitchView, vrf: str) -> tuple[tuple[SwitchPort, Subinterface], ...]:
    """The ports and sub-interfaces with a BGP session in a VRF: all that carry it, where the fabric runs BGP."""
    return tuple(link for link in switch.links_in(vrf) if switch.asn and link[1].peer_asn)


def groups(peers: Iterable[SwitchPort]) -> tuple[str, ...]:
    """Peer groups in use: UP towards the tier above, DOWN towards the tier below, PEER inside a tier."""
    roles = {port.role for port in peers}
    return tuple(role.upper() for role in ("up", "down", "peer") if role in roles)

"""The BGP underlay, for every NOS: sessions, and which prefixes are advertised.

eBGP with explicit AS numbers on every link (RFC 7938, 5.2). Only router ids and host prefixes are advertised: each
switch accepts and announces nothing outside the pools that these come from, and a switch of the lowest tier announces
only what it originates, so that it never carries traffic between its spines. To a mate over `peer` links it passes on
what came from above as well, for a mate that has lost its links up; what a mate told has its number in the path, and so
goes up from nowhere.

A switch that shares its AS number with others (leaves of a rack, groups of a tier with one number) accepts routes from
above that contain its own number once (`allowas-in`); otherwise it would drop the others' routes as loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fabricgen.switch.interfaces import Subinterface
from fabricgen.views.switch import LeakSource, SwitchPort, SwitchView

PREFIX_STEP = 10

IP_WORDS = {False: "ip", True: "ipv6"}
"""The word for a family in command lines of EOS and FRR, by whether it is IPv6."""


def prefix_length(prefix: str) -> int:
    """The length of a prefix such as 10.0.0.0/16."""
    return int(prefix.rpartition("/")[2])


def bare(address: str) -> str:
    """An address without its prefix length."""
    return address.partition("/")[0]


Rules: TypeAlias = tuple[tuple[int, str, bool], ...]
"""(sequence number, pool, whether longer prefixes within it match)"""


def is_v6(address: str) -> bool:
    """Whether an address or prefix is IPv6."""
    return ":" in address


def loopback_rules(switch: SwitchView, *, v6: bool = False) -> Rules:
    """Rules for the loopback pools of one family: any /32 or /128 in them."""
    return _rules(switch.fabric.loopback_pools, 128 if v6 else 32)


def host_rules(switch: SwitchView, vrf: str = "", *, v6: bool = False) -> Rules:
    """Rules for the pools of a VRF's hosts in one family, and for what leaks into it: prefixes up to /31 or /127.

    The switch's own loopback in the VRF, where it has one, is announced as well.
    """
    pools = [pool for service in switch.services if service.vrf == vrf for pool in service.host_pools]
    leaked = switch.leaked(vrf)
    pools += leaked.prefixes if leaked else ()
    own = switch.loopback_in(vrf)
    pools += own.prefixes if own else ()
    return _rules(pools, 127 if v6 else 31)


def leak_rules(source: LeakSource, *, v6: bool) -> Rules:
    """Rules for what is brought from another VRF, in one family."""
    return _rules(source.prefixes, 127 if v6 else 31)


def _rules(pools: Iterable[str], longest: int) -> Rules:
    """Rules for the pools of the family with this longest prefix length."""
    mine = (pool for pool in dict.fromkeys(pools) if is_v6(pool) == (longest > 32))
    return tuple((PREFIX_STEP * n, pool, prefix_length(pool) < longest) for n, pool in enumerate(mine, 1))


@dataclass(frozen=True, slots=True)
class Session:
    """A BGP session on a port or sub-interface; without addresses it runs over link-local ones.

    `group` is UP to the tier above, DOWN to the tier below, PEER inside a tier; sessions between IPv6 addresses have
    groups of their own: UP6.
    """

    port: SwitchPort
    group: str
    asn: int
    address: str
    peer_address: str


def session_ports(switch: SwitchView) -> tuple[SwitchPort, ...]:
    """The ports that carry BGP sessions: all links to other switches of the fabric."""
    return tuple(port for port in switch.ends if port.role != "host" and port.peer_asn)


def sessions(switch: SwitchView) -> tuple[Session, ...]:
    """The BGP sessions in the default VRF: one for each link and address family, or one over link-local addresses for
    both.
    """
    return tuple(session for port in session_ports(switch) for session in _on(port, port, port.peer_asn))


def vrf_sessions(switch: SwitchView, vrf: str) -> tuple[Session, ...]:
    """The BGP sessions in a VRF: on all sub-interfaces that carry it, where the fabric runs BGP."""
    links = switch.links_in(vrf) if switch.asn else ()
    return tuple(session for port, sub in links if sub.peer_asn for session in _on(port, sub, sub.peer_asn))


def _on(port: SwitchPort, end: SwitchPort | Subinterface, asn: int) -> Iterator[Session]:
    role = port.role.upper()
    pairs = [(f"{role}6" if place else role, *pair) for place, pair in enumerate(end.pairs) if pair[0]]
    for group, own, far in pairs or [(role, "", "")]:
        yield Session(port, group, asn, bare(own), bare(far))


def outward(switch: SwitchView, group: str) -> str:
    """What the map of a group's announcements is called: PEER to mates, where it passes on more than OUT."""
    return "PEER" if switch.passes_to_mates and group.startswith("PEER") else "OUT"


def maps_in(switch: SwitchView, vrf: str = "") -> tuple[str, ...]:
    """What the maps of a VRF are called: CONNECTED, and for sessions with other switches IN, OUT and PEER."""
    peers = vrf_sessions(switch, vrf) if vrf else sessions(switch)
    told = {outward(switch, session.group) for session in peers}
    return ("CONNECTED", *(("IN", "OUT") if told or not vrf else ()), *(("PEER",) if "PEER" in told else ()))


def groups(peers: Iterable[Session]) -> tuple[str, ...]:
    """The peer groups in use."""
    used = {session.group for session in peers}
    return tuple(group for group in ("UP", "DOWN", "PEER", "UP6", "DOWN6", "PEER6") if group in used)


def groups_of(found: tuple[str, ...], *, v6: bool, unnumbered: bool) -> tuple[str, ...]:
    """The peer groups that carry a family: its own; sessions over link-local addresses carry both."""
    return found if unnumbered else tuple(group for group in found if group.endswith("6") == v6)

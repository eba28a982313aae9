"""The exits of a switch: its routed links to devices outside the cluster, the sessions on them, and their policies."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_network
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.blueprint.sections.exits import EXIT_HOLD_S, ExitDevice, parse_accepted
from fabricgen.blueprint.sections.routing import Bfd as BfdSpec
from fabricgen.design.extras.exits import ExitDesign, list_exits
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.design.model import Design

if TYPE_CHECKING:
    from fabricgen.switch.routing import Peer, Permit, StaticRoute

# Design rules read exits, and most clusters have none: the model of a switch is loaded where one is made.

EXIT = "exit"
"""The `role` of a port to the outside."""

DEFAULTS = ("0.0.0.0/0", "::/0")
EXIT_KEEPALIVE_S = 10
"""Of sessions to the outside, seconds."""

PREPENDED = 8
"""How often the AS number is repeated on routes of a backup exit: more AS numbers than a detour to a primary exit, over
the top of a fabric of four tiers, adds to a path.
"""


class ExitPolicy(NamedTuple):
    """The routes that the sessions of an exit accept (`takes`) and announce, of all families.

    `backup`: its routes get a longer path. `name` is part of the names of its lists and maps.
    """

    name: str
    vrf: str
    takes: tuple[Permit, ...]
    announces: tuple[str, ...]
    communities: tuple[str, ...]
    backup: bool


@dataclass(frozen=True, slots=True)
class SwitchExits:
    """The exits of one switch; empty if it has none."""

    peers: Mapping[tuple[str, str], Peer] = field(default_factory=dict)
    """By VRF and far address, without policies; a password is a reference until configurations are rendered."""
    policies: tuple[ExitPolicy, ...] = ()
    routes: Mapping[tuple[str, str], StaticRoute] = field(default_factory=dict)
    """By VRF and prefix, IPv4 before IPv6."""

    def routes_in(self, vrf: str) -> dict[str, StaticRoute]:
        """Return the static routes of a VRF by prefix."""
        return {prefix: route for (route_vrf, prefix), route in self.routes.items() if route_vrf == vrf}

    def announces_routes(self, vrf: str, families: Container[bool] = (False, True)) -> bool:
        """Whether the switch passes on any static route of a VRF to other switches. `families` are those asked about:
        IPv4 (False), IPv6 (True) or both.
        """
        return any(r.passed_on and (":" in prefix) in families for prefix, r in self.routes_in(vrf).items())

    def peers_in(self, vrf: str) -> dict[str, Peer]:
        """Return the sessions of a VRF by far address."""
        return {far: peer for (peer_vrf, far), peer in self.peers.items() if peer_vrf == vrf}

    def policies_in(self, vrf: str) -> tuple[ExitPolicy, ...]:
        """Return the policies of a VRF."""
        return tuple(policy for policy in self.policies if policy.vrf == vrf)


def list_outside_prefixes(design: Design, fabric: FabricDesign, vrf: str) -> tuple[Permit, ...]:
    """Return the prefixes behind the exits, in a VRF, of a fabric and of those linked with it; ascending."""
    linked = next(part for part in group_linked_fabrics(design.loaded.blueprint.fabrics) if fabric.name in part)
    return tuple(
        sorted(
            {
                p
                for e in list_exits(design)
                if e.fabric.name in linked and e.vrf == vrf
                for p in list_accepted_prefixes(e)
            }
        )
    )


def list_accepted_prefixes(exit_: ExitDesign) -> Iterator[Permit]:
    """Yield the prefixes behind an exit: the default routes, and those that it states."""
    from fabricgen.switch.routing import make_permit

    if exit_.spec.default:
        yield from map(make_permit, DEFAULTS)
    yield from (make_permit(*parse_accepted(text)) for text in exit_.spec.accept)


class ExitEnd(NamedTuple):
    """One link of a switch to a far device: the exit, the far device, and (own, far) addresses of each family."""

    exit: ExitDesign
    device: str
    port: str
    far_port: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def far_spec(self) -> ExitDevice:
        """What the blueprint states for the far device; defaults if it states nothing."""
        return self.exit.spec.devices.get(self.device, ExitDevice.model_construct())


def make_switch_exits(ends: Iterable[ExitEnd], loopbacks: tuple[str, str], max_prefixes: int) -> SwitchExits:
    """Return the exits of a switch, from its links in the order of its ports.

    `loopbacks` are its own (IPv4, IPv6), "" for none; `max_prefixes` is the limit of each session, 0 for none.
    """
    exit_ends = list(ends)
    peers: dict[tuple[str, str], Peer] = {}
    exits = {end.exit.label: end.exit for end in exit_ends}
    for end in exit_ends:
        for vrf_and_address, peer in _make_exit_sessions(end, loopbacks, max_prefixes):
            peers.setdefault(vrf_and_address, peer)
    policies = tuple(_make_exit_policy(exit_) for exit_ in exits.values() if exit_.spec.routing == "ebgp")
    return SwitchExits(peers, policies, _make_static_routes(exit_ends))


def _make_exit_sessions(end: ExitEnd, loopbacks: tuple[str, str], limit: int) -> Iterator[tuple[tuple[str, str], Peer]]:
    """Yield ((VRF, address of the far device), session) of an exit's link, one for each family: over the link, or
    between loopbacks if the far device has one stated. Nothing unless the exit runs eBGP.
    """
    from fabricgen.switch.routing import Peer, SessionBfd

    spec, far_device = end.exit.spec, end.far_spec
    # by whether it is IPv6, which also indexes `loopbacks`: (IPv4, IPv6)
    far_loopbacks = {":" in text: text for text in far_device.loopback or ()}
    bfd = BfdSpec.model_construct() if spec.bfd is True else spec.bfd
    for address, far in end.pairs if spec.routing == "ebgp" else ():
        v6 = ":" in far
        # a session between loopbacks is one, however many links there are: later links yield it again
        over_loopbacks, family, limit_of_family = v6 in far_loopbacks, "v6" if v6 else "v4", spec.max_prefixes or limit
        yield (
            (end.exit.vrf, far_loopbacks[v6] if over_loopbacks else far),
            Peer(
                remote_asn=far_device.asn or spec.asn or 0,
                families=frozenset({family}),
                policy_in=None,
                policy_out=None,
                keepalive_s=EXIT_KEEPALIVE_S,
                hold_s=EXIT_HOLD_S,
                bfd=SessionBfd(bfd.interval_ms, bfd.multiplier) if bfd else None,
                max_prefixes={family: limit_of_family} if limit_of_family else {},
                description=" ".join(
                    f"{end.device} {'' if over_loopbacks else end.far_port} exit {end.exit.label}".split()
                ),
                hops=2 if over_loopbacks else 1,
                from_loopback=over_loopbacks,
                local_asn=spec.local_as or 0,
                password=far_device.password or spec.password or "",
                group=f"EXIT-{end.exit.label}",
                device=end.device,
                port="" if over_loopbacks else end.port,
                address=loopbacks[v6] if over_loopbacks else address,
            ),
        )


def _make_exit_policy(exit_: ExitDesign) -> ExitPolicy:
    """Return what the sessions of an exit accept and announce."""
    spec, vrf = exit_.spec, exit_.vrf
    return ExitPolicy(
        name=exit_.label,
        vrf=vrf,
        takes=tuple(list_accepted_prefixes(exit_)),
        announces=spec.announce or (),
        communities=spec.communities,
        backup=spec.prefer == "backup",
    )


def _make_static_routes(exit_ends: Iterable[ExitEnd]) -> dict[tuple[str, str], StaticRoute]:
    """Return the static routes by (VRF, prefix), ordered by VRF, then IPv4 before IPv6, then prefix as text.

    They are those of exits with static routing, and routes to loopbacks of far devices, which are not passed on.
    """
    from fabricgen.switch.ordered import OrderedSet
    from fabricgen.switch.routing import StaticRoute

    hops_of_route: dict[tuple[str, bool, str, bool], list[tuple[str, str]]] = {}
    for end in exit_ends:
        accepted = [o.prefix for o in list_accepted_prefixes(end.exit)] if end.exit.spec.routing == "static" else []
        loopbacks = [str(ip_network(text)) for text in end.far_spec.loopback or ()]
        # routes to loopbacks of far devices carry the sessions, and are announced to nobody
        for prefix, passed_on in [*((p, True) for p in accepted), *((p, False) for p in loopbacks)]:
            next_hops = [
                (end.port, far_address) for _, far_address in end.pairs if (":" in far_address) == (":" in prefix)
            ]
            if next_hops:
                hops_of_route.setdefault((end.exit.vrf, ":" in prefix, prefix, passed_on), []).extend(next_hops)
    return {
        (vrf, prefix): StaticRoute(OrderedSet(next_hops), discard=False, passed_on=passed_on)
        for (vrf, _, prefix, passed_on), next_hops in sorted(hops_of_route.items())
    }


def fill_in_passwords(exits: SwitchExits, passwords: Mapping[str, str]) -> SwitchExits:
    """Return exits with passwords in place of their references; a reference without a password stays."""

    def look_up(reference: str) -> str:
        """Return the password of a reference, else the reference."""
        return passwords.get(reference, f"<{reference}>") if reference else ""

    peers = {key: replace(peer, password=look_up(peer.password)) for key, peer in exits.peers.items()}
    return replace(exits, peers=peers)

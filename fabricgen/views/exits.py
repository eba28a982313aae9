"""The ways out of a switch: its routed links to far devices, the sessions on them, and what may pass."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_network

from fabricgen.blueprint.sections.exits import ExitDevice, parse_accepted
from fabricgen.blueprint.sections.routing import Bfd
from fabricgen.design.extras.exits import ExitDesign, exits_of
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import linked_fabrics
from fabricgen.design.model import Design
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.routing import StaticRoute

EXIT = "exit"
"""The `role` of a port to the outside."""

DEFAULTS = ("0.0.0.0/0", "::/0")
PREPENDED = 8
"""How often the AS number is repeated on routes of a backup exit: more than the detour to a primary one over the top of
a fabric of four tiers is longer.
"""


@dataclass(frozen=True, slots=True, order=True)
class Outside:
    """A prefix beyond the exits, and the longest length within it that is taken."""

    prefix: str
    longest: int

    @property
    def is_v6(self) -> bool:
        """Whether it is of IPv6."""
        return ":" in self.prefix


@dataclasses.dataclass(frozen=True, slots=True)
class ExitPeer:
    """A session with a far device: over one link, or (`hops` above 1) from loopback to loopback.

    Addresses are without prefix length. `port` is the switch's port, "" where several links lead there. `password` is
    a reference until configurations are rendered, "" for none.
    """

    name: str
    device: str
    port: str
    far_port: str
    vrf: str
    address: str
    far: str
    asn: int
    local_as: int
    hops: int
    password: str
    bfd: Bfd | None
    max_prefixes: int

    @property
    def is_v6(self) -> bool:
        """Whether it runs over IPv6, and carries IPv6."""
        return ":" in self.far

    @property
    def description(self) -> str:
        """The description of the session: the far device and its port, and the exit."""
        return " ".join(f"{self.device} {self.far_port} exit {self.name}".split())


@dataclass(frozen=True, slots=True)
class ExitPolicy:
    """What passes on the sessions of an exit: what is taken, and what is announced, whatever the family.

    `backup`: its routes are made longer. `names` is that of its lists and maps.
    """

    name: str
    vrf: str
    takes: tuple[Outside, ...]
    announces: tuple[str, ...]
    communities: tuple[str, ...]
    backup: bool


@dataclass(frozen=True, slots=True)
class SwitchExits:
    """The ways out of one switch; empty where it has none."""

    peers: tuple[ExitPeer, ...] = ()
    policies: tuple[ExitPolicy, ...] = ()
    routes: Mapping[tuple[str, str], StaticRoute] = field(default_factory=dict)
    """By VRF and prefix, IPv4 before IPv6."""

    def routes_in(self, vrf: str) -> dict[str, StaticRoute]:
        """The static routes of a VRF by prefix."""
        return {prefix: route for (own, prefix), route in self.routes.items() if own == vrf}

    def announces_routes(self, vrf: str, families: Container[bool] = (False, True)) -> bool:
        """Whether other switches learn static routes of a VRF; `families`: of IPv4 (False) and IPv6 (True)."""
        return any(r.passed_on and (":" in prefix) in families for prefix, r in self.routes_in(vrf).items())

    def peers_in(self, vrf: str) -> tuple[ExitPeer, ...]:
        """The sessions of a VRF."""
        return tuple(peer for peer in self.peers if peer.vrf == vrf)

    def policies_in(self, vrf: str) -> tuple[ExitPolicy, ...]:
        """The policies of a VRF."""
        return tuple(policy for policy in self.policies if policy.vrf == vrf)


def outside_of(design: Design, fabric: FabricDesign, vrf: str) -> tuple[Outside, ...]:
    """What is beyond the exits of a fabric and of those linked with it that are in a VRF, ascending."""
    linked = next(part for part in linked_fabrics(design.loaded.blueprint.fabrics) if fabric.name in part)
    return tuple(sorted({o for e in exits_of(design) if e.fabric.name in linked and e.vrf == vrf for o in taken(e)}))


def taken(exit_: ExitDesign) -> Iterator[Outside]:
    """What an exit leads to: everything, and the prefixes that it states."""
    if exit_.spec.default:
        yield from (Outside(prefix, 0) for prefix in DEFAULTS)
    yield from (Outside(*parse_accepted(text)) for text in exit_.spec.accept)


@dataclass(frozen=True, slots=True)
class ExitEnd:
    """One link of a switch to a far device: the exit, the far device, and (own, far) addresses of each family."""

    exit: ExitDesign
    device: str
    port: str
    far_port: str
    pairs: tuple[tuple[str, str], ...]

    @property
    def own(self) -> ExitDevice:
        """What the blueprint states for the far device."""
        return self.exit.spec.devices.get(self.device, ExitDevice.model_construct())


def switch_exits(ends: Iterable[ExitEnd], loopbacks: tuple[str, str], max_prefixes: int) -> SwitchExits:
    """The ways out of a switch from its links, in the order of its ports; `loopbacks` are its own, "" for none."""
    found, peers = list(ends), list[ExitPeer]()
    exits = {end.exit.label: end.exit for end in found}
    for end in found:
        if end.exit.spec.routing == "ebgp":
            peers += _peers(end, loopbacks, max_prefixes, peers)
    policies = tuple(_policy(exit_) for exit_ in exits.values() if exit_.spec.routing == "ebgp")
    return SwitchExits(tuple(peers), policies, _routes(found))


def _peers(end: ExitEnd, loopbacks: tuple[str, str], limit: int, known: list[ExitPeer]) -> Iterator[ExitPeer]:
    spec, own = end.exit.spec, end.own
    far_loopbacks = {":" in text: text for text in own.loopback or ()}
    for address, far in end.pairs:
        v6 = ":" in far
        many = v6 in far_loopbacks
        if many and any((peer.far, peer.vrf) == (far_loopbacks[v6], end.exit.vrf) for peer in known):
            continue
        yield ExitPeer(
            name=end.exit.label,
            device=end.device,
            port="" if many else end.port,
            far_port="" if many else end.far_port,
            vrf=end.exit.vrf,
            address=loopbacks[v6] if many else address,
            far=far_loopbacks[v6] if many else far,
            asn=own.asn or spec.asn or 0,
            local_as=spec.local_as or 0,
            hops=2 if many else 1,
            password=own.password or spec.password or "",
            bfd=Bfd.model_construct() if spec.bfd is True else spec.bfd or None,
            max_prefixes=spec.max_prefixes or limit,
        )


def _policy(exit_: ExitDesign) -> ExitPolicy:
    spec, vrf = exit_.spec, exit_.vrf
    return ExitPolicy(
        name=exit_.label,
        vrf=vrf,
        takes=tuple(taken(exit_)),
        announces=spec.announce or (),
        communities=spec.communities,
        backup=spec.prefer == "backup",
    )


def _routes(ends: Iterable[ExitEnd]) -> dict[tuple[str, str], StaticRoute]:
    """Static routes: of exits that route statically, and to loopbacks of far devices."""
    hops: dict[tuple[str, bool, str, bool], list[tuple[str, str]]] = {}
    for end in ends:
        outward = [o.prefix for o in taken(end.exit)] if end.exit.spec.routing == "static" else []
        loopbacks = [str(ip_network(text)) for text in end.own.loopback or ()]
        for prefix, passed_on in [*((p, True) for p in outward), *((p, False) for p in loopbacks)]:
            ways = [(end.port, far) for _, far in end.pairs if (":" in far) == (":" in prefix)]
            if ways:
                hops.setdefault((end.exit.vrf, ":" in prefix, prefix, passed_on), []).extend(ways)
    return {
        (vrf, prefix): StaticRoute(OrderedSet(ways), discard=False, passed_on=passed_on)
        for (vrf, _, prefix, passed_on), ways in sorted(hops.items())
    }


def with_passwords(exits: SwitchExits, known: Mapping[str, str]) -> SwitchExits:
    """Ways out with passwords, by their references, in place of these; one that is not known is its reference."""

    def secret(reference: str) -> str:
        return known.get(reference, f"<{reference}>") if reference else ""

    return replace(exits, peers=tuple(replace(peer, password=secret(peer.password)) for peer in exits.peers))

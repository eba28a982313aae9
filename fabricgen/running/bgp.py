"""BGP as it is read line by line: neighbours and groups of one VRF, and the sessions that they come to.

EVPN, as readers of every NOS gather it, is read with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fabricgen.running.policy import Policies, Route
from fabricgen.running.tree import Line, Rules, Section, tolerates, unfit
from fabricgen.switch.routing import (
    EVPN,
    Bfd,
    Bgp,
    Overlay,
    OverlayPeer,
    OverlayVlan,
    OverlayVrf,
    Peer,
    Policy,
    carried,
)


@dataclass
class Neighbor:
    """What is said of a neighbour or a group; what is left unsaid comes from its group."""

    group: str = ""
    is_group: bool = False
    remote_asn: int = 0
    description: str = ""
    bfd: Bfd | None = None
    has_bfd: bool = False
    """With timers that stand elsewhere."""
    timers: tuple[int, int] | None = None
    active: set[str] = field(default_factory=set)
    map_in: set[str] = field(default_factory=set)
    map_out: set[str] = field(default_factory=set)
    own_as_in: int = 0
    max_prefixes: dict[str, int] = field(default_factory=dict)
    local_asn: int = 0
    password: str = ""
    source: str = ""
    """The address or interface that its sessions come from."""
    multihop: int = 0
    keeps_next_hop: bool = False
    sends_communities: bool = False
    shut: bool = False
    retry_s: int = 0


@dataclass
class Instance:
    """`router bgp` in one VRF. `timers` are (keepalive, hold), seconds; the RFC's own where nothing is said."""

    asn: int
    router_id: str = ""
    timers: tuple[int, int] = (60, 180)
    relax: bool = False
    families: dict[str, set[str]] = field(default_factory=dict)
    """By family, the route-maps through which connected routes are redistributed."""
    statics: dict[str, set[str]] = field(default_factory=dict)
    max_paths: set[int] = field(default_factory=set)
    networks: set[str] = field(default_factory=set)
    neighbors: dict[str, Neighbor] = field(default_factory=dict)
    aggregates: set[str] = field(default_factory=set)
    imports: dict[str, tuple[set[str], set[str]]] = field(default_factory=dict)
    """By family, the VRFs whose routes are brought in, and the maps that these pass."""
    _known: dict[tuple[frozenset[str], frozenset[str]], Policy | None] = field(default_factory=dict)
    keeps_next_hops: bool = False
    """Whether it keeps the next hops of EVPN routes on all sessions."""
    requires_policy: bool = False
    """Whether a session without a route-map carries nothing (RFC 8212)."""
    waits: bool = False
    """Whether routes are announced once they are installed."""
    activates: bool = False
    """Whether sessions carry only families that are activated."""

    def neighbor(self, name: str) -> Neighbor:
        """The neighbour or group of a name, made when first named."""
        return self.neighbors.setdefault(name, Neighbor())

    def bgp(self, policies: Policies, connected: Iterable[Route], statics: Iterable[Route]) -> Bgp:
        """The instance as the model of a switch has it; raises UnknownTextError for groups that are not there."""
        if len(self.max_paths) != 1 and not (tolerates() and not self.max_paths):
            unfit(f"families differ in equal paths: {self.max_paths}")
        peers = {n: self._peer(policies, one) for n, one in self.neighbors.items() if self._carries_prefixes(one)}
        return Bgp(
            asn=self.asn,
            router_id=self.router_id,
            max_paths=max(self.max_paths, default=0),
            multipath_relax=self.relax,
            peers=peers,
            announced=frozenset(self._announced(policies, list(connected), list(statics))),
            aggregates=frozenset(self.aggregates),
            leaks=leaks_of(policies, self.imports),
        )

    def either(self, one: Neighbor, word: str) -> Any:
        """What is said of a neighbour, or else of its group."""
        group = self.neighbors[one.group] if one.group else Neighbor()
        return getattr(one, word) or getattr(group, word)

    def both(self, one: Neighbor, word: str) -> set[str]:
        """What is said of a neighbour and of its group: a set."""
        group = self.neighbors[one.group] if one.group else Neighbor()
        return getattr(one, word) | getattr(group, word)  # type: ignore[no-any-return]

    def _carries_prefixes(self, one: Neighbor) -> bool:
        """Whether it is a session, and not one for EVPN (`overlay`)."""
        return not one.is_group and EVPN not in self.both(one, "active")

    def _announced(self, policies: Policies, connected: list[Route], statics: list[Route]) -> set[str]:
        found = set(self.networks)
        for maps, routes in ((self.families, connected), (self.statics, statics)):
            for family, names in maps.items():
                if strange := [name for name in names if policies.is_open(name)]:
                    unfit(f"all that is there is redistributed: {strange}")
                mine = [route for route in routes if (":" in route.prefix) == (family == "v6")]
                found |= {prefix for name in names for prefix in policies.passing(name, mine)}
        return found

    def _peer(self, policies: Policies, one: Neighbor) -> Peer:
        group = self.neighbors.get(one.group, Neighbor()) if one.group else Neighbor(is_group=True)
        if not group.is_group:
            unfit(f"{one.group} is no peer group")
        keepalive, hold = one.timers or group.timers or self.timers
        families = frozenset(one.active | group.active)
        return Peer(
            remote_asn=one.remote_asn or group.remote_asn,
            families=families,
            policy_in=self._policy(policies, one.map_in or group.map_in, families),
            policy_out=self._policy(policies, one.map_out or group.map_out, families),
            keepalive_s=keepalive,
            hold_s=hold,
            bfd=one.bfd or group.bfd,
            own_as_in=one.own_as_in or group.own_as_in,
            max_prefixes={f: n for f, n in {**group.max_prefixes, **one.max_prefixes}.items() if n and f in families},
            description=one.description,
            hops=one.multihop or 1,
            from_loopback=bool(one.source),
            local_asn=one.local_asn,
            password=one.password,
            shut=one.shut or group.shut,
        )

    def _policy(self, policies: Policies, maps: set[str], families: frozenset[str]) -> Policy | None:
        """What maps let pass on a session, of which hundreds have the same."""
        key = frozenset(maps), families
        if key not in self._known:
            nothing = Policy(frozenset()) if self.requires_policy else None
            self._known[key] = policies.policy(maps, families) if maps else nothing
        return self._known[key]


def ints(*words: str) -> tuple[int, ...]:
    """Numbers of a line."""
    return tuple(map(int, words))


def present(*words: str) -> bool:  # noqa: ARG001 - of any line
    """That a line is there."""
    return True


def take_settings(rules: Rules, settings: Mapping[str, tuple[str, Callable[..., Any]]]) -> None:
    """Have lines set a field of what is read of an instance, by their patterns; a set is added to.

    Lines that begin with `neighbor` name first the neighbour, or group, whose field it is. What stands in a line
    becomes the field's value by a function.
    """
    for pattern, (name, convert) in settings.items():
        rules.line(pattern)(partial(_set_field, name, convert, pattern.startswith("neighbor")))


def _set_field(name: str, convert: Callable[..., Any], of_neighbor: bool, *said: Any) -> None:
    """Set a field; `said` is what is read into, among it the instance, the line, and what of it the pattern names."""
    instance = next(one for one in said if isinstance(one, Instance))
    words = said[next(n for n, one in enumerate(said) if isinstance(one, Line | Section)) + 1 :]
    target, words = (instance.neighbor(words[0]), words[1:]) if of_neighbor else (instance, words)
    value = convert(*words)
    before = getattr(target, name)
    setattr(target, name, before | {value} if isinstance(before, set) else value)


SESSION_LINES: Mapping[str, tuple[str, Callable[..., Any]]] = {
    r"neighbor (\S+) description (.+)": ("description", str),
    r"neighbor (\S+) timers (\d+) (\d+)": ("timers", ints),
    r"neighbor (\S+) local-as (\d+) no-prepend replace-as": ("local_asn", int),
    r"neighbor (\S+) update-source (\S+)": ("source", str),
    r"neighbor (\S+) ebgp-multihop (\d+)": ("multihop", int),
    r"timers bgp (\d+) (\d+)": ("timers", ints),
}
"""Lines of `router bgp` that EOS and FRR have alike."""

MAP_LINES: Mapping[str, tuple[str, Callable[..., Any]]] = {
    r"neighbor (\S+) route-map (\S+) in": ("map_in", str),
    r"neighbor (\S+) route-map (\S+) out": ("map_out", str),
}
"""Those of the route maps of a session, which FRR has in address families."""


def drained(policies: Policies, instances: Iterable[Instance], *, by_community: bool = True) -> bool:
    """Whether all that sessions announce is made the last choice; raises UnknownTextError where sessions differ."""
    sessions = [(all_, one) for all_ in instances for one in all_.neighbors.values() if not one.is_group]
    told = [all_.both(one, "map_out") for all_, one in sessions]
    open_ = [name for name in sorted({name for maps in told for name in maps}) if policies.passes(name)]
    marks = {policies.drains(name, by_community=by_community) for name in open_} | {False for maps in told if not maps}
    if len(marks) > 1:
        unfit("some sessions are drained, and others are not")
    return marks == {True}


Imports = Mapping[str, tuple[set[str], set[str]]]
"""By family, the VRFs whose routes are brought in, and the maps that these pass."""


def leaks_of(policies: Policies, imports: Imports) -> dict[str, Policy]:
    """What is brought in from each VRF, of all families.

    Raises UnknownTextError where a map does not say from which VRF, or that is not brought in.
    """
    found: dict[str, Policy] = {}
    for family, (sources, maps) in imports.items():
        every = [one for name in sorted(maps) for one in policies.from_vrfs(name)]
        said = [(vrf, mine) for vrf, permits in every if (mine := carried((family,), permits))]
        if not maps or {vrf for vrf, _ in said} != sources:
            unfit(f"{sorted(sources)} are brought in, and maps name {sorted(str(vrf) for vrf, _ in said)}")
        for vrf, permits in said:
            before = found.get(vrf, Policy(frozenset())).permits
            found[vrf] = Policy(before | permits, all(map(policies.brings_own_only, maps)))
    return found


@dataclass
class VrfLines:
    """What is read of EVPN in a VRF."""

    vni: int = 0
    distinguisher: str = ""
    imports: set[str] = field(default_factory=set)
    exports: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)

    def add(self, distinguisher: str, way: str, target: str) -> None:
        """Take a distinguisher, or a target to `import` or `export`."""
        if distinguisher:
            self.distinguisher = distinguisher
        else:
            (self.imports if way == "import" else self.exports).add(target)

    def vrf(self) -> OverlayVrf:
        """The VRF as the model of a switch has it."""
        imports, exports, families = map(frozenset, (self.imports, self.exports, self.families))
        return OverlayVrf(self.vni, self.distinguisher, imports, exports, families)


def overlay(
    instance: Instance | None,
    policies: Policies,
    vrfs: Mapping[str, VrfLines],
    vtep: str,
    copies: bool = False,
    vlans: Mapping[int, OverlayVlan] | None = None,
) -> Overlay | None:
    """The overlay of a switch from its BGP in the default VRF; None where it has none.

    `copies`: tunnels take the DSCP of packets. Raises UnknownTextError for tunnels without sessions,
    or VRFs without tunnels, and for sessions that differ in where they come from.
    """
    found = {n: one for n, one in (instance.neighbors if instance else {}).items() if not one.is_group}
    mine = {n: one for n, one in found.items() if instance and EVPN in instance.both(one, "active")}
    if not mine or instance is None:
        if vtep or vrfs:
            unfit("there are VXLAN tunnels, and no session for EVPN")
        return None
    if bool(vrfs or vlans) != bool(vtep):
        unfit("VRFs over EVPN and VXLAN tunnels are not both there")
    sources = {instance.either(one, "source") for one in mine.values()}
    if len(sources) != 1:
        unfit(f"sessions for EVPN come from {sorted(sources)}")
    return Overlay(
        source=sources.pop(),
        vtep=vtep,
        vrfs={name: lines.vrf() for name, lines in vrfs.items()},
        peers={n: _peer(instance, policies, one) for n, one in mine.items()},
        copies_dscp=copies,
        vlans=vlans or {},
    )


def _peer(instance: Instance, policies: Policies, one: Neighbor) -> OverlayPeer:
    keepalive, hold = instance.either(one, "timers") or instance.timers
    outward = policies.learned_paths(instance.both(one, "map_out"))
    if instance.requires_policy and not (instance.both(one, "map_in") and instance.both(one, "map_out")):
        unfit(f"a session for EVPN without policy carries nothing: {one}")
    if policies.learned_paths(instance.both(one, "map_in")) is not None or instance.both(one, "active") != {EVPN}:
        unfit(f"a session for EVPN takes less than all, or carries more: {one}")
    return OverlayPeer(
        remote_asn=one.remote_asn,
        own_only=outward is not None,
        own_as_in=instance.either(one, "own_as_in"),
        keepalive_s=keepalive,
        hold_s=hold,
        keeps_next_hop=instance.keeps_next_hops or instance.either(one, "keeps_next_hop"),
        multihop=instance.either(one, "multihop"),
        description=one.description,
        outside=outward or frozenset(),
    )

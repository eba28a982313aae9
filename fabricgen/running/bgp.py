"""BGP as it is read line by line: neighbours and groups of one VRF, and the sessions that result from them.

EVPN is gathered here as well, for the readers of all NOSes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fabricgen.running.policy import OwnRoute, Policies
from fabricgen.running.tree import FieldLines, Line, LineRules, State, is_tolerant, put_value, report_misfit
from fabricgen.switch.routing import (
    EVPN,
    Bgp,
    EvpnOverlay,
    OverlayPeer,
    OverlayVlan,
    OverlayVrf,
    Peer,
    Policy,
    SessionBfd,
    select_families,
)


@dataclass
class Neighbor:
    """The settings of a neighbour or a group; settings that are not stated are inherited from its group.

    `timers` are (keepalive, hold) and `retry_s` the time between attempts, seconds; `active` are the families that it
    carries, `map_in` and `map_out` the names of its route-maps, in all families together.
    """

    group: str = ""
    is_group: bool = False
    remote_asn: int = 0
    description: str = ""
    bfd: SessionBfd | None = None
    has_bfd: bool = False
    """Whether it has BFD with timers that are stated elsewhere."""
    timers: tuple[int, int] | None = None
    active: set[str] = field(default_factory=set)
    map_in: set[str] = field(default_factory=set)
    map_out: set[str] = field(default_factory=set)
    own_as_in: int = 0
    max_prefixes: dict[str, int] = field(default_factory=dict)
    local_asn: int = 0
    password: str = ""
    source: str = ""
    """The address or interface from which its sessions are opened."""
    multihop: int = 0
    keeps_next_hop: bool = False
    sends_communities: bool = False
    shut: bool = False
    retry_s: int = 0


@dataclass
class Instance:
    """`router bgp` in one VRF. `timers` are (keepalive, hold), seconds; the RFC's defaults if not stated.

    `relax`: paths of equal length count as equal whatever their AS numbers. `max_paths` has each stated number of
    paths.
    """

    asn: int
    router_id: str = ""
    timers: tuple[int, int] = (60, 180)
    relax: bool = False
    families: dict[str, set[str]] = field(default_factory=dict)
    """Route-maps through which connected routes are redistributed, by family; `statics`: those of static routes."""
    statics: dict[str, set[str]] = field(default_factory=dict)
    max_paths: set[int] = field(default_factory=set)
    networks: set[str] = field(default_factory=set)
    neighbors: dict[str, Neighbor] = field(default_factory=dict)
    aggregates: set[str] = field(default_factory=set)
    imports: dict[str, tuple[set[str], set[str]]] = field(default_factory=dict)
    """(VRFs whose routes are imported, route-maps that these pass), by family."""
    _policies: dict[tuple[frozenset[str], frozenset[str]], Policy | None] = field(default_factory=dict)
    keeps_next_hops: bool = False
    """Whether the next hops of EVPN routes are kept on all sessions."""
    requires_policy: bool = False
    """Whether a session without a route-map carries no routes (RFC 8212)."""
    waits: bool = False
    """Whether routes are announced only once they are installed."""
    activates: bool = False
    """Whether sessions carry only families that are activated."""

    def find_neighbor(self, name: str) -> Neighbor:
        """Return the neighbour or group of a name, which is added if it is new."""
        return self.neighbors.setdefault(name, Neighbor())

    def make_bgp(self, policies: Policies, connected: Iterable[OwnRoute], statics: Iterable[OwnRoute]) -> Bgp:
        """Return the BGP of the switch model; raises UnknownTextError for settings that contradict each other."""
        if len(self.max_paths) != 1 and not (is_tolerant() and not self.max_paths):
            report_misfit(f"families differ in equal paths: {self.max_paths}")
        peers = {
            n: self._make_peer(policies, neighbor)
            for n, neighbor in self.neighbors.items()
            if self._carries_prefixes(neighbor)
        }
        return Bgp(
            asn=self.asn,
            router_id=self.router_id,
            max_paths=max(self.max_paths, default=0),
            multipath_relax=self.relax,
            peers=peers,
            announced=frozenset(self._list_announced(policies, list(connected), list(statics))),
            aggregates=frozenset(self.aggregates),
            leaks=list_leaks(policies, self.imports),
        )

    def inherit_value(self, neighbor: Neighbor, field_name: str) -> Any:
        """Return a setting of a neighbour, or of its group if the neighbour does not state it."""
        group = self.neighbors[neighbor.group] if neighbor.group else Neighbor()
        return getattr(neighbor, field_name) or getattr(group, field_name)

    def merge_values(self, neighbor: Neighbor, field_name: str) -> set[str]:
        """Return the union of a set-valued setting of a neighbour and of its group."""
        group = self.neighbors[neighbor.group] if neighbor.group else Neighbor()
        return getattr(neighbor, field_name) | getattr(group, field_name)  # type: ignore[no-any-return]

    def _carries_prefixes(self, neighbor: Neighbor) -> bool:
        """Whether a neighbour is a session for IPv4 or IPv6: neither a group, nor one for EVPN alone."""
        return not neighbor.is_group and self.merge_values(neighbor, "active") != {EVPN}

    def _list_announced(self, policies: Policies, connected: list[OwnRoute], statics: list[OwnRoute]) -> set[str]:
        """Return the prefixes that are announced: stated networks, and the own routes that route-maps permit.

        Own routes are connected and static routes. Raises UnknownTextError, unless reading is tolerant, for a route-map
        that permits everything.
        """
        announced = set(self.networks)
        for maps_by_family, routes in ((self.families, connected), (self.statics, statics)):
            for family, map_names in maps_by_family.items():
                if open_maps := [name for name in map_names if policies.is_open(name)]:
                    report_misfit(f"all that is there is redistributed: {open_maps}")
                family_routes = [route for route in routes if (":" in route.prefix) == (family == "v6")]
                announced |= {prefix for name in map_names for prefix in policies.list_passing(name, family_routes)}
        return announced

    def _make_peer(self, policies: Policies, neighbor: Neighbor) -> Peer:
        """Return a session of the switch model: each setting is the neighbour's, else its group's, else the instance's.

        Raises UnknownTextError, unless reading is tolerant, if the neighbour's group is no peer group.
        """
        group = self.neighbors.get(neighbor.group, Neighbor()) if neighbor.group else Neighbor(is_group=True)
        if not group.is_group:
            report_misfit(f"{neighbor.group} is no peer group")
        keepalive_s, hold_s = neighbor.timers or group.timers or self.timers
        families = frozenset(neighbor.active | group.active) - {EVPN}
        return Peer(
            remote_asn=neighbor.remote_asn or group.remote_asn,
            families=families,
            policy_in=self._find_policy(policies, neighbor.map_in or group.map_in, families),
            policy_out=self._find_policy(policies, neighbor.map_out or group.map_out, families),
            keepalive_s=keepalive_s,
            hold_s=hold_s,
            bfd=neighbor.bfd or group.bfd,
            own_as_in=neighbor.own_as_in or group.own_as_in,
            max_prefixes={
                family: most
                for family, most in {**group.max_prefixes, **neighbor.max_prefixes}.items()
                if most and family in families
            },
            description=neighbor.description,
            hops=neighbor.multihop or 1,
            from_loopback=bool(neighbor.source),
            local_asn=neighbor.local_asn,
            password=neighbor.password,
            shut=neighbor.shut or group.shut,
        )

    def _find_policy(self, policies: Policies, maps: set[str], families: frozenset[str]) -> Policy | None:
        """Return what the route-maps `maps` permit on a session; None if it has no map and needs no policy.

        A session that needs a policy and has no map lets nothing pass. Cached, since hundreds of sessions have the same
        maps.
        """
        maps_and_families = frozenset(maps), families
        if maps_and_families not in self._policies:
            without_maps = Policy(frozenset()) if self.requires_policy else None
            self._policies[maps_and_families] = policies.find_policy(maps, families) if maps else without_maps
        return self._policies[maps_and_families]


def parse_ints(*words: str) -> tuple[int, ...]:
    """Return the numbers in a line."""
    return tuple(map(int, words))


def add_setting_lines(rules: LineRules, settings: FieldLines) -> None:
    """Add rules by which lines set fields of the state's Instance: `settings` maps a pattern to (field, function).

    The function makes the value of the groups, and the field takes it as `put_value` does. In lines that begin with
    `neighbor`, the first group names the neighbour (or group) whose field is set.
    """
    for pattern, (name, convert) in settings.items():
        rules.add_taker(pattern, partial(_set_field, name, convert, pattern.startswith("neighbor")))


def _set_field(
    name: str,
    convert: Callable[..., Any],
    of_neighbor: bool,
    state: State,
    line: Line,  # noqa: ARG001 - a Taker
    groups: tuple[Any, ...],
) -> None:
    """Set the field `name` of the instance to what `convert` makes of the groups that a pattern matched.

    With `of_neighbor` it is the field of a neighbour, which the first group names, and `convert` takes the others.
    """
    instance = next(part for part in state if isinstance(part, Instance))
    if of_neighbor:
        put_value(instance.find_neighbor(groups[0]), name, convert(*groups[1:]))
    else:
        put_value(instance, name, convert(*groups))


SESSION_LINES: FieldLines = {
    r"neighbor (\S+) description (.+)": ("description", str),
    r"neighbor (\S+) timers (\d+) (\d+)": ("timers", parse_ints),
    r"neighbor (\S+) local-as (\d+) no-prepend replace-as": ("local_asn", int),
    r"neighbor (\S+) update-source (\S+)": ("source", str),
    r"neighbor (\S+) ebgp-multihop (\d+)": ("multihop", int),
    r"timers bgp (\d+) (\d+)": ("timers", parse_ints),
}
"""Lines of `router bgp` that EOS and FRR have in common."""

MAP_LINES: FieldLines = {
    r"neighbor (\S+) route-map (\S+) in": ("map_in", str),
    r"neighbor (\S+) route-map (\S+) out": ("map_out", str),
}
"""Lines for the route maps of a session, which FRR has in address families."""


def is_drained(policies: Policies, instances: Iterable[Instance], *, by_community: bool = True) -> bool:
    """Whether all that sessions announce is made the last choice; raises UnknownTextError if sessions differ in that.

    `by_community`: whether routes must also have the community of graceful shutdown.
    """
    sessions = [
        (instance, neighbor)
        for instance in instances
        for neighbor in instance.neighbors.values()
        if not neighbor.is_group
    ]
    maps_out = [instance.merge_values(neighbor, "map_out") for instance, neighbor in sessions]
    permitting = [name for name in sorted({name for maps in maps_out for name in maps}) if policies.lets_pass(name)]
    # whether each map drains; a session without a map announces all as it is
    are_drained = {policies.is_draining(name, by_community=by_community) for name in permitting} | {
        False for maps in maps_out if not maps
    }
    if len(are_drained) > 1:
        report_misfit("some sessions are drained, and others are not")
    return are_drained == {True}


Imports = Mapping[str, tuple[set[str], set[str]]]
"""(VRFs whose routes are imported, route-maps that these pass), by family."""


def list_leaks(policies: Policies, imports: Imports) -> dict[str, Policy]:
    """Return the routes that are imported from each VRF, of all families.

    Raises UnknownTextError if the VRFs that the route-maps name are not the ones that are imported.
    """
    leaks: dict[str, Policy] = {}
    for family, (sources, maps) in imports.items():
        entries = [entry for name in sorted(maps) for entry in policies.list_vrf_sources(name)]
        family_entries = [
            (vrf, family_permits) for vrf, permits in entries if (family_permits := select_families((family,), permits))
        ]
        if not maps or {vrf for vrf, _ in family_entries} != sources:
            report_misfit(
                f"{sorted(sources)} are brought in, and maps name {sorted(str(vrf) for vrf, _ in family_entries)}"
            )
        for vrf, permits in family_entries:
            permits_so_far = leaks.get(vrf, Policy(frozenset())).permits
            leaks[vrf] = Policy(permits_so_far | permits, all(map(policies.brings_own_only, maps)))
    return leaks


@dataclass
class VrfLines:
    """The EVPN settings of a VRF as they are read: VNI, route distinguisher, route targets and families."""

    vni: int = 0
    distinguisher: str = ""
    imports: set[str] = field(default_factory=set)
    exports: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)

    def make_vrf(self) -> OverlayVrf:
        """Return the VRF of the switch model."""
        imports, exports, families = map(frozenset, (self.imports, self.exports, self.families))
        return OverlayVrf(self.vni, self.distinguisher, imports, exports, families)


def make_overlay(
    instance: Instance | None,
    policies: Policies,
    vrfs: Mapping[str, VrfLines],
    vtep: str,
    copies_dscp: bool = False,
    vlans: Mapping[int, OverlayVlan] | None = None,
) -> EvpnOverlay | None:
    """Return the EVPN overlay of a switch, from its BGP in the default VRF; None if it has no session for EVPN.

    `copies_dscp`: tunnels take the DSCP of packets. Raises UnknownTextError for tunnels without sessions, for VRFs
    without tunnels, and for sessions that are opened from different sources.
    """
    sessions = {
        n: neighbor for n, neighbor in (instance.neighbors if instance else {}).items() if not neighbor.is_group
    }
    evpn_sessions = {
        n: neighbor
        for n, neighbor in sessions.items()
        if instance and EVPN in instance.merge_values(neighbor, "active")
    }
    if not evpn_sessions or instance is None:
        if vtep or vrfs:
            report_misfit("there are VXLAN tunnels, and no session for EVPN")
        return None
    if bool(vrfs or vlans) != bool(vtep):
        report_misfit("VRFs over EVPN and VXLAN tunnels are not both there")
    sources = {instance.inherit_value(neighbor, "source") for neighbor in evpn_sessions.values()}
    if len(sources) != 1:
        report_misfit(f"sessions for EVPN come from {sorted(sources)}")
    return EvpnOverlay(
        source=sources.pop(),
        vtep=vtep,
        vrfs={name: lines.make_vrf() for name, lines in vrfs.items()},
        peers={n: _make_overlay_peer(instance, policies, n, neighbor) for n, neighbor in evpn_sessions.items()},
        copies_dscp=copies_dscp,
        vlans=vlans or {},
    )


def _make_overlay_peer(instance: Instance, policies: Policies, peer: str, neighbor: Neighbor) -> OverlayPeer:
    """Return a session for EVPN as a peer of the overlay; `peer` is its neighbour's address or interface.

    Raises UnknownTextError, unless reading is tolerant, if the session needs a policy for a direction and has none,
    takes in less than all routes, or carries more than EVPN; and if `list_learned_paths` does not understand a policy.
    """
    keepalive_s, hold_s = instance.inherit_value(neighbor, "timers") or instance.timers
    maps_in, maps_out, families = (instance.merge_values(neighbor, name) for name in ("map_in", "map_out", "active"))
    # None: all routes pass; else the AS paths of learned routes that pass besides those of the switch itself
    learned_paths = policies.list_learned_paths(maps_out)
    if instance.requires_policy and not (maps_in and maps_out):
        report_misfit(f"a session for EVPN without policy carries nothing: {peer}")
    if policies.list_learned_paths(maps_in) is not None or families != {EVPN}:
        report_misfit(f"a session for EVPN takes less than all, or carries more: {peer}")
    return OverlayPeer(
        remote_asn=instance.inherit_value(neighbor, "remote_asn"),
        own_only=learned_paths is not None,
        own_as_in=instance.inherit_value(neighbor, "own_as_in"),
        keepalive_s=keepalive_s,
        hold_s=hold_s,
        keeps_next_hop=instance.keeps_next_hops or instance.inherit_value(neighbor, "keeps_next_hop"),
        multihop=instance.inherit_value(neighbor, "multihop"),
        description=neighbor.description,
        outside=learned_paths or frozenset(),
    )

"""Sessions, policies, routes and EVPN of a switch, in terms that belong to no NOS.

A Policy is the routes that a session permits. `RouteMaps` are the maps and lists that express it: views make them,
writers print them, and readers read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache
from ipaddress import ip_interface

OWN_ROUTES = "^$"
"""The AS path of routes that a switch originates itself."""

ONE_LINK, ALL_LINKS = "one-link", "all-links"
"""The links that a route announces as leading to its destination (link bandwidth community, RFC 10005): the link of the
session alone, or the sum of those announced on the links over which it was learned. A link counts 1 Mb/s, as in FRR,
whatever its speed."""

GRACEFUL_SHUTDOWN = "65535:0"
"""The community of routes of a drained switch (RFC 8326)."""

LEAKED = 4_294_967_294
"""The AS number put before leaked routes: the last one for private use (RFC 6996), which no switch has."""

LEARNED_PATH = "[0-9]"
"""Over EVPN: all AS paths but the switch's own, which is empty. Others leak theirs themselves."""


@cache
def find_network(address: str) -> str:
    """Return the subnet of an address with a prefix length."""
    return str(ip_interface(address).network)


@dataclass(frozen=True, slots=True, order=True)
class Permit:
    """The prefixes inside one prefix whose lengths are from `shortest` to `longest`."""

    prefix: str
    shortest: int
    longest: int

    @property
    def bounds(self) -> tuple[int, int]:
        """(shortest, longest) as a list has to state them; 0 for a length that need not be stated."""
        own_length = prefix_length(self.prefix)
        return (
            (self.shortest, 0) if self.shortest > own_length else (0, self.longest if self.longest > own_length else 0)
        )


def make_permit(prefix: str, longest: int = 0, shortest: int = 0) -> Permit:
    """Return the permit of the prefixes inside one whose lengths are from `shortest` to `longest`: without either, of
    that prefix alone.
    """
    own_length = prefix_length(prefix)
    return Permit(prefix, max(own_length, shortest), max(own_length, longest))


def prefix_length(prefix: str) -> int:
    """Return the number behind the `/` of a prefix of either family."""
    return int(prefix.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class Clause:
    """Further routes that a policy permits, and what it sets on them.

    They are those that a permit matches, and whose AS path matches one of `as_paths`; () of these is for any path.
    `last_as`: how often the first AS number of the path is repeated; `prepend`: the AS number that is put before it;
    `bandwidth`: ONE_LINK, ALL_LINKS or "".
    """

    permits: frozenset[Permit]
    as_paths: frozenset[str] = frozenset()
    communities: frozenset[str] = frozenset()
    last_as: int = 0
    prepend: int = 0
    bandwidth: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """The routes that are permitted: those that a permit matches; with `own_only`, only if their AS path is empty.

    Routes that `denies` matches are not permitted; `clauses` permit further routes. A session that carries both
    families has one policy: whether a permit is for IPv4 or IPv6 follows from its prefix.
    """

    permits: frozenset[Permit]
    own_only: bool = False
    denies: frozenset[Permit] = frozenset()
    clauses: frozenset[Clause] = frozenset()


@dataclass(frozen=True, slots=True)
class SessionBfd:
    """Bidirectional forwarding detection: ms between packets, and packets missed. Defaults are those of FRR and EOS."""

    interval_ms: int = 300
    multiplier: int = 3


@dataclass(frozen=True, slots=True)
class Peer:
    """One end of a BGP session. A `policy_in` or `policy_out` of None permits everything.

    `families`: "v4", "v6". `own_as_in`: how often the own AS number may be in a path. `max_prefixes`: by family, absent
    if there is no limit. Times are in seconds.
    """

    remote_asn: int
    families: frozenset[str]
    policy_in: Policy | None
    policy_out: Policy | None
    keepalive_s: int
    hold_s: int
    bfd: SessionBfd | None = None
    own_as_in: int = 0
    max_prefixes: Mapping[str, int] = field(default_factory=dict)
    description: str = ""
    hops: int = 1
    """The most hops to the peer."""
    from_loopback: bool = False
    """Whether the session is from the loopback, not from the address of the link."""
    local_asn: int = 0
    """The AS number announced to the peer instead of the switch's own, which is then not added; 0 for none."""
    password: str = ""
    shut: bool = False
    group: str = field(default="", compare=False)
    """UP to the tier above, DOWN to the tier below, PEER inside a tier; of IPv6 with a 6; EXIT- and an exit's name."""
    device: str = field(default="", compare=False)
    """What is at the far end."""
    port: str = field(default="", compare=False)
    """The own port, "" if several lead to the peer."""
    address: str = field(default="", compare=False)
    """The own address; "" if the session runs over link-local ones."""

    @property
    def is_exit(self) -> bool:
        """Whether the session is with a device outside the cluster."""
        return self.group.startswith("EXIT-")


@dataclass(frozen=True, slots=True)
class RouteMapEntry:
    """A numbered entry of a route map: what it matches, "" for anything, and what it sets on routes that it permits.

    `last_as`: how often the first AS number of the path is repeated; `added`: the AS number that is put before it. A
    drained switch puts `prepend` (numbers separated by spaces) before the path, and adds the `community` of graceful
    shutdown.
    """

    permit: bool
    prefix_list: str = ""
    as_path: str = ""
    interface: str = ""
    tag: str = ""
    communities: tuple[str, ...] = ()
    last_as: int = 0
    added: int = 0
    prepend: str = ""
    community: str = ""
    source_vrf: str | None = None
    """The VRF from which the route was imported, "" for the default one."""
    extcommunity: str = ""
    bandwidth: str = ""
    """ONE_LINK, ALL_LINKS or ""."""

    @property
    def sets(self) -> bool:
        """Whether the entry changes the routes that it permits."""
        return bool(self.communities or self.last_as or self.added or self.bandwidth)


@dataclass
class RouteMaps:
    """Prefix lists, AS path lists and route maps by name.

    Views make them for one VRF, in the order in which they are written; writers add the VRF to the names. Names of IPv6
    end in 6.
    """

    prefix_lists: dict[str, Set[Permit]] = field(default_factory=dict)
    as_paths: dict[str, Set[str]] = field(default_factory=dict)
    maps: dict[str, dict[int, RouteMapEntry]] = field(default_factory=dict)

    def find_map_name(self, peer: Peer, side: str, family: str) -> str:
        """Return the name of the map that a session made by a view has for a family, inwards (`side` IN) or outwards
        (OUT).

        Sessions with the other switch of an MLAG pair may have an outward map of their own, PEER.
        """
        ending = "6" if family == "v6" else ""
        if peer.is_exit:
            return f"{peer.group}-{side}{ending}"
        to_peer = side == "OUT" and peer.group.startswith("PEER") and f"PEER{ending}" in self.maps
        return f"{'PEER' if to_peer else side}{ending}"

    def list_permits(self, name: str) -> Set[Permit]:
        """Return the prefixes of a list; raises KeyError for an unknown one."""
        return self.prefix_lists[name]

    def make_policy(self, names: Iterable[str], families: Set[str]) -> Policy:
        """Return the routes that some maps permit together on a session of some families ("v4", "v6").

        If a map is of both families, its prefixes of the other family permit nothing on the session.
        """
        permits, denies, own_only, clauses = set[Permit](), set[Permit](), False, dict[Clause, frozenset[Permit]]()
        for entry in (entry for name in names for _, entry in sorted(self.maps[name].items())):
            prefixes = select_families(families, self.list_permits(entry.prefix_list) if entry.prefix_list else ())
            paths = self.as_paths[entry.as_path] if entry.as_path else set[str]()
            if not entry.permit:
                denies |= prefixes
            # an entry that changes routes, or asks for paths, is told by itself
            elif prefixes and (entry.sets or paths - {OWN_ROUTES}):
                sets = frozenset(entry.communities), entry.last_as, entry.added, entry.bandwidth
                clause = Clause(frozenset(), frozenset(paths), *sets)
                clauses[clause] = clauses.get(clause, frozenset()) | prefixes
            elif prefixes:
                permits, own_only = permits | prefixes, own_only or bool(paths)
        full_clauses = frozenset(replace(clause, permits=prefixes) for clause, prefixes in clauses.items())
        return Policy(frozenset(permits), own_only, frozenset(denies), full_clauses)


def select_families(families: Iterable[str], permits: Iterable[Permit]) -> frozenset[Permit]:
    """Return the permits of some families."""
    return frozenset(p for p in permits if ("v6" if ":" in p.prefix else "v4") in families)


@dataclass(frozen=True, slots=True)
class Bgp:
    """BGP in one VRF; `peers` by the peer's address or, without addresses, by the own interface.

    `announced` are the prefixes that this switch originates: the ones that it redistributes or states as networks.
    """

    asn: int
    router_id: str
    max_paths: int
    multipath_relax: bool
    peers: Mapping[str, Peer]
    announced: frozenset[str]
    aggregates: Set[str] = frozenset()
    """Prefixes that are made of more specific ones."""
    leaks: Mapping[str, Policy] = field(default_factory=dict)
    """The routes that are imported, by source VRF."""
    maps: RouteMaps = field(default_factory=RouteMaps, compare=False)
    """The route maps that its policies are made of."""


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """A route with equal-cost next hops, each (own port, address); `discard`: packets that none of them takes are
    dropped.
    """

    hops: Set[tuple[str, str]]
    discard: bool
    passed_on: bool = field(default=False, compare=False)
    """Whether it leads to the outside and other switches learn it; not routes to loopbacks of far devices."""


@dataclass(frozen=True, slots=True)
class SwitchSrv6:
    """Compressed SRv6 identifiers (NEXT-C-SID, RFC 9800): bits of block, node and function, and prefixes of its own.

    A packet to the prefix `node` (uN) goes on by what is left of its destination; one to a prefix in `links` (uA) goes
    over that link, which is (own port, next hop).
    """

    bits: tuple[int, int, int]
    node: str
    links: Mapping[str, tuple[str, str]] = field(default_factory=dict)


EVPN = "evpn"
"""The address family l2vpn evpn, beside `v4` and `v6`."""


@dataclass(frozen=True, slots=True)
class OverlayVrf:
    """A VRF over EVPN: route targets that it imports and exports, and the families whose routes it announces."""

    vni: int
    distinguisher: str
    imports: frozenset[str]
    exports: frozenset[str]
    families: frozenset[str]
    vlan: int = field(default=0, compare=False)
    """The VLAN of its VNI, where the switch needs one."""

    @property
    def target(self) -> str:
        """The first route target that it exports: a planned VRF has one."""
        return min(self.exports)


@dataclass(frozen=True, slots=True)
class OverlayVlan:
    """A VLAN over EVPN: route targets that it imports and exports."""

    vni: int
    distinguisher: str
    targets: frozenset[str]

    @property
    def target(self) -> str:
        """The first of its route targets: a planned VLAN has one."""
        return min(self.targets)


@dataclass(frozen=True, slots=True)
class OverlayPeer:
    """A session for EVPN. `own_only`: it announces nothing learned. `keeps_next_hop`: routes that it passes on keep
    their next hop.

    `own_as_in`: how often the own AS number may be in a path. `multihop`: the TTL of its packets. Times are in seconds.
    """

    remote_asn: int
    own_only: bool
    own_as_in: int
    keepalive_s: int
    hold_s: int
    keeps_next_hop: bool = True
    multihop: int = 3
    description: str = ""
    outside: frozenset[str] = frozenset()
    """AS paths that it announces besides own routes: those of exits, and of leaked routes."""
    role: str = field(default="", compare=False)
    """The role of the links to the peer: `up`, `down` or `peer`."""


@dataclass(frozen=True, slots=True)
class EvpnOverlay:
    """EVPN on a switch: the source of its sessions, that of its tunnels ("" for none), VRFs by name, peers by address.

    A switch without VRFs and VLANs only passes routes on.
    """

    source: str
    vtep: str
    vrfs: Mapping[str, OverlayVrf] = field(default_factory=dict)
    peers: Mapping[str, OverlayPeer] = field(default_factory=dict)
    copies_dscp: bool = False
    """Whether a tunnel has the DSCP and ECN of the packet, and the class at either end follows that DSCP."""
    vlans: Mapping[int, OverlayVlan] = field(default_factory=dict)

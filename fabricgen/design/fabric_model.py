"""One network in the symmetric form: how nodes attach, its tiers, and how each tier meets the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.inside.links import Mesh, PeerLinks
from fabricgen.design.layout import Layout
from fabricgen.design.ports import PortKind, PortRun
from fabricgen.design.shape import count_places, find_scope
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.intervals import Intervals


class TierKey(NamedTuple):
    """A tier by its fabric and name: tiers of one fabric may meet those of another.

    The `tier` of a part of the cluster that has a name is told by it: `leaf/b300`.
    """

    fabric: str
    tier: str

    @classmethod
    def of(cls, fabric: str, name: str, part: str) -> TierKey:
        """The tier of a name in a part of the cluster; "" for tiers of all parts and of the one without a name."""
        return cls(fabric, f"{name}/{part}" if part else name)

    @property
    def name(self) -> str:
        """The tier's name in its fabric."""
        return self.tier.partition("/")[0]

    @property
    def text(self) -> str:
        """The tier as the lock and messages have it: `compute leaf`."""
        return f"{self.fabric} {self.tier}"


class Leg(NamedTuple):
    """One logical port of a node in a fabric; a NIC port split over planes has several. Numbers count from 1."""

    rail: int
    rail_group: int
    plane: int
    port: int
    name: str
    cage: str
    connector: int
    sub: int
    gpu: int | None


@dataclass(frozen=True, slots=True)
class Attachment:
    """How the nodes of one profile attach to a fabric: their legs in slot order, and speed, lane rate and connector of
    the ports.
    """

    profile: NodeProfile
    role: str
    legs: tuple[Leg, ...]
    speed_gbps: int
    lane_gbps: float
    """Of an electrical lane at the NIC, Gb/s."""
    switch_lane_gbps: float
    """Of one at the switch, Gb/s: another where the optics of one end have a gearbox."""
    form_factor: str
    per_connector: int
    top: str = ""
    """The OSFP plug that its cages take: finned or flat; "" for other cages."""

    @property
    def kind(self) -> PortKind:
        """The kind of switch port that its legs need."""
        return PortKind(self.speed_gbps, self.switch_lane_gbps, self.form_factor == "RJ45")


class ExtraLink(NamedTuple):
    """A link of an extra device: `device` and `leg` (from 0), `switch` of the tier, `slot`: its port in the run."""

    device: int
    leg: int
    switch: int
    slot: int
    in_hole: bool
    """Whether the port belongs to an omitted node slot."""


@dataclass(frozen=True, slots=True)
class ExtraSet:
    """Extra devices of one name in one fabric."""

    name: str
    attachment: Attachment
    devices: tuple[str, ...]
    tier: TierKey
    run: int
    """Which of the tier's runs of down ports they use."""
    links: tuple[ExtraLink, ...]
    path: Path
    kind: PortKind
    """The kind of switch port that their links need."""

    @property
    def count(self) -> int:
        """The number of devices."""
        return len(self.devices)


Jumps: TypeAlias = tuple[tuple[int, int], ...]
"""(index, how many ports are left out before it): where consecutive ports of a purpose are not side by side."""


def find_jumps(ports: Intervals) -> Jumps:
    """The jumps between the intervals of a purpose's ports."""
    jumps, index = [], 0
    for before, after in pairwise(ports):
        index += before.size
        jumps.append((index, after.first - before.end))
    return tuple(jumps)


def find_port(first: int, jumps: Jumps, index: Any) -> Any:
    """The port of an index, or of an array of them, among those of a purpose that starts at port `first`."""
    port = first + index
    for jump_index, left_out in jumps:
        port = port + (index >= jump_index) * left_out
    return port


class Feed(NamedTuple):
    """Down ports in run `run` of a tier that serve one purpose: the links of a lower tier, or management ports.

    Which ports of the run the links of a lower tier use follows from `design.sizing.spread`.
    """

    source: TierKey
    """The lower tier; its tier name is empty for management ports."""
    run: int
    first: int
    """The first port of the purpose in its run."""
    used: int
    """How many ports are in use on the fullest switch."""
    numbered: int
    """How many ports are numbered, for reserved slots too."""
    links: int = 0
    """How many ports each lower switch has; 1 if links are dealt unevenly, 0 for management ports."""
    nested: bool = False
    """Whether links are spread so that half of them stay when the switches of this tier double."""
    jumps: Jumps = ()
    by_slot: bool = False
    """Of ports beside those of nodes: whether they are numbered for reserved units."""
    beside_nodes: bool = False
    """Of links of lower switches: whether nodes attach to the same tier, so that the links take consecutive ports."""
    laid: bool = False
    """Of links of lower switches: whether their ports are told one by one, by `first` and `jumps`."""


class NodeFeed(NamedTuple):
    """Down ports of the lowest tier for nodes of a fabric whose ports are of one kind.

    Each switch of a group serves `per_switch` node slots. Slots go to the switches of a group in rounds, `turn`
    consecutive slots to each: all of its slots (`spread: block`), its share of a unit, or a single one (`spread:
    stripe`).
    """

    leaf: TierKey
    part: str
    """The part of the cluster whose nodes they are."""
    attachments: tuple[tuple[NodeSet, Attachment], ...]
    """(nodes of a unit, how they attach)"""
    run: int
    first: int
    per_switch: int
    turn: int
    by_slot: bool
    """Whether slots are numbered by reserved unit, else by units there are."""
    jumps: Jumps = ()

    def find_port_of_slot(self, slot: Any, count: int) -> tuple[Any, Any]:
        """(switch in the group, port in the run) of a node slot, or of an array of slots, in a group of `count`
        switches.
        """
        offset = slot % (self.turn * count)
        ports_before = slot // (self.turn * count) * self.turn
        return offset // self.turn, find_port(self.first, self.jumps, ports_before + offset % self.turn)

    def list_used_ports(self, slots: int, count: int) -> Iterator[int]:
        """Ports in use on each of `count` switches of a group with `slots` node slots."""
        rounds, rest = divmod(slots, self.turn * count)
        for switch in range(count):
            # of a last round that is not full, the first switches have more
            yield rounds * self.turn + max(0, min(self.turn, rest - switch * self.turn))

    def list_port_ranges(self, runs: Sequence[range], count: int) -> list[list[range]]:
        """By switch (of `count` in the group), the ports that ranges of consecutive node slots occupy, as ranges."""
        # ports in use on each switch before and after each range of slots
        ends = [
            (list(self.list_used_ports(run.start, count)), list(self.list_used_ports(run.stop, count))) for run in runs
        ]
        return [
            [part for before, after in ends for part in self._split_at_jumps(before[switch], after[switch])]
            for switch in range(count)
        ]

    def _split_at_jumps(self, start: int, end: int) -> Iterator[range]:
        """The ports of the indexes from `start` to before `end`, as ranges."""
        cuts = [start, *(jump_index for jump_index, _ in self.jumps if start < jump_index < end), end]
        for low, high in pairwise(cuts):
            first = find_port(self.first, self.jumps, low)
            yield range(first, first + high - low)


class Uplink(NamedTuple):
    """How a tier is linked up to another: links of each switch, spread over the switches of each upper group."""

    fabric: str
    """The fabric that owns the links: that of the tier whose specification asks for them."""
    upper: TierKey
    upper_groups: int
    """Upper groups that each lower switch is linked to."""
    links_per_group: int
    """Links of each lower switch to each of these groups."""
    upper_count: int
    """Switches in each upper group."""
    lowers_per_group: int
    """Lower switches of the fullest upper group."""
    by_slot: bool
    nested: bool
    """Whether links are spread so that half of them stay when the upper switches double."""
    uneven: bool = False
    """Whether links are dealt over the upper switches in turn, lower switch after lower switch (`spread: uneven`)."""
    fewest: tuple[int, int] = (0, 0)
    """What the fewest uplinks within the oversubscription would be, and the switches of an upper group then; 0 for
    switches that could not be wired so."""

    def count_links_to(self, index: int, rank: int = 0) -> int:
        """Links of the lower switch of a rank to the upper switch of a number; where the links do not divide equally,
        the first switches have one more, or with `uneven` those whose turn it is.
        """
        quotient, remainder = divmod(self.links_per_group, self.upper_count)
        # each lower switch goes on where the one before it stopped
        turn = rank * self.links_per_group if self.uneven else 0
        return quotient + ((index - turn) % self.upper_count < remainder)

    def dealt(self, rank: Any, link: Any) -> tuple[Any, Any]:
        """(upper switch in its group, port among those for this tier) of a link of a lower switch, or of arrays of
        both, where links are dealt `uneven`.
        """
        turn = rank * self.links_per_group + link
        return turn % self.upper_count, turn // self.upper_count

    @property
    def wide_links(self) -> int:
        """Links of a lower switch that bear the same load whatever traffic there is: with `uneven` each upper switch
        counts with the fewest links to it.
        """
        whole = self.links_per_group // self.upper_count * self.upper_count
        return (whole if self.uneven else self.links_per_group) * self.upper_groups


@dataclass(frozen=True, slots=True)
class TierDesign:
    """A tier: `groups` x `count` identical switches."""

    fabric: str
    name: str
    part: str
    """The part of the cluster that it serves; "" too where it serves all."""
    profile: SwitchProfile
    nos: str
    per: tuple[str, ...]
    groups: int
    count: int
    most: int
    """Most switches that a group can grow to: one for each link of a lower switch to the group."""
    downs: tuple[PortRun, ...]
    """A run for each kind of port towards nodes or lower tiers; `count` is in use on the fullest switch."""
    numbered: tuple[int, ...]
    """Ports of each run that are in use or numbered for reserved slots; the others are spare."""
    feeds: tuple[Feed, ...]
    reach: tuple[int, ...]
    """By run, how many ports of a switch the links of lower switches are spread over."""
    up: PortRun | None
    peer_links: PeerLinks | None
    meshes: tuple[Mesh, ...]
    """Links inside the tier by dimension."""
    grid: Mapping[str, int] = field(hash=False)
    """The dimensions within a group, with how many of its switches lie along each, the last counting fastest."""
    uplink: Uplink | None
    allowed: Fraction
    for_extras: tuple[tuple[PortKind, int], ...]
    """Further ports of each switch that are set aside for extra devices, by kind."""
    lowest: bool
    """Whether nodes attach to it, or it has no tier below: leaves, and border tiers that stand beside them."""
    for_reserve: bool
    """Whether it is sized for every reserved slot."""
    path: Path
    layout: Layout = field(compare=False, repr=False)
    """The units that it serves."""
    sizes: Mapping[str, int] = field(hash=False)
    """How many values each dimension has that it may be grouped by: those of legs, and by tier of its fabric, switches
    of a group.
    """
    coarser: Mapping[str, tuple[int, ...]] = field(hash=False)
    """Rail group -> that of each rail on these switches, from 0; so for every dimension that follows from another."""
    slots: int = 0
    """Node ports of the fullest group that a lowest tier is sized for."""
    narrow: bool = False
    """Whether ports beside those of nodes are numbered for the units there are, for want of room for reserved ones."""
    needed_uplinks: int = 0
    """The fewest uplinks within its oversubscription; 0 at the top."""
    reserved: tuple[tuple[str, int, tuple[int, ...]], ...] = ()
    """(purpose, how many of the first kind of down ports, cages) of ports that are kept and get no cable."""
    uneven: bool = False
    """Whether links from below may land unequally on the switches of a group."""

    @property
    def key(self) -> TierKey:
        """The tier by fabric and name."""
        return TierKey.of(self.fabric, self.name, self.part)

    @property
    def text(self) -> str:
        """The tier in messages: `compute leaf`, `compute leaf of b300`."""
        return f"{self.fabric} {self.name}" + (f" of {self.part}" if self.part else "")

    @property
    def switches(self) -> int:
        """Switches in the tier."""
        return self.groups * self.count

    @property
    def scope(self) -> str:
        """The narrowest place that it is grouped by, or `all`."""
        return find_scope(self.per)

    @property
    def places(self) -> int:
        """How many places of its scope there are."""
        return count_places(self.layout, self.scope)

    @property
    def per_place(self) -> int:
        """Switches in each of these places."""
        return self.switches // self.places

    @property
    def down_text(self) -> str:
        """Its downlinks in words: `32 x 400G`, several kinds joined."""
        return " + ".join(f"{run.count} x {run.speed_gbps}G" for run in self.downs) or "nothing"

    @property
    def speeds(self) -> tuple[int, ...]:
        """Speeds of its ports in use, Gb/s, ascending."""
        return tuple(sorted({run.speed_gbps for run in (*self.downs, *self.switch_runs) if run.count}))

    @property
    def switch_runs(self) -> tuple[PortRun, ...]:
        """Its ports towards other switches but those below it: uplinks, peer links and those of meshes."""
        peers = (self.peer_links.run,) if self.peer_links else ()
        return (*((self.up,) if self.up else ()), *peers, *(mesh.run for mesh in self.meshes))

    def count_addressed_links(self, run: PortRun) -> int:
        """Links of a run of `switch_runs` that have addresses: those of units to come included."""
        most = [self.peer_links.most] if self.peer_links and run is self.peer_links.run else []
        return max(run.count, *most, *(mesh.most for mesh in self.meshes if mesh.run is run), 0)

    def spare_ports(self, run: int = 0) -> int:
        """Ports of a run that are neither in use, nor numbered for reserved slots, nor kept for a purpose."""
        reserved_count = sum(ports for _, ports, _ in self.reserved) if run == 0 else 0
        return self.downs[run].capacity - self.numbered[run] - reserved_count if self.downs else 0

    def find_feed(self, source: TierKey) -> Feed:
        """The down ports for a lower tier; raises KeyError when there are none."""
        for feed in self.feeds:
            if feed.source == source:
                return feed
        raise KeyError(source)

    @property
    def oversubscription(self) -> Fraction | None:
        """Downlink bandwidth over uplink (or span) bandwidth of the fullest switch; None at the top and without
        downlinks.
        """
        above = self.up or (self.peer_links.run if self.peer_links and self.peer_links.spans else None)
        below = sum(run.bandwidth_gbps for run in self.downs)
        return Fraction(below, above.bandwidth_gbps) if above and below else None


class FabricDesign(NamedTuple):
    """One network: its tiers from the nodes up, and how nodes and extra devices attach."""

    name: str
    protocol: str
    sizes: dict[str, int]
    """How many values rail, rail group, plane and port have on the switches that its nodes attach to."""
    planes: int
    rails: int
    hosts: str
    vrf: str
    """The VRF of its routes on switches that another fabric owns; "" for the default one."""
    leaves: tuple[TierKey, ...]
    """The tiers its nodes attach to, perhaps another fabric's; empty where no nodes do."""
    node_feeds: tuple[NodeFeed, ...]
    tiers: tuple[TierDesign, ...]
    extras: tuple[ExtraSet, ...]
    managed_devices: int
    """Management ports of other fabrics' switches that attach here."""
    path: Path
    shares_ports: bool = False
    """Whether its nodes have no ports of their own, but a VLAN on those of its carrier."""
    tagged: bool = False
    """Whether its VLAN is tagged on node ports."""
    bond: str = ""
    """`node` or `nic` where its node ports are bonded, all of a node or those of each NIC; "" where they are not."""
    address_per: str = "port"
    """`nic` where the ports of a NIC have one address in all planes, that of the port in the first."""

    @property
    def attachments(self) -> tuple[tuple[NodeSet, Attachment], ...]:
        """(nodes of a unit, how they attach), over all kinds of ports."""
        return tuple(pair for feed in self.node_feeds for pair in feed.attachments)

    @property
    def node_sets(self) -> tuple[NodeSet, ...]:
        """The nodes of units that attach, each once, in the order of their unit."""
        by_path = {nodes.path: nodes for nodes, _ in self.attachments}
        return tuple(sorted(by_path.values(), key=lambda nodes: nodes.first))

    def feeds_of(self, leaf: TierKey) -> tuple[NodeFeed, ...]:
        """The node ports on one of its leaves."""
        return tuple(feed for feed in self.node_feeds if feed.leaf == leaf)

    @property
    def managing(self) -> tuple[TierDesign, ...]:
        """The tiers that management ports attach to where the fabric takes some: the lowest, one for each part of the
        cluster.
        """
        return tuple(tier for tier in self.tiers if tier.name == self.tiers[0].name) if self.managed_devices else ()

    @property
    def manages(self) -> bool:
        """Whether it connects BMCs or management ports of switches."""
        return self.managed_devices > 0 or any(a.role == "bmc" for _, a in self.attachments)

    @property
    def carrier(self) -> str:
        """The fabric that owns the switches its nodes attach to, or that its own tiers are below; "" for none."""
        guests = (leaf.fabric for leaf in self.leaves if leaf.fabric != self.name)
        if (owner := next(guests, None)) is not None:
            return owner
        above = [tier.uplink for tier in self.tiers if tier.uplink and tier.uplink.fabric == self.name]
        return next((uplink.upper.fabric for uplink in above if uplink.upper.fabric != self.name), "")

    def tier(self, name: str) -> TierDesign:
        """The tier of a name, as keys of tiers have it; raises KeyError when there is none."""
        for tier in self.tiers:
            if tier.key.tier == name:
                return tier
        raise KeyError(name)

    def list_tiers_beside(self, tier: TierDesign, name: str) -> list[TierDesign]:
        """The tiers of a name with switches where those of a tier of this fabric are: one, or one for each part of the
        cluster.
        """
        named = [other_tier for other_tier in self.tiers if other_tier.name == name]
        return (
            named
            if tier.layout.cluster is None
            else [other_tier for other_tier in named if other_tier.part == tier.part]
        )

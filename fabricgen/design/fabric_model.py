"""One network in the symmetric form: how nodes attach, its tiers, and how each tier is linked to others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, Self, TypeAlias

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.inside.links import Mesh
from fabricgen.design.layout import Layout
from fabricgen.design.ports import PortKind, PortRun
from fabricgen.design.shape import count_places, find_scope
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.intervals import Intervals


class TierKey(NamedTuple):
    """A tier by its fabric and name: tiers of different fabrics may be linked.

    `tier` has the name of the part of the cluster that the tier serves behind it: `leaf/b300`.
    """

    fabric: str
    tier: str

    @classmethod
    def of(cls, fabric: str, name: str, part: str) -> Self:
        """Return the key of a tier; `part` is "" if it serves all parts of the cluster, or the part without a name."""
        return cls(fabric, f"{name}/{part}" if part else name)

    @property
    def name(self) -> str:
        """The tier's name in its fabric."""
        return self.tier.partition("/")[0]

    @property
    def text(self) -> str:
        """The tier as the lock and messages name it: `compute leaf`."""
        return f"{self.fabric} {self.tier}"


class Leg(NamedTuple):
    """One logical port of a node in a fabric; a NIC port split over planes has several.

    Rail, rail group, plane and port count from 1; `connector` in its cage, and `sub`, its own number there, from 0;
    `gpu` as the vendor numbers GPUs, None if the NIC serves none in particular.
    """

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
    """How the nodes of one profile attach to a fabric: their legs in slot order, and what kind of port a leg is."""

    profile: NodeProfile
    role: str
    legs: tuple[Leg, ...]
    speed_gbps: int
    lane_gbps: float
    """Rate of an electrical lane at the NIC, Gb/s."""
    switch_lane_gbps: float
    """Rate of an electrical lane at the switch, Gb/s; it differs from the NIC's if optics have a gearbox."""
    form_factor: str
    links_per_connector: int
    """How many legs share a connector of the NIC: above 1 the cable is a breakout."""
    top: str = ""
    """The OSFP plug that its cages take: finned or flat; "" for other cages."""

    @property
    def kind(self) -> PortKind:
        """The kind of switch port that its legs need."""
        return PortKind(self.speed_gbps, self.switch_lane_gbps, self.form_factor == "RJ45")


class ExtraLink(NamedTuple):
    """A link of an extra device: indices of `device` in its set, of `leg`, and of `switch` in the tier, group by group;
    and `slot`, its port in the run. All count from 0.
    """

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
    """Which of the tier's runs of down ports they use, an index of `downs`."""
    links: tuple[ExtraLink, ...]
    path: Path
    kind: PortKind
    """The kind of switch port that their links need."""

    @property
    def count(self) -> int:
        """How many devices the set has."""
        return len(self.devices)


Jumps: TypeAlias = tuple[tuple[int, int], ...]
"""(index of a port among those of a purpose, how many ports of the run are left out before it) for each gap."""


def find_jumps(ports: Intervals) -> Jumps:
    """Return (index, ports left out) for each gap between a purpose's intervals of ports: 0-3, 6-9 give ((4, 2),)."""
    jumps, ports_before = [], 0
    for interval, next_interval in pairwise(ports):
        ports_before += interval.size
        jumps.append((ports_before, next_interval.first - interval.end))
    return tuple(jumps)


def find_port(first: int, jumps: Jumps, index: Any) -> Any:
    """Return the port of an index (int or int array) in a purpose that begins at port `first` and has gaps `jumps`."""
    port = first + index
    for jump_index, left_out in jumps:
        port = port + (index >= jump_index) * left_out
    return port


class Feed(NamedTuple):
    """Down ports of a tier, in the run `downs[run]`, that serve one purpose: the links of a lower tier, or management
    ports. Which ports links of a lower tier use follows from `design.sizing.spread`; for `jumps` see `find_jumps`.
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
    """Whether ports beside those of nodes are numbered for reserved units."""
    beside_nodes: bool = False
    """Whether nodes attach to the same tier, so that links of lower switches take consecutive ports."""
    laid: bool = False
    """Whether the ports for links of lower switches are listed one by one, by `first` and `jumps`."""


class NodeFeed(NamedTuple):
    """Down ports of a lowest tier, in the run `downs[run]` from port `first` on, for nodes whose ports are of one kind.

    Each switch of a group serves `per_switch` node slots. Slots go to the switches of a group in rounds, `turn`
    consecutive slots to each: all slots of the switch (`spread: block`), its share of a unit, or a single one (`spread:
    stripe`).
    """

    leaf: TierKey
    part: str
    """The part of the cluster that the nodes belong to."""
    attachments: tuple[tuple[NodeSet, Attachment], ...]
    """(nodes of a unit, how they attach)"""
    run: int
    first: int
    per_switch: int
    turn: int
    by_slot: bool
    """Whether the slots of reserved units are numbered too, else only those of units that exist."""
    jumps: Jumps = ()

    def find_port_of_slot(self, slot: Any, count: int) -> tuple[Any, Any]:
        """Return (switch in its group of `count`, port in the run) of a node slot; takes an int or int array."""
        offset = slot % (self.turn * count)
        ports_before = slot // (self.turn * count) * self.turn
        return offset // self.turn, find_port(self.first, self.jumps, ports_before + offset % self.turn)

    def list_used_ports(self, slots: int, count: int) -> Iterator[int]:
        """Yield how many ports are in use on each of `count` switches of a group with `slots` node slots."""
        rounds, slots_left = divmod(slots, self.turn * count)
        for switch in range(count):
            # if the last round is not full, the first switches have more
            yield rounds * self.turn + max(0, min(self.turn, slots_left - switch * self.turn))

    def list_port_ranges(self, runs: Sequence[range], count: int) -> list[list[range]]:
        """Return, for each of `count` switches of a group, the ports that some ranges of consecutive node slots
        (`runs`) take, as ranges of ports.
        """
        # ports in use on each switch before and after each range of slots
        used_at_ends = [
            (list(self.list_used_ports(run.start, count)), list(self.list_used_ports(run.stop, count))) for run in runs
        ]
        return [
            [ports for start, end in used_at_ends for ports in self._split_at_jumps(start[switch], end[switch])]
            for switch in range(count)
        ]

    def _split_at_jumps(self, start: int, end: int) -> Iterator[range]:
        """Yield the ports of the purpose from index `start` to before index `end`, as ranges between its gaps."""
        cut_indices = [start, *(jump_index for jump_index, _ in self.jumps if start < jump_index < end), end]
        for start_index, end_index in pairwise(cut_indices):
            first_port = find_port(self.first, self.jumps, start_index)
            yield range(first_port, first_port + end_index - start_index)


class Uplink(NamedTuple):
    """How a tier is linked up to another: each switch has links to the switches of each upper group."""

    fabric: str
    """The fabric that owns the links: that of the tier whose specification asks for them."""
    upper: TierKey
    upper_groups: int
    """How many upper groups each lower switch is linked to."""
    links_per_group: int
    """How many links each lower switch has to each of these groups."""
    upper_count: int
    """How many switches each upper group has."""
    lowers_per_group: int
    """How many lower switches the fullest upper group has."""
    by_slot: bool
    """Whether upper ports are numbered for every reserved unit below, else only for units that exist."""
    nested: bool
    """Whether links are spread so that half of them stay when the upper switches double."""
    uneven: bool = False
    """Whether links are dealt over the upper switches in turn, lower switch after lower switch (`spread: uneven`)."""
    fewest: tuple[int, int] = (0, 0)
    """(the fewest uplinks within the oversubscription, how many switches an upper group would have with them); (0, 0)
    if the tier has the fewest, and 0 switches if they could not be wired."""

    def count_links_to(self, index: int, rank: int = 0) -> int:
        """Return the links from a lower switch, by its rank (number in the upper group), to an upper switch, by its
        index. If they do not divide equally, the first upper switches have one more, or with `uneven` those whose turn
        it is.
        """
        quotient, remainder = divmod(self.links_per_group, self.upper_count)
        # each lower switch goes on where the one before it stopped
        turn = rank * self.links_per_group if self.uneven else 0
        return quotient + ((index - turn) % self.upper_count < remainder)

    def find_dealt_end(self, rank: Any, link: Any) -> tuple[Any, Any]:
        """Return (upper switch in its group, index among its ports for this tier) of a link that is dealt `uneven`, by
        the rank of its lower switch in the upper group and its number on that switch; takes ints or int arrays.
        """
        turn = rank * self.links_per_group + link
        return turn % self.upper_count, turn // self.upper_count

    @property
    def full_load_links(self) -> int:
        """How many links of a lower switch can be full at once if its traffic is spread equally over upper switches:
        with `uneven`, each upper switch counts with the fewest links to it.
        """
        whole = self.links_per_group // self.upper_count * self.upper_count
        return (whole if self.uneven else self.links_per_group) * self.upper_groups


@dataclass(frozen=True, slots=True)
class TierDesign:
    """A tier: `groups` x `count` identical switches."""

    fabric: str
    name: str
    part: str
    """The part of the cluster that it serves; "" for the part without a name, and if it serves all parts."""
    profile: SwitchProfile
    nos: str
    per: tuple[str, ...]
    groups: int
    count: int
    max_count: int
    """How many switches a group can grow to: one for each link of a lower switch to the group."""
    downs: tuple[PortRun, ...]
    """One run for each kind of port towards nodes or lower tiers; `count` ports are in use on the fullest switch."""
    numbered: tuple[int, ...]
    """For each run, how many ports are in use or numbered for reserved slots; the others are spare."""
    feeds: tuple[Feed, ...]
    reach: tuple[int, ...]
    """For each run, over how many ports of a switch the links of lower switches are spread."""
    up: PortRun | None
    links_inside: tuple[Mesh, ...]
    """Links between its switches: of pairs or spans, then along its dimensions."""
    grid: Mapping[str, int] = field(hash=False)
    """For each dimension within a group, how many of its switches lie along it; the last dimension counts fastest."""
    uplink: Uplink | None
    allowed: Fraction
    """The highest oversubscription (downlink over uplink bandwidth) that it is to have."""
    for_extras: tuple[tuple[PortKind, int], ...]
    """(kind of port, how many further ports of each switch are set aside for extra devices)."""
    lowest: bool
    """Whether nodes attach to it, or it has no tier below: leaves, and border tiers that stand beside them."""
    for_reserve: bool
    """Whether it is sized for every reserved slot."""
    path: Path
    layout: Layout = field(compare=False, repr=False)
    """The units that it serves."""
    sizes: Mapping[str, int] = field(hash=False)
    """How many values each dimension has that it may be grouped by: those of legs, and, by the name of each tier of its
    fabric, the switches of a group.
    """
    coarser: Mapping[str, tuple[int, ...]] = field(hash=False)
    """For each dimension that follows from a finer one, its number for each number of the finer one, from 0: for
    `rail_group`, the rail group of each rail on these switches.
    """
    slots: int = 0
    """Node ports of the fullest group that a lowest tier is sized for."""
    narrow: bool = False
    """Whether ports beside those of nodes are numbered for the units that exist, as reserved units have no room."""
    needed_uplinks: int = 0
    """The fewest uplinks within its oversubscription; 0 at the top."""
    reserved: tuple[tuple[str, int, tuple[int, ...]], ...] = ()
    """(purpose, how many of the first kind of down ports, cages) for ports that are kept free and get no cable."""
    uneven: bool = False
    """Whether links of lower switches may land unequally on the switches of a group."""

    @property
    def key(self) -> TierKey:
        """The tier by fabric and name."""
        return TierKey.of(self.fabric, self.name, self.part)

    @property
    def text(self) -> str:
        """The tier as messages name it: `compute leaf`, `compute leaf of b300`."""
        return f"{self.fabric} {self.name}" + (f" of {self.part}" if self.part else "")

    @property
    def switches(self) -> int:
        """How many switches the tier has."""
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
        """How many switches each place of its scope has."""
        return self.switches // self.places

    @property
    def down_text(self) -> str:
        """Its downlinks in words: `32 x 400G`, or several kinds joined by `+`."""
        return " + ".join(f"{run.count} x {run.speed_gbps}G" for run in self.downs) or "nothing"

    @property
    def speeds(self) -> tuple[int, ...]:
        """Speeds of its ports in use, Gb/s, ascending."""
        return tuple(sorted({run.speed_gbps for run in (*self.downs, *self.switch_runs) if run.count}))

    @property
    def switch_runs(self) -> tuple[PortRun, ...]:
        """Its ports towards switches that are not below it: uplinks, peer links and links of meshes."""
        inside = (mesh.run for mesh in self.links_inside if mesh not in self.spans[1:])  # all spans share one run
        return (*((self.up,) if self.up else ()), *inside)

    @property
    def peer_links(self) -> Mesh | None:
        """The links between the two switches of each pair (`peer`); None if it has no pairs."""
        return next((mesh for mesh in self.links_inside if mesh.word == "peer"), None)

    @property
    def spans(self) -> tuple[Mesh, ...]:
        """The links to other sites."""
        return tuple(mesh for mesh in self.links_inside if mesh.word == "spans")

    @property
    def meshes(self) -> tuple[Mesh, ...]:
        """The links along its dimensions (`mesh`)."""
        return tuple(mesh for mesh in self.links_inside if mesh.word == "mesh")

    def count_addressed_links(self, run: PortRun) -> int:
        """Return how many links of a run of `switch_runs` have addresses, including links of units to come."""
        return max([run.count, *(mesh.max_links for mesh in self.links_inside if mesh.run is run)])

    def spare_ports(self, run: int = 0) -> int:
        """Return how many ports of `downs[run]` are not in use, numbered for reserved slots or kept for a purpose."""
        reserved_count = sum(ports for _, ports, _ in self.reserved) if run == 0 else 0
        return self.downs[run].capacity - self.numbered[run] - reserved_count if self.downs else 0

    def find_feed(self, source: TierKey) -> Feed:
        """Return the down ports for a lower tier; raises KeyError if there are none."""
        for feed in self.feeds:
            if feed.source == source:
                return feed
        raise KeyError(source)

    @property
    def oversubscription(self) -> Fraction | None:
        """Downlink bandwidth over uplink (or span) bandwidth of the fullest switch; None at the top, and without
        downlinks.
        """
        up_run = self.up or next((span.run for span in self.spans), None)
        down_gbps = sum(run.bandwidth_gbps for run in self.downs)
        return Fraction(down_gbps, up_run.bandwidth_gbps) if up_run and down_gbps else None


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
    """The tiers that its nodes attach to, perhaps of another fabric; empty if no nodes attach."""
    node_feeds: tuple[NodeFeed, ...]
    tiers: tuple[TierDesign, ...]
    extras: tuple[ExtraSet, ...]
    managed_devices: int
    """How many management ports of other fabrics' switches attach here."""
    path: Path
    shares_ports: bool = False
    """Whether its nodes use the ports of its carrier, in a VLAN, and have no ports of their own."""
    tagged: bool = False
    """Whether its VLAN is tagged on node ports."""
    bond: str = ""
    """`node` if all ports of a node are bonded, `nic` if the ports of each NIC are; "" if ports are not bonded."""
    address_per: str = "port"
    """`nic` if the ports of a NIC have one address in all planes, that of the port in the first plane."""

    @property
    def attachments(self) -> tuple[tuple[NodeSet, Attachment], ...]:
        """(nodes of a unit, how they attach), over all kinds of ports."""
        return tuple(pair for feed in self.node_feeds for pair in feed.attachments)

    @property
    def node_sets(self) -> tuple[NodeSet, ...]:
        """The sets of nodes that attach, without repetition, in the order of their unit."""
        by_path = {nodes.path: nodes for nodes, _ in self.attachments}
        return tuple(sorted(by_path.values(), key=lambda nodes: nodes.first))

    def feeds_of(self, leaf: TierKey) -> tuple[NodeFeed, ...]:
        """Return the node ports on one of its leaves."""
        return tuple(feed for feed in self.node_feeds if feed.leaf == leaf)

    @property
    def managing(self) -> tuple[TierDesign, ...]:
        """The tiers that management ports attach to: the lowest, one for each part of the cluster; empty if none do."""
        return tuple(tier for tier in self.tiers if tier.name == self.tiers[0].name) if self.managed_devices else ()

    @property
    def manages(self) -> bool:
        """Whether it connects BMCs or management ports of switches."""
        return self.managed_devices > 0 or any(a.role == "bmc" for _, a in self.attachments)

    @property
    def carrier(self) -> str:
        """The other fabric whose switches its nodes attach to, or its own tiers are below; "" if there is none."""
        guests = (leaf.fabric for leaf in self.leaves if leaf.fabric != self.name)
        if (owner := next(guests, None)) is not None:
            return owner
        uplinks = [tier.uplink for tier in self.tiers if tier.uplink and tier.uplink.fabric == self.name]
        return next((uplink.upper.fabric for uplink in uplinks if uplink.upper.fabric != self.name), "")

    def tier(self, name: str) -> TierDesign:
        """Return a tier by its name, with its part (`leaf/b300`); raises KeyError if there is none."""
        for tier in self.tiers:
            if tier.key.tier == name:
                return tier
        raise KeyError(name)

    def list_tiers_beside(self, tier: TierDesign, name: str) -> list[TierDesign]:
        """Return this fabric's tiers of a name for the part of the cluster that `tier` serves; for all parts if it
        serves all.
        """
        named = [other_tier for other_tier in self.tiers if other_tier.name == name]
        return (
            named
            if tier.layout.cluster is None
            else [other_tier for other_tier in named if other_tier.part == tier.part]
        )

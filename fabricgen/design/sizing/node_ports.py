"""Node ports of a lowest tier: how node slots are assigned to the leaves of a group, and how many ports that takes.

A group within a unit or rack has all its slots from the start: each leaf takes one block of them. A group that spans
units grows, so its leaves share every unit equally: in blocks if the slots of a unit divide by the leaves, else one
slot at a time. A further unit then moves no earlier slot.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fabricgen.design.fabric_model import Attachment, Feed, NodeFeed, find_jumps
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.ports import PortDemand, PortKind, SwitchDemand, find_down_class
from fabricgen.design.shape import spans_units
from fabricgen.design.sizing.kept import find_kept_split
from fabricgen.design.sizing.kept_front import MANAGEMENT_PORTS, Purpose, name_links_holder, name_nodes_holder
from fabricgen.design.slots import SlotTable
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.intervals import Intervals


class NodeDemand(NamedTuple):
    """Node ports of one kind that a fabric attaches to a lowest tier."""

    fabric: str
    part: str
    """The part of the cluster whose nodes have the ports."""
    kind: PortKind
    attachments: tuple[tuple[NodeSet, Attachment], ...]
    table: SlotTable


@dataclass(frozen=True, slots=True)
class SlotAssignment:
    """Node slots of the fullest group, by kind of port, and the `count` of leaves that they are assigned to.

    With `by_slot` the slots of reserved units are numbered too, else those of the units that exist.
    """

    count: int
    slots: tuple[int, ...]
    by_slot: bool = False


class NodePorts:
    """The node ports of a lowest tier, by kind of port."""

    def __init__(self, spec: TierSpec, demands: Sequence[NodeDemand]) -> None:
        self._spec, self._demands = spec, demands
        self.grows = spec.spec.spread is None and spans_units(spec.per)
        """Whether slots may be numbered by reserved unit."""

    @property
    def slots(self) -> tuple[int, ...]:
        """The slots of the fullest group that the tier is sized for, by kind of port."""
        return self.reserved if self._spec.for_reserve else tuple(d.table.slots_per_group for d in self._demands)

    @property
    def reserved(self) -> tuple[int, ...]:
        """The slots of the fullest group with every reserved unit, by kind of port."""
        return tuple(d.table.count_slots_to_serve(reserve=True) for d in self._demands)

    @property
    def in_use(self) -> tuple[int, ...]:
        """How many slots the fullest group has up to the last one in use, by kind of port, if units are numbered by
        reserved slot.
        """
        return tuple(d.table.number_units(by_slot=True).slots_in_use for d in self._demands)

    def make_feeds(self, assignment: SlotAssignment, first_ports: Sequence[tuple[int, int]]) -> list[NodeFeed]:
        """Return the feed of each kind of node port, which says how slots are assigned to leaves; `first_ports` are
        (run, first port) of each kind.
        """
        feeds = []
        for demand, number, (run, first_port) in zip(self._demands, assignment.slots, first_ports, strict=True):
            slots_per_leaf = -(-number // assignment.count)
            turn = max(1, self._choose_turn(demand.table, assignment.count, slots_per_leaf))
            feed_key = self._spec.key, demand.part, demand.attachments
            feeds.append(NodeFeed(*feed_key, run, first_port, slots_per_leaf, turn, assignment.by_slot))
        return feeds

    def _choose_turn(self, table: SlotTable, count: int, slots_per_leaf: int) -> int:
        """Return how many consecutive slots one of the `count` leaves of a group takes before it is the next leaf's
        turn; 0 if there are no slots.
        """
        if self._spec.spec.spread == "stripe":
            return 1
        if not self.grows:
            return slots_per_leaf
        return table.slots_per_unit // count if table.slots_per_unit % count == 0 else 1

    def count_ports(self, assignment: SlotAssignment, *, now: bool) -> list[tuple[int, int]]:
        """Return (ports in use on the fullest switch, ports numbered) by kind of port; unless `now`, all numbered ports
        count as in use.
        """
        feeds = self.make_feeds(assignment, [(0, 0)] * len(self._demands))
        pairs = zip(feeds, self._demands, strict=True)
        return [(_count_in_use(f, d.table, assignment.count) if now else f.per_switch, f.per_switch) for f, d in pairs]


def _count_in_use(feed: NodeFeed, table: SlotTable, count: int) -> int:
    """Return how many ports are in use on the fullest of `count` switches."""
    most_used = max(feed.list_used_ports(table.slots_per_group, count), default=0)
    if not feed.by_slot:
        return most_used
    groups = table.number_units(by_slot=True).groups
    return max(
        [most_used, *(sum(map(len, ranges)) for runs in groups for ranges in feed.list_port_ranges(runs, count))]
    )


# Down ports of a tier by purpose: for nodes, lower tiers, management ports, and extra devices.


class Reserve(NamedTuple):
    """Down ports set aside for extra devices: at least `per_switch` on every switch, and at least `total` over all
    switches.
    """

    per_switch: int = 0
    total: int = 0

    def count_ports(self, switches: int) -> int:
        """Return how many ports each switch sets aside if there are `switches` switches."""
        return max(self.per_switch, -(-self.total // switches))


class DownPorts:
    """Collects the purposes of a tier's down ports. Purposes with the same kind of port follow one another in one run.

    A purpose starts at a connector, so that no breakout cable serves two purposes.
    """

    def __init__(self, tier: TierSpec) -> None:
        self._tier = tier
        self._grows = spans_units(tier.per)
        self._counts: dict[PortKind, tuple[int, int]] = {}
        """(ports in use, ports numbered) of each kind, in the order of runs."""

    def port_demand(self, kind: PortKind, count: int = 0, ports: int = 0) -> PortDemand:
        """Return a demand for `count` ports of a kind in use of `ports` numbered ones, with the breakout that the tier
        states for it or the lock keeps.
        """
        spec = self._tier.spec
        stated_breakout = spec.find_breakout(kind.speed_gbps)
        # -1: the tier states breakouts, but none for this speed; None: ports are split as usual
        ways = stated_breakout.ways if stated_breakout else -1 if spec.breakout else find_kept_split(self._tier, kind)
        return PortDemand(kind, count, ways, ports)

    def add_purpose(self, kind: PortKind, used: int, numbered: int) -> tuple[int, int]:
        """Add a purpose with `used` ports in use of `numbered` ones, and return (run, first port)."""
        used_before, first_port = self._counts.get(kind, (0, 0))
        class_and_ways = find_down_class(self._tier.profile, self.port_demand(kind))
        # a purpose begins on a connector without ports of another purpose
        if first_port and class_and_ways:
            step = max(1, class_and_ways[1] // self._tier.profile.cages[class_and_ways[0]].connectors)
            first_port = -(-first_port // step) * step
        self._counts[kind] = used_before + used, first_port + numbered
        return list(self._counts).index(kind), first_port

    def sum_ports(self, runs: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return (ports used, ports numbered) of each of `runs` runs; runs beyond those of purposes hold extra devices
        only.
        """
        counts = [*self._counts.values(), *[(0, 0)] * (runs - len(self._counts))]
        return tuple(used for used, _ in counts), tuple(numbered for _, numbered in counts)

    def switch_demand(self, extra_ports: Mapping[PortKind, int], peers: tuple[PortDemand, ...]) -> SwitchDemand:
        """Return the demand on one switch, with `extra_ports` ports by kind for extra devices."""
        counts = self._counts | {kind: (0, 0) for kind in extra_ports if kind not in self._counts}
        purposes, free_ports = [kind.purpose for kind in counts], self._tier.free_ports
        downs = []
        for run, (kind, (used, numbered)) in enumerate(counts.items()):
            extra_count = extra_ports.get(kind, 0)
            port_demand = self.port_demand(
                kind, used + extra_count, numbered + extra_count + (free_ports if run == 0 else 0)
            )
            downs.append(replace(port_demand, last=self._grows and kind.purpose in purposes[:run]))
        return SwitchDemand(tuple(downs), peers, None, tuple(self._tier.cages.items()), self._tier.reserved_cages)


# What the down ports of a lowest tier are for, and where each purpose has its ports.


def list_purposes(
    demands: Sequence[NodeDemand], node_feeds: Sequence[NodeFeed], feeds: Sequence[Feed]
) -> list[Purpose]:
    """Return the purposes of the down ports of a lowest tier: nodes, by kind of port, then management and lower tiers,
    in the order of `feeds`.
    """
    kinds_by_holder: Counter[tuple[str, str]] = Counter()
    purposes = []
    for demand, feed in zip(demands, node_feeds, strict=True):
        fabric_and_part = demand.fabric, demand.part
        purposes.append(
            Purpose(
                name_nodes_holder(*fabric_and_part, kinds_by_holder[fabric_and_part]),
                feed.run,
                feed.first,
                feed.per_switch,
            )
        )
        # A holder's next kind of port has the next number.
        kinds_by_holder[fabric_and_part] += 1
    names = (name_links_holder(feed.source) if feed.links else MANAGEMENT_PORTS for feed in feeds)
    return [
        *purposes,
        *(Purpose(name, feed.run, feed.first, feed.numbered) for name, feed in zip(names, feeds, strict=True)),
    ]


def lay_feeds(
    demands: Sequence[NodeDemand],
    node_feeds: Sequence[NodeFeed],
    feeds: tuple[Feed, ...],
    ports_of_purposes: Sequence[Intervals],
) -> tuple[dict[str, tuple[NodeFeed, ...]], tuple[Feed, ...]]:
    """Return (the feeds of nodes by fabric, the other feeds) with the ports that each has been given.

    `ports_of_purposes` are in the order of `list_purposes`; feeds without ports there stay as they are.
    """
    feeds_by_fabric: dict[str, tuple[NodeFeed, ...]] = {}
    # purposes of nodes come first: the ports behind them are those of `feeds`
    for demand, feed, intervals in zip(demands, node_feeds, ports_of_purposes, strict=False):
        laid = feed._replace(first=intervals[0].first, jumps=find_jumps(intervals)) if intervals else feed
        feeds_by_fabric[demand.fabric] = (*feeds_by_fabric.get(demand.fabric, ()), laid)
    feeds_and_ports = zip(feeds, ports_of_purposes[len(demands) :], strict=True)
    return feeds_by_fabric, tuple(
        feed._replace(first=intervals[0].first, jumps=find_jumps(intervals)) if intervals else feed
        for feed, intervals in feeds_and_ports
    )

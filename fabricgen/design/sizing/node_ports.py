"""Node ports of a lowest tier: how node slots are assigned to the leaves of a group, and how many ports that takes.

A group within a unit or rack has all its slots from the start: each leaf takes one block of them. A group that spans
units grows, so its leaves share every unit equally: in blocks where the slots of a unit divide by the leaves, else one
slot at a time. A further unit then moves none of the earlier ones.
"""

from __future__ import annotations

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
    """The part of the cluster whose nodes they are for."""
    kind: PortKind
    attachments: tuple[tuple[NodeSet, Attachment], ...]
    table: SlotTable


@dataclass(frozen=True, slots=True)
class SlotAssignment:
    """Node slots of the fullest group, by kind of port, and the `count` of leaves in a group that they are assigned to.

    With `by_slot` slots are numbered by reserved unit, else by the units there are.
    """

    count: int
    slots: tuple[int, ...]
    by_slot: bool = False


class NodePorts:
    """The node ports of a lowest tier."""

    def __init__(self, spec: TierSpec, demands: Sequence[NodeDemand]) -> None:
        self._spec, self._demands = spec, demands
        self.grows = spec.spec.spread is None and spans_units(spec.per)
        """Whether slots may be numbered by reserved unit."""

    @property
    def slots(self) -> tuple[int, ...]:
        """Slots of the fullest group that the tier is sized for, by kind of port."""
        return self.reserved if self._spec.for_reserve else tuple(d.table.slots_per_group for d in self._demands)

    @property
    def reserved(self) -> tuple[int, ...]:
        """Slots of the fullest group with every reserved unit, by kind of port."""
        return tuple(d.table.count_slots_to_serve(reserve=True) for d in self._demands)

    @property
    def in_use(self) -> tuple[int, ...]:
        """Slots up to the last one in use where units are numbered by reserved slot, by kind of port."""
        return tuple(d.table.number_units(by_slot=True).slots_in_use for d in self._demands)

    def make_feeds(self, assignment: SlotAssignment, places: Sequence[tuple[int, int]]) -> list[NodeFeed]:
        """How slots are assigned to leaves, by kind of port; `places` are (run, first port) of each."""
        feeds = []
        for demand, number, (run, first) in zip(self._demands, assignment.slots, places, strict=True):
            slots_per_leaf = -(-number // assignment.count)
            turn = max(1, self._choose_turn(demand.table, assignment.count, slots_per_leaf))
            identity = self._spec.key, demand.part, demand.attachments
            feeds.append(NodeFeed(*identity, run, first, slots_per_leaf, turn, assignment.by_slot))
        return feeds

    def _choose_turn(self, table: SlotTable, count: int, slots_per_leaf: int) -> int:
        """How many consecutive slots one of the `count` leaves of a group takes before the next leaf's turn."""
        if self._spec.spec.spread == "stripe":
            return 1
        if not self.grows:
            return slots_per_leaf
        return table.slots_per_unit // count if table.slots_per_unit % count == 0 else 1

    def count_ports(self, assignment: SlotAssignment, *, now: bool) -> list[tuple[int, int]]:
        """(ports in use on the fullest switch, ports numbered) by kind of port; unless `now`, all numbered ports count
        as in use.
        """
        feeds = self.make_feeds(assignment, [(0, 0)] * len(self._demands))
        pairs = zip(feeds, self._demands, strict=True)
        return [(_count_in_use(f, d.table, assignment.count) if now else f.per_switch, f.per_switch) for f, d in pairs]


def _count_in_use(feed: NodeFeed, table: SlotTable, count: int) -> int:
    """Ports in use on the fullest of `count` switches."""
    most_used = max(feed.list_used_ports(table.slots_per_group, count), default=0)
    if not feed.by_slot:
        return most_used
    groups = table.number_units(by_slot=True).groups
    return max(
        [most_used, *(sum(map(len, ranges)) for runs in groups for ranges in feed.list_port_ranges(runs, count))]
    )


# Down ports of a tier by purpose: for nodes, lower tiers, management ports and extra devices.


class Reserve(NamedTuple):
    """Down ports set aside for extra devices: at least `per_switch` on every switch, and at least `total` in all."""

    per_switch: int = 0
    total: int = 0

    def count_ports(self, switches: int) -> int:
        """Ports set aside on each of so many switches."""
        return max(self.per_switch, -(-self.total // switches))


class DownPorts:
    """Collects the purposes of a tier's down ports; for each kind of port they follow one another in one run.

    A purpose starts at a connector, so that no breakout cable serves two.
    """

    def __init__(self, tier: TierSpec) -> None:
        self._tier = tier
        self._grows = spans_units(tier.per)
        self._kinds: list[PortKind] = []
        self._used: list[int] = []
        self._ports: list[int] = []

    def port_demand(self, kind: PortKind, count: int = 0, ports: int = 0) -> PortDemand:
        """A demand for ports of a kind, with the breakout that the tier states for it, or the lock keeps."""
        spec = self._tier.spec
        mode = spec.find_breakout(kind.speed_gbps)
        ways = mode.ways if mode else -1 if spec.breakout else find_kept_split(self._tier, kind)
        return PortDemand(kind, count, ways, ports)

    def add_purpose(self, kind: PortKind, used: int, room: int) -> tuple[int, int]:
        """Add a purpose with `used` ports in use, of `room` numbered ones; returns (run, first port)."""
        if kind not in self._kinds:
            self._kinds.append(kind)
            self._used.append(0)
            self._ports.append(0)
        run = self._kinds.index(kind)
        first = self._ports[run]
        chosen = find_down_class(self._tier.profile, self.port_demand(kind))
        # a purpose begins on a connector that no other has ports of
        if first and chosen:
            step = max(1, chosen[1] // self._tier.profile.cages[chosen[0]].connectors)
            first = -(-first // step) * step
        self._used[run] += used
        self._ports[run] = first + room
        return run, first

    def sum_ports(self, runs: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(ports used, ports numbered) of each of so many runs; further runs hold extra devices only."""
        zeros = (0,) * (runs - len(self._kinds))
        return (*self._used, *zeros), (*self._ports, *zeros)

    def switch_demand(self, extra_ports: Mapping[PortKind, int], peers: tuple[PortDemand, ...]) -> SwitchDemand:
        """The demand on one switch, with `extra_ports` ports by kind for extra devices."""
        kinds = [*self._kinds, *(k for k in extra_ports if k not in self._kinds)]
        spare = self._tier.free_ports
        downs = []
        for i, kind in enumerate(kinds):
            used, ports = (self._used[i], self._ports[i]) if i < len(self._kinds) else (0, 0)
            extra = extra_ports.get(kind, 0)
            port_demand = self.port_demand(kind, used + extra, ports + extra + (spare if i == 0 else 0))
            first = all(kind.purpose != other_kind.purpose for other_kind in kinds[:i])
            downs.append(replace(port_demand, last=self._grows and not first))
        return SwitchDemand(tuple(downs), peers, None, tuple(self._tier.cages.items()), self._tier.reserved_cages)


# What the down ports of a lowest tier are for, and where each purpose has its ports.


def list_purposes(demands: Sequence[NodeDemand], nodes: Sequence[NodeFeed], feeds: Sequence[Feed]) -> list[Purpose]:
    """What the down ports of a lowest tier are for: nodes, by kind of port, then management and lower tiers."""
    kinds_met: Counter[tuple[str, str]] = Counter()
    purposes = []
    for demand, feed in zip(demands, nodes, strict=True):
        identity = demand.fabric, demand.part
        purposes.append(
            Purpose(name_nodes_holder(*identity, kinds_met[identity]), feed.run, feed.first, feed.per_switch)
        )
        kinds_met[identity] += 1
    names = (name_links_holder(feed.source) if feed.links else MANAGEMENT_PORTS for feed in feeds)
    return [
        *purposes,
        *(Purpose(name, feed.run, feed.first, feed.room) for name, feed in zip(names, feeds, strict=True)),
    ]


def lay_feeds(
    demands: Sequence[NodeDemand], nodes: Sequence[NodeFeed], feeds: tuple[Feed, ...], ports: Sequence[Intervals]
) -> tuple[dict[str, tuple[NodeFeed, ...]], tuple[Feed, ...]]:
    """The feeds of nodes by fabric, and those of management, on their ports; `ports` are in the order of purposes."""
    feeds_by_fabric: dict[str, tuple[NodeFeed, ...]] = {}
    for demand, feed, own_intervals in zip(demands, nodes, ports, strict=False):
        laid = feed._replace(first=own_intervals[0].first, jumps=find_jumps(own_intervals)) if own_intervals else feed
        feeds_by_fabric[demand.fabric] = (*feeds_by_fabric.get(demand.fabric, ()), laid)
    managed = zip(feeds, ports[len(demands) :], strict=True)
    return feeds_by_fabric, tuple(
        f._replace(first=own_intervals[0].first, jumps=find_jumps(own_intervals)) if own_intervals else f
        for f, own_intervals in managed
    )

"""Node ports of a lowest tier: how node slots are assigned to the leaves of a group, and how many ports that takes.

A group within a unit or rack has all its slots from the start: each leaf takes one block of them. A group that spans
units grows, so its leaves share every unit equally: in blocks where the slots of a unit divide by the leaves, else one
slot at a time. A further unit then moves none of the earlier ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fabricgen.design.fabric_model import Attachment, NodeFeed
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.ports import PortKind
from fabricgen.design.shape import spans_units
from fabricgen.design.slots import SlotTable
from fabricgen.design.tiers import TierSpec


@dataclass(frozen=True, slots=True)
class NodeDemand:
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
        return tuple(d.table.slots_to_serve(reserve=True) for d in self._demands)

    @property
    def in_use(self) -> tuple[int, ...]:
        """Slots up to the last one in use where units are numbered by reserved slot, by kind of port."""
        return tuple(d.table.numbered(by_slot=True).slots_in_use for d in self._demands)

    def feeds(self, assignment: SlotAssignment, places: Sequence[tuple[int, int]]) -> list[NodeFeed]:
        """How slots are assigned to leaves, by kind of port; `places` are (run, first port) of each."""
        found = []
        for demand, number, (run, first) in zip(self._demands, assignment.slots, places, strict=True):
            each = -(-number // assignment.count)
            turn = max(1, self._turn(demand.table, assignment.count, each))
            of = self._spec.key, demand.part, demand.attachments
            found.append(NodeFeed(*of, run, first, each, turn, assignment.by_slot))
        return found

    def _turn(self, table: SlotTable, count: int, each: int) -> int:
        """How many consecutive slots a leaf takes before the next leaf's turn."""
        if self._spec.spec.spread == "stripe":
            return 1
        if not self.grows:
            return each
        return table.slots_per_unit // count if table.slots_per_unit % count == 0 else 1

    def ports(self, assignment: SlotAssignment, *, now: bool) -> list[tuple[int, int]]:
        """(ports in use on the fullest switch, ports numbered) by kind of port; unless `now`, all numbered ports count
        as in use.
        """
        feeds = self.feeds(assignment, [(0, 0)] * len(self._demands))
        pairs = zip(feeds, self._demands, strict=True)
        return [(_in_use(f, d.table, assignment.count) if now else f.per_switch, f.per_switch) for f, d in pairs]


def _in_use(feed: NodeFeed, table: SlotTable, count: int) -> int:
    """Ports in use on the fullest of `count` switches."""
    most = max(feed.used(table.slots_per_group, count), default=0)
    if not feed.by_slot:
        return most
    groups = table.numbered(by_slot=True).groups
    return max([most, *(sum(map(len, of)) for runs in groups for of in feed.intervals(runs, count))])

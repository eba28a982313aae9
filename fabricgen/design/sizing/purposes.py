"""What the down ports of a lowest tier are for, and where each purpose has its ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fabricgen.design.fabric_model import Feed, NodeFeed, jumps_of
from fabricgen.design.sizing.kept_front import MANAGEMENT_PORTS, Purpose, links_holder, nodes_holder
from fabricgen.design.sizing.node_ports import NodeDemand
from fabricgen.kernel.intervals import Intervals


def purposes_of(demands: Sequence[NodeDemand], nodes: Sequence[NodeFeed], feeds: Sequence[Feed]) -> list[Purpose]:
    """What the down ports of a lowest tier are for: nodes, by kind of port, then management and lower tiers."""
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for demand, feed in zip(demands, nodes, strict=True):
        of = demand.fabric, demand.part
        found.append(Purpose(nodes_holder(*of, seen[of]), feed.run, feed.first, feed.per_switch))
        seen[of] += 1
    names = (links_holder(feed.source) if feed.links else MANAGEMENT_PORTS for feed in feeds)
    return [*found, *(Purpose(name, feed.run, feed.first, feed.room) for name, feed in zip(names, feeds, strict=True))]


def laid_feeds(
    demands: Sequence[NodeDemand], nodes: Sequence[NodeFeed], feeds: tuple[Feed, ...], ports: Sequence[Intervals]
) -> tuple[dict[str, tuple[NodeFeed, ...]], tuple[Feed, ...]]:
    """The feeds of nodes by fabric, and those of management, on their ports; `ports` are in the order of purposes."""
    found: dict[str, tuple[NodeFeed, ...]] = {}
    for demand, feed, own in zip(demands, nodes, ports, strict=False):
        laid = replace(feed, first=own[0].first, jumps=jumps_of(own)) if own else feed
        found[demand.fabric] = (*found.get(demand.fabric, ()), laid)
    managed = zip(feeds, ports[len(demands) :], strict=True)
    return found, tuple(replace(f, first=own[0].first, jumps=jumps_of(own)) if own else f for f, own in managed)

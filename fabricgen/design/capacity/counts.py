"""Counts of links and cables, from the design alone; tests compare each with the wiring plan."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from fabricgen.design.fabric_model import FabricDesign, NodeFeed, TierDesign
from fabricgen.design.inside.meshes import count_mesh_cables, count_mesh_links
from fabricgen.design.model import Design
from fabricgen.design.ports import count_connectors
from fabricgen.design.shape import list_group_ranks, list_ranks
from fabricgen.design.sizing.spread import make_run_ports
from fabricgen.design.slots import SlotTable


class LinkCount(NamedTuple):
    """Links and cables between two tiers of a fabric; `node` stands for all endpoints."""

    lower: str
    upper: str
    links: int
    cables: int

    @property
    def key(self) -> str:
        """The name of the pair in summaries: `node-leaf`."""
        return f"{self.lower}-{self.upper}"


def make_slot_table(design: Design, feed: NodeFeed) -> SlotTable:
    """Return the table of slots on the lowest tier of a feed: which slot each leg (port) of its nodes has.

    A feed is the nodes whose ports to a tier are of one kind, and the down ports for these; a slot is the place of one
    leg in a group of switches. Units are numbered as the feed says (`by_slot`).
    """
    leaf = design.tier(feed.leaf)
    return SlotTable(leaf.layout.of_part(feed.part), leaf.per, leaf.sizes, feed.attachments, feed.by_slot)


def count_links(design: Design, fabric: FabricDesign) -> tuple[LinkCount, ...]:
    """Return the links and cables of a fabric by pair of tiers, from the nodes up."""
    totals: dict[tuple[str, str], list[int]] = {}
    meshes_inside = ((tier, mesh) for tier in fabric.tiers for mesh in tier.links_inside)
    counts = (
        *_count_node_links(design, fabric),
        *_count_switch_links(design, fabric),
        *(
            (tier.name, tier.name, count_mesh_links(tier, mesh), count_mesh_cables(tier, mesh))
            for tier, mesh in meshes_inside
        ),
    )
    for lower, upper, links, cables in counts:
        links_and_cables = totals.setdefault((lower, upper), [0, 0])
        links_and_cables[0] += links
        links_and_cables[1] += cables
    return tuple(LinkCount(lower, upper, links, cables) for (lower, upper), (links, cables) in totals.items())


def _count_node_links(design: Design, fabric: FabricDesign) -> Iterator[tuple[str, str, int, int]]:
    """Yield ("node", name of the tier, links, cables) of nodes, then of extra devices, then of management ports."""
    # (run, switch, connector) that omitted nodes leave empty; and runs whose connectors extra devices may share
    emptied_connectors: set[tuple[int, int, int]] = set()
    shared_runs: set[int] = set()
    for feed in fabric.node_feeds:
        leaf = design.tier(feed.leaf)
        links = cables = 0
        for nodes, attachment in feed.attachments:
            present = design.count_present(feed, nodes)
            links += present * len(attachment.legs)
            if attachment.links_per_connector > 1:
                cables += present * len({(leg.cage, leg.connector) for leg in attachment.legs})
        if feed.attachments[0][1].links_per_connector == 1:
            per_connector = leaf.downs[feed.run].links_per_connector
            cables = links if per_connector == 1 else 0
            if per_connector > 1:
                connectors = _LeafConnectors(make_slot_table(design, feed), leaf, feed)
                cables = connectors.count_used()
                shared_runs.add(feed.run)
                emptied_connectors |= {(feed.run, *switch_and_connector) for switch_and_connector in connectors.emptied}
        yield "node", leaf.name, links, cables
    for tier in design.tiers:
        extras = [extra for extra in fabric.extras if extra.tier == tier.key]
        if extras:
            links = sum(len(extra.links) for extra in extras)
            yield "node", tier.name, links, len(_list_extra_cables(fabric, tier, emptied_connectors, shared_runs))
    if fabric.managed_devices:
        yield "node", fabric.tiers[0].name, fabric.managed_devices, fabric.managed_devices


def _list_extra_cables(
    fabric: FabricDesign, tier: TierDesign, emptied_connectors: set[tuple[int, int, int]], shared_runs: set[int]
) -> set[tuple[int, int, int]]:
    """Return the cables of extra devices on a tier, as (run, switch, connector). An extra device on a connector that a
    breakout cable of nodes serves has no cable of its own.

    Breakout cables of nodes are on the runs in `shared_runs`, but not at the connectors in `emptied_connectors`, which
    omitted nodes leave empty.
    """
    connectors = set()
    for extra in fabric.extras:
        if extra.tier == tier.key:
            per_connector = tier.downs[extra.run].links_per_connector
            for link in extra.links:
                connector = (extra.run, link.switch, link.slot // per_connector)
                if (
                    not (link.in_hole and per_connector > 1 and extra.run in shared_runs)
                    or connector in emptied_connectors
                ):
                    connectors.add(connector)
    return connectors


class _LeafConnectors:
    """The connectors of leaves, each with one breakout cable to its nodes."""

    def __init__(self, table: SlotTable, leaf: TierDesign, feed: NodeFeed) -> None:
        self._table, self._leaf, self._feed = table, leaf, feed
        self._per = leaf.downs[feed.run].links_per_connector

    def count_used(self) -> int:
        """Return how many connectors have a node."""
        filled = sum(
            groups * count_connectors(ports, self._per)
            for runs, groups in self._table.groups.items()
            for ports in self._feed.list_port_ranges(runs, self._leaf.count)
        )
        return filled - len(self.emptied)

    @cached_property
    def emptied(self) -> set[tuple[int, int]]:
        """The connectors that omitted nodes leave empty, as (switch of the tier, connector of the run): all of their
        slots that belong to existing units are omitted.
        """
        count = self._leaf.count
        holes: Counter[tuple[int, int]] = Counter()
        for group, slot in self._table.list_holes():
            switch, port = self._feed.find_port_of_slot(slot, count)
            holes[group * count + switch, port // self._per] += 1
        return {key for key, missing in holes.items() if missing == self._count_slots(*key)}

    def _count_slots(self, switch: int, connector: int) -> int:
        """Return how many slots of a connector belong to units that exist."""
        group, index = divmod(switch, self._leaf.count)
        first_port, end_port = connector * self._per, (connector + 1) * self._per
        ports = self._feed.list_port_ranges(self._table.list_group_runs(group), self._leaf.count)[index]
        return sum(max(0, min(end_port, interval.stop) - max(first_port, interval.start)) for interval in ports)


def _count_switch_links(design: Design, fabric: FabricDesign) -> Iterator[tuple[str, str, int, int]]:
    """Yield (lower, upper, links, cables) of each pair of tiers whose links the fabric owns."""
    for lower in design.tiers:
        up, uplink = lower.up, lower.uplink
        if up is None or uplink is None or uplink.fabric != fabric.name:
            continue
        upper = design.tier(uplink.upper)
        run = upper.downs[upper.find_feed(lower.key).run]
        links_per_switch = uplink.links_per_group * uplink.upper_groups
        links = lower.switches * links_per_switch
        if up.links_per_connector > 1:
            # there is a breakout cable for each connector of the lower end, the last one perhaps part used
            cables = lower.switches * -(-links_per_switch // up.links_per_connector)
        elif run.links_per_connector > 1:
            cables = _count_upper_connectors(lower, upper, run.links_per_connector)
        else:
            cables = links
        yield lower.name, upper.name, links, cables


def _count_upper_connectors(lower: TierDesign, upper: TierDesign, per: int) -> int:
    """Return how many breakout cables join two tiers: how many connectors of the upper tier, of `per` ports each, have
    links of the lower tier.
    """
    uplink = lower.uplink
    assert uplink is not None  # noqa: S101 - callers hold a tier with uplinks
    feed = upper.find_feed(lower.key)
    connectors = [port // per for port in make_run_ports(upper, feed.run).list_ports_of(feed)]
    kinds = list_ranks(lower.per, lower.name, lower.count, upper.per, lower.sizes, lower.coarser)
    # upper groups that meet lower switches of the same kind are alike: one of each kind is counted
    groups_per_kind = upper.groups // upper.places // len(kinds)
    total = 0
    shape = lower.sizes, lower.coarser
    for ranks, groups in list_group_ranks(lower, lower.count, upper, *shape, by_slot=uplink.by_slot):
        if uplink.uneven:
            link_ends = (uplink.find_dealt_end(rank, link) for rank in ranks for link in range(uplink.links_per_group))
            connectors_in_use = len({(index, connectors[port]) for index, port in link_ends})
        else:
            links_by_upper = [range(uplink.count_links_to(index)) for index in range(uplink.upper_count)]
            connectors_in_use = sum(
                len({connectors[rank * feed.links + link] for rank in ranks for link in links})
                for links in links_by_upper
            )
        total += groups * groups_per_kind * connectors_in_use
    return total

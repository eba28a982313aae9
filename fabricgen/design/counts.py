"""Counts of links and cables, from the design alone; the plan must agree with each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fabricgen.design.layout import Layout
from fabricgen.design.model import Design, FabricDesign, TierDesign
from fabricgen.design.shape import Block, blocks, scope_count, scope_of
from fabricgen.design.sizing import within
from fabricgen.design.slots import SlotTable


@dataclass(frozen=True, slots=True)
class LinkCount:
    """Links and cables between two tiers of a fabric; `node` is the endpoint side."""

    lower: str
    upper: str
    links: int
    cables: int

    @property
    def key(self) -> str:
        """The name of the pair in summaries: `node-leaf`."""
        return f"{self.lower}-{self.upper}"


def slot_table(design: Design, fabric: FabricDesign) -> SlotTable:
    """The down-port slots of a fabric's lowest tier."""
    sizes = {"rail": fabric.rails, "plane": fabric.planes, "port": fabric.ports}
    return SlotTable(design.layout, fabric.tiers[0].per, sizes, fabric.attachments)


def link_counts(design: Design, fabric: FabricDesign) -> tuple[LinkCount, ...]:
    """Links and cables of a fabric, from the nodes up."""
    found: dict[tuple[str, str], list[int]] = {}
    for lower, upper, links, cables in (*_node_counts(design, fabric), *_switch_counts(design, fabric)):
        entry = found.setdefault((lower, upper), [0, 0])
        entry[0] += links
        entry[1] += cables
    return tuple(LinkCount(lower, upper, links, cables) for (lower, upper), (links, cables) in found.items())


def _node_counts(design: Design, fabric: FabricDesign) -> Iterator[tuple[str, str, int, int]]:
    """(lower, upper, links, cables) of nodes, extra devices and management ports."""
    leaf, layout = fabric.tiers[0], design.layout
    by_connector = _UsedConnectors(design, fabric)
    links = cables = 0
    for index, attachment in fabric.attachments:
        nodes = layout.node_sets[index]
        present = nodes.count * layout.units - layout.omitted_of(nodes)
        links += present * len(attachment.legs)
        if attachment.per_connector > 1:
            cables += present * len({(leg.cage, leg.connector) for leg in attachment.legs})
        elif leaf.down.per_connector == 1:
            cables += present * len(attachment.legs)
    yield "node", leaf.name, links, cables + by_connector.of_nodes()
    for tier in fabric.tiers:
        extra = [link for e in fabric.extras if e.tier == tier.name for link in e.links]
        if extra:
            own = len(extra) if tier.down.per_connector == 1 else by_connector.of_extras(tier)
            yield "node", tier.name, len(extra), own
    yield "node", leaf.name, fabric.managed_switches, fabric.managed_switches


class _UsedConnectors:
    """Leaf connectors that hold one breakout cable for the nodes and extras below them."""

    def __init__(self, design: Design, fabric: FabricDesign) -> None:
        self._design, self._fabric = design, fabric
        self._per = fabric.tiers[0].down.per_connector
        self._leaf_anchored = self._per > 1 and all(a.per_connector == 1 for _, a in fabric.attachments)

    def of_nodes(self) -> int:
        """Breakout cables whose common end is a leaf: one for each connector with a node behind it."""
        if not self._leaf_anchored:
            return 0
        table, per_switch = slot_table(self._design, self._fabric), self._fabric.slots_per_switch
        total = 0
        for slots, groups in table.group_sizes().items():
            full, rest = divmod(slots, per_switch)
            total += groups * (full * -(-per_switch // self._per) + -(-rest // self._per))
        return total - len(self._emptied(table))

    def _emptied(self, table: SlotTable) -> set[tuple[int, int]]:
        """(switch, connector) that hold omitted slots only."""
        count, per_switch = self._fabric.tiers[0].count, self._fabric.slots_per_switch
        holes: dict[tuple[int, int], int] = {}
        for group, slot in table.holes():
            key = (group * count + slot // per_switch, slot % per_switch // self._per)
            holes[key] = holes.get(key, 0) + 1
        return {key for key, missing in holes.items() if missing == self._slots_behind(table, *key)}

    def _slots_behind(self, table: SlotTable, switch: int, connector: int) -> int:
        """Node slots behind one connector of a leaf: fewer on the last of a group that does not divide."""
        count, per_switch = self._fabric.tiers[0].count, self._fabric.slots_per_switch
        slots = table.slots_in_group(switch // count)
        on_switch = min(per_switch, slots - switch % count * per_switch)
        return min(self._per, on_switch - connector * self._per)

    def of_extras(self, tier: TierDesign) -> int:
        """Breakout cables that extra devices add: those of connectors with no node behind them."""
        per = tier.down.per_connector
        used = {(link.switch, link.slot // per) for e in self._fabric.extras if e.tier == tier.name for link in e.links}
        if tier is not self._fabric.tiers[0] or not self._leaf_anchored:
            return len(used)
        table = slot_table(self._design, self._fabric)
        per_switch, emptied = self._fabric.slots_per_switch, self._emptied(table)
        fresh = {
            (switch, connector)
            for switch, connector in used
            if (switch, connector) in emptied
            or connector * per
            >= min(
                per_switch,
                table.slots_in_group(switch // tier.count) - switch % tier.count * per_switch,
            )
        }
        return len(fresh)


def _switch_counts(design: Design, fabric: FabricDesign) -> Iterator[tuple[str, str, int, int]]:
    """(lower, upper, links, cables) of each pair of tiers."""
    sizes = tier_sizes(fabric)
    for lower, upper in pairwise(fabric.tiers):
        up, uplink = lower.up, lower.uplink
        if up is None or uplink is None:
            continue
        links = lower.switches * uplink.links_per_group * uplink.upper_groups
        if up.per_connector > 1:
            wired = uplink.links_per_group * uplink.upper_groups
            cables = lower.switches * -(-wired // up.per_connector)
        elif upper.down.per_connector > 1:
            cables = _upper_connectors(design.layout, lower, upper, sizes)
        else:
            cables = links
        yield lower.name, upper.name, links, cables


def tier_sizes(fabric: FabricDesign) -> dict[str, int]:
    """Sizes of a fabric's inner dimensions: rail, plane, port, and each tier's switches per group."""
    return {"rail": fabric.rails, "plane": fabric.planes, "port": fabric.ports} | {
        t.name: t.count for t in fabric.tiers
    }


def _upper_connectors(layout: Layout, lower: TierDesign, upper: TierDesign, sizes: dict[str, int]) -> int:
    """Connectors of the upper tier that have a link: one breakout cable each."""
    uplink, per = lower.uplink, upper.down.per_connector
    assert uplink is not None  # noqa: S101 - callers hold a tier with uplinks
    each = within(lower, upper.per, sizes)
    inner_groups = upper.groups // scope_count(layout, scope_of(upper.per))
    total = 0
    for places, members in blocks(layout, scope_of(lower.per), scope_of(upper.per)):
        for index in range(uplink.upper_count):
            used = _connectors(members, each * uplink.share(index), per, by_slot=uplink.by_slot)
            total += places * inner_groups * used
    return total


def _connectors(members: tuple[Block, ...], ports_per_place: int, per: int, *, by_slot: bool) -> int:
    """Connectors touched by runs of ports, `per` ports to a connector."""
    total, last = 0, -1
    for block in members:
        start = (block.slot_start if by_slot else block.start) * ports_per_place
        end = start + block.length * ports_per_place
        if end > start:
            first, final = start // per, (end - 1) // per
            total += final - first + (first != last)
            last = final
    return total

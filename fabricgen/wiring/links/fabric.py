"""The links of a fabric, computed from the coordinates of their ends by broadcasting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fabricgen.blueprint.dimensions import dimension_of, is_told
from fabricgen.design.capacity.counts import slot_table
from fabricgen.design.fabric_model import (
    Attachment,
    ExtraSet,
    FabricDesign,
    Feed,
    NodeFeed,
    PeerLinks,
    TierDesign,
    TierKey,
    Uplink,
    port_at,
)
from fabricgen.design.layout import Layout
from fabricgen.design.media.allowed import (
    StatedMedia,
    media_of_extra,
    media_of_nodes,
    media_of_peer_links,
    media_of_uplinks,
)
from fabricgen.design.media.gearing import light_between
from fabricgen.design.media.policy import policy_of
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.shape import group_index, inner, met, met_together, place_numbers, scope_index
from fabricgen.design.sizing.spread import run_ports, uplink_ends
from fabricgen.design.slots import SlotTable
from fabricgen.wiring.links.columns import Columns, in_part, tier_columns
from fabricgen.wiring.links.management import deal_management
from fabricgen.wiring.tables import (
    EXTRA,
    DeviceClass,
    DeviceTable,
    Ints,
    ManagementPort,
    Segment,
)


@dataclass(frozen=True, slots=True)
class SegmentLinks:
    """The links of one segment, int32 columns of one length; rail and plane from 1, 0 for none."""

    segment: Segment
    a_device: Ints
    a_port: Ints
    b_device: Ints
    b_port: Ints
    rail: Ints
    plane: Ints


class FabricWiring:
    """Wires one fabric of a design."""

    def __init__(self, design: Design, devices: DeviceTable, fabric: FabricDesign) -> None:
        self._design, self._devices, self._fabric = design, devices, fabric
        self._layout = design.layout

    def wires(self) -> Iterator[SegmentLinks]:
        """Yield the fabric's links from the nodes up.

        Nodes, extra devices, management ports, each pair of tiers, then links inside tiers.
        """
        for feed in self._fabric.node_feeds:
            for nodes, attachment in feed.attachments:
                yield self._nodes(self._devices.of_nodes(nodes.path), attachment, feed)
        for extra in self._fabric.extras:
            yield self._extra(extra)
        for leaf in self._fabric.managing:
            yield self._management(leaf)
        for lower in self._design.tiers:
            if lower.uplink is not None and lower.uplink.fabric == self._fabric.name:
                yield self._uplinks(lower, self._design.tier(lower.uplink.upper))
        for tier in self._fabric.tiers:
            if tier.peer_links is not None:
                yield from self._peer_links(tier, tier.peer_links)

    def _switches(self, tier: TierDesign) -> DeviceClass:
        return self._devices.of_tier(tier.key)

    def _nodes(self, nodes: DeviceClass, attachment: Attachment, feed: NodeFeed) -> SegmentLinks:
        leaf = self._design.tier(feed.leaf)
        table = slot_table(self._design, feed)
        device, at = self._in_part(nodes, table.layout)
        node = self._devices.node[device]
        shape = (len(device), len(attachment.legs))
        switch, port = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
        for i, leg in enumerate(attachment.legs):
            combo = dict(zip(inner(leaf.per), table.combo(leg), strict=True))
            group = group_index(table.layout, leaf.per, leaf.sizes, at | combo)
            slot = self._slots(table, at, node, table.combo(leg)) + table.rank(attachment.legs, leg)
            index, port[:, i] = feed.port_of_slot(slot, leaf.count)
            switch[:, i] = group * leaf.count + index
        stated = media_of_nodes(self._design, self._fabric, leaf, rj45=attachment.kind.rj45)
        return SegmentLinks(
            self._segment(None, leaf, attachment, leaf.downs[feed.run], self._fabric.path, stated),
            np.repeat(device, shape[1]),
            np.tile(np.arange(shape[1], dtype=np.int32), shape[0]),
            self._switches(leaf).first + switch.ravel(),
            port.ravel(),
            np.tile(np.array([leg.rail for leg in attachment.legs], dtype=np.int32), shape[0]),
            np.tile(np.array([leg.plane for leg in attachment.legs], dtype=np.int32), shape[0]),
        )

    def _in_part(self, nodes: DeviceClass, layout: Layout) -> tuple[Ints, Columns]:
        """(rows of those of some nodes that are of a part of the cluster, where they stand in it); int32."""
        rows, devices = np.arange(nodes.rows.start, nodes.rows.stop, dtype=np.int32), self._devices
        columns = {"site": devices.site, "pod": devices.pod, "unit": devices.unit, "rack": devices.rack_in_unit}
        at = in_part(layout, {name: column[nodes.rows] for name, column in columns.items()})
        if (at["pod"] >= 0).all():
            return rows, at
        mine = np.flatnonzero(at["pod"] >= 0)
        return rows[mine], {name: column[mine] for name, column in at.items()}

    def _slots(self, table: SlotTable, at: Columns, node: Ints, combo: tuple[int, ...]) -> Any:
        """The first slot of each node in its group, for one combination of inner dimensions."""
        offsets = np.array(table.offsets[combo], dtype=np.int32)
        if table.is_part_of_unit:
            starts = np.array(table.part_starts[combo], dtype=np.int32)
            return offsets[node] - starts[table.part_of(at["rack"])]
        before = np.array(table.units_before, dtype=np.int32)
        return before[at["unit"]] * table.per_unit[combo] + offsets[node]

    def _segment(
        self, lower: TierDesign | None, upper: TierDesign, a: Any, b: Any, path: Any, stated: StatedMedia | None
    ) -> Segment:
        """The segment of links up from tier `lower`, or from nodes, extra devices or management ports (None)."""
        below = lower.profile.id if lower else a.profile.id if isinstance(a, Attachment) else ""
        policy = policy_of(self._design.loaded.blueprint, self._fabric.name, (below, upper.profile.id))
        name = lower.name if lower else "node"
        lane_gbps = b.lane_gbps if isinstance(a, ManagementPort) else light_between(self._design.catalog, a, b)
        found = Segment(
            self._fabric.name, name, upper.name, b.speed_gbps, lane_gbps, a, b, False, path, upper.key, policy=policy
        )
        if not isinstance(a, ManagementPort) and a.lane_gbps != b.lane_gbps:
            found = replace(found, geared=self._design.catalog.gearboxes)
        found = replace(found, protocol=self._fabric.protocol, lower_tier=lower.key if lower else None)
        if stated is None:
            return found
        media = tuple(profile.id for profile in stated.profiles(self._design.catalog))
        return replace(found, media=media, stated=stated.path)

    def _of_switches(self, devices: Ints) -> tuple[Ints, Ints]:
        """Rail and plane of links that inherit them from a switch; int32 from 1, 0 for none."""
        return self._devices.rail.take(devices) + 1, self._devices.plane.take(devices) + 1

    def _extra(self, extra: ExtraSet) -> SegmentLinks:
        tier = self._design.tier(extra.tier)
        owner = self._design.owner_of_extra[extra.name]
        devices = next(c for c in self._devices.classes if (c.kind, c.label) == (EXTRA, owner))
        place = {name: i for i, name in enumerate(self._design.extra_devices[owner][1])}
        # A set that states other names in another fabric is told as a clash (FG035), once devices have names.
        b = np.array([self._switches(tier).first + link.switch for link in extra.links], dtype=np.int32)
        rail, plane = self._of_switches(b)
        stated = media_of_extra(self._design, self._fabric, extra)
        return SegmentLinks(
            self._segment(None, tier, extra.attachment, tier.downs[extra.run], extra.path, stated),
            np.array(
                [devices.first + place.get(extra.devices[link.device], link.device) for link in extra.links], np.int32
            ),
            np.array([link.leg for link in extra.links], dtype=np.int32),
            b,
            np.array([link.slot for link in extra.links], dtype=np.int32),
            rail,
            plane,
        )

    def _management(self, leaf: TierDesign) -> SegmentLinks:
        """Links of management ports to the leaves of their place, on the ports after those of nodes."""
        feed = leaf.feed(TierKey("", ""))
        device, switch, port = deal_management(self._design, self._devices, leaf)
        switches = self._switches(leaf).first + switch
        rail, plane = self._of_switches(switches)
        run, stated = leaf.downs[feed.run], media_of_nodes(self._design, self._fabric, leaf, rj45=True)
        return SegmentLinks(
            self._segment(None, leaf, ManagementPort(), run, (*self._fabric.path, "also"), stated),
            device,
            np.zeros(len(device), dtype=np.int32),
            switches.astype(np.int32),
            np.asarray(port_at(feed.first, feed.jumps, port), dtype=np.int32),
            rail,
            plane,
        )

    def _uplinks(self, lower: TierDesign, upper: TierDesign) -> SegmentLinks:
        uplink = lower.uplink
        assert uplink is not None  # noqa: S101 - a tier below another has uplinks
        feed = upper.feed(lower.key)
        columns = tier_columns(lower)
        rank = lower_rank(lower, upper, columns)
        for d in inner(upper.per):
            if d not in columns and is_told(d, lower.per):
                finer = columns[dimension_of(d).follows]
                columns[d] = np.array(lower.coarser[d], dtype=np.int32)[finer]
        whole = met(lower.per, lower.name, upper.per)
        combos = np.indices([upper.sizes[d] for d in whole], dtype=np.int32).reshape(
            len(whole), uplink.upper_groups if whole else 0
        )
        assert lower.up is not None  # noqa: S101 - the same
        index, port = _upper_ends(uplink, lower.up, feed, rank)
        groups = []
        for g in range(uplink.upper_groups):
            at = columns | {d: np.full(lower.switches, combos[i, g], dtype=np.int32) for i, d in enumerate(whole)}
            groups.append(group_index(upper.layout, upper.per, upper.sizes, at))
        group = np.stack(groups, axis=1)[:, :, None]
        b = self._switches(upper).first + group * upper.count + index
        ports = np.array(run_ports(upper, feed.run).of(feed), dtype=np.int32)
        b_port = ports[port]
        each = uplink.links_per_group * uplink.upper_groups
        a = np.repeat(np.arange(lower.switches, dtype=np.int32) + self._switches(lower).first, each)
        a_port = np.tile(np.arange(each, dtype=np.int32), lower.switches)
        b_device = b.reshape(-1).astype(np.int32)
        rail, plane = self._of_pair(a, b_device)
        stated = media_of_uplinks(self._design, lower, upper)
        segment = self._segment(lower, upper, lower.up, upper.downs[feed.run], lower.path, stated)
        return SegmentLinks(segment, a, a_port, b_device, b_port.reshape(-1), rail, plane)

    def _peer_links(self, tier: TierDesign, peer_links: PeerLinks) -> Iterator[SegmentLinks]:
        """Peer links: between the two switches of each pair, or between the border switches of two sites."""
        first, ends = self._switches(tier).first, []
        if not peer_links.spans:
            lower = first + np.arange(0, tier.switches, 2, dtype=np.int32)
            stated = media_of_peer_links(self._design, tier, None)
            ends.append((lower, lower + 1, peer_links.run.count, (0, 0), (*tier.path, "peer"), 0.0, stated))
        each = tier.switches // len(self._layout.sites)
        for span in peer_links.spans:
            a, b = (first + site * each + np.arange(each, dtype=np.int32) for site in span.sites)
            stated = media_of_peer_links(self._design, tier, span)
            ends.append((a, b, span.links, span.first, span.path, span.km, stated))
        for a, b, links, starts, path, km, stated in ends:
            number = np.tile(np.arange(links, dtype=np.int32), len(a))
            a_device, b_device = np.repeat(a, links).astype(np.int32), np.repeat(b, links).astype(np.int32)
            rail, plane = self._of_pair(a_device, b_device)
            segment = replace(self._segment(tier, tier, peer_links.run, peer_links.run, path, stated), km=km)
            yield SegmentLinks(segment, a_device, starts[0] + number, b_device, starts[1] + number, rail, plane)

    def _of_pair(self, a: Ints, b: Ints) -> tuple[Ints, Ints]:
        """Rail and plane of links between switches: those of whichever end has one."""
        rails, planes = zip(self._of_switches(a), self._of_switches(b), strict=True)
        return np.maximum(*rails), np.maximum(*planes)


def _upper_ends(uplink: Uplink, run: PortRun, feed: Feed, rank: Ints) -> tuple[Ints, Ints]:
    """(upper switch in its group, number among its ports for this tier) of every uplink: int32 arrays (lower switch,
    upper group, link) of lower switches of some `rank`; links to one upper switch are adjacent where they are dealt in
    turn.
    """
    shape = len(rank), uplink.upper_groups, uplink.links_per_group
    if uplink.uneven:
        index, port = uplink.dealt(rank[:, None], np.arange(uplink.links_per_group, dtype=np.int32))
        order = np.lexsort((port, index))
        ends = (np.take_along_axis(column, order, axis=1)[:, None, :] for column in (index, port))
        found = [np.broadcast_to(column, shape) for column in ends]
    else:
        index, link = np.array(uplink_ends(uplink, run), dtype=np.int32).T.reshape(2, *shape[1:])
        found = [np.broadcast_to(index, shape), rank[:, None, None] * feed.links + link]
    return found[0], found[1]


def lower_rank(lower: TierDesign, upper: TierDesign, columns: Columns) -> Ints:
    """The rank of each lower switch among those that connect to the same upper group; int32.

    Reserved slots count where the upper switches have ports for them, so that growth moves no port.
    """
    uplink: Uplink | None = lower.uplink
    assert uplink is not None  # noqa: S101 - callers hold a tier with uplinks
    numbers = place_numbers(lower.layout, lower.scope, upper.scope, by_slot=uplink.by_slot)
    rank = np.array(numbers, dtype=np.int32)[scope_index(lower.layout, lower.scope, columns)]
    for dimension in inner(lower.per):
        if dimension not in upper.per:
            together = met_together(dimension, upper.per, lower.sizes[dimension], lower.coarser)
            place = {number: at for numbers in together for at, number in enumerate(numbers)}
            position = np.array([place[number] for number in range(len(place))], dtype=np.int32)
            rank = rank * max(map(len, together)) + position[columns[dimension]]
    if lower.name not in upper.per:
        rank = rank * lower.count + columns[lower.name]
    result: Ints = rank.astype(np.int32)
    return result

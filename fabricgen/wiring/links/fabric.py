"""The links of a fabric, computed from the coordinates of their ends by broadcasting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count as count_from
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
from fabricgen.design.kept.remembered import management_load
from fabricgen.design.layout import Layout
from fabricgen.design.management.load import ManagementLoad, in_turn, inside_text, own_kind
from fabricgen.design.management.managed import PLACES, Holder, ManagedDevices
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
from fabricgen.design.shape import group_index, inner, met, met_together, place_numbers, scope_index, scope_of
from fabricgen.design.sizing.spread import run_ports, uplink_ends
from fabricgen.design.slots import SlotTable
from fabricgen.kernel.intervals import Allocations, numbers
from fabricgen.wiring.arrays import Ints, Ints64, rank_within
from fabricgen.wiring.links.columns import Columns, in_part, tier_columns
from fabricgen.wiring.tables import EXTRA, TRAY, DeviceClass, DeviceTable, ManagementPort, Segment


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


# Management ports of switches: the leaf of the management fabric, and the port, that each is assigned to.


def deal_management(design: Design, devices: DeviceTable, leaf: TierDesign) -> tuple[Ints, Ints, Ints]:
    """(device, leaf, index among the leaf's ports for management) of every device that the leaves of a tier manage, by
    device; int32.
    """
    leaves, load, layout = tier_columns(leaf), management_load(design, leaf), leaf.layout
    areas = load.areas(leaf.switches, for_reserve=leaf.for_reserve)
    held = load.held(leaf.switches, for_reserve=leaf.for_reserve)
    found, dealt, port = [], [], []
    for place in PLACES:
        share = load.share(place, leaf.switches, for_reserve=leaf.for_reserve)
        ports = np.array(list(numbers(areas.get(place, ()))), dtype=np.int64)
        filled = share and not in_turn(place, scope_of(leaf.per))
        rank = _leaf_ranks(layout, load, place, leaves) if filled else None
        for managed in load.by_place[place]:
            cls = next(c for c in devices.classes if c.key == managed.key)
            rows, at = _managed_rows(devices, cls, load, place)
            position = _Positions(design, rows - cls.first, at, held, load, place, managed, cls).column()
            own = scope_index(layout, place, at)
            if rank is None:
                switch, nth = _in_turn(layout, place, own, leaves, position)
            else:
                switch, nth = _filled(rank, own, position, share)
            found.append(rows)
            dealt.append(switch)
            port.append(ports[nth])
    device = np.concatenate([np.empty(0, dtype=np.int32), *found])
    order = np.argsort(device, kind="stable")
    if not found:
        return device, device, device
    return device[order], np.concatenate(dealt)[order], np.concatenate(port)[order].astype(np.int32)


def _managed_rows(devices: DeviceTable, cls: DeviceClass, load: ManagementLoad, place: str) -> tuple[Ints, Columns]:
    """(rows of the devices of a class that some leaves manage in places of a scope, where they stand); int32."""
    rows = np.arange(cls.first, cls.first + cls.count, dtype=np.int32)
    at = in_part(load.layout, _where(devices, rows))
    if place == "all" or load.layout.cluster is None:
        return rows, at
    mine = np.isin(at["site"], load.sites) if place == "site" else at["pod"] >= 0
    return rows[mine], {name: column[mine] for name, column in at.items()}


class _Positions:
    """Positions of the switches of one tier, or of trays, in the numbering of the place whose leaves manage them."""

    def __init__(
        self,
        design: Design,
        ordinal: Ints,
        at: Columns,
        held: Mapping[str, Allocations],
        load: ManagementLoad,
        place: str,
        managed: ManagedDevices,
        cls: DeviceClass,
    ) -> None:
        """`ordinal` are the numbers of the devices in their class, int32, `at` where they stand."""
        self._layout, self._place, self._managed, self._kind = load.layout, place, managed, load.kind(place)
        self._scope = managed.scope_in(place)
        self._at, self._held = at, held
        if cls.kind == TRAY:
            self._label = np.zeros(len(ordinal), dtype=np.int64)
            self._index = rank_within(scope_index(self._layout, self._scope, self._at).astype(np.int32))
        else:
            tier = design.tier(cls.key)
            group, index = np.divmod(ordinal.astype(np.int64), tier.count)
            each = tier.groups // tier.places
            inside = place_numbers(tier.layout, tier.scope, managed.scope, by_slot=False)
            self._label = np.array(inside, dtype=np.int64)[group // each] * each + group % each
            self._index = index.astype(np.int32)

    def column(self) -> Ints64:
        """The position of every device, in row order; int64."""
        inside, where = self._insides()
        key = inside * len(self._managed.labels) + self._label
        found = np.zeros(len(key), dtype=np.int64)
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(key[order]) != 0])
        for rows in np.split(order, starts[1:]) if len(key) else ():
            kind, text = where[int(inside[rows[0]])]
            holder = Holder(
                self._managed.fabric, self._managed.tier, text, self._managed.labels[int(self._label[rows[0]])]
            )
            mine = np.array(list(numbers(self._held[kind][holder.name])), dtype=np.int64)
            found[rows] = mine[self._index[rows]]
        return found

    def _insides(self) -> tuple[Any, list[tuple[str, str]]]:
        """(index of each device's location inside the place; for each index its kind and holder text in the lock)."""
        layout, place, scope = self._layout, self._place, self._scope
        place_kind = self._kind
        if scope == place == "pod":
            own = [kind if (kind := own_kind(pod.name)) in self._held else place_kind for pod in layout.pods]
            return self._at["pod"], [(kind, "") for kind in own]
        if scope == place:
            kinds = [f"managed at {site}" for site in layout.sites] if place == "site" else [place_kind]
            return self._at["site"] * (place == "site"), [(kind, "") for kind in kinds]
        if place == "su":
            words = [inside_text(place, scope, "", 1, rack + 1) for rack in range(layout.racks_per_su)]
            return self._at["rack"], [(place_kind, text) for text in words]
        if scope == "site":
            return self._at["site"], [(place_kind, site) for site in layout.sites]
        kinds = [f"managed at {pod.site}" if place == "site" else place_kind for pod in layout.pods]
        if scope == "pod":
            return self._at["pod"], [(kind, pod.name) for kind, pod in zip(kinds, layout.pods, strict=True)]
        racks = (self._managed.layout or layout).racks_per_su if scope == "rack" else 1
        found = [
            (kind, inside_text(place, scope, pod.name, su + 1, rack + 1))
            for kind, pod in zip(kinds, layout.pods, strict=True)
            for su in range(pod.su)
            for rack in range(racks)
        ]
        return self._at["unit"] * racks + (self._at["rack"] if scope == "rack" else 0), found


def _where(devices: DeviceTable, rows: Ints) -> Columns:
    """Where some devices stand: site, pod, unit and rack of the unit."""
    at = {name: getattr(devices, name)[rows] for name in ("site", "pod", "unit")}
    return at | {"rack": devices.rack_in_unit[rows]}


def _in_turn(layout: Layout, place: str, own: Ints, leaves: Columns, position: Ints64) -> tuple[Ints, Ints64]:
    """(leaf, index of the port) of each position, round-robin over the leaves of its place; `own` are places."""
    of_leaf, scope = scope_index(layout, place, leaves), scope_of_columns(leaves)
    number = np.array(place_numbers(layout, scope), dtype=np.int64)
    order = np.lexsort((number[scope_index(layout, scope, leaves)], of_leaf))
    places = np.arange(int(of_leaf.max()) + 1)
    start = np.searchsorted(of_leaf[order], places)
    count = np.bincount(of_leaf, minlength=len(places))[own]
    return order[start[own] + position % count].astype(np.int32), position // count


def _leaf_ranks(layout: Layout, load: ManagementLoad, place: str, leaves: Columns) -> dict[tuple[int, int], int]:
    """(place, number of the leaf in the order they are filled) -> row of the leaf in its tier."""
    of_leaf = scope_index(layout, place, leaves)
    scope = scope_of_columns(leaves)
    slot = np.array(place_numbers(layout, scope), dtype=np.int64)[scope_index(layout, scope, leaves)]
    found: dict[tuple[int, int], int] = {}
    numbered_places = load.sites if place == "site" else count_from()
    for index, (kind, pods) in zip(numbered_places, load.instances(place), strict=False):
        rows = np.flatnonzero(of_leaf == index)
        rows = rows if load.leaves_have_order else rows[np.argsort(slot[rows], kind="stable")]
        numbered = load.leaf_numbers(place, kind, pods, len(rows))
        found |= {(index, number): int(row) for number, row in zip(numbered, rows, strict=True)}
    return found


def _filled(rank: dict[tuple[int, int], int], own: Ints, position: Ints64, each: int) -> tuple[Ints, Ints64]:
    """(leaf, index of the port) of each position where every leaf takes `each`; `own` are places."""
    pairs = zip(np.asarray(own).tolist(), (position // each).tolist(), strict=True)
    return np.array([rank[pair] for pair in pairs], dtype=np.int32), position % each


def scope_of_columns(columns: Columns) -> str:
    """The narrowest scope for which all rows have a coordinate."""
    for scope, name in (("rack", "rack"), ("su", "unit"), ("pod", "pod"), ("site", "site")):
        if (columns[name] >= 0).all():
            return scope
    return "all"

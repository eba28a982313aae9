"""The links of a fabric, computed from the coordinates of their ends by broadcasting."""

from collections.abc import Iterator, Mapping
from itertools import count as count_from
from typing import Any, NamedTuple

import numpy as np

from fabricgen.blueprint.dimensions import find_dimension, is_told
from fabricgen.design.capacity.counts import make_slot_table
from fabricgen.design.fabric_model import (
    Attachment,
    ExtraSet,
    FabricDesign,
    Feed,
    NodeFeed,
    TierDesign,
    TierKey,
    Uplink,
    find_port,
)
from fabricgen.design.inside.links import Mesh
from fabricgen.design.kept.remembered import make_management_load
from fabricgen.design.layout import Layout
from fabricgen.design.management.load import ManagementLoad, is_dealt_in_turn, name_inside, name_pod_kind
from fabricgen.design.management.managed import PLACES, Holder, ManagedDevices
from fabricgen.design.media.allowed import (
    StatedMedia,
    find_extra_media,
    find_node_media,
    find_peer_media,
    find_uplink_media,
)
from fabricgen.design.media.gearing import find_light_rate
from fabricgen.design.media.policy import make_policy
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.shape import (
    find_group_number,
    find_place_number,
    find_scope,
    group_met_numbers,
    list_inner_dimensions,
    list_met_dimensions,
    number_places,
)
from fabricgen.design.sizing.spread import list_uplink_ends, make_run_ports
from fabricgen.design.slots import SlotTable
from fabricgen.kernel.intervals import Allocations, list_numbers
from fabricgen.wiring.arrays import Ints, Ints64, rank_within
from fabricgen.wiring.links.columns import Columns, make_tier_columns, number_by_part
from fabricgen.wiring.links.meshes import join_mesh
from fabricgen.wiring.tables import EXTRA, TRAY, DeviceClass, DeviceTable, ManagementPort, Segment


class SegmentLinks(NamedTuple):
    """The links of one segment, int32 columns of one length; rail and plane from 1, 0 for none."""

    segment: Segment
    a_device: Ints
    a_port: Ints
    b_device: Ints
    b_port: Ints
    rail: Ints
    plane: Ints


class FabricWiring:
    """Makes the links of one fabric of a design: for each kind of link a segment, with columns of devices and ports."""

    def __init__(self, design: Design, devices: DeviceTable, fabric: FabricDesign) -> None:
        self._design, self._devices, self._fabric = design, devices, fabric
        self._layout = design.layout

    def list_links(self) -> Iterator[SegmentLinks]:
        """Yield the fabric's links: nodes, extra devices, management ports, each pair of tiers, then inside tiers."""
        for feed in self._fabric.node_feeds:
            for nodes, attachment in feed.attachments:
                yield self._wire_nodes(self._devices.find_nodes(nodes.path), attachment, feed)
        for extra in self._fabric.extras:
            yield self._wire_extra_devices(extra)
        for leaf in self._fabric.managing:
            yield self._wire_management_ports(leaf)
        for lower in self._design.tiers:
            if lower.uplink is not None and lower.uplink.fabric == self._fabric.name:
                yield self._wire_uplinks(lower, self._design.tier(lower.uplink.upper))
        for tier in self._fabric.tiers:
            for mesh in tier.links_inside:
                yield self._wire_inside(tier, mesh)

    def _find_switches(self, tier: TierDesign) -> DeviceClass:
        """Return the class of a tier in the device table."""
        return self._devices.find_tier(tier.key)

    def _wire_nodes(self, nodes: DeviceClass, attachment: Attachment, feed: NodeFeed) -> SegmentLinks:
        """Return the links from nodes to leaves, node by node and then leg by leg.

        The coordinates of a node and the dimensions of a leg choose the group of leaves; the slot of the leg in that
        group chooses the leaf and its port.
        """
        leaf = self._design.tier(feed.leaf)
        table = make_slot_table(self._design, feed)
        device, coords = self._select_nodes_of_part(nodes, table.layout)
        node = self._devices.node[device]
        shape = (len(device), len(attachment.legs))
        switch, port = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
        for i, leg in enumerate(attachment.legs):
            leg_coords = dict(zip(list_inner_dimensions(leaf.per), table.find_combination(leg), strict=True))
            group = find_group_number(table.layout, leaf.per, leaf.sizes, coords | leg_coords)
            slot = self._find_first_slots(table, coords, node, table.find_combination(leg)) + table.find_rank(
                attachment.legs, leg
            )
            leaf_in_group, port[:, i] = feed.find_port_of_slot(slot, leaf.count)
            switch[:, i] = group * leaf.count + leaf_in_group
        stated_media = find_node_media(self._design, self._fabric, leaf, rj45=attachment.kind.rj45)
        nodes_here, legs = shape
        # rows node by node, then leg by leg: `repeat` states each node once a leg, `tile` all legs once a node
        return SegmentLinks(
            segment=self._make_segment(None, leaf, attachment, leaf.downs[feed.run], self._fabric.path, stated_media),
            a_device=np.repeat(device, legs),
            a_port=np.tile(np.arange(legs, dtype=np.int32), nodes_here),
            b_device=self._find_switches(leaf).first + switch.ravel(),
            b_port=port.ravel(),
            rail=np.tile(np.array([leg.rail for leg in attachment.legs], dtype=np.int32), nodes_here),
            plane=np.tile(np.array([leg.plane for leg in attachment.legs], dtype=np.int32), nodes_here),
        )

    def _select_nodes_of_part(self, nodes: DeviceClass, layout: Layout) -> tuple[Ints, Columns]:
        """Return (device rows of the nodes in a layout's part of the cluster, int32; their coordinates in the part)."""
        rows = np.arange(nodes.rows.start, nodes.rows.stop, dtype=np.int32)
        coords = number_by_part(layout, _read_coordinates(self._devices, rows))
        if (coords["pod"] >= 0).all():
            return rows, coords
        inside = np.flatnonzero(coords["pod"] >= 0)
        return rows[inside], {name: column[inside] for name, column in coords.items()}

    def _find_first_slots(self, table: SlotTable, coords: Columns, node: Ints, combo: tuple[int, ...]) -> Any:
        """Return the first slot of each node in its group of leaves, int32, for legs of one combination (`SlotTable`).

        `node` is the number of each node in its unit. A group serves whole units, or a part of the racks of one unit.
        """
        slots_before_node = np.array(table.offsets[combo], dtype=np.int32)
        if table.is_part_of_unit:
            slots_before_part = np.array(table.part_starts[combo], dtype=np.int32)
            part_of_unit = table.find_part(coords["rack"])
            return slots_before_node[node] - slots_before_part[part_of_unit]
        units_before = np.array(table.units_before, dtype=np.int32)
        return units_before[coords["unit"]] * table.per_unit[combo] + slots_before_node[node]

    def _make_segment(
        self, lower: TierDesign | None, upper: TierDesign, a: Any, b: Any, path: Any, stated_media: StatedMedia | None
    ) -> Segment:
        """Return the segment of links from ports `a` of tier `lower` (None: of nodes and so on) to ports `b` above."""
        lower_profile = lower.profile.id if lower else a.profile.id if isinstance(a, Attachment) else ""
        policy = make_policy(self._design.loaded.blueprint, self._fabric.name, (lower_profile, upper.profile.id))
        name = lower.name if lower else "node"
        lane_gbps = b.lane_gbps if isinstance(a, ManagementPort) else find_light_rate(self._design.catalog, a, b)
        segment = Segment(
            self._fabric.name, name, upper.name, b.speed_gbps, lane_gbps, a, b, False, path, upper.key, policy=policy
        )
        if not isinstance(a, ManagementPort) and a.lane_gbps != b.lane_gbps:
            segment = segment._replace(gearboxes=self._design.catalog.gearboxes)
        segment = segment._replace(protocol=self._fabric.protocol, lower_tier=lower.key if lower else None)
        if stated_media is None:
            return segment
        media = tuple(profile.id for profile in stated_media.list_allowed_profiles(self._design.catalog))
        return segment._replace(media=media, media_path=stated_media.path)

    def _read_rail_and_plane(self, devices: Ints) -> tuple[Ints, Ints]:
        """Return (rail, plane) of links, by the rows of the switches they inherit these from; int32 from 1, 0: none."""
        # devices count them from 0, and have -1 for none
        return self._devices.rail.take(devices) + 1, self._devices.plane.take(devices) + 1

    def _wire_extra_devices(self, extra: ExtraSet) -> SegmentLinks:
        """Return the links of a set of extra devices, whose switches and ports the design has chosen one by one."""
        tier = self._design.tier(extra.tier)
        owner = self._design.owner_of_extra[extra.name]
        devices = next(c for c in self._devices.classes if (c.kind, c.label) == (EXTRA, owner))
        row_of_name = {name: i for i, name in enumerate(self._design.extra_devices[owner][1])}
        # A set that states other names in another fabric is told as a clash (FG035), once devices have names.
        switches = np.array([self._find_switches(tier).first + link.switch for link in extra.links], dtype=np.int32)
        rail, plane = self._read_rail_and_plane(switches)
        stated_media = find_extra_media(self._design, self._fabric, extra)
        return SegmentLinks(
            self._make_segment(None, tier, extra.attachment, tier.downs[extra.run], extra.path, stated_media),
            np.array(
                [devices.first + row_of_name.get(extra.devices[link.device], link.device) for link in extra.links],
                np.int32,
            ),
            np.array([link.leg for link in extra.links], dtype=np.int32),
            switches,
            np.array([link.slot for link in extra.links], dtype=np.int32),
            rail,
            plane,
        )

    def _wire_management_ports(self, leaf: TierDesign) -> SegmentLinks:
        """Return the links of management ports to the leaves of their place, on the ports after those of nodes."""
        feed = leaf.find_feed(TierKey("", ""))
        device, switch, port = deal_management(self._design, self._devices, leaf)
        switches = self._find_switches(leaf).first + switch
        rail, plane = self._read_rail_and_plane(switches)
        run, stated_media = leaf.downs[feed.run], find_node_media(self._design, self._fabric, leaf, rj45=True)
        return SegmentLinks(
            self._make_segment(None, leaf, ManagementPort(), run, (*self._fabric.path, "also"), stated_media),
            device,
            np.zeros(len(device), dtype=np.int32),
            switches.astype(np.int32),
            np.asarray(find_port(feed.first, feed.jumps, port), dtype=np.int32),
            rail,
            plane,
        )

    def _wire_uplinks(self, lower: TierDesign, upper: TierDesign) -> SegmentLinks:
        """Return the links of a tier to the one above, lower switch by lower switch, then by upper group.

        A lower switch has links to every upper group whose coordinates agree with its own in the dimensions that both
        have; its links to a group are spread over the switches of that group.
        """
        uplink = lower.uplink
        assert uplink is not None  # noqa: S101 - a tier below another has uplinks
        feed = upper.find_feed(lower.key)
        columns = make_tier_columns(lower)
        rank = rank_lower_switches(lower, upper, columns)
        for d in list_inner_dimensions(upper.per):
            # a switch of one rail is of one group of rails, too: the coarser dimension follows from the finer one
            if d not in columns and is_told(d, lower.per):
                finer = columns[find_dimension(d).follows]
                columns[d] = np.array(lower.coarser[d], dtype=np.int32)[finer]
        met_dimensions = list_met_dimensions(lower.per, lower.name, upper.per)
        combos = np.indices([upper.sizes[d] for d in met_dimensions], dtype=np.int32).reshape(
            len(met_dimensions), uplink.upper_groups if met_dimensions else 0
        )
        assert lower.up is not None  # noqa: S101 - the same
        index, port = _find_upper_ends(uplink, lower.up, feed, rank)
        groups = []
        for g in range(uplink.upper_groups):
            coords = columns | {
                d: np.full(lower.switches, combos[i, g], dtype=np.int32) for i, d in enumerate(met_dimensions)
            }
            groups.append(find_group_number(upper.layout, upper.per, upper.sizes, coords))
        # axes: lower switch, upper group, link to that group
        group = np.stack(groups, axis=1)[:, :, None]
        b = self._find_switches(upper).first + group * upper.count + index
        ports = np.array(make_run_ports(upper, feed.run).list_ports_of(feed), dtype=np.int32)
        b_port = ports[port]
        uplink_count = uplink.links_per_group * uplink.upper_groups
        a = np.repeat(np.arange(lower.switches, dtype=np.int32) + self._find_switches(lower).first, uplink_count)
        # uplink ports are taken in the order of the links, group by group
        a_port = np.tile(np.arange(uplink_count, dtype=np.int32), lower.switches)
        b_device = b.reshape(-1).astype(np.int32)
        rail, plane = self._merge_rail_and_plane(a, b_device)
        stated_media = find_uplink_media(self._design, lower, upper)
        segment = self._make_segment(lower, upper, lower.up, upper.downs[feed.run], lower.path, stated_media)
        return SegmentLinks(segment, a, a_port, b_device, b_port.reshape(-1), rail, plane)

    def _wire_inside(self, tier: TierDesign, mesh: Mesh) -> SegmentLinks:
        """Return the links between switches of one tier: of pairs, of a span between sites, or along a dimension."""
        ends = join_mesh(tier, mesh)
        a, b = (column + np.int32(self._find_switches(tier).first) for column in (ends.a, ends.b))
        stated_media = find_peer_media(self._design, tier, mesh)
        segment = self._make_segment(tier, tier, mesh.run, mesh.run, mesh.path, stated_media)._replace(mesh=mesh)
        return SegmentLinks(segment, a, ends.a_port, b, ends.b_port, *self._merge_rail_and_plane(a, b))

    def _merge_rail_and_plane(self, a: Ints, b: Ints) -> tuple[Ints, Ints]:
        """Return (rail, plane) of links between switches, from whichever end has one; int32 from 1, 0 for none."""
        rails, planes = zip(self._read_rail_and_plane(a), self._read_rail_and_plane(b), strict=True)
        # 0, for none, is below any number
        return np.maximum(*rails), np.maximum(*planes)


def _find_upper_ends(uplink: Uplink, run: PortRun, feed: Feed, rank: Ints) -> tuple[Ints, Ints]:
    """Return (upper switch in its group, index of its port among those for this tier) of every uplink.

    Both are int32 arrays of shape (lower switches, upper groups, links to a group); `rank` is that of each lower switch
    in its upper group. Uplinks of an `uneven` tier are sorted, so that links to one upper switch are adjacent.
    """
    shape = len(rank), uplink.upper_groups, uplink.links_per_group
    if uplink.uneven:
        index, port = uplink.find_dealt_end(rank[:, None], np.arange(uplink.links_per_group, dtype=np.int32))
        # along the last axis: the uplinks of each lower switch by upper switch, then by port
        order = np.lexsort((port, index))
        ends = (np.take_along_axis(column, order, axis=1)[:, None, :] for column in (index, port))
        index_and_port = [np.broadcast_to(column, shape) for column in ends]
    else:
        # pairs of numbers -> two arrays of shape (upper groups, links to a group)
        index, link = np.array(list_uplink_ends(uplink, run), dtype=np.int32).T.reshape(2, *shape[1:])
        index_and_port = [np.broadcast_to(index, shape), rank[:, None, None] * feed.links + link]
    return index_and_port[0], index_and_port[1]


def rank_lower_switches(lower: TierDesign, upper: TierDesign, columns: Columns) -> Ints:
    """Return the rank of each lower switch among those that connect to the same upper group, from 0; int32.

    Reserved slots are counted if the upper switches have ports for them, so that growth moves no port.
    """
    uplink: Uplink | None = lower.uplink
    assert uplink is not None  # noqa: S101 - callers hold a tier with uplinks
    place_numbers = number_places(lower.layout, lower.scope, upper.scope, by_slot=uplink.by_slot)
    rank = np.array(place_numbers, dtype=np.int32)[find_place_number(lower.layout, lower.scope, columns)]
    for dimension in list_inner_dimensions(lower.per):
        if dimension not in upper.per:
            value_groups = group_met_numbers(dimension, upper.per, lower.sizes[dimension], lower.coarser)
            index_of_number = {value: index for values in value_groups for index, value in enumerate(values)}
            position = np.array([index_of_number[value] for value in range(len(index_of_number))], dtype=np.int32)
            rank = rank * max(map(len, value_groups)) + position[columns[dimension]]
    if lower.name not in upper.per:
        rank = rank * lower.count + columns[lower.name]
    ranks: Ints = rank.astype(np.int32)
    return ranks


# Management ports of switches: the leaf of the management fabric, and the port, that each is assigned to.


def deal_management(design: Design, devices: DeviceTable, leaf: TierDesign) -> tuple[Ints, Ints, Ints]:
    """Return (device, leaf, port) of every device that the leaves of a tier manage, by device; int32.

    `leaf` is the index of the leaf in its tier, `port` that of the port among those it has for management. The leaves
    of a place are filled one after the other, or take devices in turn (`load.is_dealt_in_turn`).
    """
    leaves, load, layout = make_tier_columns(leaf), make_management_load(design, leaf), leaf.layout
    port_ranges = load.list_port_ranges(leaf.switches, for_reserve=leaf.for_reserve)
    lock_entries = load.list_lock_entries(leaf.switches, for_reserve=leaf.for_reserve)
    device_rows, leaf_indexes, port_numbers = [], [], []
    for place in PLACES:
        ports_per_leaf = load.count_shared_ports(place, leaf.switches, for_reserve=leaf.for_reserve)
        ports = np.array(list(list_numbers(port_ranges.get(place, ()))), dtype=np.int64)
        # 0 ports per leaf: these leaves manage nothing in that kind of place
        is_filled = ports_per_leaf and not is_dealt_in_turn(place, find_scope(leaf.per))
        row_of_rank = _rank_leaves(layout, load, place, leaves) if is_filled else None
        for managed in load.by_place[place]:
            cls = next(c for c in devices.classes if c.key == managed.key)
            rows, coords = _select_managed_devices(devices, cls, load, place)
            position = _ManagedPositions(
                design, rows - cls.first, coords, lock_entries, load, place, managed, cls
            ).list_positions()
            at_place = find_place_number(layout, place, coords)
            if row_of_rank is None:
                switch, port_index = _deal_in_turn(layout, place, at_place, leaves, position)
            else:
                switch, port_index = _fill_leaves(row_of_rank, at_place, position, ports_per_leaf)
            device_rows.append(rows)
            leaf_indexes.append(switch)
            port_numbers.append(ports[port_index])
    device = np.concatenate([np.empty(0, dtype=np.int32), *device_rows])
    order = np.argsort(device, kind="stable")  # dealt place by place, and listed by device
    if not device_rows:
        return device, device, device
    return device[order], np.concatenate(leaf_indexes)[order], np.concatenate(port_numbers)[order].astype(np.int32)


def _select_managed_devices(
    devices: DeviceTable, cls: DeviceClass, load: ManagementLoad, place: str
) -> tuple[Ints, Columns]:
    """Return (rows of a class's devices that the leaves of `load` manage, int32; their coordinates in its part)."""
    rows = np.arange(cls.first, cls.first + cls.count, dtype=np.int32)
    coords = number_by_part(load.layout, _read_coordinates(devices, rows))
    # a layout without `cluster` is that of the whole cluster, not of a part of it: nothing is another part's
    if place == "all" or load.layout.cluster is None:
        return rows, coords
    # of what serves a site, the sites whose switches these leaves manage; of all else their part's: others have pod -1
    inside = np.isin(coords["site"], load.sites) if place == "site" else coords["pod"] >= 0
    return rows[inside], {name: column[inside] for name, column in coords.items()}


class _ManagedPositions:
    """The positions of a tier's switches, or of trays, among all devices that the leaves of their place manage."""

    def __init__(
        self,
        design: Design,
        ordinal: Ints,
        coords: Columns,
        lock_entries: Mapping[str, Allocations],
        load: ManagementLoad,
        place: str,
        managed: ManagedDevices,
        cls: DeviceClass,
    ) -> None:
        """Take the number of each device in its class (`ordinal`, int32), their coordinates, and by kind and holder the
        positions that the lock has (`lock_entries`). `place` is a scope: what each set of leaves manages.
        """
        self._layout, self._place, self._managed, self._kind = load.layout, place, managed, load.make_lock_kind(place)
        self._scope = managed.find_scope_in(place)
        self._at, self._held = coords, lock_entries
        if cls.kind == TRAY:
            self._label = np.zeros(len(ordinal), dtype=np.int64)
            self._index = rank_within(find_place_number(self._layout, self._scope, self._at).astype(np.int32))
        else:
            tier = design.tier(cls.key)
            group, index = np.divmod(ordinal.astype(np.int64), tier.count)
            groups_per_place = tier.groups // tier.places
            # a group is labelled by its own place within the place that manages it, and by its number there
            place_numbers = number_places(tier.layout, tier.scope, managed.scope, by_slot=False)
            self._label = (
                np.array(place_numbers, dtype=np.int64)[group // groups_per_place] * groups_per_place
                + group % groups_per_place
            )
            self._index = index.astype(np.int32)

    def list_positions(self) -> Ints64:
        """Return the position of every device in the numbering of its managing place, in row order; int64."""
        location, holder_texts = self._locate_devices()
        key = location * len(self._managed.labels) + self._label
        positions = np.zeros(len(key), dtype=np.int64)
        order = np.argsort(key, kind="stable")
        # one look-up in the lock for all devices of a location and label, which are alike in `key`
        starts = np.flatnonzero(np.r_[True, np.diff(key[order]) != 0])
        for rows in np.split(order, starts[1:]) if len(key) else ():
            kind, text = holder_texts[int(location[rows[0]])]
            holder = Holder(
                self._managed.fabric, self._managed.tier, text, self._managed.labels[int(self._label[rows[0]])]
            )
            held_numbers = np.array(list(list_numbers(self._held[kind][holder.name])), dtype=np.int64)
            positions[rows] = held_numbers[self._index[rows]]
        return positions

    def _locate_devices(self) -> tuple[Any, list[tuple[str, str]]]:
        """Return (location of each device, as a number; (kind, text) by which the lock calls each location)."""
        layout, place, scope, place_kind = self._layout, self._place, self._scope, self._kind
        # a pod may have entries of its own in the lock, else it has those of all pods
        if scope == place == "pod":
            pod_kinds = [kind if (kind := name_pod_kind(pod.name)) in self._held else place_kind for pod in layout.pods]
            return self._at["pod"], [(kind, "") for kind in pod_kinds]
        if scope == place:
            # a device serves all of a place: the location is the site, or for the whole cluster 0
            kinds = [f"managed at {site}" for site in layout.sites] if place == "site" else [place_kind]
            return self._at["site"] * (place == "site"), [(kind, "") for kind in kinds]
        if place == "su":
            # the location is a rack of a unit; the lock has the same entries for all units
            texts = [name_inside(place, scope, "", 1, rack + 1) for rack in range(layout.racks_per_su)]
            return self._at["rack"], [(place_kind, text) for text in texts]
        if scope == "site":
            return self._at["site"], [(place_kind, site) for site in layout.sites]
        kinds = [f"managed at {pod.site}" if place == "site" else place_kind for pod in layout.pods]
        if scope == "pod":
            return self._at["pod"], [(kind, pod.name) for kind, pod in zip(kinds, layout.pods, strict=True)]
        # the location is a unit, or a rack of one, counted through all pods
        racks = (self._managed.layout or layout).racks_per_su if scope == "rack" else 1
        rack_holders = [
            (kind, name_inside(place, scope, pod.name, su + 1, rack + 1))
            for kind, pod in zip(kinds, layout.pods, strict=True)
            for su in range(pod.su)
            for rack in range(racks)
        ]
        return self._at["unit"] * racks + (self._at["rack"] if scope == "rack" else 0), rack_holders


def _read_coordinates(devices: DeviceTable, rows: Ints) -> Columns:
    """Return the columns site, pod, unit and rack (of the unit) of some devices."""
    coords = {name: getattr(devices, name)[rows] for name in ("site", "pod", "unit")}
    return coords | {"rack": devices.rack_in_unit[rows]}


def _deal_in_turn(layout: Layout, place: str, at_place: Ints, leaves: Columns, position: Ints64) -> tuple[Ints, Ints64]:
    """Return (leaf, index of its port) of each position, dealt in turn to the leaves of its place (`at_place`)."""
    place_of_leaf, scope = find_place_number(layout, place, leaves), find_narrowest_scope(leaves)
    slot = np.array(number_places(layout, scope), dtype=np.int64)
    order = np.lexsort((slot[find_place_number(layout, scope, leaves)], place_of_leaf))
    place_numbers = np.arange(int(place_of_leaf.max()) + 1)
    first_in_order = np.searchsorted(place_of_leaf[order], place_numbers)
    leaf_count = np.bincount(place_of_leaf, minlength=len(place_numbers))[at_place]
    # `order` has the leaves of a place side by side, from `first_in_order` on
    return order[first_in_order[at_place] + position % leaf_count].astype(np.int32), position // leaf_count


def _rank_leaves(layout: Layout, load: ManagementLoad, place: str, leaves: Columns) -> dict[tuple[int, int], int]:
    """Return the row in its tier of each leaf, by (number of its place, position in the order of filling)."""
    place_of_leaf = find_place_number(layout, place, leaves)
    scope = find_narrowest_scope(leaves)
    slot = np.array(number_places(layout, scope), dtype=np.int64)[find_place_number(layout, scope, leaves)]
    row_of_rank: dict[tuple[int, int], int] = {}
    # places other than sites are numbered without end, and as far as there are instances
    numbered_places = load.sites if place == "site" else count_from()
    for index, (kind, pods) in zip(numbered_places, load.list_places(place), strict=False):
        rows = np.flatnonzero(place_of_leaf == index)
        rows = rows if load.leaves_have_order else rows[np.argsort(slot[rows], kind="stable")]
        leaf_numbers = load.number_leaves(place, kind, pods, len(rows))
        row_of_rank |= {(index, number): int(row) for number, row in zip(leaf_numbers, rows, strict=True)}
    return row_of_rank


def _fill_leaves(
    row_of_rank: dict[tuple[int, int], int], at_place: Ints, position: Ints64, ports_per_leaf: int
) -> tuple[Ints, Ints64]:
    """Return (row of the leaf, index of its port) for each position among the ports of a place, leaf after leaf.

    `row_of_rank` has the leaf's row by (place, number of the leaf there)."""
    pairs = zip(np.asarray(at_place).tolist(), (position // ports_per_leaf).tolist(), strict=True)
    return np.array([row_of_rank[pair] for pair in pairs], dtype=np.int32), position % ports_per_leaf


def find_narrowest_scope(columns: Columns) -> str:
    """Return the narrowest scope (rack, su, pod, site) for which all rows have a coordinate, else "all"."""
    for scope, name in (("rack", "rack"), ("su", "unit"), ("pod", "pod"), ("site", "site")):
        if (columns[name] >= 0).all():
            return scope
    return "all"

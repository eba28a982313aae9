"""Management ports of switches: the leaf of the management fabric, and the port, that each is assigned to."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count as count_from
from typing import Any

import numpy as np

from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.kept.remembered import management_load
from fabricgen.design.layout import Layout
from fabricgen.design.management.load import ManagementLoad, in_turn, inside_text, own_kind
from fabricgen.design.management.managed import PLACES, Holder, ManagedDevices
from fabricgen.design.model import Design
from fabricgen.design.shape import place_numbers, scope_index, scope_of
from fabricgen.kernel.intervals import Allocations, numbers
from fabricgen.wiring.groups import rank_within
from fabricgen.wiring.links.columns import Columns, in_part, tier_columns
from fabricgen.wiring.tables import TRAY, DeviceClass, DeviceTable, Ints, Ints64


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

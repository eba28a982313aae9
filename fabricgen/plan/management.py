"""Management ports of switches: which leaf of the management fabric each is dealt to, and which of its ports."""

from __future__ import annotations

import numpy as np

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.layout import Layout
from fabricgen.design.management import Managed, ManagementLoad, in_turn, managed_devices, shared_scope
from fabricgen.design.model import Design
from fabricgen.design.shape import SCOPES, scope_index, scope_of
from fabricgen.plan.columns import Columns, rank_within, tier_columns
from fabricgen.plan.tables import DeviceTable, Ints


def deal_management(design: Design, devices: DeviceTable, fabric: FabricDesign) -> tuple[Ints, Ints, Ints]:
    """(device, leaf, port among those kept for management) of every managed device, in device order; int32."""
    leaf, layout = fabric.tiers[0], design.layout
    scope, leaves = scope_of(leaf.per), tier_columns(layout, leaf, fabric.tier_sizes)
    managed = managed_devices(design.fabrics, design.scale_up, fabric.name)
    load = ManagementLoad(layout, managed)
    found, dealt, port = [], [], []
    for place in SCOPES:
        mine = _managed_at(devices, place, scope, managed)
        if len(mine):
            nth = (
                None if in_turn(place, scope) else load.share(place, scope, leaf.switches, for_reserve=leaf.for_reserve)
            )
            switch = _deal(layout, devices, place, mine, leaves, nth)
            found.append(mine)
            dealt.append(switch)
            first = load.before(place, scope, leaf.switches, for_reserve=leaf.for_reserve)
            port.append(first + rank_within(switch))
    device = np.concatenate(found)
    order = np.argsort(device, kind="stable")
    return device[order], np.concatenate(dealt)[order], np.concatenate(port)[order].astype(np.int32)


def _managed_at(devices: DeviceTable, place: str, leaf_scope: str, managed: tuple[Managed, ...]) -> Ints:
    """Switches whose narrowest common place with the leaves is `place`, in the order they are dealt.

    Those that serve more come first, then unit by unit, so that a new unit moves none. Of those that serve more the
    first of each group comes before the second of any, so that a group that grows moves none of another.
    """
    scopes = {(m.fabric, m.tier): m.scope for m in managed if shared_scope(m.scope, leaf_scope) == place}
    mine = [
        (c, min(SCOPES.index(scopes[c.fabric, c.tier]), SCOPES.index("su")))
        for c in devices.classes
        if (c.fabric, c.tier) in scopes
    ]
    if not mine:
        return np.empty(0, dtype=np.int32)
    rows = np.concatenate([np.arange(c.first, c.first + c.count, dtype=np.int32) for c, _ in mine])
    wide = np.concatenate([np.full(c.count, scope) for c, scope in mine])
    of_class = np.concatenate([np.full(c.count, i) for i, (c, _) in enumerate(mine)])
    index = devices.index[rows]
    number = np.where(wide < SCOPES.index("su"), index, 0)
    order = np.lexsort((rows, index, of_class, number, devices.unit[rows], wide))
    dealt: Ints = rows[order]
    return dealt


def _deal(layout: Layout, devices: DeviceTable, place: str, rows: Ints, leaves: Columns, each: int | None) -> Ints:
    """Deal devices over the leaves of their place: in turn, or `each` to a leaf before the next."""
    at = {name: getattr(devices, name)[rows] for name in ("site", "pod", "unit")}
    at["rack"] = devices.rack_in_unit[rows]
    own = scope_index(layout, place, at)
    of_leaf = scope_index(layout, place, leaves)
    order = np.argsort(of_leaf, kind="stable")
    places = np.arange(int(of_leaf.max()) + 1)
    start = np.searchsorted(of_leaf[order], places)
    count = np.bincount(of_leaf, minlength=len(places))
    rank = rank_within(own)
    nth = rank % count[own] if each is None else rank // each
    dealt: Ints = order[start[own] + nth].astype(np.int32)
    return dealt

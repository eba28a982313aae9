"""Subnets of rails: which subnet each NIC port is in, and the host number of a node, which is the same in all of them.

Each leaf has one subnet for every rail, plane and NIC port that it serves, in this order. A node's host number is its
slot among the nodes that the leaf's group serves, reserved units included; an IPv4 subnet is a /24 or larger. Extra
devices are numbered downward from the end of the subnet, one number a port, so that they do not hinder growth; which
numbers each of them has is kept in the lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, collapse_addresses, ip_network, summarize_address_range
from typing import cast

import numpy as np

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.dimensions import leg_number
from fabricgen.design.extras.kept_ports import plugged_before
from fabricgen.design.fabric_model import Attachment, ExtraSet, FabricDesign, Leg, TierDesign, TierKey
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.shape import inner, is_part_of_unit, racks_each, unit_group_numbers, within_unit
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import Interval, numbers
from fabricgen.kernel.units import power_of_two_at_least
from fabricgen.numbering.addresses.demand import RESERVED_IN_SUBNET, subnet_size
from fabricgen.numbering.blocks.block_allocator import BlockAllocator
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, Family, Network
from fabricgen.numbering.blocks.pools import pool_prefixes
from fabricgen.numbering.slot_counts import node_slot_count, served_members, slots_of_part
from fabricgen.numbering.underlay import families, is_management
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.links.columns import in_part, tier_columns
from fabricgen.wiring.tables import WiringPlan

RailKey = tuple[int, int, int]
"""(rail, plane, port of the NIC), from 1: what a subnet belongs to."""

LAST_VLAN = 4094


@dataclass(frozen=True)
class LeafSubnets:
    """The subnets of a fabric's rails on the switches of one tier.

    `size`: addresses of each subnet; `most`: subnets reserved on each switch; both powers of two. Switches that serve
    the same rails and planes share an entry of `keys`, the keys of their subnets; `combo` (int64, one a switch) indexes
    it.
    """

    size: int
    most: int
    keys: tuple[tuple[RailKey, ...], ...]
    combo: Ints64

    def labels(self, switch: int) -> list[str]:
        """The names of the subnets of a switch (its index in the tier): rail3, rail3-plane2, rail3-port2."""
        keys = self.keys[self.combo[switch]]
        every = [key for found in self.keys for key in found]
        planes, ports = (len({key[i] for key in every}) > 1 for i in (1, 2))
        return [f"rail{r}{f'-plane{n}' if planes else ''}{f'-port{m}' if ports else ''}" for r, n, m in keys]


@dataclass(frozen=True)
class RailSubnets:
    """The subnets of a fabric's rails, by tier that its nodes attach to.

    Per link of the plan, int64, -1 for links of others: `subnet` indexes the keys of its switch, `number` is the host
    number.
    """

    leaves: Mapping[TierKey, LeafSubnets]
    subnet: Ints64
    number: Ints64

    @property
    def most(self) -> int:
        """The most subnets on one switch."""
        return max(len(keys) for leaf in self.leaves.values() for keys in leaf.keys)


def rail_subnets(
    plan: WiringPlan, fabric: FabricDesign, tiers: Sequence[TierDesign], vlan: int, blocks: BlockAllocator
) -> RailSubnets:
    """Compute the subnets of a fabric's rails on the tiers that its nodes attach to; `vlan` is that of the first.

    Numbers of extra devices, and of nodes where a switch has those of several parts of the cluster, are taken from
    `blocks`.

    Raises InputError where its VLANs from `vlan` on run past the last there is.
    """
    found = RailSubnets({}, np.full(len(plan.links), -1, dtype=np.int64), np.full(len(plan.links), -1, dtype=np.int64))
    for tier in tiers:
        dimensions = inner(tier.per)
        columns = tier_columns(tier)
        of_switch = list(zip(*(columns[d].tolist() for d in dimensions), strict=True)) or [()] * len(columns["pod"])
        keys: dict[tuple[int, ...], set[RailKey]] = {combo: set() for combo in sorted(set(of_switch))}
        for attachment in _attachments(fabric, tier):
            for leg in attachment.legs:
                keys[_combo(leg, dimensions)].add(_key(leg))
        ordered = {combo: tuple(sorted(some)) for combo, some in keys.items()}
        places = {combo: i for i, combo in enumerate(ordered)}
        most = max(map(len, ordered.values()))
        if vlan + most - 1 > LAST_VLAN:
            raise fault(
                "FG114",
                f"{fabric.name} has {most} subnets on a {tier.name}, in VLANs from {vlan} on, past {LAST_VLAN}",
                path=(*fabric.path, "vlan"),
                hint=f"state `vlan: {LAST_VLAN + 1 - most}` or less",
            )
        combo = np.array([places[c] for c in of_switch], dtype=np.int64)
        leaf = LeafSubnets(subnet_size(fabric, tier), power_of_two_at_least(most), tuple(ordered.values()), combo)
        found = replace(found, leaves={**found.leaves, tier.key: leaf})
        _place_nodes(found, plan, fabric, tier, _node_slots(plan, fabric, tier, blocks), ordered)
    _place_extras(found, plan, fabric, tiers, blocks)
    return found


def _attachments(fabric: FabricDesign, tier: TierDesign) -> list[Attachment]:
    return [attachment for feed in fabric.feeds_of(tier.key) for _, attachment in feed.attachments]


def _key(leg: Leg) -> RailKey:
    return leg.rail, leg.plane, leg.port


def _combo(leg: Leg, dimensions: Sequence[str]) -> tuple[int, ...]:
    """The values of a leg, from 0, in the dimensions by which the switches of a place are grouped."""
    return tuple(leg_number(dimension, leg) - 1 for dimension in dimensions)


def _place_nodes(
    found: RailSubnets,
    plan: WiringPlan,
    fabric: FabricDesign,
    tier: TierDesign,
    slot: Ints64,
    keys: dict[tuple[int, ...], tuple[RailKey, ...]],
) -> None:
    """Set subnet and number of the links of nodes to a tier."""
    links, dimensions = plan.links, inner(tier.per)
    for i, segment in enumerate(links.segments):
        mine = segment.fabric == fabric.name and segment.path == fabric.path and segment.tier == tier.key
        if not mine or not isinstance(segment.a, Attachment):
            continue
        rows = np.flatnonzero(links.segment == i)
        legs = [keys[_combo(leg, dimensions)].index(_key(leg)) for leg in segment.a.legs]
        found.subnet[rows] = np.array(legs, dtype=np.int64)[links.a_port[rows]]
        found.number[rows] = RESERVED_IN_SUBNET + slot[links.a_device[rows]]


def _place_extras(
    found: RailSubnets,
    plan: WiringPlan,
    fabric: FabricDesign,
    tiers: Sequence[TierDesign],
    blocks: BlockAllocator,
) -> None:
    """Set subnet and number of the links of extra devices: in the subnet of their rail where the switch has it."""
    extras = [extra for extra in fabric.extras if extra.tier in found.leaves]
    ports = Counter(extra.devices[link.device] for extra in extras for link in extra.links)
    rooms = (found.leaves[tier.key].size - node_slot_count(fabric, tier) for tier in tiers)
    most = min(rooms) - RESERVED_IN_SUBNET - 1
    given = blocks.places(f"hosts {fabric.name}", ports, plugged_before(blocks.before, fabric.name), most)
    free = {device: numbers(given[device]) for device in ports}
    for extra in extras:
        leaf, legs = found.leaves[extra.tier], [extra.attachment.legs[link.leg] for link in extra.links]
        for row, link, leg in zip(_rows_of(plan, extra).tolist(), extra.links, legs, strict=True):
            rails = [key[0] for key in leaf.keys[leaf.combo[link.switch]]]
            found.subnet[row] = rails.index(leg.rail) if leg.rail in rails else 0
            found.number[row] = leaf.size - 2 - next(free[extra.devices[link.device]])


def _rows_of(plan: WiringPlan, extra: ExtraSet) -> Ints64:
    """The rows of the links of some extra devices, in the order in which their ports were assigned."""
    segments = [i for i, segment in enumerate(plan.links.segments) if segment.path == extra.path]
    return np.flatnonzero(np.isin(plan.links.segment, segments)).astype(np.int64)


def _node_slots(plan: WiringPlan, fabric: FabricDesign, tier: TierDesign, blocks: BlockAllocator) -> Ints64:
    """The slot of each node among the nodes that its group of switches serves; int64, one a device, 0 for others.

    Where a group has nodes of several parts of the cluster, the slots of each are those of the lock, or the next free.
    """
    devices, parts = plan.devices, tier.layout.by_part
    slot = np.zeros(len(devices), dtype=np.int64)
    wanted = {_holder(part): slots_of_part(fabric, layout, tier.scope) for part, layout in parts.items()}
    given = blocks.places(f"hosts {fabric.name} /nodes", wanted, (), 1 << 20) if len(parts) > 1 else {}
    for part, layout in parts.items():
        at = in_part(layout, {"pod": devices.pod, "unit": devices.unit})
        mine = np.flatnonzero((devices.node >= 0) & (at["pod"] >= 0))
        served = served_members(layout, fabric.node_sets)
        rank = _ranks(layout, served, tier.scope)
        own = rank[devices.node[mine]] + _unit_slots(layout, at["unit"][mine], tier.scope) * len(served)
        slot[mine] = np.array(list(numbers(given[_holder(part)])), dtype=np.int64)[own] if given else own
    return slot


def _holder(part: str) -> str:
    """What the lock calls a part of the cluster: `part b300`."""
    return f"part {part}".rstrip()


def _ranks(layout: Layout, served: Sequence[int], scope: str) -> Ints64:
    """The rank of each member of a unit among those served in its place; int64, by number."""
    rank, racks = np.zeros(layout.members_per_su, dtype=np.int64), racks_each(layout, scope)
    for place, member in enumerate(served):
        first = 0
        if is_part_of_unit(scope):
            part = layout.racks_of_members[member] // racks
            first = next(i for i, m in enumerate(served) if layout.racks_of_members[m] // racks == part)
        rank[member] = place - first
    return rank


def _unit_slots(layout: Layout, unit: Ints, scope: str) -> Ints64:
    """The slot of each of some units within the place of a scope; int64."""
    if within_unit(scope):
        return np.zeros(len(unit), dtype=np.int64)
    return np.array(unit_group_numbers(layout, "su", scope, by_slot=True), dtype=np.int64)[unit]


# The fewest prefixes that cover all nodes of a fabric; they stay the same when the fabric grows.


def nodes_in(fabric: str) -> str:
    """The part of a block's name by which the blocks of a fabric's nodes are recognised."""
    return f"nodes of {fabric} in "


def node_prefixes(
    design: Design, lock: Lock, used: Collection[tuple[str, str]], fabric: FabricDesign, family: Family
) -> tuple[str, ...]:
    """Prefixes of one family that cover all nodes of a fabric and no node of another; as text, ascending.

    They are the fabric's pool if no other fabric uses it, else the fabric's blocks in the lock, reserved slots
    included. `used` are (kind of number, name) of the holders in the lock that are in use.
    """
    if family.word not in families(design, fabric):
        return ()
    own = _pools(design, fabric, family)
    others = [f for f in design.fabrics if f is not fabric and family.word in families(design, f)]
    if any(a.overlaps(b) for f in others for a in own for b in _pools(design, f, family)):
        names = [n for n in lock.of(family.kind) if f" {nodes_in(fabric.name)}" in n and (family.kind, n) in used]
        own = [prefix for n in names for interval in lock.of(family.kind)[n] for prefix in _prefixes(family, interval)]
    # All are of one family, which the type of a network does not say.
    return tuple(str(prefix) for prefix in collapse_addresses(cast("list[IPv4Network]", own)))


def _pools(design: Design, fabric: FabricDesign, family: Family) -> list[Network]:
    name = "management" if is_management(fabric) else "hosts"
    return [ip_network(text) for text in pool_prefixes(design.loaded.blueprint, fabric.name, name, family)[0]]


def _prefixes(family: Family, interval: Interval) -> list[Network]:
    """The fewest prefixes that make up consecutive addresses."""
    first, last = interval.first, interval.end - 1
    if family.bits == ROUTER_ID_BITS:
        return [*summarize_address_range(IPv4Address(first), IPv4Address(last))]
    return [*summarize_address_range(IPv6Address(first), IPv6Address(last))]

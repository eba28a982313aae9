"""Subnets of rails: which subnet each NIC port is in, and the host number of a node, which is the same in all of them.

Each leaf has one subnet for every rail, plane and NIC port that it serves, in this order. A node's host number is its
slot among the nodes that the leaf's group serves, reserved units included; an IPv4 subnet is a /24 or larger. Extra
devices are numbered downward from the end of the subnet, one number a port, so that they do not hinder growth; the lock
keeps these numbers.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, collapse_addresses, ip_network, summarize_address_range
from typing import NamedTuple, cast

import numpy as np

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.dimensions import find_leg_number
from fabricgen.design.extras.kept_ports import list_plugged_devices
from fabricgen.design.fabric_model import Attachment, FabricDesign, Leg, TierDesign, TierKey
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.shape import (
    count_racks_per_place,
    is_part_of_unit,
    is_within_unit,
    list_inner_dimensions,
    number_unit_groups,
)
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import Interval, list_numbers
from fabricgen.kernel.units import round_up_to_power_of_two
from fabricgen.numbering.addresses.demand import RESERVED_IN_SUBNET, size_rail_subnet
from fabricgen.numbering.blocks.block_allocator import BlockAllocator
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, Family, Network
from fabricgen.numbering.blocks.pools import find_pool_prefixes
from fabricgen.numbering.slot_counts import count_node_slots, count_part_slots, list_served_members
from fabricgen.numbering.underlay import is_management, list_families
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.links.columns import make_tier_columns, number_by_part
from fabricgen.wiring.tables import WiringPlan

RailKey = tuple[int, int, int]
"""The (rail, plane, port of the NIC), each from 1, that a subnet is for."""

LAST_VLAN = 4094


class LeafSubnets(NamedTuple):
    """The subnets of a fabric's rails on the switches of one tier.

    `size` is the count of addresses of each subnet, `subnets_kept` the count of subnets reserved on each switch; both
    are powers of two. `keys` has the keys of the subnets of each kind of switch, that is switches with the same rails
    and planes; `combo` (int64, one a switch) is the index of a switch's kind.
    """

    size: int
    subnets_kept: int
    keys: tuple[tuple[RailKey, ...], ...]
    combo: Ints64

    def list_labels(self, switch: int) -> list[str]:
        """Return the names of the subnets of a switch, given by its index in the tier: `rail3`, `rail3-plane2`,
        `rail3-port2`.

        Planes and ports are named if there are several in the tier.
        """
        rail_keys = self.keys[self.combo[switch]]
        all_keys = [rail_key for switch_keys in self.keys for rail_key in switch_keys]
        has_planes, has_ports = (len({rail_key[i] for rail_key in all_keys}) > 1 for i in (1, 2))
        return [
            f"rail{rail}{f'-plane{plane}' if has_planes else ''}{f'-port{port}' if has_ports else ''}"
            for rail, plane, port in rail_keys
        ]


class RailSubnets(NamedTuple):
    """The subnets of a fabric's rails, by tier that its nodes attach to.

    `subnet` and `number` are int64, one entry for each link of the plan, -1 for links of other fabrics: the index of
    the link's subnet in `LeafSubnets.keys` of the switch's kind, and the number of the host in the subnet.
    """

    leaves: Mapping[TierKey, LeafSubnets]
    subnet: Ints64
    number: Ints64

    @property
    def most_subnets(self) -> int:
        """The count of subnets, and so of VLANs, on the leaf that serves most rails."""
        return max(len(keys) for leaf in self.leaves.values() for keys in leaf.keys)


def allocate_rail_subnets(
    plan: WiringPlan, fabric: FabricDesign, tiers: Sequence[TierDesign], vlan: int, blocks: BlockAllocator
) -> RailSubnets:
    """Return the subnets of a fabric's rails on the tiers that its nodes attach to; `vlan` is that of the first subnet.

    The numbers of extra devices are taken from `blocks`, and those of nodes if a switch has nodes of several parts of
    the cluster. Raises InputError (FG114) if VLANs from `vlan` on would run past 4094.
    """
    subnets = RailSubnets(
        {}, np.full(len(plan.links), -1, dtype=np.int64), np.full(len(plan.links), -1, dtype=np.int64)
    )
    for tier in tiers:
        dimensions = list_inner_dimensions(tier.per)
        columns = make_tier_columns(tier)
        # the inner coordinates of each switch; switches that share them have the same rails
        switch_combos = list(zip(*(columns[d].tolist() for d in dimensions), strict=True)) or [()] * len(columns["pod"])
        key_sets: dict[tuple[int, ...], set[RailKey]] = {combo: set() for combo in sorted(set(switch_combos))}
        attachments = (attachment for feed in fabric.feeds_of(tier.key) for _, attachment in feed.attachments)
        for leg in (leg for attachment in attachments for leg in attachment.legs):
            key_sets[_make_combo(leg, dimensions)].add((leg.rail, leg.plane, leg.port))
        keys_of_combo = {combo: tuple(sorted(rail_keys)) for combo, rail_keys in key_sets.items()}
        index_of_combo = {combo: i for i, combo in enumerate(keys_of_combo)}
        most_keys = max(map(len, keys_of_combo.values()))
        if vlan + most_keys - 1 > LAST_VLAN:
            raise fault(
                "FG114",
                f"{fabric.name} has {most_keys} subnets on a {tier.name}, in VLANs from {vlan} on, past {LAST_VLAN}",
                path=(*fabric.path, "vlan"),
                hint=f"state `vlan: {LAST_VLAN + 1 - most_keys}` or less",
            )
        combo = np.array([index_of_combo[c] for c in switch_combos], dtype=np.int64)
        leaf_subnets = LeafSubnets(
            size_rail_subnet(fabric, tier), round_up_to_power_of_two(most_keys), tuple(keys_of_combo.values()), combo
        )
        subnets = subnets._replace(leaves={**subnets.leaves, tier.key: leaf_subnets})
        _number_nodes(subnets, plan, fabric, tier, _assign_node_slots(plan, fabric, tier, blocks), keys_of_combo)
    _number_extras(subnets, plan, fabric, tiers, blocks)
    return subnets


def _make_combo(leg: Leg, dimensions: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of a leg (a port of a node) in some dimensions, from 0: rail 3 and plane 1 are (2, 0).

    `dimensions` are those by which the switches of a tier are told apart within a place, such as `rail` and `plane`.
    """
    return tuple(find_leg_number(dimension, leg) - 1 for dimension in dimensions)


def _number_nodes(
    subnets: RailSubnets,
    plan: WiringPlan,
    fabric: FabricDesign,
    tier: TierDesign,
    slot: Ints64,
    keys: dict[tuple[int, ...], tuple[RailKey, ...]],
) -> None:
    """Set the subnet and the host number of the links between nodes and a tier, in the columns of `subnets`.

    `slot` is the slot of each node, by device. `keys` has the subnets of a switch, each as (rail, plane, port of the
    NIC), by what `_make_combo` returns for the ports that the switch serves.
    """
    links, dimensions = plan.links, list_inner_dimensions(tier.per)
    for i, segment in enumerate(links.segments):
        belongs = segment.fabric == fabric.name and segment.path == fabric.path and segment.tier == tier.key
        if not belongs or not isinstance(segment.a, Attachment):
            continue
        rows = np.flatnonzero(links.segment == i)
        legs = [keys[_make_combo(leg, dimensions)].index((leg.rail, leg.plane, leg.port)) for leg in segment.a.legs]
        subnets.subnet[rows] = np.array(legs, dtype=np.int64)[links.a_port[rows]]
        subnets.number[rows] = RESERVED_IN_SUBNET + slot[links.a_device[rows]]


def _number_extras(
    subnets: RailSubnets,
    plan: WiringPlan,
    fabric: FabricDesign,
    tiers: Sequence[TierDesign],
    blocks: BlockAllocator,
) -> None:
    """Set the subnet and the host number of the links of extra devices, in the columns of `subnets`: the subnet of
    their rail if the switch has that rail, else its first.
    """
    extras = [extra for extra in fabric.extras if extra.tier in subnets.leaves]
    ports = Counter(extra.devices[link.device] for extra in extras for link in extra.links)
    # the addresses that nodes leave free in the fullest subnet
    free_counts = (subnets.leaves[tier.key].size - count_node_slots(fabric, tier) for tier in tiers)
    free_numbers = min(free_counts) - RESERVED_IN_SUBNET - 1
    numbers_by_device = blocks.allocate_places(
        f"hosts {fabric.name}", ports, list_plugged_devices(blocks.before, fabric.name), free_numbers
    )
    next_numbers = {device: list_numbers(numbers_by_device[device]) for device in ports}
    for extra in extras:
        leaf, legs = subnets.leaves[extra.tier], [extra.attachment.legs[link.leg] for link in extra.links]
        segments = [i for i, segment in enumerate(plan.links.segments) if segment.path == extra.path]
        # in the order in which their ports were assigned
        rows = np.flatnonzero(np.isin(plan.links.segment, segments)).tolist()
        for row, link, leg in zip(rows, extra.links, legs, strict=True):
            rails = [key[0] for key in leaf.keys[leaf.combo[link.switch]]]
            subnets.subnet[row] = rails.index(leg.rail) if leg.rail in rails else 0
            # down from the end of a subnet, before its broadcast address, so that both nodes and extras may grow
            subnets.number[row] = leaf.size - 2 - next(next_numbers[extra.devices[link.device]])


def _assign_node_slots(plan: WiringPlan, fabric: FabricDesign, tier: TierDesign, blocks: BlockAllocator) -> Ints64:
    """Return the slot of each node among the nodes that its group of switches serves; int64 by device, 0 for other
    devices.

    If a group has nodes of several parts of the cluster, each part keeps its slots of the lock, or takes the next free.
    """
    devices, layout_of_part = plan.devices, tier.layout.by_part
    slot = np.zeros(len(devices), dtype=np.int64)
    counts = {
        _name_holder(part): count_part_slots(fabric, layout, tier.scope) for part, layout in layout_of_part.items()
    }
    # more places than a group of switches has ports
    slots_by_part = (
        blocks.allocate_places(f"hosts {fabric.name} /nodes", counts, (), 1 << 20) if len(layout_of_part) > 1 else {}
    )
    for part, layout in layout_of_part.items():
        columns = number_by_part(layout, {"pod": devices.pod, "unit": devices.unit})
        nodes = np.flatnonzero((devices.node >= 0) & (columns["pod"] >= 0))
        served_members = list_served_members(layout, fabric.node_sets)
        rank = _rank_members(layout, served_members, tier.scope)
        unit_slots = np.zeros(len(nodes), dtype=np.int64)
        if not is_within_unit(tier.scope):
            units = np.array(number_unit_groups(layout, "su", tier.scope, by_slot=True), dtype=np.int64)
            unit_slots = units[columns["unit"][nodes]]
        slot[nodes] = rank[devices.node[nodes]] + unit_slots * len(served_members)
        if slots_by_part:
            part_slots = np.array(list(list_numbers(slots_by_part[_name_holder(part)])), dtype=np.int64)
            slot[nodes] = part_slots[slot[nodes]]
    return slot


def _name_holder(part: str) -> str:
    """Return the name under which the lock keeps the node slots of a part of the cluster: `part b300`, or `part` for
    the part without a name.
    """
    return f"part {part}".rstrip()


def _rank_members(layout: Layout, served: Sequence[int], scope: str) -> Ints64:
    """Return for each member (node) of a unit how many served members come before it; int64, by the member's number.

    If switches serve a part of a unit, such as a rack, the members of each part are counted from 0. Members that are
    not in `served` have 0.
    """
    rank, racks = np.zeros(layout.kind.members, dtype=np.int64), count_racks_per_place(layout, scope)
    members_ranked = Counter[int]()
    for member in served:
        part = layout.kind.racks_of_members[member] // racks if is_part_of_unit(scope) else 0
        rank[member] = members_ranked[part]
        members_ranked[part] += 1
    return rank


# Prefixes that cover all nodes of a fabric; they stay the same when the fabric grows.


def name_node_blocks(fabric: str) -> str:
    """Return the words that a lock has in the names of blocks for nodes of a fabric: `nodes of compute in `."""
    return f"nodes of {fabric} in "


def list_node_prefixes(
    design: Design, lock: Lock, used: Collection[tuple[str, str]], fabric: FabricDesign, family: Family
) -> tuple[str, ...]:
    """Return the fewest prefixes of one family that cover all nodes of a fabric and no node of another; as text,
    ascending.

    They are the fabric's pool if no other fabric uses it, else the fabric's blocks in the lock, reserved slots
    included. `used` has the (kind of number, name) of each block of the lock that is in use.
    """
    if family.word not in list_families(design, fabric):
        return ()
    networks = _list_pool_networks(design, fabric, family)
    other_fabrics = [f for f in design.fabrics if f is not fabric and family.word in list_families(design, f)]
    if any(a.overlaps(b) for f in other_fabrics for a in networks for b in _list_pool_networks(design, f, family)):
        names = [
            n
            for n in lock.find_allocations(family.kind)
            if f" {name_node_blocks(fabric.name)}" in n and (family.kind, n) in used
        ]
        networks = [
            prefix
            for n in names
            for interval in lock.find_allocations(family.kind)[n]
            for prefix in _list_prefixes(family, interval)
        ]
    # all are of one family, which the type Network (IPv4 or IPv6) does not say
    return tuple(str(prefix) for prefix in collapse_addresses(cast("list[IPv4Network]", networks)))


def _list_pool_networks(design: Design, fabric: FabricDesign, family: Family) -> list[Network]:
    """Return the prefixes from which the nodes of a fabric take their addresses."""
    name = "management" if is_management(fabric) else "hosts"
    return [ip_network(text) for text in find_pool_prefixes(design.loaded.blueprint, fabric.name, name, family)[0]]


def _list_prefixes(family: Family, interval: Interval) -> list[Network]:
    """Return the fewest prefixes that make up an interval of addresses."""
    first_address, last_address = interval.first, interval.end - 1
    if family.bits == ROUTER_ID_BITS:
        return [*summarize_address_range(IPv4Address(first_address), IPv4Address(last_address))]
    return [*summarize_address_range(IPv6Address(first_address), IPv6Address(last_address))]

"""The demand on address pools, computed from the design alone, without expanding it to columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.blueprint.dimensions import find_leg_number, list_leg_dimensions
from fabricgen.design.extras.exits import ExitDesign, list_exits, pair_addresses
from fabricgen.design.fabric_model import Attachment, FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.design.srv6 import IDENTIFIER_BITS, find_srv6, uses_srv6
from fabricgen.kernel.units import round_up_to_power_of_two
from fabricgen.numbering.addresses.relayed_vrfs import list_relayed_vrfs
from fabricgen.numbering.blocks.family import FAMILIES, ROUTER_ID_BITS, V6, Family
from fabricgen.numbering.slot_counts import count_group_slots, count_node_slots, count_numbered_groups, group_capacity
from fabricgen.numbering.underlay import is_management, is_routed, links_carry_vrfs, list_families, numbers_links


class PoolDemand(NamedTuple):
    """Addresses of one family that the switches of a tier, or their nodes, take from a pool.

    `fabric` is "" where no fabric takes them, but the cluster.
    """

    fabric: str
    pool: str
    family: Family
    now: int
    """Addresses for the switches that exist."""
    reserved: int
    """The same once every reserved slot is filled."""
    block: int
    """Addresses that are allocated: the reserved ones, rounded up to a power of two."""


def list_pool_demands(design: Design) -> Iterator[PoolDemand]:
    """Yield all demands on address pools, in both families."""
    for family in FAMILIES:
        fabrics = [f for f in design.fabrics if family.word in list_families(design, f)]
        for fabric in filter(is_routed, design.fabrics):
            if fabric in fabrics or family.bits == ROUTER_ID_BITS:
                yield from (_make_demand(fabric.name, "loopback", family, fabric, t, 1) for t in fabric.tiers)
        for owner, tier, _ in list_relayed_vrfs(design, family):
            yield _make_demand(owner.name, "loopback", family, owner, tier, 1)
        yield from _list_link_demands(design, fabrics, family)
        yield from _list_exit_demands(design, fabrics, family)
        for fabric in fabrics:
            yield from _list_node_demands(design, fabric, family)
            yield from _list_identifier_demands(design, fabric, family)
        managed = any(f.managed_devices for f in design.fabrics)
        if not managed and design.loaded.blueprint.ip in (family.word, "dual"):
            yield _make_management_demand(design, family)


def _make_demand(
    drawing_fabric: str, pool: str, family: Family, owner: FabricDesign, tier: TierDesign, per_switch: int
) -> PoolDemand:
    """Return a demand of `per_switch` addresses for each switch of a tier; a block of single ones leaves its first
    unused.
    """
    numbered = count_numbered_groups(tier) * tier.count
    slots = count_group_slots(owner, tier) * group_capacity(tier)
    # so that no host has the network address of a block of single addresses
    block = round_up_to_power_of_two(slots + 1 if per_switch == 1 else slots) * per_switch
    return PoolDemand(
        drawing_fabric, pool, family, tier.switches * per_switch, max(numbered, tier.switches) * per_switch, block
    )


def _list_link_demands(design: Design, fabrics: list[FabricDesign], family: Family) -> Iterator[PoolDemand]:
    """Yield addresses of links between switches: of a fabric's own links, and of each VRF on the links that it
    passes.
    """
    counted_vrfs: set[tuple[str, str]] = set()
    for fabric in fabrics:
        owners = [fabric] if numbers_links(design, fabric) else []
        if fabric.vrf and (fabric.carrier, fabric.vrf) not in counted_vrfs:
            carrier = design.fabric(fabric.carrier)
            if links_carry_vrfs(design, carrier):
                counted_vrfs.add((carrier.name, fabric.vrf))
                owners += [carrier, fabric]
        times = sum(fabric.name in tenant.transport for tenant in design.tenants)
        owners += [fabric] * (times if links_carry_vrfs(design, fabric) else 0)
        for owner in owners:
            for tier in owner.tiers:
                for run in tier.switch_runs:
                    block = family.size_pair_block(round_up_to_power_of_two(tier.count_addressed_links(run)))
                    yield _make_demand(fabric.name, "fabric", family, owner, tier, block)


def _list_identifier_demands(design: Design, fabric: FabricDesign, family: Family) -> Iterator[PoolDemand]:
    """Yield SRv6 identifiers of switches, each of which stands for all addresses that begin with it."""
    if uses_srv6(design, fabric) and family is V6:
        addresses = 1 << family.bits - find_srv6(design, fabric).block_bits - IDENTIFIER_BITS
        for tier in fabric.tiers:
            yield _make_demand(fabric.name, "srv6", family, fabric, tier, addresses)


def _list_exit_demands(design: Design, fabrics: list[FabricDesign], family: Family) -> Iterator[PoolDemand]:
    """Yield addresses of links that lead out of fabrics, where the blueprint does not state them all."""
    for exit_ in list_exits(design):
        pairs = count_free_pairs(exit_, family) if exit_.fabric in fabrics else 0
        if pairs:
            block = family.size_pair_block(pairs)
            yield _make_demand(exit_.fabric.name, "fabric", family, *find_exit_tier(design, exit_), block)


def _list_node_demands(design: Design, fabric: FabricDesign, family: Family) -> Iterator[PoolDemand]:
    """Yield addresses of nodes, extra devices and management ports, in blocks of the switches that they attach to."""
    if fabric.hosts == "none":
        return
    pool = "management" if is_management(fabric) else "hosts"
    for tier in design.tiers:
        if tier.key in fabric.leaves or any(extra.tier == tier.key for extra in fabric.extras):
            block = _size_node_block(fabric, tier, family)
            yield _make_demand(fabric.name, pool, family, design.fabric(tier.fabric), tier, block)


def _size_node_block(fabric: FabricDesign, tier: TierDesign, family: Family) -> int:
    """Return the addresses of a switch's block for its nodes: pairs if routed, a subnet for each rail, or one
    subnet.
    """
    ports = sum(run.numbers for run in tier.downs)
    if fabric.hosts == "routed":
        return family.size_pair_block(ports)
    if fabric.hosts == "rail-subnets" and tier.key in fabric.leaves:
        size = family.subnet_size or size_rail_subnet(fabric, tier)
        return _count_rail_subnets(fabric, tier) * size
    return family.subnet_size or size_bridged_subnet(ports)


def _count_rail_subnets(fabric: FabricDesign, tier: TierDesign) -> int:
    """Return subnets of rails kept on each switch of a tier, a power of two."""
    keys: dict[tuple[int, ...], set[tuple[int, int, int]]] = {}
    attached = (attachment for feed in fabric.feeds_of(tier.key) for _, attachment in feed.attachments)
    legs = [leg for attachment in attached for leg in _list_leg_keys(attachment)]
    for coordinates, key in legs:
        # the rails of each kind of switch: legs that agree on the dimensions of `per` end on one
        keys.setdefault(tuple(value for d, value in coordinates.items() if d in tier.per), set()).add(key)
    return round_up_to_power_of_two(max((len(rail_keys) for rail_keys in keys.values()), default=1))


def _list_leg_keys(attachment: Attachment) -> Iterator[tuple[dict[str, int], tuple[int, int, int]]]:
    """Yield (its number in each dimension that legs have, (rail, plane, port)) of every leg of an attachment."""
    for leg in attachment.legs:
        coordinates = {name: find_leg_number(name, leg) for name in list_leg_dimensions()}
        yield coordinates, (leg.rail, leg.plane, leg.port)


def _make_management_demand(design: Design, family: Family) -> PoolDemand:
    """Return the one subnet of the management ports of all switches, where no fabric takes them."""
    tiers = [(fabric, tier) for fabric in design.fabrics for tier in fabric.tiers]
    slots = [count_group_slots(fabric, tier) * group_capacity(tier) for fabric, tier in tiers]
    # the network address and the gateway, and the broadcast address at the other end
    reserved = RESERVED_IN_SUBNET + 1
    block = family.subnet_size or round_up_to_power_of_two(reserved + sum(map(round_up_to_power_of_two, slots)))
    if family.subnet_size:
        return PoolDemand("", "management", family, block, block, block)
    now = sum(tier.switches for _, tier in tiers)
    numbered = sum(count_numbered_groups(tier) * tier.count for fabric, tier in tiers)
    return PoolDemand("", "management", family, reserved + now, reserved + max(numbered, now), block)


# Sizes of bridged subnets, and the addresses at their start that no host gets.

RESERVED_IN_SUBNET = 2
"""Network and gateway address before the first host of a bridged subnet."""

LEAST_HOSTS = 256
"""The smallest subnet of a rail is a /24, so that the last octet of an address identifies the node."""


def size_bridged_subnet(ports: int) -> int:
    """Return the size of a subnet for `ports` hosts, in addresses; a power of two."""
    return round_up_to_power_of_two(ports + RESERVED_IN_SUBNET + 1)


def size_rail_subnet(fabric: FabricDesign, tier: TierDesign) -> int:
    """Return the size of a rail's subnet on the switches of a tier, in addresses; a power of two."""
    slots = count_node_slots(fabric, tier)
    extras = sum(len(extra.links) for extra in fabric.extras if extra.tier == tier.key)
    return max(LEAST_HOSTS, size_bridged_subnet(slots + extras))


# How many pairs of addresses the ways out of a fabric ask of its pool, and which the blueprint states.


def list_stated_pairs(exit_: ExitDesign, family: Family) -> dict[tuple[int, int], tuple[int, int, int]]:
    """By (device, leg): (own address, far address, prefix length) that the blueprint states in a family."""
    extra, legs = exit_.extra, {leg.name: i for i, leg in enumerate(exit_.extra.attachment.legs)}
    pairs = {}
    for name, device in exit_.spec.devices.items():
        for port, link in device.links.items():
            pair = pair_addresses(link).get(family.word == "v6")
            if pair:
                pairs[extra.devices.index(name), legs[port]] = pair
    return pairs


def count_free_pairs(exit_: ExitDesign, family: Family) -> int:
    """Return pairs of addresses that each switch keeps for the links of an exit; 0 if all of them are stated."""
    stated_pairs = list_stated_pairs(exit_, family)
    free = [link for link in exit_.extra.links if (link.device, link.leg) not in stated_pairs]
    per_switch = [link.switch for link in exit_.extra.links]
    return round_up_to_power_of_two(max(map(per_switch.count, set(per_switch)), default=0)) if free else 0


def find_exit_tier(design: Design, exit_: ExitDesign) -> tuple[FabricDesign, TierDesign]:
    """Return the tier that an exit is on, with the fabric that owns its switches."""
    tier = design.tier(exit_.extra.tier)
    return design.fabric(tier.fabric), tier

"""The demand on address pools, computed from the design alone, without expanding it to columns."""

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.blueprint.dimensions import find_leg_number, list_leg_dimensions
from fabricgen.design.extras.exits import ExitDesign, list_exits, pair_addresses
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.linked import is_multihomed
from fabricgen.design.model import Design
from fabricgen.design.srv6 import IDENTIFIER_BITS, find_srv6, uses_srv6
from fabricgen.kernel.units import round_up_to_power_of_two
from fabricgen.numbering.blocks.family import FAMILIES, ROUTER_ID_BITS, V6, Family
from fabricgen.numbering.slot_counts import count_group_slots, count_node_slots, count_numbered_groups, group_capacity
from fabricgen.numbering.underlay import is_management, is_routed, links_carry_vrfs, list_families, numbers_links


class PoolDemand(NamedTuple):
    """The addresses of one family that the switches of a tier, or their nodes, take from a pool.

    `fabric` is "" if no fabric takes them, but the cluster.
    """

    fabric: str
    pool: str
    family: Family
    now: int
    """How many addresses the switches take that exist."""
    reserved: int
    """How many they take once every reserved slot is filled."""
    block: int
    """How many are allocated: the reserved ones, rounded up to a power of two."""


def list_pool_demands(design: Design) -> Iterator[PoolDemand]:
    """Yield every demand on an address pool, IPv4 first: loopbacks, links, exits, nodes, SRv6, then management."""
    for family in FAMILIES:
        fabrics = [f for f in design.fabrics if family.word in list_families(design, f)]
        for fabric in filter(is_routed, design.fabrics):
            if fabric in fabrics or family.bits == ROUTER_ID_BITS:
                yield from (_make_demand(design, fabric.name, "loopback", family, tier, 1) for tier in fabric.tiers)
        for tier, _ in list_relayed_vrfs(design, family):
            yield _make_demand(design, tier.fabric, "loopback", family, tier, 1)
        yield from _list_link_demands(design, fabrics, family)
        yield from _list_exit_demands(design, fabrics, family)
        for fabric in fabrics:
            yield from _list_node_demands(design, fabric, family)
            if uses_srv6(design, fabric) and family is V6:
                # an identifier of a switch stands for all addresses that begin with it
                addresses = 1 << family.bits - find_srv6(design, fabric).block_bits - IDENTIFIER_BITS
                yield from (_make_demand(design, fabric.name, "srv6", V6, tier, addresses) for tier in fabric.tiers)
        is_in_band = any(fabric.managed_devices for fabric in design.fabrics)
        if not is_in_band and design.loaded.blueprint.ip in (family.word, "dual"):
            yield _make_management_demand(design, family)


def _make_demand(
    design: Design, fabric: str, pool: str, family: Family, tier: TierDesign, per_switch: int
) -> PoolDemand:
    """Return the demand of a tier on the pool that `fabric` ("" for the cluster) draws on: `per_switch` addresses for
    each switch.

    If switches have one address each, their common block has one more: its first address, that of its network, is not
    given out.
    """
    numbered = max(count_numbered_groups(tier) * tier.count, tier.switches)
    slots = count_group_slots(design.fabric(tier.fabric), tier) * group_capacity(tier)
    block = round_up_to_power_of_two(slots + 1 if per_switch == 1 else slots) * per_switch
    return PoolDemand(fabric, pool, family, tier.switches * per_switch, numbered * per_switch, block)


def _list_link_demands(design: Design, fabrics: list[FabricDesign], family: Family) -> Iterator[PoolDemand]:
    """Yield the demands of links between switches: of each fabric's own links, and of each VRF on the links that
    carry it.
    """
    counted_vrfs: set[tuple[str, str]] = set()
    for fabric in fabrics:
        # The fabrics whose links need addresses, once for the links themselves and once more for each VRF on them.
        owners = [fabric] if numbers_links(design, fabric) else []
        if fabric.vrf and (fabric.carrier, fabric.vrf) not in counted_vrfs:
            carrier = design.fabric(fabric.carrier)
            if links_carry_vrfs(design, carrier):
                counted_vrfs.add((carrier.name, fabric.vrf))
                owners += [carrier, fabric]
        tenants = sum(fabric.name in tenant.transport for tenant in design.tenants)
        owners += [fabric] * (tenants if links_carry_vrfs(design, fabric) else 0)
        for tier, run in ((owned, run) for owner in owners for owned in owner.tiers for run in owned.switch_runs):
            block = family.size_pair_block(round_up_to_power_of_two(tier.count_addressed_links(run)))
            yield _make_demand(design, fabric.name, "fabric", family, tier, block)


def _list_exit_demands(design: Design, fabrics: list[FabricDesign], family: Family) -> Iterator[PoolDemand]:
    """Yield the demands of the links of exits, unless the blueprint states all of their addresses."""
    for exit_ in list_exits(design):
        pairs = count_free_pairs(exit_, family) if exit_.fabric in fabrics else 0
        if pairs:
            block = family.size_pair_block(pairs)
            yield _make_demand(design, exit_.fabric.name, "fabric", family, design.tier(exit_.extra.tier), block)


def _list_node_demands(design: Design, fabric: FabricDesign, family: Family) -> Iterator[PoolDemand]:
    """Yield the demands of nodes, extra devices and management ports: a block for each switch that they attach to."""
    if fabric.hosts == "none":
        return
    pool = "management" if is_management(fabric) else "hosts"
    for tier in design.tiers:
        if tier.key in fabric.leaves or any(extra.tier == tier.key for extra in fabric.extras):
            block = _size_node_block(fabric, tier, family)
            yield _make_demand(design, fabric.name, pool, family, tier, block)


def _size_node_block(fabric: FabricDesign, tier: TierDesign, family: Family) -> int:
    """Return how many addresses the block of a switch for its nodes has: pairs of addresses for routed nodes, a
    subnet for each rail, or one subnet.
    """
    ports = sum(run.numbers for run in tier.downs)
    if fabric.hosts == "routed":
        return family.size_pair_block(ports)
    if fabric.hosts == "rail-subnets" and tier.key in fabric.leaves:
        size = family.subnet_size or size_rail_subnet(fabric, tier)
        return _count_rail_subnets(fabric, tier) * size
    return family.subnet_size or size_bridged_subnet(ports)


def _count_rail_subnets(fabric: FabricDesign, tier: TierDesign) -> int:
    """Return how many subnets of rails are kept on each switch of a tier, a power of two.

    A switch needs a subnet for each (rail, plane, port of the NIC) of the node ports that it serves. Which ports these
    are follows from what the tier is grouped by (`per`): with `per: [su, rail]` those of one rail.
    """
    dimensions = [dimension for dimension in list_leg_dimensions() if dimension in tier.per]
    rails_by_switch: dict[tuple[int, ...], set[tuple[int, int, int]]] = {}
    for leg in (
        leg for feed in fabric.feeds_of(tier.key) for _, attachment in feed.attachments for leg in attachment.legs
    ):
        coordinates = tuple(find_leg_number(dimension, leg) for dimension in dimensions)
        rails_by_switch.setdefault(coordinates, set()).add((leg.rail, leg.plane, leg.port))
    return round_up_to_power_of_two(max(map(len, rails_by_switch.values()), default=1))


def _make_management_demand(design: Design, family: Family) -> PoolDemand:
    """Return the demand of the one subnet for the management ports of all switches, if no fabric connects them."""
    tiers = [(fabric, tier) for fabric in design.fabrics for tier in fabric.tiers]
    slots = [count_group_slots(fabric, tier) * group_capacity(tier) for fabric, tier in tiers]
    # the network address and the gateway, and the broadcast address at the other end
    reserved = RESERVED_IN_SUBNET + 1
    block = family.subnet_size or round_up_to_power_of_two(reserved + sum(map(round_up_to_power_of_two, slots)))
    if family.subnet_size:
        return PoolDemand("", "management", family, block, block, block)
    switches = sum(tier.switches for _, tier in tiers)
    numbered = sum(count_numbered_groups(tier) * tier.count for fabric, tier in tiers)
    return PoolDemand("", "management", family, reserved + switches, reserved + max(numbered, switches), block)


# Sizes of bridged subnets, and the addresses at their start that no host gets.

RESERVED_IN_SUBNET = 2
"""Network and gateway address before the first host of a bridged subnet."""

LEAST_HOSTS = 256
"""The smallest subnet of a rail is a /24, so that the last octet of an address identifies the node."""


def size_bridged_subnet(ports: int) -> int:
    """Return the size of a subnet for `ports` hosts, in addresses, a power of two."""
    return round_up_to_power_of_two(ports + RESERVED_IN_SUBNET + 1)


def size_rail_subnet(fabric: FabricDesign, tier: TierDesign) -> int:
    """Return the size of a rail's subnet on the switches of a tier, in addresses, a power of two."""
    slots = count_node_slots(fabric, tier)
    extras = sum(len(extra.links) for extra in fabric.extras if extra.tier == tier.key)
    return max(LEAST_HOSTS, size_bridged_subnet(slots + extras))


# Exits: how many pairs of addresses they ask of the pool, and which pairs the blueprint states.


def list_stated_pairs(exit_: ExitDesign, family: Family) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Return the addresses that the blueprint states for the links of an exit in a family.

    They are (address of the switch, address of the far end, prefix length) by (index of the device in the exit, index
    of its port).
    """
    extra, legs = exit_.extra, {leg.name: i for i, leg in enumerate(exit_.extra.attachment.legs)}
    pairs = {}
    for name, device in exit_.spec.devices.items():
        for port, link in device.links.items():
            pair = pair_addresses(link).get(family.word == "v6")
            if pair:
                pairs[extra.devices.index(name), legs[port]] = pair
    return pairs


def count_free_pairs(exit_: ExitDesign, family: Family) -> int:
    """Return how many pairs of addresses each switch keeps for the links of an exit, a power of two; 0 if all of
    them are stated.
    """
    stated_pairs = list_stated_pairs(exit_, family)
    free = [link for link in exit_.extra.links if (link.device, link.leg) not in stated_pairs]
    switches = [link.switch for link in exit_.extra.links]
    return round_up_to_power_of_two(max(map(switches.count, set(switches)), default=0)) if free else 0


def list_relayed_vrfs(design: Design, family: Family) -> Iterator[tuple[TierDesign, str]]:
    """Yield (tier, VRF) for each tier whose switches have a loopback of the family in the VRF."""
    for owner_name, vrf in sorted(design.vnis):
        owner = design.fabric(owner_name)
        fabrics = [design.fabric(name) for name, _ in list_relayed_fabrics(design, owner, vrf, family)]
        for tier in owner.tiers if family.word in list_families(design, owner) else ():
            has_hosts = any(tier.key in f.leaves or any(e.tier == tier.key for e in f.extras) for f in fabrics)
            if has_hosts and _lacks_address(design, tier, family):
                yield tier, vrf


def list_relayed_fabrics(design: Design, owner: FabricDesign, vrf: str, family: Family) -> Iterator[tuple[str, str]]:
    """Yield (fabric, tenant or "") of hosts in `vrf` on the switches of `owner` that have DHCP servers of a family.

    The hosts of a fabric are those of its tenants one by one, and "" for those of the fabric's own VRF.
    """
    for fabric in design.fabrics:
        dhcp = design.loaded.blueprint.fabrics[fabric.name].dhcp
        in_fabric = owner.name in (fabric.name, fabric.carrier) and fabric.hosts != "none"
        if not in_fabric or dhcp is None or not any(_has_family(server, family) for server in dhcp.servers):
            continue
        if fabric.vrf == vrf:
            yield fabric.name, ""
        yield from ((fabric.name, t.name) for t in design.tenants if t.name == vrf and fabric.name in t.fabrics)


def _has_family(server: str, family: Family) -> bool:
    """Whether the address of a server is of a family."""
    return (":" in server) == (family.bits > ROUTER_ID_BITS)


def _lacks_address(design: Design, tier: TierDesign, family: Family) -> bool:
    """Whether the switches of a tier have no address of a family in a VRF over EVPN from which they could relay
    DHCP.
    """
    relay = design.catalog.naming(tier.nos).configuration.relay
    if relay.v6_needs_loopback and family.bits > ROUTER_ID_BITS:
        return True
    return is_multihomed(design.loaded.blueprint, tier.key)

"""The allocation of all numbers of a cluster: AS numbers, router ids, and the addresses of each family in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.blueprint.beside.lock import LAST_IDENTIFIER, Lock
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import find_fabric_vlan
from fabricgen.design.model import Design
from fabricgen.design.srv6 import CODE as SRV6_CODE
from fabricgen.design.srv6 import uses_srv6
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import Interval
from fabricgen.numbering.addresses.allocator import AddressAllocator
from fabricgen.numbering.addresses.family_addresses import FamilyAllocation, RailsByFabric
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.block_allocator import BlockAllocator
from fabricgen.numbering.blocks.column import IPv4Column, merge_families
from fabricgen.numbering.blocks.family import FAMILIES, V4, V6, Family
from fabricgen.numbering.blocks.pools import Need, NumberPool, find_pool_prefixes
from fabricgen.numbering.lazy_columns import LazyColumn
from fabricgen.numbering.slots import find_switch_slots
from fabricgen.numbering.switch_asns import allocate_asns
from fabricgen.numbering.underlay import is_routed, list_families, runs_bgp
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import WiringPlan
from fabricgen.wiring.tenants import TenantPlaces, locate_tenants

if TYPE_CHECKING:
    from fabricgen.numbering.addresses.rail_subnets import RailSubnets


FIRST_IDENTIFIER = 0x1000
"""The first SRv6 identifier of a switch, so that all have four digits (srv6.py)."""

MOST_IDENTIFIERS = LAST_IDENTIFIER + 1 - FIRST_IDENTIFIER


@dataclass(frozen=True, slots=True, eq=False)
class Addresses:
    """The AS number and the router id of every device (int64, 0 for none), and the addresses by family.

    A router id has 32 bits whatever the family (RFC 6286). It is the loopback if the fabric has IPv4, else a number
    from the IPv4 loopback pool that no interface has.
    """

    asn: Ints64
    router_id: Ints64
    families: tuple[FamilyAddresses, ...]
    """IPv4 always; IPv6 second, if anything has it."""
    rails: Mapping[str, RailSubnets]
    """The subnets of rails, by fabric, of fabrics whose nodes have a subnet for each rail."""
    lock: Lock
    """The lock with all allocations, those of earlier builds included."""
    used: frozenset[tuple[str, str]]
    """The (kind of number, name) of every holder in the lock that is still in use."""
    tenants: Mapping[str, TenantPlaces] = field(default_factory=dict)
    """The places of each tenant, by its name."""
    own_loopbacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By fabric: loopbacks stated or adopted for single switches, as prefixes."""
    identifiers: Ints64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """The SRv6 identifier of every device, 0 for none."""

    @property
    def v4(self) -> FamilyAddresses:
        """The IPv4 addresses."""
        return self.families[0]

    @property
    def v6(self) -> FamilyAddresses | None:
        """The IPv6 addresses; None if the cluster has none."""
        return self.families[1] if len(self.families) > 1 else None

    def list_device_addresses(self) -> tuple[LazyColumn, LazyColumn]:
        """Return the loopback and the management address of every device, as two columns of text: IPv4 if it has
        one, else IPv6, else "".
        """
        loopbacks = merge_families([family.loopback for family in self.families])
        return loopbacks, merge_families([family.management for family in self.families])

    def list_link_addresses(self) -> tuple[LazyColumn, LazyColumn]:
        """Return the addresses with prefix length of the lower and of the upper end of every link, as two columns of
        text: IPv4 if there is one, else IPv6, else "".
        """
        lengths = [family.length for family in self.families]
        lower = merge_families([family.a for family in self.families], lengths)
        return lower, merge_families([family.b for family in self.families], lengths)

    @property
    def loopback(self) -> Ints64:
        """The IPv4 loopback of each device; int64, 0 for none."""
        return _read_ipv4_values(self.v4.loopback)

    @property
    def management(self) -> Ints64:
        """The IPv4 management address of each device; int64, 0 for none."""
        return _read_ipv4_values(self.v4.management)

    @property
    def a_ip(self) -> Ints64:
        """The IPv4 address of the lower end of each link; int64, 0 for none."""
        return _read_ipv4_values(self.v4.a)

    @property
    def b_ip(self) -> Ints64:
        """The IPv4 address of the upper end of each link; int64, 0 for none."""
        return _read_ipv4_values(self.v4.b)

    @property
    def length(self) -> Ints64:
        """The prefix length of the IPv4 addresses of each link; int64."""
        return self.v4.length


def _read_ipv4_values(column: object) -> Ints64:
    """Return the addresses of a column of IPv4 as numbers; int64, 0 for none."""
    assert isinstance(column, IPv4Column)  # noqa: S101 - of the IPv4 family
    return column.values


def allocate_numbers(design: Design, plan: WiringPlan) -> Addresses:
    """Allocate all numbers of a cluster: AS numbers, router ids, addresses of each family in use, and SRv6 identifiers.

    Raises InputError, with the path of the pool, if a pool is too small, and for other numbers that cannot be given.
    """
    blocks = BlockAllocator(design.layout.numbering.make_lock(design.layout.lock, design.loaded.blueprint.name))
    speakers = tuple(f for f in design.fabrics if runs_bgp(design, f))
    asn = np.zeros(len(plan.devices), dtype=np.int64)
    for tier, numbers in allocate_asns(design, speakers, blocks).items():
        asn[plan.devices.find_tier(tier).rows] = numbers
    rails = _allocate_rails(design, plan, blocks)
    tenants = locate_tenants(design, plan, {name: subnets.subnet for name, subnets in rails.items()})
    present = [family for family in FAMILIES if family is V4 or _has_family(design, family)]
    allocations = [
        FamilyAllocation(design, plan, AddressAllocator(design, family, blocks), rails, tenants) for family in present
    ]
    addresses = tuple(allocation.allocate_family() for allocation in allocations)
    identifiers = _allocate_identifiers(design, plan, blocks)
    holders = frozenset(blocks.used | design.layout.numbering.used)
    router_id = _read_ipv4_values(allocations[0].router_id)
    return Addresses(asn, router_id, addresses, rails, blocks.make_lock(), holders, tenants, identifiers=identifiers)


def _has_family(design: Design, family: Family) -> bool:
    """Whether anything in the cluster has addresses of a family."""
    in_use = {word for fabric in design.fabrics for word in list_families(design, fabric)}
    return family.word in in_use or design.loaded.blueprint.ip in (family.word, "dual")


def _allocate_rails(design: Design, plan: WiringPlan, blocks: BlockAllocator) -> RailsByFabric:
    """Return the rail subnets of each fabric that has any, by its name. Raises InputError (FG114) if their VLANs
    include that of another fabric on the same switches, or run past 4094.
    """
    subnets_by_fabric = {}
    for fabric in design.fabrics:
        leaves = design.list_leaf_tiers(fabric)
        if fabric.hosts == "rail-subnets" and is_routed(fabric) and leaves:
            from fabricgen.numbering.addresses.rail_subnets import allocate_rail_subnets

            vlan = find_fabric_vlan(design.loaded.blueprint, design.layout.numbering, fabric.name)
            subnets_by_fabric[fabric.name] = rails = allocate_rail_subnets(plan, fabric, leaves, vlan, blocks)
            _check_vlans(design, fabric, vlan, rails.most_subnets)
    return subnets_by_fabric


def _check_vlans(design: Design, fabric: FabricDesign, vlan: int, count: int) -> None:
    """Raise InputError (FG114) if VLANs of a fabric's rails are those of another fabric on the same switches.

    The rails have `count` VLANs from `vlan` on.
    """
    for other_fabric in design.fabrics:
        other_vlan = find_fabric_vlan(design.loaded.blueprint, design.layout.numbering, other_fabric.name)
        shares_switches = not set(other_fabric.leaves).isdisjoint(fabric.leaves) and other_fabric.name != fabric.name
        if shares_switches and vlan <= other_vlan < vlan + count:
            raise fault(
                "FG114",
                f"the {count} subnets of {fabric.name} on a switch are in VLANs {vlan} to {vlan + count - 1}, and "
                f"{other_fabric.name} has {other_vlan}",
                path=fabric.path,
                hint="state another `vlan` for one of them",
            )


def _allocate_identifiers(design: Design, plan: WiringPlan, blocks: BlockAllocator) -> Ints64:
    """Return the SRv6 identifier (uN) of every device, int64, 0 for none; no two switches of a cluster have the same.

    Raises InputError (FG127) if there are more switches than identifiers, reserved ones included.
    """
    identifiers = np.zeros(len(plan.devices), dtype=np.int64)
    for fabric in design.fabrics:
        if uses_srv6(design, fabric):
            path = find_pool_prefixes(design.loaded.blueprint, fabric.name, "srv6", V6)[2]
            window = (Interval(FIRST_IDENTIFIER, MOST_IDENTIFIERS),)
            hint = "reserve fewer units, or state fewer `uplinks`, which spines can grow to"
            pool = NumberPool("srv6", "the block of SRv6 identifiers", window, path, SRV6_CODE, hint)
            for tier in reversed(fabric.tiers):
                slots = find_switch_slots(fabric, tier, blocks.remember_capacity)
                identifiers[plan.devices.find_tier(tier.key).rows] = blocks.allocate_numbers(
                    pool, slots, Need(tier.key.text)
                )
    return identifiers

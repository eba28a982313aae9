"""The address allocator of one family: an address, or a block of addresses, for each switch of a tier."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.intervals import Intervals
from fabricgen.kernel.units import round_up_to_power_of_two
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.block_allocator import BlockAllocator, DeviceBlocks, Slots
from fabricgen.numbering.blocks.column import AddressColumn
from fabricgen.numbering.blocks.family import Family
from fabricgen.numbering.blocks.pools import Need, NumberPool, explain_tier_need, find_pool, find_pool_prefixes
from fabricgen.numbering.slots import find_switch_slots


class AddressAllocator:
    """Allocates addresses of one family from the pools of fabrics, through the block allocator of all families."""

    def __init__(self, design: Design, family: Family, blocks: BlockAllocator) -> None:
        self._design, self.family, self.blocks = design, family, blocks
        self._slots: dict[TierKey, Slots] = {}

    def _find_pool(self, fabric: str, name: str) -> NumberPool:
        """Return the pool of a name that a fabric draws on, with the addresses that all its users together ask for."""
        source = find_pool(self._design.loaded.blueprint, fabric, name, self.family)
        # `wanted` is for the message of a pool that is too small: what all of its users need together
        return source._replace(wanted=self._demand_by_pool[source.path])

    @cached_property
    def _demand_by_pool(self) -> Counter[Path]:
        """The addresses that are asked of each pool of the family, by the path of the pool."""
        counts: Counter[Path] = Counter()
        for demand in list_pool_demands(self._design):
            if demand.family is self.family:
                path = find_pool_prefixes(self._design.loaded.blueprint, demand.fabric, demand.pool, self.family)[2]
                counts[path] += demand.block
        return counts

    def find_slots(self, fabric: FabricDesign, tier: TierDesign) -> Slots:
        """Return the slot of every switch of a tier, computed once."""
        # kept, since the lock remembers a capacity at the first call, and a second one would find another
        if tier.key not in self._slots:
            self._slots[tier.key] = find_switch_slots(fabric, tier, self.blocks.remember_capacity)
        return self._slots[tier.key]

    def allocate_loopbacks(self, fabric: FabricDesign, tier: TierDesign, vrf: str = "") -> AddressColumn:
        """Return one loopback for each switch of a tier, in the default VRF or another."""
        source = self._find_pool(fabric.name, "loopback")
        within = f" in vrf {vrf}" if vrf else ""
        subject, slots = f"a loopback{within} for each {fabric.name} {tier.name}", self.find_slots(fabric, tier)
        need = explain_tier_need(self._design, fabric, tier, subject, 1, "one", slots.count)
        return self.blocks.allocate_addresses(source, slots, f"loopback{self.family.ending}{within}", need)

    def largest_block_before(
        self, name: str, fabric: FabricDesign, owned: tuple[FabricDesign, TierDesign], purpose: str
    ) -> int:
        """Return the largest block size that the lock remembers for a purpose; 0 for none."""
        source = self._find_pool(fabric.name, name)
        return self.blocks.largest_block_before(source, self.find_slots(*owned), purpose)

    def device_blocks(
        self,
        name: str,
        fabric: FabricDesign,
        owned: tuple[FabricDesign, TierDesign],
        purpose: str,
        size: int,
        subject: str,
    ) -> DeviceBlocks:
        """Return a block of `size` addresses of a fabric's pool for each switch of a tier, which another fabric may
        own.
        """
        source, slots = self._find_pool(fabric.name, name), self.find_slots(*owned)
        block_size = round_up_to_power_of_two(size)
        need = explain_tier_need(
            self._design, *owned, subject, block_size, f"a /{self.family.prefix_length(block_size)}", slots.count
        )
        return self.blocks.device_blocks(source, slots, purpose, size, need)

    def allocate_management(self, size: int) -> Intervals:
        """Return `size` addresses of the cluster's management pool, for the ports of all switches."""
        source = self._find_pool("", "management")
        need = Need("the management port of each switch")
        return self.blocks.take_numbers(source, f"management{self.family.ending}", size, need, aligned=True)

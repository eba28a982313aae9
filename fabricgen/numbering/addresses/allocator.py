"""The address allocator of one family: an address, or a block of addresses, for each switch of a tier."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from fabricgen.design.fabric_model import TierDesign, TierKey
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
        """Return the pool `name` that a fabric ("" for the cluster) draws on, with `wanted` set: how many addresses all
        users of the pool need together.
        """
        pool = find_pool(self._design.loaded.blueprint, fabric, name, self.family)
        # `wanted` is for the message of a pool that is too small: what all of its users need together
        return pool._replace(wanted=self._demand_by_pool[pool.path])

    @cached_property
    def _demand_by_pool(self) -> Counter[Path]:
        """How many addresses of the family are asked of each pool, by the path of the pool in the blueprint."""
        counts: Counter[Path] = Counter()
        for demand in list_pool_demands(self._design):
            if demand.family is self.family:
                path = find_pool_prefixes(self._design.loaded.blueprint, demand.fabric, demand.pool, self.family)[2]
                counts[path] += demand.block
        return counts

    def find_slots(self, tier: TierDesign) -> Slots:
        """Return the slot of every switch of a tier; it is computed once."""
        # kept, since the lock remembers a capacity at the first call, and a second one would find another
        if tier.key not in self._slots:
            owner = self._design.fabric(tier.fabric)
            self._slots[tier.key] = find_switch_slots(owner, tier, self.blocks.remember_capacity)
        return self._slots[tier.key]

    def allocate_loopbacks(self, tier: TierDesign, vrf: str = "") -> AddressColumn:
        """Return one loopback for each switch of a tier, in row order, in a VRF or, for "", in the default one.

        Raises InputError (FG024) if the pool is too small.
        """
        slots, vrf_suffix = self.find_slots(tier), f" in vrf {vrf}" if vrf else ""
        subject = f"a loopback{vrf_suffix} for each {tier.fabric} {tier.name}"
        need = explain_tier_need(self._design, tier, subject, 1, "one", slots.count)
        pool = self._find_pool(tier.fabric, "loopback")
        return self.blocks.allocate_addresses(pool, slots, f"loopback{self.family.ending}{vrf_suffix}", need)

    def find_largest_block(self, pool: str, fabric: str, tier: TierDesign, purpose: str) -> int:
        """Return the largest size, in addresses, that the lock remembers for the blocks of a purpose on the switches of
        a tier; 0 if it remembers none.
        """
        return self.blocks.find_largest_block(self._find_pool(fabric, pool), self.find_slots(tier), purpose)

    def allocate_device_blocks(
        self, pool: str, fabric: str, tier: TierDesign, purpose: str, size: int, subject: str
    ) -> DeviceBlocks:
        """Return a block of at least `size` addresses for each switch of a tier, from the pool of `fabric`.

        The switches may be those of another fabric. `purpose` names the block in the lock, `subject` its users in
        messages.
        """
        slots, block_size = self.find_slots(tier), round_up_to_power_of_two(size)
        size_text = f"a /{self.family.prefix_length(block_size)}"
        need = explain_tier_need(self._design, tier, subject, block_size, size_text, slots.count)
        return self.blocks.allocate_device_blocks(self._find_pool(fabric, pool), slots, purpose, size, need)

    def allocate_management(self, size: int) -> Intervals:
        """Return `size` addresses of the cluster's management pool, for the management ports of all switches. Raises
        InputError (FG024) if the pool is too small.
        """
        pool, need = self._find_pool("", "management"), Need("the management port of each switch")
        return self.blocks.take_numbers(pool, f"management{self.family.ending}", size, need, aligned=True)

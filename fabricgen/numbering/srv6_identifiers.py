"""SRv6 identifiers of switches (uN), given out from slots that never move."""

from __future__ import annotations

import numpy as np

from fabricgen.blueprint.beside.lock import LAST_IDENTIFIER
from fabricgen.design.model import Design
from fabricgen.design.srv6 import CODE, uses_srv6
from fabricgen.kernel.intervals import Interval
from fabricgen.numbering.blocks.block_allocator import BlockAllocator
from fabricgen.numbering.blocks.family import V6
from fabricgen.numbering.blocks.pools import Need, NumberPool, find_pool_prefixes
from fabricgen.numbering.slots import find_switch_slots
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import WiringPlan

FIRST_IDENTIFIER = 0x1000

MOST_IDENTIFIERS = LAST_IDENTIFIER + 1 - FIRST_IDENTIFIER


def allocate_identifiers(design: Design, plan: WiringPlan, blocks: BlockAllocator) -> Ints64:
    """Return the identifier of every device, int64, 0 for none; no two switches of a cluster have the same.

    Raises InputError (FG127) if there are more switches than identifiers, reserved ones included.
    """
    identifiers = np.zeros(len(plan.devices), dtype=np.int64)
    for fabric in design.fabrics:
        if uses_srv6(design, fabric):
            path = find_pool_prefixes(design.loaded.blueprint, fabric.name, "srv6", V6)[2]
            window = (Interval(FIRST_IDENTIFIER, MOST_IDENTIFIERS),)
            hint = "reserve fewer units, or state fewer `uplinks`, which spines can grow to"
            pool = NumberPool("srv6", "the block of SRv6 identifiers", window, path, CODE, hint)
            for tier in reversed(fabric.tiers):
                slots = find_switch_slots(fabric, tier, blocks.remember_capacity)
                identifiers[plan.devices.find_tier(tier.key).rows] = blocks.allocate_numbers(
                    pool, slots, Need(tier.key.text)
                )
    return identifiers

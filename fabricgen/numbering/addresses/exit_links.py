"""The addresses of the links of exits: stated ones, else pairs of the pool of links between switches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from fabricgen.design.extras.exits import ExitDesign, list_exits
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.numbering.addresses.allocator import AddressAllocator
from fabricgen.numbering.addresses.demand import count_free_pairs, list_stated_pairs
from fabricgen.numbering.blocks.column import AddressColumn, make_column
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import EXTRA, WiringPlan


def find_exit_segments(design: Design, plan: WiringPlan) -> dict[int, ExitDesign]:
    """Return the exit of each link segment that leads out of a fabric, by the index of the segment."""
    paths = {exit_.extra.path: exit_ for exit_ in list_exits(design)}
    candidates = ((i, paths.get(segment.path)) for i, segment in enumerate(plan.links.segments) if paths)
    return {i: exit_ for i, exit_ in candidates if exit_ is not None and plan.links.segments[i].lower == "node"}


def number_exits(
    design: Design,
    plan: WiringPlan,
    allocator: AddressAllocator,
    fabrics: list[FabricDesign],
    columns: tuple[AddressColumn, AddressColumn, Ints64],
) -> None:
    """Write the addresses of the links of all exits of some fabrics into columns: the address of the far end, that of
    the switch, and the prefix length.

    The blocks of the pool are taken after those of all other links, so that an exit moves no address.
    """
    far_addresses, switch_addresses, lengths = columns
    for segment, exit_ in find_exit_segments(design, plan).items():
        if exit_.fabric in fabrics:
            rows = plan.links.find_rows(segment)
            for link, pair in enumerate(_list_exit_pairs(design, plan, allocator, exit_, rows), rows.start):
                switch_address, far_address, length = pair
                far_addresses[np.array([link])] = make_column(allocator.family, [far_address])
                switch_addresses[np.array([link])] = make_column(allocator.family, [switch_address])
                lengths[link] = length


def _list_exit_pairs(
    design: Design, plan: WiringPlan, allocator: AddressAllocator, exit_: ExitDesign, rows: slice
) -> Iterator[tuple[int, int, int]]:
    """Yield (address of the switch, address of the far end, prefix length) of each link of an exit, in row order."""
    links, family, stated_pairs = plan.links, allocator.family, list_stated_pairs(exit_, allocator.family)
    tier, holder = design.tier(exit_.extra.tier), design.owner_of_extra[exit_.extra.name]
    first_row = next(c.first for c in plan.devices.classes if (c.kind, c.label) == (EXTRA, holder))
    # device row -> number of the device in the exit's own list
    rows_of_names = {name: first_row + i for i, name in enumerate(design.extra_devices[holder][1])}
    index = {rows_of_names[name]: i for i, name in enumerate(exit_.extra.devices)}
    # pairs that each switch has used, by its index in the tier
    blocks, pairs_used = None, Counter[int]()
    if pair_count := count_free_pairs(exit_, family):
        subject = f"a /{family.pair_length} for each link of the exit {exit_.name} on each {tier.name}"
        purpose = f"exit {exit_.fabric.name} {exit_.name}{family.ending}"
        size = family.size_pair_block(pair_count)
        blocks = allocator.allocate_device_blocks("fabric", exit_.fabric.name, tier, purpose, size, subject)
    for link in range(rows.start, rows.stop):
        device, leg = index[int(links.a_device[link])], int(links.a_port[link])
        switch = int(links.b_device[link]) - plan.devices.find_tier(tier.key).first
        if (device, leg) in stated_pairs:
            yield stated_pairs[device, leg]
        elif blocks is not None:
            offset = np.array([family.pairs_from + 2 * pairs_used[switch]], dtype=np.int64)
            # the far end of a pair is the odd address, next to the switch's own
            near = blocks.find_addresses_at(np.array([switch]), offset).at(0)
            yield near, near + 1, family.pair_length
        # counted for stated pairs, too, so that stating one moves no other
        pairs_used[switch] += 1

"""The subnets of MLAG pairs: the blocks of both switches make one, with one gateway.

The blocks of two switches that follow each other are the two halves of the next larger one. Its gateway is that of the
first switch, and both have it; each has an address of its own besides, where a block ends or begins: the last one of
the first block and the first one of the second, which no host has. Some have the gateway and no more (not `addressed`):
on SONiC, where ICCPd gives both switches one MAC in a VLAN of hosts, so that VRFs have VLANs of the peer link, and with
EVPN multihoming on SONiC and EOS: it is anycast.
"""

from __future__ import annotations

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.kernel.diagnostics import fault
from fabricgen.numbering.addresses.family_tables import Subnets
from fabricgen.numbering.blocks.column import column_of
from fabricgen.numbering.blocks.family import Family
from fabricgen.wiring.tables import Ints


def join_pairs(
    family: Family, subnets: Subnets, mate: Ints, rows: slice, fabric: FabricDesign, *, addressed: bool
) -> None:
    """Join the blocks of each MLAG pair among some devices; `mate` is the other switch of its pair, -1 for none;
    `addressed`: whether each of the two has an address of its own.

    Raises InputError (FG044) where the two blocks do not follow each other, as a lock from before may have it.
    """
    for first in range(rows.start, rows.stop):
        second = int(mate[first])
        if second < first or not subnets.gateway.at(first):
            continue
        size = 1 << family.bits - int(subnets.length[first])
        base = subnets.base.at(first)
        if base % (2 * size) or subnets.base.at(second) != base + size:
            raise fault(
                "FG044",
                f"in the lock, the blocks of {fabric.name} on two switches of an MLAG pair do not follow each other",
                path=(*fabric.path, "bond"),
                hint="let it have new ones with `fabricgen lock --release`, or take `bond` away",
            )
        pair = [first, second]
        subnets.base[pair] = column_of(family, [base, base])
        subnets.gateway[pair] = column_of(family, [base + 1, base + 1])
        if addressed:
            subnets.own[pair] = column_of(family, [base + size - 1, base + size])
        subnets.length[pair] -= 1
        subnets.subnet_length[pair] -= 1

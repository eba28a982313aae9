"""Partitions of tenants, as opensm and UFM's subnet manager read them.

A statement is `NAME=PKEY,FLAGS : GUIDS ;`, and statements of the same P_Key add up (opensm(8), PARTITION CONFIGURATION;
UFM Enterprise User Manual 6.22, Appendix - Partitioning: a long partition is split so, as a line is read up to 4,096
characters). There is one for each node, so that a node that moves is one line that moves.

`indx0` puts the partition first in the P_Key table of a port, where NCCL (`NCCL_IB_PKEY`), IPoIB's `ib0` and much else
look; the default partition comes behind it. A device that tenants share has no first one. UFM's grammar has no such
flag (the same manual, SM Partitions.conf File Format). `ipoib` makes the group that IP needs, in each partition alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.render.escape import token
from fabricgen.views.fabric import FabricView

GUIDS_A_LINE = 128
"""At twenty characters each, well within a line."""


class Statement(NamedTuple):
    """A statement on one node: names and hexadecimal figures as text."""

    partition: str
    pkey: str
    first: bool
    guids: str
    node: str
    planned: bool


def statements(view: FabricView) -> Iterator[Statement]:
    """The statements of the tenants' partitions, by P_Key; none for a fabric without tenants."""
    puts_first = view.subnet_manager == "opensm"
    for partition in view.partitions:
        for member in partition.members:
            for at in range(0, len(member.guids), GUIDS_A_LINE):
                guids = ", ".join(f"0x{guid:016x}" for guid in member.guids[at : at + GUIDS_A_LINE])
                pkey, name = f"0x{partition.pkey:04x}", token(partition.name)
                yield Statement(name, pkey, member.alone and puts_first, guids, token(member.node), member.planned)

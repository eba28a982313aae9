"""The block of SRv6 identifiers of a fabric, which `addresses/allocate.py` gives out, and addresses made of them.

A switch's identifier is global in its block: 0x1000 to 0xdfff, so that all have four digits and sort alike as numbers
and as text. A port's is local, from 0xe000 on: eight for each cage in the order of the front panel. It is the last one
of a path, and with `links` that of the link at the port (uA).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address, IPv6Network
from typing import TYPE_CHECKING, TypeVar

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.srv6 import CAGE_LOCALS, FIRST_LOCAL, IDENTIFIER_BITS, find_srv6, uses_srv6
from fabricgen.numbering.blocks.family import V6
from fabricgen.numbering.blocks.pools import find_pool_prefixes

if TYPE_CHECKING:
    from fabricgen.wiring.arrays import Ints64

_Number = TypeVar("_Number", int, "Ints64")


@dataclass(frozen=True, slots=True)
class Srv6Block:
    """The block that all SRv6 identifiers of a fabric begin with: its first address, its bits, and whether links
    have identifiers (uA).
    """

    first: int
    bits: int
    links: bool

    def make_prefix(self, identifier: int) -> str:
        """Return the prefix that is routed to the owner of an identifier when the identifier is the next one of a
        packet's path.
        """
        return f"{write_identifier(self, identifier)}/{self.bits + IDENTIFIER_BITS}"

    def make_address(self, identifiers: Iterable[int]) -> IPv6Address:
        """Return the destination address of packets that take a path: the block, then its identifiers in their
        order.
        """
        address, shift = self.first, 128 - self.bits
        for identifier in identifiers:
            shift -= IDENTIFIER_BITS
            address |= identifier << shift
        return IPv6Address(address)


@cache
def write_identifier(block: Srv6Block, identifier: int) -> str:
    """Return, as text, the address made of the block and this identifier alone. Cached: thousands of ports have the
    same few.
    """
    return str(block.make_address([identifier]))


def find_block(design: Design, fabric: FabricDesign) -> Srv6Block | None:
    """Return the block of a fabric; None if it has no SRv6."""
    if not uses_srv6(design, fabric):
        return None
    prefixes, _, _ = find_pool_prefixes(design.loaded.blueprint, fabric.name, "srv6", V6)
    network, srv6 = IPv6Network(prefixes[0]), find_srv6(design, fabric)
    return Srv6Block(int(network.network_address), network.prefixlen, srv6.links)


def find_local_identifier(cage: _Number, sub: _Number) -> _Number:
    """Return the identifier of a port by its cage, from 1, and its place in the cage, from 0; also for int64 columns
    of ports.
    """
    return FIRST_LOCAL + CAGE_LOCALS * (cage - 1) + sub

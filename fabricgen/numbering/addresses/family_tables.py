"""The tables of one address family, by device and by link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabricgen.numbering.blocks.column import AddressColumn, format_address
from fabricgen.numbering.blocks.family import Family
from fabricgen.wiring.arrays import Ints64


@dataclass(frozen=True, slots=True)
class NodeBlocks:
    """For every device, 0 for none: the block of addresses for all its links to nodes of a fabric. Lengths are int64.

    `base` is the first address of the block, `length` its prefix length. Where nodes are bridged, the block consists of
    `count` subnets (int64) of `subnet_length`; `gateway` is the gateway in the first. The two switches of an MLAG pair
    have one block together.
    """

    base: AddressColumn
    length: Ints64
    gateway: AddressColumn
    count: Ints64
    subnet_length: Ints64
    own_address: AddressColumn
    """The switch's own address in the subnet of an MLAG pair, both of whose switches have the gateway."""


@dataclass(frozen=True, slots=True)
class FamilyAddresses:
    """Addresses of one family, 0 where there is none; lengths are int64.

    Per device: loopback; management, with prefix length and gateway. Per link: the address of each end and their
    prefix length. A NIC with one address over all planes has it at its link in the first: others have that of the leaf.
    """

    family: Family
    loopback: AddressColumn
    management: AddressColumn
    management_length: Ints64
    management_gateway: AddressColumn
    a: AddressColumn
    b: AddressColumn
    length: Ints64
    subnets: Mapping[str, NodeBlocks]
    """By fabric: the blocks on the switches that its nodes attach to."""
    vrf_links: Mapping[tuple[str, str], AddressColumn]
    """By (owning fabric, VRF): the upper end's address of each link that carries it; the lower end's is the next."""
    shared: Mapping[str, AddressColumn]
    """By fabric whose nodes share the ports of its carrier: the lower end's address of each of these links."""
    vrf_loopbacks: Mapping[tuple[str, str], AddressColumn] = field(default_factory=dict)
    """By (owning fabric, VRF): the address of a switch's own in a VRF over EVPN, by device."""

    def format_address(self, address: int) -> str:
        """Return an address, given as an integer, as people write it; "" for 0, which stands for none."""
        return format_address(self.family, address) if address else ""

    def format_prefix(self, address: int, length: int) -> str:
        """Return an address, given as an integer, with a prefix length: `10.0.0.1/24`; "" for 0, which stands for
        none.
        """
        return f"{format_address(self.family, address)}/{length}" if address else ""

    def list_gateways(self, fabric: str, row: int) -> list[int]:
        """Return the gateways of a fabric's bridged nodes on a switch, one for each subnet."""
        subnets = self.subnets.get(fabric)
        if subnets is None or not subnets.gateway.at(row):
            return []
        size = 1 << (self.family.bits - int(subnets.subnet_length[row]))
        return [subnets.gateway.at(row) + k * size for k in range(int(subnets.count[row]))]

    def host_block(self, fabric: str, row: int) -> tuple[int, int]:
        """Return (first address, prefix length) of a switch's block for links to nodes of a fabric; (0, 0) for none."""
        subnets = self.subnets.get(fabric)
        return (subnets.base.at(row), int(subnets.length[row])) if subnets else (0, 0)

"""The tables of one address family, by device and by link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabricgen.numbering.blocks.column import AddressColumn, format_address
from fabricgen.numbering.blocks.family import Family
from fabricgen.wiring.arrays import Ints64


@dataclass(frozen=True, slots=True, eq=False)
class NodeBlocks:
    """For every device, the block of addresses for all its links to nodes of a fabric; 0 for none. Lengths are int64.

    `base` is the first address of the block, `length` its prefix length. If nodes are bridged, the block consists of
    `count` subnets (int64) of prefix length `subnet_length`, and `gateway` is the gateway in the first. The two
    switches of an MLAG pair have one block together.
    """

    base: AddressColumn
    length: Ints64
    gateway: AddressColumn
    count: Ints64
    subnet_length: Ints64
    own_address: AddressColumn
    """The address that each switch of an MLAG pair has alone, beside the gateway that both have."""


@dataclass(frozen=True, slots=True, eq=False)
class FamilyAddresses:
    """The addresses of one family, 0 for none; prefix lengths are int64.

    By device: loopback, and management address with prefix length and gateway. By link: the address of the lower end
    (`a`) and of the upper end (`b`), and their prefix length. A NIC that has one address over all planes has it at its
    link in the first plane; its other links have the address of the leaf only.
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
    """By (owning fabric, VRF): the upper end's address of each link that carries it; the lower end has the next."""
    shared: Mapping[str, AddressColumn]
    """By fabric whose nodes share the ports of its carrier: the lower end's address of each of these links."""
    vrf_loopbacks: Mapping[tuple[str, str], AddressColumn] = field(default_factory=dict)
    """By (owning fabric, VRF): the loopback of each device in a VRF over EVPN."""

    def format_address(self, address: int) -> str:
        """Return an address, given as an integer, as text; "" for 0, which stands for none."""
        return format_address(self.family, address) if address else ""

    def format_prefix(self, address: int, length: int) -> str:
        """Return an address, given as an integer, with a prefix length, as `10.0.0.1/24`; "" for address 0."""
        return f"{format_address(self.family, address)}/{length}" if address else ""

    def list_gateways(self, fabric: str, row: int) -> list[int]:
        """Return the gateways, as integers, of a fabric's bridged nodes on the switch of a row, one for each subnet."""
        subnets = self.subnets.get(fabric)
        if subnets is None or not subnets.gateway.at(row):
            return []
        size = 1 << (self.family.bits - int(subnets.subnet_length[row]))
        return [subnets.gateway.at(row) + k * size for k in range(int(subnets.count[row]))]

    def find_host_block(self, fabric: str, row: int) -> tuple[int, int]:
        """Return (first address, prefix length) of a switch's block for links to nodes of a fabric; (0, 0) for none."""
        subnets = self.subnets.get(fabric)
        return (subnets.base.at(row), int(subnets.length[row])) if subnets else (0, 0)

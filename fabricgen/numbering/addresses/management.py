"""Management addresses of one family: of ports on the management fabric, in-band, or in one flat subnet."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.intervals import Interval
from fabricgen.kernel.units import round_up_to_power_of_two
from fabricgen.numbering.addresses.allocator import AddressAllocator
from fabricgen.numbering.addresses.demand import RESERVED_IN_SUBNET
from fabricgen.numbering.addresses.family_tables import NodeBlocks
from fabricgen.numbering.blocks.column import AddressColumn, no_addresses, pick_addresses
from fabricgen.numbering.blocks.family import Family
from fabricgen.numbering.blocks.pools import Need, NumberPool
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import ManagementPort, WiringPlan


class ManagementAddresses(NamedTuple):
    """Per device: management address, its prefix length (int64) and gateway; 0 for none."""

    address: AddressColumn
    length: Ints64
    gateway: AddressColumn


class AllocatedAddresses(Protocol):
    """The addresses that are already allocated, by device and by link."""

    loopback: AddressColumn
    a: AddressColumn
    b: AddressColumn
    length: Ints64
    subnets: dict[str, NodeBlocks]


def allocate_management(
    design: Design, plan: WiringPlan, allocator: AddressAllocator, links: AllocatedAddresses
) -> ManagementAddresses:
    """Return the management address of every managed device: that of its first port on the management fabric.

    The management fabric's own switches are managed at their loopbacks. Where no fabric takes management ports, all
    switches get addresses in one flat subnet, in the families of the cluster.
    """
    family, devices = allocator.family, len(plan.devices)
    management = ManagementAddresses(
        no_addresses(family, devices), np.zeros(devices, np.int64), no_addresses(family, devices)
    )
    _take_port_addresses(plan, links, management)
    in_band_fabrics = [fabric for fabric in design.fabrics if fabric.managed_devices]
    if in_band_fabrics:
        _copy_loopbacks(plan, family, in_band_fabrics[0], links.loopback, management)
    elif design.loaded.blueprint.ip in (family.word, "dual"):
        _allocate_flat_subnet(design, plan, allocator, management)
    return management


def _take_port_addresses(plan: WiringPlan, numbered: AllocatedAddresses, management: ManagementAddresses) -> None:
    """Take the address of the first port of each device on the management fabric."""
    links = plan.links
    for i, segment in enumerate(links.segments):
        bmc = getattr(segment.a, "role", "") == "bmc"
        if not (bmc or isinstance(segment.a, ManagementPort)):
            continue
        segment_rows = links.find_rows(i)
        rows = segment_rows.start + np.flatnonzero(numbered.a[segment_rows].present)
        # `len(links)`, more than any row, stands for devices without such a port
        first = np.full(len(plan.devices), len(links), dtype=np.int64)
        np.minimum.at(first, links.a_device[rows], rows)
        devices = np.flatnonzero(first < len(links))
        rows = first[devices]
        management.address[devices], management.length[devices] = numbered.a[rows], numbered.length[rows]
        management.gateway[devices] = numbered.b[rows]
        bridged = ~numbered.b[rows].present
        if bridged.any():
            gateway = numbered.subnets[segment.fabric].gateway
            management.gateway[devices[bridged]] = gateway[links.b_device[rows[bridged]]]


def _copy_loopbacks(
    plan: WiringPlan, family: Family, fabric: FabricDesign, loopback: AddressColumn, management: ManagementAddresses
) -> None:
    """Manage the switches of the management fabric itself at their loopbacks."""
    for tier in fabric.tiers:
        rows = plan.devices.find_tier(tier.key).rows
        management.address[rows] = loopback[rows]
        management.length[rows] = np.where(loopback[rows].present, family.bits, 0)


def _allocate_flat_subnet(
    design: Design, plan: WiringPlan, allocator: AddressAllocator, management: ManagementAddresses
) -> None:
    """Allocate one subnet for the management ports of all switches; in IPv4 a further one when it is full."""
    family, tiers = allocator.family, [(fabric, tier) for fabric in design.fabrics for tier in fabric.tiers]
    slots = [allocator.find_slots(fabric, tier) for fabric, tier in tiers]
    # the broadcast address besides those that every subnet reserves
    needed = RESERVED_IN_SUBNET + 1 + sum(round_up_to_power_of_two(s.count) for s in slots)
    hosts = allocator.blocks.remember_capacity("management", round_up_to_power_of_two(needed))
    # of each subnet the network address, the gateway and the broadcast address are left out
    windows = tuple(Interval(i * hosts + 2, hosts - 3) for i in range(_bound_subnet_count(needed, hosts)))
    subnet_pool = NumberPool("management", "the management subnet", windows, ("pools", "management"), "FG024")
    numbers_by_tier = [allocator.blocks.allocate_numbers(subnet_pool, s, Need("switches"), hosts - 3) for s in slots]
    last = max(int(numbers.max()) for numbers in numbers_by_tier) // hosts
    size = family.subnet_size or hosts
    intervals = allocator.allocate_management(family.subnet_size or (last + 1) * hosts)
    for (_, tier), numbers in zip(tiers, numbers_by_tier, strict=True):
        rows = plan.devices.find_tier(tier.key).rows
        # where each subnet begins; one of stated size is a single one
        subnet = numbers // hosts * hosts if size == hosts else np.zeros_like(numbers)
        management.address[rows] = pick_addresses(family.kind, intervals, numbers, 1)
        management.gateway[rows] = pick_addresses(family.kind, intervals, subnet + 1, 1)
        management.length[rows] = family.prefix_length(size)


def _bound_subnet_count(needed: int, hosts: int) -> int:
    """Return an upper bound of the subnets of `hosts` addresses that `needed` numbers may take, holes included."""
    return 64 + 4 * -(-needed // (hosts - 3))

"""Addresses of devices in one family: management addresses, and loopbacks of VRFs over EVPN.

A management address is that of a port on the management fabric, that of a loopback (in-band), or one of a flat subnet.

A switch has a loopback in a VRF over EVPN if it relays DHCP there and has no other address at which servers reach it:

- With EVPN multihoming, the gateway of a VLAN is that of two switches (EOS user manual, DHCP Relay in VXLAN EVPN;
  Cumulus Linux user guide, DHCP Relays: Control the Gateway IP Address with RFC 3527; SONiC, sonic-dhcpv4-relay.yang).
- DHCPv6 on Cumulus Linux is relayed from an IPv6 address of the VRF itself (user guide, DHCP Relays: DHCP Relay for
  IPv6 in an EVPN Symmetric Environment).

Each switch of a tier has a number in the block of each of these VRFs, used or not, so that no address depends on where
hosts are.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.intervals import Interval
from fabricgen.kernel.units import round_up_to_power_of_two
from fabricgen.numbering.addresses.allocator import AddressAllocator
from fabricgen.numbering.addresses.demand import RESERVED_IN_SUBNET, list_relayed_fabrics, list_relayed_vrfs
from fabricgen.numbering.addresses.family_tables import NodeBlocks
from fabricgen.numbering.blocks.column import AddressColumn, no_addresses, pick_addresses
from fabricgen.numbering.blocks.family import Family
from fabricgen.numbering.blocks.pools import Need, NumberPool
from fabricgen.wiring.arrays import Flags, Ints64
from fabricgen.wiring.tables import ManagementPort, WiringPlan
from fabricgen.wiring.tenants import TenantPlaces


class ManagementAddresses(NamedTuple):
    """The management address of each device, its prefix length (int64) and its gateway; one row a device, 0 for
    none.
    """

    address: AddressColumn
    length: Ints64
    gateway: AddressColumn


class AllocatedAddresses(Protocol):
    """What is allocated before management ports: loopbacks by device, both ends of links, subnets by fabric."""

    loopback: AddressColumn
    a: AddressColumn
    b: AddressColumn
    length: Ints64
    subnets: dict[str, NodeBlocks]


def allocate_management(
    design: Design, plan: WiringPlan, allocator: AddressAllocator, numbered: AllocatedAddresses
) -> ManagementAddresses:
    """Return the management address of every managed device: that of its first port on the management fabric.

    The management fabric's own switches are managed at their loopbacks. If no fabric connects management ports, all
    switches get addresses in one flat subnet, in the families of the cluster. `numbered` has the addresses that are
    allocated already.
    """
    family, devices = allocator.family, len(plan.devices)
    management = ManagementAddresses(
        no_addresses(family, devices), np.zeros(devices, np.int64), no_addresses(family, devices)
    )
    _take_port_addresses(plan, numbered, management)
    in_band_fabrics = [fabric for fabric in design.fabrics if fabric.managed_devices]
    if in_band_fabrics:
        _copy_loopbacks(plan, family, in_band_fabrics[0], numbered.loopback, management)
    elif design.loaded.blueprint.ip in (family.word, "dual"):
        _allocate_flat_subnet(design, plan, allocator, management)
    return management


def _take_port_addresses(plan: WiringPlan, numbered: AllocatedAddresses, management: ManagementAddresses) -> None:
    """Write the management address of each device with a port on the management fabric into `management`.

    It is that of the first such port, with its prefix length. The gateway is the switch at a routed link, else the
    gateway of the subnet.
    """
    links = plan.links
    for i, segment in enumerate(links.segments):
        is_bmc = getattr(segment.a, "role", "") == "bmc"
        if not (is_bmc or isinstance(segment.a, ManagementPort)):
            continue
        segment_rows = links.find_rows(i)
        rows = segment_rows.start + np.flatnonzero(numbered.a[segment_rows].present)
        # `len(links)`, more than any row, stands for devices without such a port
        first_links = np.full(len(plan.devices), len(links), dtype=np.int64)
        np.minimum.at(first_links, links.a_device[rows], rows)
        devices = np.flatnonzero(first_links < len(links))
        rows = first_links[devices]
        management.address[devices], management.length[devices] = numbered.a[rows], numbered.length[rows]
        management.gateway[devices] = numbered.b[rows]
        bridged = ~numbered.b[rows].present
        if bridged.any():
            gateway = numbered.subnets[segment.fabric].gateway
            management.gateway[devices[bridged]] = gateway[links.b_device[rows[bridged]]]


def _copy_loopbacks(
    plan: WiringPlan, family: Family, fabric: FabricDesign, loopback: AddressColumn, management: ManagementAddresses
) -> None:
    """Make the loopbacks of the management fabric's own switches their management addresses."""
    for tier in fabric.tiers:
        rows = plan.devices.find_tier(tier.key).rows
        management.address[rows] = loopback[rows]
        management.length[rows] = np.where(loopback[rows].present, family.bits, 0)


def _allocate_flat_subnet(
    design: Design, plan: WiringPlan, allocator: AddressAllocator, management: ManagementAddresses
) -> None:
    """Write the addresses of the management ports of all switches, in one subnet, into `management`.

    If an IPv4 subnet of the size in the lock is full, a further one of that size follows it.
    """
    family, tiers = allocator.family, [tier for fabric in design.fabrics for tier in fabric.tiers]
    slots = [allocator.find_slots(tier) for tier in tiers]
    # the broadcast address besides those that every subnet reserves
    needed = RESERVED_IN_SUBNET + 1 + sum(round_up_to_power_of_two(s.count) for s in slots)
    addresses_per_subnet = allocator.blocks.remember_capacity("management", round_up_to_power_of_two(needed))
    # of each subnet the network address, the gateway and the broadcast address are left out
    most_subnets = 64 + 4 * -(-needed // (addresses_per_subnet - 3))  # an upper bound, holes included
    windows = tuple(Interval(i * addresses_per_subnet + 2, addresses_per_subnet - 3) for i in range(most_subnets))
    subnet_pool = NumberPool("management", "the management subnet", windows, ("pools", "management"), "FG024")
    numbers_by_tier = [
        allocator.blocks.allocate_numbers(subnet_pool, s, Need("switches"), addresses_per_subnet - 3) for s in slots
    ]
    last_subnet = max(int(numbers.max()) for numbers in numbers_by_tier) // addresses_per_subnet
    size = family.subnet_size or addresses_per_subnet
    intervals = allocator.allocate_management(family.subnet_size or (last_subnet + 1) * addresses_per_subnet)
    for tier, numbers in zip(tiers, numbers_by_tier, strict=True):
        rows = plan.devices.find_tier(tier.key).rows
        # where each subnet begins; one of stated size is a single one
        subnet = (
            numbers // addresses_per_subnet * addresses_per_subnet
            if size == addresses_per_subnet
            else np.zeros_like(numbers)
        )
        management.address[rows] = pick_addresses(family.kind, intervals, numbers, 1)
        management.gateway[rows] = pick_addresses(family.kind, intervals, subnet + 1, 1)
        management.length[rows] = family.prefix_length(size)


# Loopbacks of VRFs over EVPN.


def allocate_vrf_loopbacks(
    design: Design,
    plan: WiringPlan,
    allocator: AddressAllocator,
    subnets: Mapping[str, NodeBlocks],
    tenants: Mapping[str, TenantPlaces],
) -> dict[tuple[str, str], AddressColumn]:
    """Return the loopbacks of switches in VRFs over EVPN, by (fabric that owns the switches, VRF).

    Each column has one row a device, 0 for devices that relay no DHCP in that VRF. `subnets` are the blocks of nodes by
    fabric. `tenants` says, by name of a tenant, on which switches and links it is.
    """
    family, count = allocator.family, len(plan.devices)
    columns: dict[tuple[str, str], AddressColumn] = {}
    for tier, vrf in list_relayed_vrfs(design, family):
        column = columns.setdefault((tier.fabric, vrf), no_addresses(family, count))
        column[plan.devices.find_tier(tier.key).rows] = allocator.allocate_loopbacks(tier, vrf)
    for (name, vrf), column in columns.items():
        needed = np.zeros(count, dtype=bool)
        for fabric, tenant in list_relayed_fabrics(design, design.fabric(name), vrf, family):
            needed |= _find_serving_switches(fabric, tenant, count, subnets, tenants)
        unused = np.flatnonzero(~needed)
        column[unused] = no_addresses(family, len(unused))
    return columns


def _find_serving_switches(
    fabric: str, tenant: str, count: int, subnets: Mapping[str, NodeBlocks], tenants: Mapping[str, TenantPlaces]
) -> Flags:
    """Return which devices are switches with hosts of a fabric, bool by device; with `tenant`, with hosts of it in the
    fabric.

    `count` is the number of devices.
    """
    if tenant:
        ports = tenants[tenant].ports.get(fabric)
        return ports > 0 if ports is not None else np.zeros(count, dtype=bool)
    return subnets[fabric].base.present if fabric in subnets else np.zeros(count, dtype=bool)

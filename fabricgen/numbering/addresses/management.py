"""Management addresses of one family: of ports on the management fabric, in-band, or in one flat subnet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.intervals import Interval
from fabricgen.kernel.units import power_of_two_at_least
from fabricgen.numbering.addresses.allocator import AddressAllocator
from fabricgen.numbering.addresses.demand import RESERVED_IN_SUBNET
from fabricgen.numbering.addresses.family_tables import Subnets
from fabricgen.numbering.blocks.column import AddressColumn, at_places, no_addresses
from fabricgen.numbering.blocks.family import Family
from fabricgen.numbering.blocks.pools import Need, NumberPool
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import ManagementPort, WiringPlan


@dataclass(frozen=True, slots=True)
class Management:
    """Per device: management address, its prefix length (int64) and gateway; 0 for none."""

    address: AddressColumn
    length: Ints64
    gateway: AddressColumn


class Links(Protocol):
    """The addresses that are already allocated, by device and by link."""

    loopback: AddressColumn
    a: AddressColumn
    b: AddressColumn
    length: Ints64
    subnets: dict[str, Subnets]


def manage(design: Design, plan: WiringPlan, allocator: AddressAllocator, links: Links) -> Management:
    """The management address of every managed device: that of its first port on the management fabric.

    The management fabric's own switches are managed at their loopbacks. Where no fabric takes management ports, all
    switches get addresses in one flat subnet, in the families of the cluster.
    """
    family, devices = allocator.family, len(plan.devices)
    found = Management(no_addresses(family, devices), np.zeros(devices, np.int64), no_addresses(family, devices))
    _of_ports(plan, links, found)
    own = [fabric for fabric in design.fabrics if fabric.managed_devices]
    if own:
        _in_band(plan, family, own[0], links.loopback, found)
    elif design.loaded.blueprint.ip in (family.word, "dual"):
        _flat(design, plan, allocator, found)
    return found


def _of_ports(plan: WiringPlan, numbered: Links, found: Management) -> None:
    """Take the address of the first port of each device on the management fabric."""
    links = plan.links
    for i, segment in enumerate(links.segments):
        bmc = getattr(segment.a, "role", "") == "bmc"
        if not (bmc or isinstance(segment.a, ManagementPort)):
            continue
        here = links.rows_of(i)
        rows = here.start + np.flatnonzero(numbered.a[here].present)
        first = np.full(len(plan.devices), len(links), dtype=np.int64)
        np.minimum.at(first, links.a_device[rows], rows)
        devices = np.flatnonzero(first < len(links))
        rows = first[devices]
        found.address[devices], found.length[devices] = numbered.a[rows], numbered.length[rows]
        found.gateway[devices] = numbered.b[rows]
        bridged = ~numbered.b[rows].present
        if bridged.any():
            gateway = numbered.subnets[segment.fabric].gateway
            found.gateway[devices[bridged]] = gateway[links.b_device[rows[bridged]]]


def _in_band(
    plan: WiringPlan, family: Family, fabric: FabricDesign, loopback: AddressColumn, found: Management
) -> None:
    for tier in fabric.tiers:
        rows = plan.devices.of_tier(tier.key).rows
        found.address[rows] = loopback[rows]
        found.length[rows] = np.where(loopback[rows].present, family.bits, 0)


def _flat(design: Design, plan: WiringPlan, allocator: AddressAllocator, found: Management) -> None:
    """Allocate one subnet for the management ports of all switches; in IPv4 a further one when it is full."""
    family, tiers = allocator.family, [(fabric, tier) for fabric in design.fabrics for tier in fabric.tiers]
    slots = [allocator.slots(fabric, tier) for fabric, tier in tiers]
    wanted = RESERVED_IN_SUBNET + 1 + sum(power_of_two_at_least(s.count) for s in slots)
    hosts = allocator.blocks.capacity("management", power_of_two_at_least(wanted))
    windows = tuple(Interval(i * hosts + 2, hosts - 3) for i in range(_most_subnets(wanted, hosts)))
    inside = NumberPool("management", "the management subnet", windows, ("pools", "management"), "FG024")
    places = [allocator.blocks.numbers(inside, s, Need("switches"), hosts - 3) for s in slots]
    last = max(int(place.max()) for place in places) // hosts
    size = family.subnet_size or hosts
    intervals = allocator.management(family.subnet_size or (last + 1) * hosts)
    for (_, tier), place in zip(tiers, places, strict=True):
        rows = plan.devices.of_tier(tier.key).rows
        subnet = place // hosts * hosts if size == hosts else np.zeros_like(place)
        found.address[rows] = at_places(family.kind, intervals, place, 1)
        found.gateway[rows] = at_places(family.kind, intervals, subnet + 1, 1)
        found.length[rows] = family.length_of(size)


def _most_subnets(wanted: int, hosts: int) -> int:
    """An upper bound of the subnets of `hosts` addresses that `wanted` numbers may take, holes included."""
    return 64 + 4 * -(-wanted // (hosts - 3))

"""Loopbacks of VRFs over EVPN: an address of a switch's own in a VRF, to which DHCP servers answer.

A switch has one if it relays DHCP in a VRF over EVPN and has no other address there at which servers reach it:

- With EVPN multihoming, the gateway of a VLAN is that of two switches (EOS user manual, DHCP Relay in VXLAN EVPN;
  Cumulus Linux user guide, DHCP Relays: Control the Gateway IP Address with RFC 3527; SONiC, sonic-dhcpv4-relay.yang).
- DHCPv6 on Cumulus Linux is relayed from an IPv6 address of the VRF itself (user guide, DHCP Relays: DHCP Relay for
  IPv6 in an EVPN Symmetric Environment).

Each switch of a tier has a number in the block of each of these VRFs, used or not: where hosts are moves no address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.design.model import Design
from fabricgen.numbering.addresses.family_tables import NodeBlocks
from fabricgen.numbering.addresses.relayed_vrfs import list_relayed_fabrics, list_relayed_vrfs
from fabricgen.numbering.blocks.column import AddressColumn, no_addresses
from fabricgen.wiring.arrays import Flags
from fabricgen.wiring.tables import WiringPlan
from fabricgen.wiring.tenants import TenantPlaces

if TYPE_CHECKING:
    from fabricgen.numbering.addresses.allocator import AddressAllocator


def allocate_vrf_loopbacks(
    design: Design,
    plan: WiringPlan,
    allocator: AddressAllocator,
    subnets: Mapping[str, NodeBlocks],
    tenants: Mapping[str, TenantPlaces],
) -> dict[tuple[str, str], AddressColumn]:
    """Return the loopbacks of devices by (owning fabric, VRF); 0 for a switch that relays nothing in that VRF."""
    family, count = allocator.family, len(plan.devices)
    columns: dict[tuple[str, str], AddressColumn] = {}
    for owner, tier, vrf in list_relayed_vrfs(design, family):
        column = columns.setdefault((owner.name, vrf), no_addresses(family, count))
        rows = plan.devices.find_tier(tier.key).rows
        column[rows] = allocator.allocate_loopbacks(owner, tier, vrf)
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
    """Return which switches have hosts of a fabric, or of a tenant in it if one is named; bool by device."""
    if tenant:
        ports = tenants[tenant].ports.get(fabric)
        return ports > 0 if ports is not None else np.zeros(count, dtype=bool)
    return subnets[fabric].base.present if fabric in subnets else np.zeros(count, dtype=bool)

"""Which VRFs over EVPN have loopbacks: those with a DHCP relay without an address of its own; from the design alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.linked import is_multihomed
from fabricgen.design.model import Design
from fabricgen.numbering.addresses.family_tables import Subnets
from fabricgen.numbering.blocks.column import AddressColumn, no_addresses
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, Family
from fabricgen.numbering.underlay import families
from fabricgen.wiring.tables import Flags, WiringPlan
from fabricgen.wiring.tenants import TenantPlaces

if TYPE_CHECKING:
    from fabricgen.numbering.addresses.allocator import AddressAllocator


def relayed_vrfs(design: Design, family: Family) -> Iterator[tuple[FabricDesign, TierDesign, str]]:
    """(owning fabric, tier, VRF) of the switches that have loopbacks of a family in VRFs, sorted by VRF."""
    for owner_name, vrf in sorted(design.vnis):
        owner = design.fabric(owner_name)
        fabrics = [design.fabric(name) for name, _ in relayed_fabrics(design, owner, vrf, family)]
        for tier in owner.tiers if family.word in families(design, owner) else ():
            hosts = any(tier.key in f.leaves or any(e.tier == tier.key for e in f.extras) for f in fabrics)
            if hosts and _lacks_address(design, tier, family):
                yield owner, tier, vrf


def relayed_fabrics(design: Design, owner: FabricDesign, vrf: str, family: Family) -> Iterator[tuple[str, str]]:
    """(fabric, its tenant or "") of what is relayed in a VRF of the switches of a fabric, to servers of a family."""
    for fabric in design.fabrics:
        dhcp = design.loaded.blueprint.fabrics[fabric.name].dhcp
        here = owner.name in (fabric.name, fabric.carrier) and fabric.hosts != "none"
        if not here or dhcp is None or not any(_is_of(server, family) for server in dhcp.servers):
            continue
        if fabric.vrf == vrf:
            yield fabric.name, ""
        yield from ((fabric.name, t.name) for t in design.tenants if t.name == vrf and fabric.name in t.fabrics)


def _is_of(server: str, family: Family) -> bool:
    return (":" in server) == (family.bits > ROUTER_ID_BITS)


def _lacks_address(design: Design, tier: TierDesign, family: Family) -> bool:
    """Whether a relay on switches of a tier has no address of a family in a VRF over EVPN that is its own."""
    relay = design.catalog.naming(tier.nos).configuration.relay
    if relay.v6_needs_loopback and family.bits > ROUTER_ID_BITS:
        return True
    return is_multihomed(design.loaded.blueprint, tier.key)


# Loopbacks of VRFs over EVPN: an address of a switch's own in a VRF, to which DHCP servers answer.
# There are such where a switch relays DHCP in a VRF over EVPN, and has no other address there that servers reach it
# at:
# - With EVPN multihoming, the gateway of a VLAN is that of two switches (EOS user manual, DHCP Relay in VXLAN EVPN;
# Cumulus Linux user guide, DHCP Relays: Control the Gateway IP Address with RFC 3527; SONiC, sonic-
# dhcpv4-relay.yang). - DHCPv6 on Cumulus Linux is relayed from an IPv6 address of the VRF itself (user guide, DHCP
# Relays: DHCP Relay for IPv6 in an EVPN Symmetric Environment).
# Each switch of a tier has one in the block of each such VRF, used or not, so that none depends on where hosts are.


def vrf_loopbacks(
    design: Design,
    plan: WiringPlan,
    allocator: AddressAllocator,
    subnets: Mapping[str, Subnets],
    tenants: Mapping[str, TenantPlaces],
) -> dict[tuple[str, str], AddressColumn]:
    """By (owning fabric, VRF) the loopbacks by device; 0 where nothing is relayed in that VRF."""
    family, count = allocator.family, len(plan.devices)
    found: dict[tuple[str, str], AddressColumn] = {}
    for owner, tier, vrf in relayed_vrfs(design, family):
        column = found.setdefault((owner.name, vrf), no_addresses(family, count))
        rows = plan.devices.of_tier(tier.key).rows
        column[rows] = allocator.loopbacks(owner, tier, vrf)
    for (name, vrf), column in found.items():
        needed = np.zeros(count, dtype=bool)
        for fabric, tenant in relayed_fabrics(design, design.fabric(name), vrf, family):
            needed |= _serves(fabric, tenant, count, subnets, tenants)
        unused = np.flatnonzero(~needed)
        column[unused] = no_addresses(family, len(unused))
    return found


def _serves(
    fabric: str, tenant: str, count: int, subnets: Mapping[str, Subnets], tenants: Mapping[str, TenantPlaces]
) -> Flags:
    """The switches that have hosts of a fabric, or those of a tenant among them; bool by device."""
    if tenant:
        ports = tenants[tenant].ports.get(fabric)
        return ports > 0 if ports is not None else np.zeros(count, dtype=bool)
    return subnets[fabric].base.present if fabric in subnets else np.zeros(count, dtype=bool)

"""Which VRFs over EVPN have loopbacks: those with a DHCP relay without an address of its own; from the design alone."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.linked import is_multihomed
from fabricgen.design.model import Design
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, Family
from fabricgen.numbering.underlay import list_families


def list_relayed_vrfs(design: Design, family: Family) -> Iterator[tuple[FabricDesign, TierDesign, str]]:
    """(owning fabric, tier, VRF) of the switches that have loopbacks of a family in VRFs, sorted by VRF."""
    for owner_name, vrf in sorted(design.vnis):
        owner = design.fabric(owner_name)
        fabrics = [design.fabric(name) for name, _ in list_relayed_fabrics(design, owner, vrf, family)]
        for tier in owner.tiers if family.word in list_families(design, owner) else ():
            hosts = any(tier.key in f.leaves or any(e.tier == tier.key for e in f.extras) for f in fabrics)
            if hosts and _lacks_address(design, tier, family):
                yield owner, tier, vrf


def list_relayed_fabrics(design: Design, owner: FabricDesign, vrf: str, family: Family) -> Iterator[tuple[str, str]]:
    """(fabric, its tenant or "") of what is relayed in a VRF of the switches of a fabric, to servers of a family."""
    for fabric in design.fabrics:
        dhcp = design.loaded.blueprint.fabrics[fabric.name].dhcp
        in_fabric = owner.name in (fabric.name, fabric.carrier) and fabric.hosts != "none"
        if not in_fabric or dhcp is None or not any(_has_family(server, family) for server in dhcp.servers):
            continue
        if fabric.vrf == vrf:
            yield fabric.name, ""
        yield from ((fabric.name, t.name) for t in design.tenants if t.name == vrf and fabric.name in t.fabrics)


def _has_family(server: str, family: Family) -> bool:
    return (":" in server) == (family.bits > ROUTER_ID_BITS)


def _lacks_address(design: Design, tier: TierDesign, family: Family) -> bool:
    """Whether a relay on switches of a tier has no address of a family in a VRF over EVPN that is its own."""
    relay = design.catalog.naming(tier.nos).configuration.relay
    if relay.v6_needs_loopback and family.bits > ROUTER_ID_BITS:
        return True
    return is_multihomed(design.loaded.blueprint, tier.key)

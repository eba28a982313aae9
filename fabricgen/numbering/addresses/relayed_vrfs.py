"""Which VRFs over EVPN have loopbacks: VRFs in which DHCP is relayed without another address; from the design alone."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.linked import is_multihomed
from fabricgen.design.model import Design
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, Family
from fabricgen.numbering.underlay import list_families


def list_relayed_vrfs(design: Design, family: Family) -> Iterator[tuple[TierDesign, str]]:
    """Yield (tier, VRF) for each tier whose switches have a loopback of the family in the VRF."""
    for owner_name, vrf in sorted(design.vnis):
        owner = design.fabric(owner_name)
        fabrics = [design.fabric(name) for name, _ in list_relayed_fabrics(design, owner, vrf, family)]
        for tier in owner.tiers if family.word in list_families(design, owner) else ():
            has_hosts = any(tier.key in f.leaves or any(e.tier == tier.key for e in f.extras) for f in fabrics)
            if has_hosts and _lacks_address(design, tier, family):
                yield tier, vrf


def list_relayed_fabrics(design: Design, owner: FabricDesign, vrf: str, family: Family) -> Iterator[tuple[str, str]]:
    """Yield (fabric, tenant or "") for the hosts whose DHCP is relayed, in a VRF of the owner's switches, to servers
    of a family.
    """
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
    """Whether the switches of a tier have no address of a family in a VRF over EVPN from which they could relay
    DHCP.
    """
    relay = design.catalog.naming(tier.nos).configuration.relay
    if relay.v6_needs_loopback and family.bits > ROUTER_ID_BITS:
        return True
    return is_multihomed(design.loaded.blueprint, tier.key)

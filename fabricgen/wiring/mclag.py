"""What a pair of SONiC switches cannot be asked for: they have one address and one MAC in every VLAN of hosts."""

from __future__ import annotations

from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path, fault

FAULT = "FG099"


def check_mclag(design: Design, tier: TierDesign) -> None:
    """Raise InputError (FG099) where MCLAG pairs have VRFs with hosts and links up, or relay DHCP.

    sonic-net/SONiC, doc/mclag/MCLAG_Enhancements_HLD.md, 2.1.9: sessions need addresses of each, which such a VLAN has
    not. A relay's replies go to its address, which both have, and it knows ports of its own switch alone.
    """
    blueprint = design.loaded.blueprint
    where = f"{tier.fabric} {tier.name}"
    alone = len(design.fabric(tier.fabric).tiers) == 1
    for fabric in design.fabrics:
        if tier.key not in fabric.leaves and not any(extra.tier == tier.key for extra in fabric.extras):
            continue
        path: Path = fabric.path
        tenant = next((tenant for tenant in design.tenants if fabric.name in tenant.vlans), None)
        if fabric.vrf and not alone:
            what, key, hint = f"{fabric.name} in VRF {fabric.vrf}", "vrf", "state `vrf: default`"
        elif tenant and not alone:
            what, key, hint = f"a VRF of tenant {tenant.name}", "", "leave this fabric out of its `fabrics`"
            path = ("tenants", tenant.name)
        elif blueprint.fabrics[fabric.name].dhcp:
            what, key, hint = f"a DHCP relay for {fabric.name}", "dhcp", "put a server into the VLAN"
        else:
            continue
        raise fault(
            FAULT,
            f"{where} are MCLAG pairs of SONiC, which cannot have {what}: both switches have one address in its VLAN",
            path=(*path, key) if key else path,
            hint=f"{hint}, or take a NOS whose pairs have addresses of their own",
        )

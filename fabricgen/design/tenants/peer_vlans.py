"""VLANs in which VRFs pass between the two switches of an MCLAG pair of SONiC.

Both have one address and one MAC in a VLAN of hosts, and so no session there (sonic-net/SONiC,
doc/mclag/MCLAG_Enhancements_HLD.md, 2.1.9): each VRF has a VLAN of the peer link alone beside it, with addresses of
each. The lock remembers it. Over EVPN no VRF has sessions between switches: those of EVPN are between the two as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.linked import fabric_overlay
from fabricgen.design.model import Design
from fabricgen.design.numbering import peer_vlan, with_peer_vlans
from fabricgen.design.tenants.overlay import check_vlans


def with_vlans_of_pairs(design: Design) -> Design:
    """A design with the VLANs of VRFs over the peer links of MCLAG pairs.

    Raises InputError (FG114) where there are too few VLANs, or hosts are in one of these.
    """
    vrfs = list(dict.fromkeys(_vrfs(design)))
    if not vrfs:
        return design
    numbering = with_peer_vlans(design.layout.numbering, vrfs)
    vlans = {vrf: numbering.held["vlans"][peer_vlan(vrf)][0].first for vrf in vrfs}
    check_vlans(design, {vlan: f"of VRF {vrf} over peer links" for vrf, vlan in vlans.items()})
    return replace(design, layout=replace(design.layout, numbering=numbering), peer_vlans=vlans)


def _vrfs(design: Design) -> Iterator[str]:
    """The VRFs of switches that may be such pairs: of carried fabrics, then of tenants."""
    if not any(fabric.bond for fabric in design.fabrics):
        return
    owners = {
        fabric.name
        for fabric in design.fabrics
        if fabric_overlay(design.loaded.blueprint, fabric.name) != "evpn"
        and any(tier.peer_links and _has_vlans_of_vrfs(design, tier) for tier in fabric.tiers)
    }
    yield from (fabric.vrf for fabric in design.fabrics if fabric.vrf and fabric.carrier in owners)
    yield from (tenant.name for tenant in design.tenants if owners & set(tenant.transport))


def _has_vlans_of_vrfs(design: Design, tier: TierDesign) -> bool:
    return design.catalog.naming(tier.nos).configuration.pairs.vlans_of_vrfs

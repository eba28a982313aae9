"""VRFs over EVPN: which there are, and their VNIs.

If `routing.overlay` is `evpn`, a VRF of a carried fabric or of a tenant passes the links between switches in VXLAN, by
EVPN routes of type 5 (RFC 9136, 4.4.1: interface-less). The lock remembers VNIs, so that no VRF changes its VNI.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import (
    find_fabric_ip,
    find_fabric_overlay,
    find_fabric_underlay,
    find_fabric_vlan,
    is_multihomed,
)
from fabricgen.design.model import Design, Vni
from fabricgen.design.numbering import name_host_vni, name_peer_vlan, name_vni_vlan, number_peer_vlans, number_vnis
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, fault

FIRST_VNI = 10_000


def number_vrfs(design: Design) -> Design:
    """Return a design with the VNIs of its VRFs over EVPN, and of VLANs on switches with EVPN multihoming.

    Raises InputError (FG071) if switches with such VRFs have no eBGP underlay or no IPv4, and FG114 if a fabric has the
    VLAN of a VNI.
    """
    # a dict without repetitions, in the order in which numbers are given
    vrfs = dict.fromkeys(_list_vrfs(design))
    faults = [
        diagnostic
        for name in dict.fromkeys(owner for owner, _ in vrfs)
        for diagnostic in _find_overlay_faults(design, name)
    ]
    faults += [
        diagnostic
        for fabric in design.fabrics
        if design.loaded.blueprint.fabrics[fabric.name].routing.overlay == "evpn"
        for diagnostic in _find_overlay_faults(design, fabric.name)
    ]
    if faults:
        raise InputError(list(dict.fromkeys(faults)))
    bridged = {(fabric.name, tenant): fabric.carrier or fabric.name for fabric, tenant in _list_bridged_vlans(design)}
    if not vrfs and not bridged:
        return design
    layout, routing = design.layout, design.loaded.blueprint.routing
    numbering = number_vnis(
        layout.numbering,
        layout.lock,
        list(dict.fromkeys(vrf for _, vrf in vrfs)),
        [name_host_vni(*key) for key in bridged],
    )
    first_vni = {}
    for owner in (*(owner for owner, _ in vrfs), *bridged.values()):
        owner_routing = design.loaded.blueprint.fabrics[owner].routing
        first_vni[owner] = owner_routing.first_vni or routing.first_vni or FIRST_VNI
    vnis = {}
    for owner, vrf in vrfs:
        number = numbering.held["vnis"][vrf][0].first
        vlan = numbering.held["vlans"][name_vni_vlan(vrf)][0].first
        vnis[owner, vrf] = Vni(number, first_vni[owner] + number - 1, vlan)
    check_vlans(design, {vni.vlan: f"of the VNI of VRF {vrf}" for (_, vrf), vni in vnis.items()}, PASSING_VLANS)
    numbers = {key: numbering.held["vnis"][name_host_vni(*key)][0].first for key in bridged}
    of_hosts = {key: Vni(numbers[key], first_vni[owner] + numbers[key] - 1, 0) for key, owner in bridged.items()}
    return replace(design, layout=replace(layout, numbering=numbering), vnis=vnis, bridged_vnis=of_hosts)


PASSING_VLANS = "what passes VRFs from switch to switch has VLANs 3400 to 3724: state another"
"""The hint for a fabric that has a VLAN by which VRFs pass."""


def check_vlans(design: Design, vlans_in_use: Mapping[int, str], hint: str) -> None:
    """Raise InputError (FG114) if a fabric has a VLAN that a VRF or a tenant has taken; `vlans_in_use` says in words
    for what each VLAN is.
    """
    for fabric in design.fabrics:
        vlan = find_fabric_vlan(design.loaded.blueprint, design.layout.numbering, fabric.name)
        if vlan in vlans_in_use:
            message = f"{fabric.name} has VLAN {vlan}, which is that {vlans_in_use[vlan]}"
            raise fault("FG114", message, path=(*fabric.path, "vlan"), hint=hint)


def _list_bridged_vlans(design: Design) -> Iterator[tuple[FabricDesign, str]]:
    """Yield (fabric, tenant) of the VLANs of hosts on switches with EVPN multihoming, hosts without a tenant ("")
    first.
    """
    fabrics = list(_list_bridged_fabrics(design))
    yield from ((fabric, "") for fabric in fabrics)
    for tenant in design.tenants:
        yield from ((fabric, tenant.name) for fabric in fabrics if fabric.name in tenant.fabrics)


def _list_bridged_fabrics(design: Design) -> Iterator[FabricDesign]:
    """Yield the fabrics whose hosts are bridged on switches with EVPN multihoming."""
    blueprint = design.loaded.blueprint
    for fabric in design.fabrics:
        is_over_evpn = fabric.hosts == "bridged" and find_fabric_overlay(blueprint, fabric.name) == "evpn"
        if is_over_evpn and any(is_multihomed(blueprint, key) for key in fabric.leaves):
            yield fabric


def _list_vrfs(design: Design) -> Iterator[tuple[str, str]]:
    """Yield (fabric that owns the switches, VRF) of the VRFs over EVPN: of carried fabrics, then of tenants."""
    blueprint = design.loaded.blueprint
    evpn_fabrics = {
        f.name
        for f in design.fabrics
        if f.protocol != "infiniband" and find_fabric_overlay(blueprint, f.name) == "evpn"
    }
    for fabric in design.fabrics:
        if fabric.vrf and fabric.name in evpn_fabrics:
            yield fabric.carrier, fabric.vrf
    for tenant in design.tenants:
        yield from ((name, tenant.name) for name in tenant.transport if name in evpn_fabrics)


def _find_overlay_faults(design: Design, name: str) -> Iterator[Diagnostic]:
    """Yield a fault if a fabric cannot have the overlay `evpn`: it has no IP, no BGP, or IPv6 alone."""
    blueprint = design.loaded.blueprint
    stated = blueprint.fabrics[name].routing.overlay
    path: Path = ("fabrics", name, "routing", "overlay") if stated else ("routing", "overlay")
    underlay, protocol = find_fabric_underlay(blueprint, name), design.fabric(name).protocol
    if protocol == "infiniband":
        problem, hint = "is InfiniBand, whose switches do not route IP", "leave it out there"
    elif not underlay.startswith("ebgp"):
        problem, hint = f"has underlay {underlay}, over which no BGP runs", "use an ebgp underlay"
    elif find_fabric_ip(blueprint, name) == "v6":
        problem = "has IPv6 alone, and tunnels end at IPv4 loopbacks here"
        hint = "use `ip: dual`, or leave the overlay out"
    else:
        return
    yield Diagnostic("FG071", Severity.ERROR, f"{name} {problem}: it cannot have the overlay evpn", path, hint)


# VLANs in which VRFs pass between the two switches of an MCLAG pair of SONiC.
# The two have the same address and MAC in a VLAN of hosts, and so no session there (sonic-net/SONiC,
# doc/mclag/MCLAG_Enhancements_HLD.md, 2.1.9): each VRF has a further VLAN, on the peer link alone, in which each switch
# has an address. The lock remembers that VLAN. Over EVPN no VRF needs it: the two have EVPN sessions with each other.


def number_pair_vlans(design: Design) -> Design:
    """Return a design with the VLANs of VRFs over the peer links of MCLAG pairs.

    Raises InputError (FG114) if there are too few VLANs, or hosts are in one of them.
    """
    vrfs = list(dict.fromkeys(_list_pair_vrfs(design)))
    if not vrfs:
        return design
    numbering = number_peer_vlans(design.layout.numbering, vrfs)
    vlans = {vrf: numbering.held["vlans"][name_peer_vlan(vrf)][0].first for vrf in vrfs}
    check_vlans(design, {vlan: f"of VRF {vrf} over peer links" for vrf, vlan in vlans.items()}, PASSING_VLANS)
    return replace(design, layout=replace(design.layout, numbering=numbering), peer_vlans=vlans)


def _list_pair_vrfs(design: Design) -> Iterator[str]:
    """Yield the VRFs of switches that may be MCLAG pairs: of carried fabrics, then of tenants."""
    if not any(fabric.bond for fabric in design.fabrics):
        return
    owners = {
        fabric.name
        for fabric in design.fabrics
        if find_fabric_overlay(design.loaded.blueprint, fabric.name) != "evpn"
        and any(
            tier.peer_links and design.catalog.naming(tier.nos).configuration.pairs.vlans_of_vrfs
            for tier in fabric.tiers
        )
    }
    yield from (fabric.vrf for fabric in design.fabrics if fabric.vrf and fabric.carrier in owners)
    yield from (tenant.name for tenant in design.tenants if owners & set(tenant.transport))

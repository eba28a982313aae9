"""The underlay of each fabric, and which numbers its switches therefore need; computed from the design alone."""

from __future__ import annotations

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import find_fabric_ip, find_fabric_overlay, find_fabric_underlay
from fabricgen.design.model import Design


def is_routed(fabric: FabricDesign) -> bool:
    """Whether the switches of a fabric route IP: all but those of InfiniBand."""
    return fabric.protocol != "infiniband"


def is_management(fabric: FabricDesign) -> bool:
    """Whether a fabric connects BMCs or management ports of switches; its nodes then use the management pool."""
    return fabric.manages


def find_underlay(design: Design, fabric: FabricDesign) -> str:
    """Return the underlay stated nearest to a fabric: `ebgp-numbered`, `ebgp-unnumbered`, `static`, `srv6` or
    `none`.
    """
    return find_fabric_underlay(design.loaded.blueprint, fabric.name)


def loses_flows_for_good(design: Design, fabric: FabricDesign) -> bool:
    """Whether flows over a link that fails stay lost until it is repaired: routes are static, so that no switch
    routes around it, and the NICs have no other plane to send by.
    """
    return is_routed(fabric) and find_underlay(design, fabric) == "static" and fabric.planes == 1


def runs_bgp(design: Design, fabric: FabricDesign) -> bool:
    """Whether the switches of a fabric have AS numbers and BGP sessions."""
    return is_routed(fabric) and find_underlay(design, fabric) in ("ebgp-numbered", "ebgp-unnumbered")


def links_carry_vrfs(design: Design, fabric: FabricDesign) -> bool:
    """Whether VRFs pass the links between the switches of a fabric in sub-interfaces, with sessions of their own."""
    return runs_bgp(design, fabric) and find_fabric_overlay(design.loaded.blueprint, fabric.name) == "none"


def numbers_links(design: Design, fabric: FabricDesign) -> bool:
    """Whether links between the switches of a fabric have addresses."""
    return is_routed(fabric) and find_underlay(design, fabric) in ("ebgp-numbered", "static", "srv6")


def list_families(design: Design, fabric: FabricDesign) -> tuple[str, ...]:
    """Return the address families of a fabric, "v4" before "v6", as stated nearest to it; none if its switches do
    not route.
    """
    if not is_routed(fabric):
        return ()
    ip = find_fabric_ip(design.loaded.blueprint, fabric.name)
    return ("v4", "v6") if ip == "dual" else (ip,)

"""How the switches of a fabric find each other, and so which numbers they need; light, for lint's fast path."""

from __future__ import annotations

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design


def is_routed(fabric: FabricDesign) -> bool:
    """Whether the switches of a fabric route: all but InfiniBand's."""
    return fabric.protocol != "infiniband"


def underlay(design: Design, fabric: FabricDesign) -> str:
    """`ebgp-numbered`, `ebgp-unnumbered`, `static` or `none`, as stated nearest to the fabric."""
    blueprint = design.loaded.blueprint
    return blueprint.fabrics[fabric.name].routing.underlay or blueprint.routing.underlay or "ebgp-numbered"


def runs_bgp(design: Design, fabric: FabricDesign) -> bool:
    """Whether the switches of a fabric have AS numbers and sessions."""
    return is_routed(fabric) and underlay(design, fabric) in ("ebgp-numbered", "ebgp-unnumbered")


def numbers_links(design: Design, fabric: FabricDesign) -> bool:
    """Whether links between the switches of a fabric have addresses."""
    return is_routed(fabric) and underlay(design, fabric) in ("ebgp-numbered", "static")

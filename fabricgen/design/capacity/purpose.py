"""What fabrics are for, and how much of them reaches a node."""

from __future__ import annotations

from fractions import Fraction

from fabricgen.design.capacity.bisection import node_gbps
from fabricgen.design.capacity.end_to_end import end_to_end
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design


def attached_nodes(design: Design, fabric: FabricDesign) -> int:
    """Nodes that are present and attach to a fabric."""
    layout = design.layout
    sets = [layout.node_sets[index] for index in sorted({index for index, _ in fabric.attachments})]
    return sum(s.count * layout.units - layout.omitted_of(s) for s in sets)


def serves(fabric: FabricDesign, purpose: str) -> bool:
    """Whether the nodes of a fabric attach with NICs of a purpose (`storage`, `inband`), or it is named so."""
    return bool(fabric.attachments) and purpose in (fabric.name, fabric.attachments[0][1].role)


def reach_gbps(design: Design, fabric: FabricDesign) -> Fraction:
    """What all nodes of a fabric together reach beyond their leaves, Gb/s: their ports over its oversubscription."""
    return node_gbps(design, fabric) / max(Fraction(1), end_to_end(design, fabric).ratio)


def extra_gbps(fabric: FabricDesign, purpose: str) -> int:
    """Bandwidth of the extra devices that attach to a fabric with ports of a purpose, Gb/s."""
    return sum(
        len(extra.links) * extra.attachment.speed_gbps for extra in fabric.extras if extra.attachment.role == purpose
    )

"""What fabrics are for, and how much bandwidth nodes have on them."""

from __future__ import annotations

from fractions import Fraction

from fabricgen.design.capacity.bisection import sum_node_bandwidth
from fabricgen.design.capacity.end_to_end import compute_end_to_end
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design


def count_attached_nodes(design: Design, fabric: FabricDesign) -> int:
    """Return how many nodes attach to a fabric, without omitted nodes."""
    return sum(design.layout.count_present(nodes) for nodes in fabric.node_sets)


def has_purpose(fabric: FabricDesign, purpose: str) -> bool:
    """Whether nodes attach to a fabric with NICs of a role (`storage`, `inband`), or the fabric has that name."""
    return bool(fabric.attachments) and purpose in (fabric.name, fabric.attachments[0][1].role)


def sum_bandwidth_beyond_leaves(design: Design, fabric: FabricDesign) -> Fraction:
    """Return the bandwidth of all nodes of a fabric beyond their leaves, Gb/s: that of their ports over the
    oversubscription.
    """
    return sum_node_bandwidth(design, fabric) / max(Fraction(1), compute_end_to_end(design, fabric).ratio)


def sum_extra_bandwidth(fabric: FabricDesign, purpose: str) -> int:
    """Return the bandwidth of the extra devices that attach to a fabric with ports of a role, Gb/s."""
    return sum(
        len(extra.links) * extra.attachment.speed_gbps for extra in fabric.extras if extra.attachment.role == purpose
    )

"""What a bridged subnet keeps for itself, and how large it is."""

from __future__ import annotations

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.layout import Layout
from fabricgen.kernel.units import power_of_two_at_least
from fabricgen.numbering.slot_counts import node_slot_count

RESERVED_IN_SUBNET = 2
"""Network and gateway address before the first host of a bridged subnet."""

LEAST_HOSTS = 256
"""A subnet of a rail is no smaller than a /24, so that the last octet of an address tells the node."""


def bridged_size(ports: int) -> int:
    """Addresses of a subnet for so many ports, a power of two."""
    return power_of_two_at_least(ports + RESERVED_IN_SUBNET + 1)


def subnet_size(layout: Layout, fabric: FabricDesign, tier: TierDesign) -> int:
    """Addresses of the subnet of a rail on a tier, a power of two."""
    slots = node_slot_count(layout, fabric, tier)
    extras = sum(len(extra.links) for extra in fabric.extras if extra.tier == tier.key)
    return max(LEAST_HOSTS, bridged_size(slots + extras))

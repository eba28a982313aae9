"""Sizes of bridged subnets, and the addresses at their start that no host gets."""

from __future__ import annotations

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.kernel.units import power_of_two_at_least
from fabricgen.numbering.slot_counts import node_slot_count

RESERVED_IN_SUBNET = 2
"""Network and gateway address before the first host of a bridged subnet."""

LEAST_HOSTS = 256
"""The smallest subnet of a rail is a /24, so that the last octet of an address identifies the node."""


def bridged_size(ports: int) -> int:
    """The size of a subnet for `ports` hosts, in addresses; a power of two."""
    return power_of_two_at_least(ports + RESERVED_IN_SUBNET + 1)


def subnet_size(fabric: FabricDesign, tier: TierDesign) -> int:
    """The size of a rail's subnet on the switches of a tier, in addresses; a power of two."""
    slots = node_slot_count(fabric, tier)
    extras = sum(len(extra.links) for extra in fabric.extras if extra.tier == tier.key)
    return max(LEAST_HOSTS, bridged_size(slots + extras))

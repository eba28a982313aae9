"""Spare ports of a tier's fullest switch."""

from __future__ import annotations

from fabricgen.design.fabric_model import TierDesign


def spare_ports(tier: TierDesign) -> int:
    """Down ports of the fullest switch that are neither in use, nor numbered for reserved slots, nor kept for a
    purpose; of all kinds.
    """
    free = sum(run.capacity - max(numbered, run.count) for run, numbered in zip(tier.downs, tier.numbered, strict=True))
    return free - sum(ports for _, ports, _ in tier.reserved)


def total_ports(tier: TierDesign) -> int:
    """Ports of a switch as its cages are split: down, peer and up."""
    runs = [*tier.downs, *((tier.peer_links.run,) if tier.peer_links else ()), *((tier.up,) if tier.up else ())]
    return sum(run.capacity for run in runs)

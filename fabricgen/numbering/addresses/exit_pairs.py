"""How many pairs of addresses the ways out of a fabric ask of its pool, and which the blueprint states."""

from __future__ import annotations

from fabricgen.design.extras.exits import ExitDesign, pairs_of
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.units import power_of_two_at_least
from fabricgen.numbering.blocks.family import Family


def stated_of(exit_: ExitDesign, family: Family) -> dict[tuple[int, int], tuple[int, int, int]]:
    """By (device, leg): (own address, far address, prefix length) that the blueprint states in a family."""
    extra, legs = exit_.extra, {leg.name: i for i, leg in enumerate(exit_.extra.attachment.legs)}
    found = {}
    for name, own in exit_.spec.devices.items():
        for port, link in own.links.items():
            pair = pairs_of(link).get(family.word == "v6")
            if pair:
                found[extra.devices.index(name), legs[port]] = pair
    return found


def free_pairs(exit_: ExitDesign, family: Family) -> int:
    """Pairs of addresses that each switch keeps for the links of an exit; 0 where all of them are stated."""
    stated = stated_of(exit_, family)
    free = [link for link in exit_.extra.links if (link.device, link.leg) not in stated]
    per_switch = [link.switch for link in exit_.extra.links]
    return power_of_two_at_least(max(map(per_switch.count, set(per_switch)), default=0)) if free else 0


def owned_tier(design: Design, exit_: ExitDesign) -> tuple[FabricDesign, TierDesign]:
    """The tier that an exit is on, with the fabric that owns its switches."""
    tier = design.tier(exit_.extra.tier)
    return design.fabric(tier.fabric), tier

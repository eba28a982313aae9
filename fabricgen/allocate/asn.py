"""AS numbers by plan: RFC 7938 gives the switches of a group above the leaves one number and each leaf its own."""

from __future__ import annotations

from fabricgen.allocate.blocks import Blocks, Source
from fabricgen.allocate.slots import group_slots, switch_slots
from fabricgen.blueprint.routing import AsnPlan
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.extents import Extent
from fabricgen.plan.tables import Wide


def asn_plan(design: Design, fabric: FabricDesign) -> tuple[AsnPlan, Path]:
    """The AS number plan of a fabric and where it is stated."""
    own = design.loaded.blueprint.fabrics[fabric.name].routing.asn
    if own is not None:
        return own, ("fabrics", fabric.name, "routing", "asn")
    return design.loaded.blueprint.routing.asn or AsnPlan(), ("routing", "asn")


def allocate_asns(design: Design, fabrics: tuple[FabricDesign, ...], blocks: Blocks) -> dict[tuple[str, str], Wide]:
    """AS numbers of the switches of each (fabric, tier), int64; routing domains of fabrics are kept apart.

    Raises InputError when a pool is too small.
    """
    found: dict[tuple[str, str], Wide] = {}
    for fabric in fabrics:
        plan, path = asn_plan(design, fabric)
        first, last = plan.range
        source = Source(
            "asns",
            "AS number pool",
            (Extent(first, last - first + 1),),
            (*path, "pool"),
            "FG025",
            "4200000000-4294967294 is private and large (RFC 6996)",
        )
        for tier in reversed(fabric.tiers):
            paired = tier.lateral is not None and not tier.lateral.spans
            shared = plan.plan == "rfc7938" and not tier.lowest and not paired
            slots = (group_slots if shared else switch_slots)(design.layout, fabric, tier, blocks.room)
            found[fabric.name, tier.name] = blocks.numbers(source, slots, f"{fabric.name} {tier.name}")
    return found

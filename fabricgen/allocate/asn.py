"""AS numbers by plan: RFC 7938 gives the switches of a group above the leaves one number and each leaf its own."""

from __future__ import annotations

from fabricgen.allocate.slots import group_slots, switch_slots
from fabricgen.blueprint.routing import AsnPlan
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path, fault
from fabricgen.kernel.units import power_of_two_at_least
from fabricgen.plan.tables import Wide


def asn_plan(design: Design, fabric: FabricDesign) -> tuple[AsnPlan, Path]:
    """The AS number plan of a fabric and where it is stated."""
    own = design.loaded.blueprint.fabrics[fabric.name].routing.asn
    if own is not None:
        return own, ("fabrics", fabric.name, "routing", "asn")
    return design.loaded.blueprint.routing.asn or AsnPlan(), ("routing", "asn")


def allocate_asns(design: Design, fabrics: tuple[FabricDesign, ...]) -> dict[tuple[str, str], Wide]:
    """AS numbers of the switches of each (fabric, tier), int64; routing domains of fabrics are kept apart.

    Raises InputError when a pool is too small.
    """
    taken: dict[str, int] = {}
    found: dict[tuple[str, str], Wide] = {}
    for fabric in fabrics:
        plan, path = asn_plan(design, fabric)
        first, last = plan.range
        for tier in reversed(fabric.tiers):
            paired = tier.lateral is not None and not tier.lateral.spans
            shared = plan.plan == "rfc7938" and not tier.lowest and not paired
            slot, slots = (group_slots if shared else switch_slots)(design.layout, fabric, tier)
            start = taken.get(plan.pool, 0)
            taken[plan.pool] = start + power_of_two_at_least(slots)
            if first + start + slots - 1 > last:
                raise fault(
                    "FG025",
                    f"AS number pool {plan.pool} has {last - first + 1} numbers, {start} taken; "
                    f"{fabric.name} {tier.name} needs {slots}",
                    path=(*path, "pool"),
                    hint="4200000000-4294967294 is private and large (RFC 6996)",
                )
            found[fabric.name, tier.name] = first + start + slot
    return found

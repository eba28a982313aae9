"""Node ports on which another fabric has a VLAN as well."""

from __future__ import annotations

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.wiring.tables import WiringPlan


def find_shared_segments(plan: WiringPlan, design: Design, fabric: FabricDesign) -> list[int]:
    """Return indexes of the link segments that are the node ports of a fabric's carrier; those of extra devices are not
    shared.
    """
    path = design.fabric(fabric.carrier).path
    return [i for i, s in enumerate(plan.links.segments) if s.path == path and s.lower == "node"]


def find_sharing_fabrics(
    plan: WiringPlan, design: Design, absent: frozenset[str] = frozenset()
) -> dict[int, tuple[str, ...]]:
    """By link segment of node ports that fabrics share: the names of those that have no ports of their own.

    Fabrics that are `absent` share none.
    """
    names_by_segment: dict[int, tuple[str, ...]] = {}
    for fabric in (f for f in design.fabrics if f.name not in absent):
        for segment in find_shared_segments(plan, design, fabric) if fabric.shares_ports else ():
            names_by_segment[segment] = (*names_by_segment.get(segment, ()), fabric.name)
    return names_by_segment

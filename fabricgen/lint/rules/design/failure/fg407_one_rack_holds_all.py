"""FG407: one rack holds all planes, or all spines, of a fabric."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.bisection import list_chain
from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.capacity.failure_domains import find_shared_rack
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.after_loss import name_further_tiers

NODE_RACKS = 8
"""A single rack of spines is reported from this many racks of nodes on: half a row."""


class OneRackHoldsAll(DesignRule):
    """All switches of a fabric's top tier, or those of all its planes in a unit, stand in one network rack.

    Redundant switches are for the day when one is lost; in one rack they share its PDUs, its cooling and whoever
    works in it, and the nodes around it lose the fabric while they keep running. Planes that share a rack defeat
    their purpose. The spines of a small cluster usually share one, and are judged from eight racks of nodes on.
    Management-only networks and clusters of a single unit are not judged. One finding names all tiers.

    Spread the tier's switches over two racks: `racks: 2`.
    """

    severity = Severity.INFO
    to_do = ToDo.PLAN_RACKS
    bad = """
        scalable_unit: {nodes: 16 x dgx-b200, racks: {nodes_per_rack: 4}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        scalable_unit: {nodes: 16 x dgx-b200, racks: {nodes_per_rack: 4}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600, count: 4, racks: 2}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Find the racks of the switches of every tier with planes and of every top tier."""
        floor = FloorPlan(design)
        by_tier: dict[TierKey, tuple[TierDesign, str, str]] = {}
        layout = design.layout
        large = (
            sum(pod.su * kind.racks for pod, kind in zip(layout.pods, layout.kind_of_pod, strict=True)) >= NODE_RACKS
        )
        for fabric in design.fabrics:
            chain = list_chain(design, fabric)
            if not chain or is_for_management(fabric) or design.layout.units == 1:
                continue
            for tier in chain:
                planes = fabric.planes > 1 and "plane" in tier.per
                shared = find_shared_rack(design, floor, tier) if planes or (large and tier.uplink is None) else None
                if shared is not None:
                    scope_text = f"{shared.of}{f', of {fabric.planes} planes,' if planes else ''}"
                    switches = f"all {shared.switches} {tier.fabric} {tier.name} switches{scope_text}"
                    by_tier.setdefault(tier.key, (tier, switches, shared.where))
        if by_tier:
            (first, switches, where), *further = by_tier.values()
            yield self.flag(
                first.path,
                f"{switches} stand in one rack, {where}{name_further_tiers([tier for tier, *_ in further])}",
                "spread them over two racks: `racks: 2`",
            )

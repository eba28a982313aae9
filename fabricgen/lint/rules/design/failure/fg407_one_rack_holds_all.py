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
"""From how many racks of nodes on a single rack of spines is reported: half a row."""


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
        """Flag tiers of several planes, and top tiers of large clusters, whose switches stand in one rack; one finding
        for all.
        """
        floor, layout = FloorPlan(design), design.layout
        # (tier, its switches in words, their rack in words)
        flagged: dict[TierKey, tuple[TierDesign, str, str]] = {}
        node_racks = sum(pod.su * kind.racks for pod, kind in zip(layout.pods, layout.kind_of_pod, strict=True))
        for fabric in design.fabrics if layout.units > 1 else ():
            for tier in list_chain(design, fabric) if not is_for_management(fabric) else ():
                has_planes = fabric.planes > 1 and "plane" in tier.per
                is_judged = has_planes or (node_racks >= NODE_RACKS and tier.uplink is None)
                shared = find_shared_rack(design, floor, tier) if is_judged else None
                if shared is not None:
                    scope_text = f"{shared.of}{f', of {fabric.planes} planes,' if has_planes else ''}"
                    switches = f"all {shared.switches} {tier.fabric} {tier.name} switches{scope_text}"
                    flagged.setdefault(tier.key, (tier, switches, shared.where))
        if flagged:
            (first_tier, switches, rack), *further = flagged.values()
            yield self.flag(
                first_tier.path,
                f"{switches} stand in one rack, {rack}{name_further_tiers([tier for tier, *_ in further])}",
                "spread them over two racks: `racks: 2`",
            )

"""FG407: one rack holds all planes, or all spines, of a fabric."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.bisection import chain_of
from fabricgen.design.floor import FloorPlan
from fabricgen.design.losses import in_one_rack
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.after_loss import is_for_management
from fabricgen.lint.rule import DesignRule


class OneRackHoldsAll(DesignRule):
    """All switches of a fabric's top tier, or those of all its planes in a unit, stand in one network rack.

    Redundant switches are for the day when one is lost; in one rack they share its PDUs, its cooling and whoever works
    in it, and the nodes around it lose the fabric while they run. Spines of small clusters usually do share a rack,
    which is worth knowing and no more; that planes do undoes what they are for. Networks for management alone are not
    judged, nor those of a single unit.

    Deal the tier's switches over two racks: `racks: 2`.
    """

    id = "FG407"
    severity = Severity.INFO
    title = "one rack holds all planes, or all spines, of a fabric"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600, count: 4, racks: 2}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Ask of every tier with planes, and of every top tier, which racks its switches stand in."""
        floor, judged = FloorPlan(design), set()
        for fabric in design.fabrics:
            chain = chain_of(design, fabric)
            if not chain or is_for_management(fabric) or design.layout.units == 1:
                continue
            for tier in chain:
                planes = fabric.planes > 1 and "plane" in tier.per
                found = in_one_rack(design, floor, tier) if planes or tier is chain[-1] else None
                if found is None or tier.key in judged:
                    continue
                judged.add(tier.key)
                yield self.flag(
                    tier.path,
                    f"all {found.switches} {tier.fabric} {tier.name} switches{found.of}"
                    f"{f', of {fabric.planes} planes,' if planes else ''} stand in one rack, {found.where}",
                    "deal them over two racks: `racks: 2`",
                )

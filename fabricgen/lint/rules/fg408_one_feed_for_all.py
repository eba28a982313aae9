"""FG408: one power feed takes all planes, or all spines, of a fabric."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.bisection import chain_of
from fabricgen.design.capacity.failure_domains import SharedFailure, on_one_feed
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.after_loss import is_for_management, too
from fabricgen.lint.rule import DesignRule


class OneFeedForAll(DesignRule):
    """All switches of a tier that serve some nodes hang on one power feed, and the nodes do not.

    Racks of one cord go down with their feed. Where a unit's leaves, both planes or all spines are on the same, the
    nodes on the other feed run on without a network, and the second feed is worth nothing. NVIDIA asks halls for
    concurrent maintainability and no single point of failure (DGX SuperPOD reference architecture, DGX GB200, DGX
    SuperPOD Architecture). Only judged where `floor.feeds` are stated and racks have one cord, and of fabrics that jobs
    need only where no `after_loss.feed` is stated, by which FG406 judges them. One finding names all tiers.

    Put racks on two feeds (`cords: 2`), or deal the switches over racks that hang on different ones (`racks: 2`).
    """

    id = "FG408"
    severity = Severity.WARNING
    title = "one power feed takes all planes, or all spines, of a fabric"
    bad = """
        floor: {feeds: [A, B], cords: 1}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], racks: 2},
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        floor: {feeds: [A, B], cords: 1}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], racks: 2},
          spine: {switch: sn5600, count: 4, racks: 2}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Ask of every tier which feeds its switches hang on."""
        floor = FloorPlan(design)
        told: dict[TierKey, tuple[TierDesign, SharedFailure]] = {}
        by_limit = design.loaded.limits.after_loss.feed is not None
        for fabric in design.fabrics:
            for tier in chain_of(design, fabric) if is_for_management(fabric) or not by_limit else ():
                found = on_one_feed(design, floor, tier)
                if found is not None:
                    told.setdefault(tier.key, (tier, found))
        if told:
            (first, together), *others = told.values()
            yield self.flag(
                first.path,
                f"all {together.switches} {first.fabric} {first.name} switches{together.of} hang on feed "
                f"{together.where}, "
                f"and their nodes do not{too([tier for tier, _ in others])}",
                "say `floor: {cords: 2}`, or deal them over racks on different feeds: `racks: 2`",
            )

"""FG408: all planes, or all spines, of a fabric are on one power feed."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.bisection import list_chain
from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.capacity.failure_domains import SharedFailure, find_shared_feed
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.after_loss import name_further_tiers


class OneFeedForAll(DesignRule):
    """All switches of a tier that serve some nodes are on one power feed, and the nodes are not.

    Racks with one cord go down with their feed. Where a unit's leaves, both planes or all spines are on the same
    feed, the nodes on the other feed keep running without a network, and the second feed is worthless. NVIDIA asks
    halls for concurrent maintainability and no single point of failure (DGX SuperPOD reference architecture, DGX
    GB200, DGX SuperPOD Architecture). Only judged where `floor.feeds` is set and racks have one cord; and, for
    fabrics that jobs need, only where `after_loss.feed` is not set, since FG406 judges them then. One finding names
    all tiers.

    Put racks on two feeds (`cords: 2`), or spread the switches over racks on different feeds (`racks: 2`).
    """

    severity = Severity.WARNING
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
        """Flag tiers whose switches hang on one power feed while their nodes do not; one finding for all tiers. If a
        limit on the loss of a feed is stated, only management fabrics are judged, since FG406 judges the others.
        """
        floor = FloorPlan(design)
        flagged: dict[TierKey, tuple[TierDesign, SharedFailure]] = {}
        has_limit = design.loaded.limits.after_loss.feed is not None
        for fabric in design.fabrics:
            for tier in list_chain(design, fabric) if is_for_management(fabric) or not has_limit else ():
                shared = find_shared_feed(design, floor, tier)
                if shared is not None:
                    flagged.setdefault(tier.key, (tier, shared))
        if flagged:
            (tier, shared), *further = flagged.values()
            yield self.flag(
                tier.path,
                f"all {shared.switches} {tier.fabric} {tier.name} switches{shared.of} are on feed {shared.where}, "
                f"and their nodes are not{name_further_tiers([further_tier for further_tier, _ in further])}",
                "set `floor: {cords: 2}`, or spread them over racks on different feeds: `racks: 2`",
            )

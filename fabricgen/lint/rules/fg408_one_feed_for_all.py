"""FG408: one power feed takes all planes, or all spines, of a fabric."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.bisection import chain_of
from fabricgen.design.floor import FloorPlan
from fabricgen.design.losses import on_one_feed
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.after_loss import is_for_management
from fabricgen.lint.rule import DesignRule


class OneFeedForAll(DesignRule):
    """All switches of a tier that serve some nodes hang on one power feed, and the nodes do not.

    Racks of one cord go down with their feed. Where a unit's leaves, both planes or all spines are on the same, the
    nodes on the other feed run on without a network, and the second feed is worth nothing (ANSI/TIA-942-B asks for two
    paths to the equipment from rated-2 on). Only judged where `floor.feeds` are stated and racks have one cord.

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
        floor, judged = FloorPlan(design), set()
        by_limit = design.loaded.limits.after_loss.feed is not None
        for fabric in design.fabrics:
            if by_limit and not is_for_management(fabric):  # what its nodes may lose is stated, and FG406 judges it
                continue
            for tier in chain_of(design, fabric):
                found = on_one_feed(design, floor, tier)
                if found is None or tier.key in judged:
                    continue
                judged.add(tier.key)
                yield self.flag(
                    tier.path,
                    f"all {found.switches} {tier.fabric} {tier.name} switches{found.of} hang on feed {found.where}, "
                    "and their nodes do not",
                    "say `floor: {cords: 2}`, or deal them over racks on different feeds: `racks: 2`",
                )

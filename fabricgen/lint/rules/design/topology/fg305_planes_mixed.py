"""FG305: a tier joins planes that should be disjoint."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class PlanesMixed(DesignRule):
    """A fabric has several planes, and a tier is not grouped by plane, so its switches serve more than one.

    Planes are disjoint copies of a fabric that run in parallel: a fault, a storm or an upgrade in one must not
    reach the others. Add `plane` to the tier's `per`.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        scalable_unit: {nodes: 4 x dgx-b300}
        fabrics: {compute: {planes: 2, tiers: {
          leaf: {switch: sn5600, per: [su, rail, plane]},
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b300}
        fabrics: {compute: {planes: 2, tiers: {
          leaf: {switch: sn5600, per: [su, rail, plane]},
          spine: {switch: sn5600, per: plane, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers of multi-plane fabrics that are not grouped by plane."""
        for fabric in design.fabrics:
            for tier in fabric.tiers:
                if fabric.planes > 1 and "plane" not in tier.per:
                    yield self.flag(
                        (*tier.path, "per"),
                        f"{fabric.name} has {fabric.planes} planes, but each {tier.name} switch serves all of them",
                        "add `plane` to `per`",
                    )

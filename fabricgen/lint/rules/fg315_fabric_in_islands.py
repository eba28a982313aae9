"""FG315: parts of a fabric cannot reach each other."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.dimensions import noun_of
from fabricgen.design.capacity.bisection import tops_of
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class FabricInIslands(DesignRule):
    """The top tier of a fabric is grouped by pod, unit or rack, and nothing joins its groups.

    Each pod, unit or rack is then a network of its own: a job that spans two of them has no path between its nodes,
    and neither has a management station. Sites are not judged, because `spans` join them or they are separate on
    purpose; nor are rails and planes, which every node joins.

    Add a tier above (`core`), or group the top tier more widely.
    """

    id = "FG315"
    counts_ports = False
    severity = Severity.WARNING
    title = "parts of a fabric cannot reach each other"
    bad = """
        pods: {p1: {su: 2, count: 2}}
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, per: pod, count: 4}}}}  # <-
    """
    good = """
        pods: {p1: {su: 2, count: 2}}
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, per: pod, count: 4},
          core: {switch: sn5600, per: spine}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Count the places that the top tier of each fabric leaves unconnected."""
        judged: set[TierKey] = set()
        for fabric in design.fabrics:
            tops = tops_of(design, fabric)
            scope, places = (tops[0].scope, sum(top.places for top in tops)) if tops else ("all", 1)
            if scope in ("all", "site") or places == 1 or tops[0].key in judged:
                continue
            judged.update(top.key for top in tops)
            yield self.flag(
                (*tops[0].path, "per"),
                f"nothing joins the {places} {noun_of(scope)}s of {fabric.name}: its top tier {tops[0].name} is "
                f"per {scope}",
                "add a tier above it, or group it more widely",
            )

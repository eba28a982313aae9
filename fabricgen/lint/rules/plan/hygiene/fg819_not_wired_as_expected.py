"""FG819: a figure of the wired plan is not what the blueprint expects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class NotWiredAsExpected(PlanRule):
    """The blueprint says under `expect` what the wired plan does, and `analyze` computes something else.

    Hops, paths, latency, slowdown and bus bandwidth are what an order was justified with: they change with a cable
    that is cut, a tier that is narrowed or a switch of another model. A number holds where the figure, rounded to the
    digits that are written, is that number; `"<= 1"` and `">= 370"` are bounds. `analyze` shows the figures with their
    constants. Correct the figure if the design is right, or the design.
    """

    severity = Severity.ERROR
    impossible = True
    waivable = False
    refused_for = "What its author says of it is not so"
    bad = """
        expect:
          hops: 3
          latency_us: "<= 0.1"  # <-
    """
    good = """
        expect: {hops: {compute: 3}, latency_us: 2.3, slowdown: {ring: 1}, busbw_gbytes: {all-reduce: {8G: ">= 350"}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare each expected figure with that of the wired plan."""
        if cluster.design.loaded.blueprint.expect.needs_the_plan:
            from fabricgen.analyze.expected import list_unmet

            yield from list_unmet(cluster)

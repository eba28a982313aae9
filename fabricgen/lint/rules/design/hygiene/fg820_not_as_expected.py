"""FG820: a figure is not what the blueprint expects."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.expected import find_unmet
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class NotAsExpected(DesignRule):
    """The blueprint says under `expect` what its author believes of it, and a figure of the design is another one.

    A derived count that changes is seldom seen in a review: what was ordered, and what others were told, no longer
    fits. Correct the figure if the design is right, or the design.
    """

    severity = Severity.ERROR
    impossible = True
    waivable = False
    refused_for = "What its author says of it is not so"
    bad = """
        expect:
          gpus: 72  # <-
          switches: {spine: 4}
    """
    good = """
        expect: {gpus: 64, nodes: 8, switches: {leaf: 16, spine: 4}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare each expected figure with that of the design."""
        yield from find_unmet(design)

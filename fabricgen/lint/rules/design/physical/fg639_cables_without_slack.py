"""FG639: cables are planned without slack."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class CablesWithoutSlack(DesignRule):
    """Cable lengths have neither slack nor a service loop.

    The way along trays is measured between the middles of racks. Bends, dressing and the way from the front of a rack
    to its tray come on top; a cable of exactly that length does not reach, or cannot be unplugged beside its
    neighbours. State a `slack`, 10% unless you measured, or a service loop `trays: {loop_m: 0.5}`.
    """

    severity = Severity.WARNING
    bad = """
        floor:
          slack: 0%  # <-
    """
    good = """
        floor: {slack: 0%, trays: {loop_m: 0.5}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag a floor whose cables have neither slack nor a service loop."""
        floor = design.loaded.blueprint.floor
        if floor.slack == 0 and floor.trays.loop_m == 0:
            yield self.flag(("floor", "slack"), "cables have no slack and no service loop", "set `slack: 10%`")

"""FG745: a switch is in maintenance."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class InMaintenance(DesignRule):
    """`config_of` drains a switch: it is planned and powered, and carries nothing where there is another way.

    Every figure of the design counts it: bisection, oversubscription, what is left after a loss. A switch that was
    drained for an upgrade is easily forgotten, and the fabric stays narrower than its plan says.

    Remove `maintenance` when the work is done. Until then, waive the finding with an `until`, which ends by itself.
    """

    id = "FG745"
    severity = Severity.WARNING
    title = "a switch is in maintenance"
    bad = """
        config_of:
          compute-spine-01: {maintenance: true}  # <-
    """
    good = """
        config_of:
          compute-spine-01: {maintenance: false}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Find switches with `maintenance: true`."""
        for device, own in sorted(design.loaded.blueprint.config_of.items()):
            if own.maintenance:
                yield self.flag(
                    ("config_of", device, "maintenance"),
                    f"{device} is in maintenance; all figures of the design count it",
                    "remove it, or waive it with an `until`",
                )

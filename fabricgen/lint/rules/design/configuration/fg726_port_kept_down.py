"""FG726: a port is kept down by hand."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class PortKeptDown(DesignRule):
    """`config_of` shuts a cabled port down: its link is planned, ordered and cabled, and carries nothing.

    Every figure of the design counts the link: bisection, oversubscription, what is left after a loss. A port that
    was shut for a repair is easily forgotten, and the fabric stays narrower than its plan says.

    Remove `shutdown` when the work is done. Until then, waive the finding with an `until`, which ends by itself.
    """

    severity = Severity.WARNING
    bad = """
        config_of:
          compute-spine-01:
            ports:
              Ethernet0: {shutdown: true}  # <-
    """
    good = """
        config_of:
          compute-spine-01:
            ports:
              Ethernet0: {description: "to be re-cabled"}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag ports with `shutdown: true`."""
        for device, config in sorted(design.loaded.blueprint.config_of.items()):
            for name, port in sorted(config.ports.items()):
                if port.shutdown:
                    yield self.flag(
                        ("config_of", device, "ports", name, "shutdown"),
                        f"{name} of {device} is kept down; all figures of the design count its link",
                        "remove it, or waive it with an `until`",
                    )

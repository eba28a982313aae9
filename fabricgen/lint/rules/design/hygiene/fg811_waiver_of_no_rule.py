"""FG811: a waiver names a code that no rule has."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.codes import explain_unknown_code, list_known_codes
from fabricgen.lint.rule import DesignRule


class WaiverOfNoRule(DesignRule):
    """A waiver names a code that no rule has: misspelt, of a removed rule, or of a fault.

    It covers nothing and never will. Faults stop a build and cannot be waived. Use the code that `fabricgen lint`
    prints, or remove the waiver.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        lint:
          waive:
            - {rule: FG999, why: to be mended in spring}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {spine: {switch: sn5600, count: 2}}}}
        lint:
          waive:
            - {rule: FG303, why: to be mended in spring}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Look up the code of every waiver."""
        for i, waiver in enumerate(design.loaded.blueprint.lint.waive):
            if waiver.rule not in list_known_codes():
                message = f"no rule has the code {waiver.rule}"
                yield self.flag(("lint", "waive", i, "rule"), message, explain_unknown_code(waiver.rule))

"""A waiver covers no finding."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import Severity
from fabricgen.lint.fault import ENGINE, Fault


class UnmatchedWaiver(Fault):
    """A waiver stands for which there is no finding, since it was mended or its place is misspelt.

    It would hide the next finding of its kind, for a reason that was given for another. Remove it, or correct
    `rule` and `at`.
    """

    id = "FG802"
    severity = Severity.WARNING
    kind = ENGINE
    title = "a waiver covers no finding"
    bad = """
        lint:
          waive:
            - {rule: FG303, why: pilot}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {spine: {count: 2}}}}
        lint: {waive: [{rule: FG303, why: pilot}]}
    """

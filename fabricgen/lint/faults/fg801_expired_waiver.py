"""A waiver has ended."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import Severity
from fabricgen.lint.fault import ENGINE, Fault


class ExpiredWaiver(Fault):
    """A waiver's last day (`until`) has passed, and what it covers is reported again.

    A waiver is a promise to look again. Only `lint` judges by the day, against `--as-of`, so that builds stay the
    same on any day. Mend what it covers, or renew it with its reason.
    """

    id = "FG801"
    severity = Severity.WARNING
    kind = ENGINE
    title = "a waiver has ended"
    bad = """
        fabrics: {compute: {tiers: {spine: {count: 2}}}}
        lint:
          waive:
            - rule: FG303
              why: pilot
              until: 2025-01-31  # <-
    """
    good = """
        fabrics: {compute: {tiers: {spine: {count: 2}}}}
        lint: {waive: [{rule: FG303, why: pilot, until: 2999-01-31}]}
    """

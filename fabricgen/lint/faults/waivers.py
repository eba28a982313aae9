"""What the linter finds in its own waivers."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import Severity
from fabricgen.lint.fault import ENGINE, Fault

FG801 = Fault(
    id="FG801",
    name="ExpiredWaiver",
    severity=Severity.WARNING,
    kind=ENGINE,
    title="a waiver has ended",
    text="""
    A waiver's last day (`until`) has passed, and what it covers is reported again.

    A waiver is a promise to look again. Only `lint` judges by the day, against `--as-of`, so that builds stay the
    same on any day. Mend what it covers, or renew it with its reason.
    """,
    bad="""
    fabrics: {compute: {tiers: {spine: {count: 2}}}}
    lint:
      waive:
        - rule: FG303
          why: pilot
          until: 2025-01-31  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {spine: {count: 2}}}}
    lint: {waive: [{rule: FG303, why: pilot, until: 2999-01-31}]}
    """,
)

FG802 = Fault(
    id="FG802",
    name="UnmatchedWaiver",
    severity=Severity.WARNING,
    kind=ENGINE,
    title="a waiver covers no finding",
    text="""
    A waiver stands for which there is no finding, since it was mended or its place is misspelt.

    It would hide the next finding of its kind, for a reason that was given for another. Remove it, or correct
    `rule` and `at`.
    """,
    bad="""
    lint:
      waive:
        - {rule: FG303, why: pilot}  # <-
    """,
    good="""
    fabrics: {compute: {tiers: {spine: {count: 2}}}}
    lint: {waive: [{rule: FG303, why: pilot}]}
    """,
)

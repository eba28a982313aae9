"""The codes of findings, those of rules and of the engine itself."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import did_you_mean
from fabricgen.lint.fault import page_of
from fabricgen.lint.rule import all_rules

EXPIRED, UNMATCHED = "FG801", "FG802"
"""Findings of the engine itself: a waiver past its day; a waiver or a severity that covers nothing."""


def known_codes() -> frozenset[str]:
    """Every code that a finding may have; those of faults are none."""
    return frozenset({rule.id for rule in all_rules()} | {EXPIRED, UNMATCHED})


def no_rule(code: str) -> str:
    """The hint where a waiver or a severity names a code that is of no rule."""
    if page_of(code):
        return "that is a fault: it leaves the blueprint unusable, so it is neither waived nor weighed"
    return did_you_mean(code, known_codes())

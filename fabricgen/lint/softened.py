"""Findings that a project or a blueprint ignores, or takes for less grave than their rule does: a report tells of them.

A settings file may come with a stranger's change, and what it silences would else be seen by nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fabricgen.kernel.diagnostics import Diagnostic, Severity

IGNORED = "ignore"
"""The severity, in a blueprint or project, of a rule whose findings are dropped."""

PROJECT, BLUEPRINT = "project", "blueprint"
"""Who says so: the project's settings, or the blueprint itself."""


@dataclass(frozen=True, slots=True, order=True)
class Softened:
    """So many findings of a code: how grave the rule takes them, as what they count, and who says so."""

    by: str
    counts_as: str
    """`ignore`, `info` or `warning`."""
    code: str
    severity: Severity
    findings: int


def tallied(found: Iterable[tuple[str, str, Diagnostic]]) -> tuple[Softened, ...]:
    """Findings with who softens them and as what they count, by code, in order."""
    counts = Counter((by, counts_as, d.code, d.severity) for by, counts_as, d in dict.fromkeys(found))
    return tuple(sorted(Softened(*kind, number) for kind, number in counts.items()))


def together(softened: Iterable[Softened]) -> tuple[Softened, ...]:
    """Those of several blueprints, summed up."""
    counts: Counter[tuple[str, str, str, Severity]] = Counter()
    for each in softened:
        counts[each.by, each.counts_as, each.code, each.severity] += each.findings
    return tuple(sorted(Softened(*kind, number) for kind, number in counts.items()))

"""Findings that are accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span


class Waived(NamedTuple):
    """A finding with its waiver's reason, last day (YYYY-MM-DD, or "" for none) and place."""

    finding: Diagnostic
    why: str
    until: str = ""
    place: Span | None = None

    @property
    def reason(self) -> str:
        """The reason as text, with the last day."""
        return f"{self.why} (until {self.until})" if self.until else self.why


# Findings that a project or blueprint ignores, or gives a lower severity than their rule; reports list them.
# A settings file may come with a change from someone unknown, and reviewers must see what it silences.

IGNORED = "ignore"
"""The severity, in a blueprint or project, that drops a rule's findings."""

PROJECT, BLUEPRINT = "project", "blueprint"
"""Who lowers the severity: the project's settings, or the blueprint."""


@dataclass(frozen=True, slots=True, order=True)
class Softened:
    """Findings of a code with a lowered severity: how many, severity of the rule, the lowered one, and
    who lowers it.
    """

    by: str
    counts_as: str
    """`ignore`, `info` or `warning`."""
    code: str
    severity: Severity
    findings: int


def tally_softened(softened: Iterable[tuple[str, str, Diagnostic]]) -> tuple[Softened, ...]:
    """Count (who lowers it, lowered severity, finding) by code, in order."""
    counts = Counter((by, counts_as, d.code, d.severity) for by, counts_as, d in dict.fromkeys(softened))
    return tuple(sorted(Softened(*kind, number) for kind, number in counts.items()))


def sum_tallies(softened: Iterable[Softened]) -> tuple[Softened, ...]:
    """The counts of several blueprints, summed."""
    counts: Counter[tuple[str, str, str, Severity]] = Counter()
    for tally in softened:
        counts[tally.by, tally.counts_as, tally.code, tally.severity] += tally.findings
    return tuple(sorted(Softened(*kind, number) for kind, number in counts.items()))

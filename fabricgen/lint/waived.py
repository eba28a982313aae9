"""Findings that somebody accepts: waived ones, and those that settings ignore or give a lower severity."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span


class Waived(NamedTuple):
    """A finding with the reason, the last day (YYYY-MM-DD, "" for no end) and the place of the waiver that
    covers it.
    """

    finding: Diagnostic
    why: str
    until: str = ""
    place: Span | None = None

    @property
    def reason(self) -> str:
        """The reason, followed by the last day if there is one."""
        return f"{self.why} (until {self.until})" if self.until else self.why


# Reports list the findings that a project or blueprint ignores or gives a lower severity: its settings may come with a
# change from someone unknown, and reviewers must see what they silence.

IGNORED = "ignore"
"""The severity, in a blueprint or project, that drops a rule's findings."""

PROJECT, BLUEPRINT = "project", "blueprint"
"""Which settings lower a severity: the project's, or the blueprint's."""


class Softened(NamedTuple):
    """How many findings of a code, and of one severity by their rule, are ignored or given a lower severity."""

    by: str
    """Which settings do so: `project` or `blueprint`."""
    counts_as: str
    """What the findings are treated as: `ignore`, `info` or `warning`."""
    code: str
    severity: Severity
    findings: int


def tally_softened(softened: Iterable[tuple[str, str, Diagnostic]]) -> tuple[Softened, ...]:
    """Return how many findings settings ignore or lower, counted by settings, treatment, code and severity, and sorted.

    `softened` are (whose settings: `project` or `blueprint`, what the finding is treated as, finding); equal ones count
    once.
    """
    counts = Counter((by, counts_as, d.code, d.severity) for by, counts_as, d in dict.fromkeys(softened))
    return tuple(sorted(Softened(*kind, number) for kind, number in counts.items()))


def sum_tallies(softened: Iterable[Softened]) -> tuple[Softened, ...]:
    """Return the counts of several blueprints added up: one for each settings, treatment, code and severity, sorted."""
    counts: Counter[tuple[str, str, str, Severity]] = Counter()
    for tally in softened:
        counts[tally.by, tally.counts_as, tally.code, tally.severity] += tally.findings
    return tuple(sorted(Softened(*kind, number) for kind, number in counts.items()))

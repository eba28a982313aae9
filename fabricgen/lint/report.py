"""What lint has to report of blueprints, and the formats that write it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from fabricgen.blueprint.source import STDIN
from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span
from fabricgen.lint.waived import Softened, Waived
from fabricgen.reports import formats

REPORTS = "fabricgen.lint.reports"

SET = "--set "
"""The prefix of source locations that are a value on the command line rather than a place in a file."""


class FileReport(NamedTuple):
    """The findings of one blueprint, those waived, and the counts of those ignored or lowered.

    If it is not `usable`, the findings are faults. If `fast`, plan rules have not run. If it is `terse`, text counts
    its infos and does not show them.
    """

    file: str
    findings: tuple[Diagnostic, ...]
    waived: tuple[Waived, ...] = ()
    usable: bool = True
    fast: bool = False
    softened: tuple[Softened, ...] = ()
    terse: bool = False
    kind: str = "blueprint"
    """What the file is, in words."""

    @property
    def shown_as(self) -> str:
        """The blueprint's name for people."""
        return STDIN if self.file == "-" else self.file


def write_report(form: str, results: Sequence[FileReport]) -> str:
    """Write findings in a format by name; raises KeyError for an unknown one."""
    return cast(str, formats.write_report(REPORTS, form, results))


def count_findings(results: Sequence[FileReport]) -> dict[str, int]:
    """Findings by severity, the highest first, and the number waived."""
    severities = [finding.severity for result in results for finding in result.findings]
    counts = {s.label: severities.count(s) for s in sorted(Severity, reverse=True)}
    return counts | {"waived": sum(len(result.waived) for result in results)}


def is_in_file(span: Span | None) -> bool:
    """Whether a location is in a file that can be opened: not standard input, nor the command line."""
    return span is not None and span.file != STDIN and not span.file.startswith(SET)

"""The reports of lint: what is reported of a blueprint, and in which formats it is written."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from fabricgen.blueprint.source import STDIN
from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span
from fabricgen.lint.waived import Softened, Waived
from fabricgen.reports import formats

REPORTS = "fabricgen.lint.reports"

SET = "--set "
"""The prefix of source locations that are an option of the command line instead of a file."""


class FileReport(NamedTuple):
    """What lint reports of one blueprint: its findings, the waived ones, and counts of those that settings ignore or
    give a lower severity (`softened`).

    Unless it is `usable`, the findings are faults. If it is `fast`, plan rules have not run. If it is `terse`, text
    reports count its infos and do not show them.
    """

    file: str
    findings: tuple[Diagnostic, ...]
    waived: tuple[Waived, ...] = ()
    usable: bool = True
    fast: bool = False
    softened: tuple[Softened, ...] = ()
    terse: bool = False
    kind: str = "blueprint"
    """What the file is, as a noun of which text reports count several."""

    @property
    def shown_as(self) -> str:
        """The name of the blueprint's file as reports for people show it."""
        return STDIN if self.file == "-" else self.file


def write_report(form: str, results: Sequence[FileReport]) -> str:
    """Return the report on blueprints in the format named `form`; raises KeyError for an unknown format."""
    return cast(str, formats.write_report(REPORTS, form, results))


def count_findings(results: Sequence[FileReport]) -> dict[str, int]:
    """Return how many findings blueprints have by severity word, the highest first, and how many are `waived`."""
    severities = [finding.severity for result in results for finding in result.findings]
    counts = {s.label: severities.count(s) for s in sorted(Severity, reverse=True)}
    return counts | {"waived": sum(len(result.waived) for result in results)}


def is_in_file(span: Span | None) -> bool:
    """Whether a location is in a file that can be opened, and not on standard input or the command line."""
    return span is not None and span.file != STDIN and not span.file.startswith(SET)

"""What report formats are given, and how they are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Diagnostic

REPORTS = "fabricgen.lint.reports"


@dataclass(frozen=True, slots=True)
class FileReport:
    """The findings of one blueprint, and how many are waived."""

    file: str
    findings: tuple[Diagnostic, ...]
    waived: int = 0


class ReportModule(Protocol):
    """What a module of lint.reports offers."""

    def report(self, results: Sequence[FileReport]) -> str:
        """Write the findings of all blueprints."""


def report_formats() -> tuple[str, ...]:
    """Names of the formats: those of the modules in the folder."""
    return discovery.module_names(REPORTS)


def write_report(form: str, results: Sequence[FileReport]) -> str:
    """Write findings in a format by name; raises KeyError for an unknown one."""
    return cast(ReportModule, discovery.load(REPORTS, form)).report(results)

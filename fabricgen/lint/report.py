"""What report formats are given, what they share, and how they are found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from fabricgen.blueprint.source import STDIN
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span
from fabricgen.lint.softened import Softened
from fabricgen.lint.waived import Waived

REPORTS = "fabricgen.lint.reports"

SET = "--set "
"""How spans begin that are no place of a file but a value on the command line."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """The findings of one blueprint, those that are waived, and how many count for less than their rules say.

    Of one that is not `usable` they are faults. Those of plan rules are among them unless it is `fast`.
    """

    file: str
    findings: tuple[Diagnostic, ...]
    waived: tuple[Waived, ...] = ()
    usable: bool = True
    fast: bool = False
    softened: tuple[Softened, ...] = ()

    @property
    def shown_as(self) -> str:
        """What people call it."""
        return STDIN if self.file == "-" else self.file


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


def totals(results: Sequence[FileReport]) -> dict[str, int]:
    """Findings by severity, the gravest first, and how many are waived."""
    found = [finding.severity for result in results for finding in result.findings]
    counts = {s.label: found.count(s) for s in sorted(Severity, reverse=True)}
    return counts | {"waived": sum(len(result.waived) for result in results)}


def in_file(span: Span | None) -> bool:
    """Whether a place is one that can be opened: not of standard input, nor of the command line."""
    return span is not None and span.file != STDIN and not span.file.startswith(SET)


def below_here(file: str) -> str | None:
    """A file's path from the folder in which the command runs, with slashes; None where it lies outside of it."""
    path = os.path.relpath(file).replace(os.sep, "/")
    return None if path == ".." or path.startswith("../") else path

"""Findings on standard error, and whether they fail a command."""

from __future__ import annotations

import click

from fabricgen.kernel.diagnostics import Severity
from fabricgen.lint.engine import LintResult


def print_findings(result: LintResult) -> None:
    """Print warnings and errors as people read them, to standard error."""
    for finding in result.findings:
        if finding.severity > Severity.INFO:
            click.echo(finding.text(), err=True)


def fails(result: LintResult, fail_on: str) -> bool:
    """Whether the gravest finding is at or above the severity that fails a command."""
    return fail_on != "never" and result.worst is not None and result.worst >= Severity.parse(fail_on)

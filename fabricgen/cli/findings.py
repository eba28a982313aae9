"""Findings on standard error, and whether they fail a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fabricgen.blueprint.sections.lint_settings import Project
from fabricgen.kernel.diagnostics import Severity

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.lint.engine import LintResult


def print_findings(result: LintResult) -> None:
    """Print warnings and errors to standard error."""
    for finding in result.findings:
        if finding.severity > Severity.INFO:
            click.echo(finding.text(), err=True)


def refuse_impossible(result: LintResult) -> None:
    """Raise InputError if what was found cannot be plugged together, and is not waived."""
    if result.impossible:
        from fabricgen.kernel.diagnostics import InputError

        raise InputError(result.impossible)


def refuse_unbuildable(cluster: Cluster) -> None:
    """Raise InputError if `build` refuses a cluster since it cannot be plugged together."""
    from fabricgen.kernel.diagnostics import InputError
    from fabricgen.lint.engine import list_impossible_findings

    if findings := list_impossible_findings(cluster):
        raise InputError(findings)


def exceeds_limit(result: LintResult, project: Project, fail_on: str | None) -> bool:
    """Whether the highest severity of the findings reaches `fail_on`, by default the project's."""
    level = _choose_limit(project, fail_on)
    return level != "never" and result.worst is not None and result.worst >= Severity.parse(level)


def may_fail_on_infos(project: Project, fail_on: str | None) -> bool:
    """Whether infos reach `fail_on`, by default the project's."""
    return _choose_limit(project, fail_on) == Severity.INFO.label


def _choose_limit(project: Project, fail_on: str | None) -> str:
    return fail_on or project.lint.fail_on

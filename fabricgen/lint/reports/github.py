"""For GitHub Actions: workflow commands that annotate the changed lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.report import FileReport

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def report(results: Sequence[FileReport]) -> str:
    """A command for each finding, escaped by GitHub's rules for workflow commands."""
    return "\n".join(_command(finding) for result in results for finding in result.findings)


def _command(finding: Diagnostic) -> str:
    span = finding.span
    where = f"file={_property(span.file)},line={span.line},col={span.column}," if span else ""
    text = finding.message + (f"\n{finding.hint}" if finding.hint else "")
    return f"::{_COMMANDS[finding.severity]} {where}title={_property(finding.code)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

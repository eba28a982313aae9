"""For GitHub Actions: workflow commands that annotate the changed lines of a pull request, or the run as a whole."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import Severity, Span, make_printable
from fabricgen.reports.judgement import Finding, Judgement, make_relative_path

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def write(judgement: Judgement) -> str:
    """Return a line for each finding, escaped by GitHub's rules for workflow commands (actions/toolkit, command.ts).

    They are in the order given, since GitHub shows ten annotations of a kind in a step, and drops the rest.
    """
    return "\n".join(map(_write_command, judgement.findings))


def _write_command(finding: Finding) -> str:
    """Return a workflow command with the place and title of a finding as properties, and its lines as text."""
    properties = _describe_position(finding.span) | {"title": finding.title}
    listed = ",".join(
        f"{key}={_escape_command(make_printable(value)).replace(':', '%3A').replace(',', '%2C')}"
        for key, value in properties.items()
    )
    text = "\n".join(map(make_printable, finding.lines or [finding.message]))
    return f"::{_COMMANDS[finding.severity]} {listed}::{_escape_command(text)}"


def _describe_position(span: Span | None) -> dict[str, str]:
    """Return the properties of a place; columns only if it is within one line, as the Checks API refuses others."""
    if span is None:
        return {}
    properties: dict[str, str | int] = {"file": make_relative_path(span.file) or span.file, "line": span.line}
    if span.end_line > span.line:
        properties["endLine"] = span.end_line - (span.end_column == 1)
    else:
        properties |= {"col": span.column, "endLine": span.end_line, "endColumn": span.end_column}
    return {key: str(value) for key, value in properties.items() if value}


def _escape_command(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

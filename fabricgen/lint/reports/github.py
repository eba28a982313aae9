"""For GitHub Actions: workflow commands that annotate the changed lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span, printable
from fabricgen.lint.fault import page_of
from fabricgen.lint.report import FileReport, below_here, in_file

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def report(results: Sequence[FileReport]) -> str:
    """A command for each finding, escaped by GitHub's rules for workflow commands (actions/toolkit, command.ts).

    What several blueprints include is said once: GitHub shows ten annotations of a kind in a step, and drops the rest.
    """
    return "\n".join(dict.fromkeys(_command(result, finding) for result in results for finding in result.findings))


def _command(result: FileReport, finding: Diagnostic) -> str:
    page = page_of(finding.code)
    properties = _place(result, finding.span) | {"title": f"{finding.code}: {page.title}" if page else finding.code}
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    lines = [finding.message, *([finding.hint] if finding.hint else [])]
    if finding.span and not in_file(finding.span):
        lines.append(f"at {finding.span}")
    return f"::{_COMMANDS[finding.severity]} {listed}::{_data(chr(10).join(map(printable, lines)))}"


def _place(result: FileReport, span: Span | None) -> dict[str, str]:
    """Where to show it; columns only of a stretch within one line, since the Checks API refuses others."""
    if span is None or not in_file(span):
        return {} if result.file == "-" else {"file": _path(result.file)}
    place = {"file": _path(span.file), "line": str(span.line)}
    if span.end_line > span.line:
        return place | {"endLine": str(span.end_line - (span.end_column == 1))}
    place["col"] = str(span.column)
    return place | ({"endLine": str(span.end_line), "endColumn": str(span.end_column)} if span.end_line else {})


def _path(file: str) -> str:
    return printable(below_here(file) or file)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

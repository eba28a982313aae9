"""For GitHub Actions: workflow commands that annotate the changed lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span, make_printable
from fabricgen.lint.fault import find_page
from fabricgen.lint.report import FileReport, is_in_file, make_relative_path

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def report(results: Sequence[FileReport]) -> str:
    """A command for each finding, escaped by GitHub's rules for workflow commands (actions/toolkit, command.ts).

    What several blueprints include is said once: GitHub shows ten annotations of a kind in a step, and drops the rest.
    """
    return "\n".join(
        dict.fromkeys(_write_command(result, finding) for result in results for finding in result.findings)
    )


def _write_command(result: FileReport, finding: Diagnostic) -> str:
    """One workflow command: place and title as properties, message and hint as its text."""
    page = find_page(finding.code)
    properties = _describe_position(result, finding.span) | {
        "title": f"{finding.code}: {page.title}" if page else finding.code
    }
    listed = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    lines = [finding.message, *([finding.hint] if finding.hint else [])]
    if finding.span and not is_in_file(finding.span):
        lines.append(f"at {finding.span}")
    return f"::{_COMMANDS[finding.severity]} {listed}::{_escape_data(chr(10).join(map(make_printable, lines)))}"


def _describe_position(result: FileReport, span: Span | None) -> dict[str, str]:
    """Where to show it; columns only of a stretch within one line, since the Checks API refuses others."""
    if span is None or not is_in_file(span):
        return {} if result.file == "-" else {"file": _shorten_path(result.file)}
    properties = {"file": _shorten_path(span.file), "line": str(span.line)}
    if span.end_line > span.line:
        return properties | {"endLine": str(span.end_line - (span.end_column == 1))}
    properties["col"] = str(span.column)
    return properties | ({"endLine": str(span.end_line), "endColumn": str(span.end_column)} if span.end_line else {})


def _shorten_path(file: str) -> str:
    return make_printable(make_relative_path(file) or file)


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")

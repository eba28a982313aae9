"""For GitHub Actions: an annotation for each action, and one that counts; they belong to no file."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import describe_cost, describe_work
from fabricgen.verify.reports.text import summarize


def report(report: Report) -> bytes:
    """Commands, escaped by GitHub's rules for workflow commands (actions/toolkit, command.ts).

    The first one counts, since GitHub shows ten annotations of a kind in a step, and drops the rest.
    """
    lines = [_write_command("error" if report.has_differences() else "notice", "fabricgen verify", [summarize(report)])]
    for action in report.actions:
        costs = describe_cost(action.consequence)
        message = [action.text, *([f"until then: {costs}"] if costs else [])]
        lines.append(_write_command("error", f"{action.kind.value}: {describe_work(action)} ({action.id})", message))
    lines += [_write_command("warning", "extra link", [text]) for text in report.diagnosis.extra]
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def _write_command(level: str, title: str, lines: list[str]) -> str:
    return f"::{level} title={_escape_property(title)}::{_escape_data(chr(10).join(map(make_printable, lines)))}"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(make_printable(text)).replace(":", "%3A").replace(",", "%2C")

"""For GitHub Actions: an annotation for each action, and one that counts; they belong to no file."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import meanwhile, work
from fabricgen.verify.reports.text import summary


def report(report: Report) -> bytes:
    """Commands, escaped by GitHub's rules for workflow commands (actions/toolkit, command.ts).

    The first one counts, since GitHub shows ten annotations of a kind in a step, and drops the rest.
    """
    lines = [_command("error" if report.differs() else "notice", "fabricgen verify", [summary(report)])]
    for action in report.actions:
        costs = meanwhile(action.consequence)
        told = [action.text, *([f"until then: {costs}"] if costs else [])]
        lines.append(_command("error", f"{action.kind.value}: {work(action)} ({action.id})", told))
    lines += [_command("warning", "extra link", [text]) for text in report.diagnosis.extra]
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def _command(level: str, title: str, lines: list[str]) -> str:
    return f"::{level} title={_property(title)}::{_data(chr(10).join(map(make_printable, lines)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(make_printable(text)).replace(":", "%3A").replace(",", "%2C")

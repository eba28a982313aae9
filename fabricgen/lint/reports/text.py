"""For people: place, message, the line with a caret under the fault, and a hint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.report import FileReport


def report(results: Sequence[FileReport]) -> str:
    """Findings in order, then a line that counts them."""
    blocks = [_block(finding) for result in results for finding in result.findings]
    found = [finding.severity for result in results for finding in result.findings]
    counts = [f"{found.count(s)} {s.label}{'s' * (found.count(s) != 1)}" for s in sorted(Severity, reverse=True)]
    waived = sum(result.waived for result in results)
    files = f"{len(results)} blueprint{'s' * (len(results) != 1)}"
    return "\n".join([*blocks, f"{files}: {', '.join(counts)}" + (f", {waived} waived" if waived else "")])


def _block(finding: Diagnostic) -> str:
    head, _, hint = finding.text().partition("\n")
    return "\n".join([head, *_excerpt(finding), *([hint] if hint else [])])


def _excerpt(finding: Diagnostic) -> list[str]:
    span = finding.span
    lines = _lines(span.file) if span else ()
    if span is None or not 0 < span.line <= len(lines):
        return []
    line = lines[span.line - 1]
    end = span.end_column if span.end_line == span.line and span.end_column > span.column else span.column + 1
    width = max(1, min(end, len(line) + 1) - span.column)
    number = f"{span.line:>5} | "
    return [number + line, " " * (len(number) + span.column - 1) + "^" * width]


@cache
def _lines(file: str) -> tuple[str, ...]:
    try:
        return tuple(Path(file).read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return ()

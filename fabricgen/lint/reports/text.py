"""For people: place, message, the line with a caret under the fault, and a hint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fabricgen.blueprint.secret import is_secret
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span
from fabricgen.kernel.text_input import read_bytes
from fabricgen.lint.report import FileReport


def report(results: Sequence[FileReport]) -> str:
    """Findings in order, then a line that counts them."""
    files: dict[str, tuple[str, ...]] = {}
    blocks = [_block(finding, files) for result in results for finding in result.findings]
    found = [finding.severity for result in results for finding in result.findings]
    counts = [f"{found.count(s)} {s.label}{'s' * (found.count(s) != 1)}" for s in sorted(Severity, reverse=True)]
    waived = sum(result.waived for result in results)
    judged = f"{len(results)} blueprint{'s' * (len(results) != 1)}"
    return "\n".join([*blocks, f"{judged}: {', '.join(counts)}" + (f", {waived} waived" if waived else "")])


def _block(finding: Diagnostic, files: dict[str, tuple[str, ...]]) -> str:
    head, _, hint = finding.text().partition("\n")
    excerpt = [] if is_secret(finding.path) else _excerpt(finding.span, files)
    return "\n".join([head, *excerpt, *([hint] if hint else [])])


def _excerpt(span: Span | None, files: dict[str, tuple[str, ...]]) -> list[str]:
    if span and span.file not in files:
        files[span.file] = _lines(span.file)
    lines = files[span.file] if span else ()
    if span is None or not 0 < span.line <= len(lines):
        return []
    line = lines[span.line - 1]
    end = span.end_column if span.end_line == span.line and span.end_column > span.column else span.column + 1
    width = max(1, min(end, len(line) + 1) - span.column)
    number = f"{span.line:>5} | "
    before = "".join("\t" if character == "\t" else " " for character in line[: span.column - 1])
    return [number + line, " " * len(number) + before + "^" * width]


def _lines(file: str) -> tuple[str, ...]:
    """A file's lines; none for what is no regular file (a pipe would block) or cannot be read again."""
    try:
        if not Path(file).is_file():
            return ()
        return tuple(read_bytes(Path(file), file).decode("utf-8", "replace").splitlines())
    except (InputError, OSError):
        return ()

"""For people: place, message, the line with a caret under the fault, and a hint."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fabricgen.kernel.diagnostics import (
    SECRET,
    USER_OF_URL,
    Diagnostic,
    InputError,
    Severity,
    Span,
    make_printable,
    may_be_secret,
)
from fabricgen.kernel.text_input import read_bytes
from fabricgen.lint.documented import ToDo
from fabricgen.lint.report import FileReport, count_findings, is_in_file
from fabricgen.lint.waived import BLUEPRINT, IGNORED, PROJECT, Softened, sum_tallies
from fabricgen.yaml.syntax import LINE_END

IN_CLEAR_TEXT = "FG740"
"""The rule that tells of a secret in clear text, and not of its line."""
WIDEST = 100
"""Cells of a source line that are shown; of a longer one, those around the fault."""

_NAME = rf"""["']? (?: [\w-]{{0,20}} (?:{SECRET}) [\w-]{{0,20}} | \b(?:cak|key)) ["']?"""
_VALUE = r"""(?! ["']? (?:env:FABRICGEN_|file:))
    (?: "[^"]*" | '[^']*' | ["'].* | [^\s,{}\[\]\#"'] ) [^,{}\[\]\#]*"""
_WORD = r"\b(?: pas+w\w* | pas+phr\w* | secret | community | passkey ) [ ]+ (?:[05789]|8a|sha512|md5)? [ ]*"
_SECRET = re.compile(
    rf"(?ix) (^[\s?-]* {_NAME} [ ]* : [ ]+) (?! ['\"]? (?:env:FABRICGEN_|file:)) ([^\s{{\[].*)"
    rf"| ({_NAME} [ ]* : [ ]*) ({_VALUE}) | ({_WORD}) ([^\s:,'\"]+)"
)
"""A key that secrets have, spelled right or not, and a value that is none of their references: alone on a line all of
it, beside others up to a comma. Within a text, such as a snippet's, a word that secrets follow, and the next one."""
_ACCOUNTS = re.compile(r"""\b(?:users|aaa|snmp)["']?[ ]*:[ ]*\{""")
"""What has secrets in it on the same line, in whatever form."""

NEAR = 2 * WIDEST
"""Characters before, in and after a fault that are looked at: a file of one line of megabytes has many faults."""


def report(results: Sequence[FileReport]) -> str:
    """Errors and warnings in order and infos by what to do, then a line that counts all and those that `--fix` mends,
    and what settings ignore or lower.

    What several blueprints include is shown once, with their names. The line says where plan rules were not run, and
    how infos of terse reports are seen.
    """
    files: dict[str, tuple[str, ...]] = {}
    reports_by_finding: dict[Diagnostic, list[FileReport]] = {}
    for result in results:
        for finding in result.findings:
            reports_by_finding.setdefault(finding, []).append(result)
    several = len(results) > 1
    blocks, infos_to_do = list[str](), dict[ToDo, list[str]]()
    for finding, reports in reports_by_finding.items():
        is_info = finding.severity == Severity.INFO
        if is_info and all(result.terse for result in reports):
            continue
        block = _format_finding(finding, files, _name_blueprints(finding, reports) if several else "")
        (infos_to_do.setdefault(_find_to_do(finding.code), []) if is_info else blocks).append(block)
    for to_do in (to_do for to_do in ToDo if to_do in infos_to_do):
        blocks += [f"infos: {to_do}", *infos_to_do[to_do]]
    kinds = Counter(result.kind for result in results)
    judged = ", ".join(f"{count} {kind}{'s' * (count != 1)}" for kind, count in kinds.items()) or "0 blueprints"
    fixable = sum(bool(finding.fix) for result in results for finding in result.findings)
    mended = f"; --fix mends {fixable}" if fixable else ""
    skipped = "; plan rules not run (--fast)" if any(result.fast for result in results) else ""
    hidden = any(f.severity == Severity.INFO for result in results if result.terse for f in result.findings)
    unshown = "; --verbose shows infos" if hidden else ""
    softened = sum_tallies(tally for result in results for tally in result.softened)
    return "\n".join(
        [
            *blocks,
            f"{judged}: {_format_counts(count_findings(results))}{mended}{skipped}{unshown}",
            *_list_softened(softened),
        ]
    )


def _find_to_do(code: str) -> ToDo:
    """What people do about infos of a code, those of plug-ins included."""
    from fabricgen.lint.fault import find_page

    page = find_page(code)
    return page.to_do if page else ToDo.KNOW


def _name_blueprints(finding: Diagnostic, reports: Sequence[FileReport]) -> str:
    """The blueprints that a finding concerns, where its place does not say so."""
    names = [result.shown_as for result in reports]
    is_obvious = finding.span is not None and names == [finding.span.file]
    return "" if is_obvious else make_printable(", ".join(names))


def _list_softened(softened: Sequence[Softened]) -> list[str]:
    """A line for who ignores findings, and one for who lowers them, for those who look after the project."""
    lines: dict[str, list[str]] = {}
    for tally in softened:
        who = {PROJECT: "project settings", BLUEPRINT: "blueprint"}[tally.by]
        treatment = "ignored" if tally.counts_as == IGNORED else f"taken for {tally.counts_as}"
        lines.setdefault(f"{treatment} by {who}", []).append(f"{tally.findings} {tally.severity.label}[{tally.code}]")
    return [f"{head}: {', '.join(listed)}" for head, listed in lines.items()]


def _format_counts(counts: dict[str, int]) -> str:
    """Findings by severity in words, and those waived where there are any."""
    waived = counts.pop("waived")
    listed = [f"{count} {label}{'s' * (count != 1)}" for label, count in counts.items()]
    return ", ".join([*listed, *([f"{waived} waived"] if waived else [])])


def _format_finding(finding: Diagnostic, files: dict[str, tuple[str, ...]], blueprints: str) -> str:
    """A finding with its line, hint and blueprints; the line is left out where a secret may stand in it."""
    head, _, hint = finding.text().partition("\n")
    hidden = finding.code == IN_CLEAR_TEXT or may_be_secret(finding.path)
    excerpt = [] if hidden else _cut_excerpt(finding.span, files)
    origin = [f"  in: {blueprints}"] if blueprints else []
    return "\n".join([head, *excerpt, *([hint] if hint else []), *origin])


def _cut_excerpt(span: Span | None, files: dict[str, tuple[str, ...]]) -> list[str]:
    """The line of a place and carets under its stretch, to the end of the line where it goes on below."""
    if span is None or not is_in_file(span):
        return []
    if span.file not in files:
        files[span.file] = _read_lines(span.file)
    if not 0 < span.line <= len(files[span.file]) or not files[span.file][span.line - 1].strip():
        return []
    line = files[span.file][span.line - 1]
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip()) if span.end_line else 0
    end = max(end, start + 1)
    line = line[: end + NEAR]  # of megabytes no more is looked at
    if _ACCOUNTS.search(line):
        return []
    line = USER_OF_URL.sub(_mask_value, line)
    line = line[: max(0, start - NEAR)] + _SECRET.sub(_mask_value, line[max(0, start - NEAR) :])
    parts = line[max(0, start - NEAR) : start], line[start : min(end, start + NEAR)], line[end : end + NEAR]
    before, under, after = _crop_line(*map(_mask_unprintable, parts))
    number = f"{span.line:>5} | "
    blank = "".join(c if c == "\t" else " " * _count_cells(c) for c in before)
    return [number + before + under + after, " " * len(number) + blank + "^" * max(1, _count_cells(under))]


def _mask_value(match: re.Match[str]) -> str:
    """A key and its value as stars, one a character, so that what follows stays in its column."""
    key, value = (text for text in match.groups() if text is not None)
    return f"{key}{'*' * len(value)}"


def _mask_unprintable(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)


def _crop_line(before: str, under: str, after: str) -> tuple[str, str, str]:
    """The parts of a line before, in and after a stretch, in the space that there is."""
    if _count_cells(before + under + after) <= WIDEST:
        return before, under, after
    under = under if _count_cells(under) <= WIDEST // 2 else under[: WIDEST // 4] + "…"
    if _count_cells(before) > WIDEST // 3:
        before = "…" + before[-WIDEST // 6 :]
    room = max(0, WIDEST - _count_cells(before + under)) // 2
    return before, under, after if _count_cells(after) <= room else after[:room] + "…"


def _count_cells(text: str) -> int:
    """How many cells of a terminal a text takes; wide characters (Unicode UAX 11) take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _read_lines(file: str) -> tuple[str, ...]:
    """A file's lines; none for what is no regular file (a pipe would block) or cannot be read again."""
    try:
        if not Path(file).is_file():
            return ()
        text = read_bytes(Path(file), file).decode("utf-8", "replace").removeprefix("\ufeff")
        return tuple(LINE_END.split(text))
    except (InputError, OSError, ValueError):
        return ()

"""Lint reports for people: each finding with its place, message, source line with carets under the fault, and hint."""

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
"""The code of a secret in clear text, whose source line is not shown."""
WIDEST = 100
"""How many cells of a source line are shown at most; of a longer line, the cells around the fault."""

_NAME = rf"""["']? (?: [\w-]{{0,20}} (?:{SECRET}) [\w-]{{0,20}} | \b(?:cak|key)) ["']?"""
_VALUE = r"""(?! ["']? (?:env:FABRICGEN_|file:))
    (?: "[^"]*" | '[^']*' | ["'].* | [^\s,{}\[\]\#"'] ) [^,{}\[\]\#]*"""
_WORD = r"\b(?: pas+w\w* | pas+phr\w* | secret | community | passkey ) [ ]+ (?:[05789]|8a|sha512|md5)? [ ]*"
_SECRET = (
    rf"(?ix) (^[\s?-]* {_NAME} [ ]* : [ ]+) (?! ['\"]? (?:env:FABRICGEN_|file:)) ([^\s{{\[].*)"
    rf"| ({_NAME} [ ]* : [ ]*) ({_VALUE}) | ({_WORD}) ([^\s:,'\"]+)"
)
"""Matches what is masked in source lines: a key of secrets, spelt right or not, and a value that is no reference to a
secret (the rest of a line that begins with the key, else up to a comma or bracket); or within text, such as a
snippet's, a word that secrets follow, and the next word."""
_ACCOUNTS = r"""\b(?:users|aaa|snmp)["']?[ ]*:[ ]*\{"""
"""Matches keys whose values hold secrets in some form on the same line, which is not shown at all."""

NEAR = 2 * WIDEST
"""How many characters before, in and after a fault are looked at: a file of one line of megabytes has many faults."""


def report(results: Sequence[FileReport]) -> str:
    """Return the report as text: errors and warnings in their order, infos under headings of what to do about them, a
    line of counts, and lines of what settings ignore or give a lower severity.

    A finding that several blueprints share, such as one in an included file, is shown once, with their names. The line
    of counts also tells how many findings `--fix` mends, that plan rules were not run, and how to see hidden infos.
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
    """Return the heading under which infos of a code are listed; codes of plug-ins and unknown codes have one
    as well.
    """
    from fabricgen.lint.fault import find_page

    page = find_page(code)
    return page.to_do if page else ToDo.KNOW


def _name_blueprints(finding: Diagnostic, reports: Sequence[FileReport]) -> str:
    """Return the names of the blueprints that a finding is about; "" if its place names the only one."""
    names = [result.shown_as for result in reports]
    is_obvious = finding.span is not None and names == [finding.span.file]
    return "" if is_obvious else make_printable(", ".join(names))


def _list_softened(softened: Sequence[Softened]) -> list[str]:
    """Return lines such as `ignored by blueprint: 2 warning[FG303]`, one for each treatment and kind of settings."""
    lines: dict[str, list[str]] = {}
    for tally in softened:
        who = {PROJECT: "project settings", BLUEPRINT: "blueprint"}[tally.by]
        treatment = "ignored" if tally.counts_as == IGNORED else f"taken for {tally.counts_as}"
        lines.setdefault(f"{treatment} by {who}", []).append(f"{tally.findings} {tally.severity.label}[{tally.code}]")
    return [f"{head}: {', '.join(listed)}" for head, listed in lines.items()]


def _format_counts(counts: dict[str, int]) -> str:
    """Return counts of findings in words: `1 error, 0 warnings, 3 infos`, and how many are waived if any are."""
    waived = counts.pop("waived")
    listed = [f"{count} {label}{'s' * (count != 1)}" for label, count in counts.items()]
    return ", ".join([*listed, *([f"{waived} waived"] if waived else [])])


def _format_finding(finding: Diagnostic, files: dict[str, tuple[str, ...]], blueprints: str) -> str:
    """Return a finding as text with its source line, hint and `blueprints`; the source line is left out if a secret may
    be in it. `files` keeps the lines of files that were read.
    """
    head, _, hint = finding.text().partition("\n")
    hidden = finding.code == IN_CLEAR_TEXT or may_be_secret(finding.path)
    excerpt = [] if hidden else _cut_excerpt(finding.span, files)
    origin = [f"  in: {blueprints}"] if blueprints else []
    return "\n".join([head, *excerpt, *([hint] if hint else []), *origin])


def _cut_excerpt(span: Span | None, files: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the source line of a place, secrets masked, and a line of carets under it: to the end of the line if the
    place goes on below it. Return [] if there is no such line, or if it holds accounts.
    """
    if span is None or not is_in_file(span):
        return []
    if span.file not in files:
        files[span.file] = _read_lines(span.file)
    if not 0 < span.line <= len(files[span.file]) or not files[span.file][span.line - 1].strip():
        return []
    line = files[span.file][span.line - 1]
    start = min(span.column - 1, len(line))
    # columns count from 1; a place that goes on below this line ends with it, one without an end is a character
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip()) if span.end_line else 0
    end = max(end, start + 1)
    line, near_start = line[: end + NEAR], max(0, start - NEAR)
    if re.search(_ACCOUNTS, line):
        return []
    line = USER_OF_URL.sub(_mask_value, line)
    line = line[:near_start] + re.sub(_SECRET, _mask_value, line[near_start:])
    parts = line[near_start:start], line[start : min(end, start + NEAR)], line[end : end + NEAR]
    before, under, after = _crop_line(*map(_mask_unprintable, parts))
    number = f"{span.line:>5} | "
    blank = "".join(c if c == "\t" else " " * _count_cells(c) for c in before)
    return [number + before + under + after, " " * len(number) + blank + "^" * max(1, _count_cells(under))]


def _mask_value(match: re.Match[str]) -> str:
    """Return the match with its value replaced by stars, one for each character, so that columns stay as they are."""
    key, value = (text for text in match.groups() if text is not None)
    return f"{key}{'*' * len(value)}"


def _mask_unprintable(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)


def _crop_line(before: str, under: str, after: str) -> tuple[str, str, str]:
    """Return the parts of a line before, in and after a fault, each cut with `…` if they are wider than `WIDEST` cells
    together.
    """
    if _count_cells(before + under + after) <= WIDEST:
        return before, under, after
    under = under if _count_cells(under) <= WIDEST // 2 else under[: WIDEST // 4] + "…"
    if _count_cells(before) > WIDEST // 3:
        before = "…" + before[-WIDEST // 6 :]
    cells_left = max(0, WIDEST - _count_cells(before + under)) // 2
    return before, under, after if _count_cells(after) <= cells_left else after[:cells_left] + "…"


def _count_cells(text: str) -> int:
    """Return how many cells of a terminal a text takes: wide characters (Unicode UAX 11) take two, combining
    ones none.
    """
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _read_lines(file: str) -> tuple[str, ...]:
    """Return the lines of a file; () if it is no regular file (a pipe would block) or cannot be read any more."""
    try:
        if not Path(file).is_file():
            return ()
        text = read_bytes(Path(file), file).decode("utf-8", "replace").removeprefix("\ufeff")
        return tuple(LINE_END.split(text))
    except (InputError, OSError, ValueError):
        return ()

"""A change as Markdown for a comment on a pull request: a table, then a collapsed section for each unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fabricgen.diff.bill import describe_bom
from fabricgen.diff.compare import ClusterChange
from fabricgen.diff.reports._stages import format_stages
from fabricgen.diff.stages import PushStage
from fabricgen.diff.wording import (
    group_by_rack,
    group_by_unit,
    list_rack_lines,
    list_sections,
    list_totals,
    summarize_racks,
)
from fabricgen.kernel.diagnostics import make_printable

LINES, RACKS, ROWS = 20, 12, 12
"""The most lines of a rack, racks of a unit, and rows of a list in the summary."""

MOST = 60_000
"""The most characters of the report (GitHub cuts comments at 65,536); further parts are counted, unless `every`."""

_UNSAFE = re.compile(r"[^A-Za-z0-9 ,;()=%/\u2026]|(?<=www)\.")
_PLAIN = frozenset(".:+->'?\"")


def report(change: ClusterChange, *, every: bool = False, stages: Sequence[PushStage] | None = None) -> str:
    """Write the report and (if given) the order in which to push; names cannot inject markup, mentions or links.

    `every` writes all parts, without limits.
    """
    order = format_stages(stages, every=every)
    return _write_change(change, every) + (f"\n```text{order}\n```\n" if order else "")


def _write_change(change: ClusterChange, every: bool) -> str:
    """Return the report: a table, then as many folded sections as fit into a comment on a pull request.

    Sections that do not fit are counted. If nothing differs, the report says so, with what was not compared.
    """
    if not change:
        return "\n".join(["**No differences.**", *(f"- {escape_markdown(note)}" for note in change.notes), ""])
    head = "\n".join(_write_summary(change, every))
    parts, length, omitted = [head], len(head), 0
    for fold in (*_write_units(change, every), *_write_diffs(change)):
        if every or length + len(fold) < MOST:
            parts.append(fold)
            length += len(fold) + 1
        else:
            omitted += 1
    if omitted:
        parts.append(f"\n… and {omitted:,} more parts of this report (`--all`)")
    return "\n".join([*parts, ""])


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows literally: control characters spelled out, markup as character references."""
    return _UNSAFE.sub(_escape_character, make_printable(text))


def _escape_character(match: re.Match[str]) -> str:
    """Return a character that Markdown or GitHub could read as markup as a character reference.

    Some characters are harmless within a line, and stay as they are.
    """
    character = match[0]
    before = match.string[: match.start()]
    linked = match.string.startswith("://", match.start()) or (character == "." and before.endswith("www"))
    if character in _PLAIN and before.strip() and not linked:
        return character
    return f"&#{ord(character)};" + ("&#8288;" if character == "@" else "")


def _write_summary(change: ClusterChange, every: bool) -> Iterator[str]:
    """Yield the lines of the title, of the table of totals, and of the lists of reasons, parts and notes."""
    yield f"### {escape_markdown(change.title)}"
    yield from ("", "| | |", "|---|---|")
    yield from (f"| {escape_markdown(title)} | {escape_markdown(figures)} |" for title, figures in list_totals(change))
    if change.bom:
        yield f"| bill of materials | {escape_markdown(describe_bom(change.bom))} |"
    for title, rows in list_sections(change):
        yield from _write_list(title.capitalize(), rows, every)


def _write_list(title: str, rows: Sequence[str], every: bool) -> Iterator[str]:
    """Yield the lines of a list under its title, the first `ROWS` or with `every` all; none for an empty list."""
    if rows:
        yield from ("", f"**{title}**", "")
        yield from (f"- {escape_markdown(row)}" for row in (rows if every else rows[:ROWS]))
        if not every and len(rows) > ROWS:
            yield f"- … and {len(rows) - ROWS:,} more (`--all`)"


def _write_units(change: ClusterChange, every: bool) -> Iterator[str]:
    """Yield a folded section for each unit, with its changes rack by rack.

    Without `every`, the first `RACKS` racks are written, with the first `LINES` lines of each.
    """
    for unit, racks in group_by_unit(group_by_rack(change)).items():
        body: list[str] = []
        for group in racks[: None if every else RACKS]:
            total = group.count_lines()
            limit = total if every else LINES
            body.append(make_printable(f"rack {group.place.rack or '-'}: {summarize_racks(change, [group])}"))
            body += [f"  {line}" for line in list_rack_lines(change, group, limit)]
            body += [f"  … and {total - limit:,} more (--all)"] if total > limit else []
        body += [f"… and {len(racks) - RACKS:,} more racks (--all)"] if not every and len(racks) > RACKS else []
        yield _write_fold(f"{unit}: {summarize_racks(change, racks)}", "text", body)


def _write_diffs(change: ClusterChange) -> Iterator[str]:
    """Yield a folded section for each configuration with a diff, if diffs are asked for."""
    for file in change.configs.files if change.configs and change.show_diffs else ():
        if file.diff:
            title = f"config {file.device} {file.file}: +{file.added} -{file.removed} lines"
            yield _write_fold(title, "diff", [make_printable(line) for line in file.diff.splitlines()])


def _write_fold(title: str, language: str, body: list[str]) -> str:
    """Write a collapsed section with a code block, whose fence is longer than any in `body`, so that none ends it."""
    ticks = max((len(run) for line in body for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, ticks + 1)
    head = f"\n<details><summary>{escape_markdown(title)}</summary>\n"
    return "\n".join([head, f"{fence}{language}", *body, fence, "", "</details>"])

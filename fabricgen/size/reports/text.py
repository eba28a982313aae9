"""For people at a terminal: a screen of rows to decide among; with `--all` the whole front and what it beats."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.analyze.reckoned import format_reckonings
from fabricgen.reports.tables.text import align_columns
from fabricgen.size.front import Candidate
from fabricgen.size.reports._words import (
    describe_losses,
    describe_rails_apart,
    describe_search,
    describe_stand,
    explain_beaten,
    explain_reference,
    explain_typical,
    format_value,
    list_columns,
    list_details,
    list_reckonings,
    list_unknown,
    name_candidate,
    name_column,
    summarize_counts,
)
from fabricgen.size.search import SearchResult

REASONS = 5
"""How many reasons why shapes are no candidates are listed, the commonest first."""


def report(result: SearchResult, *, every: bool) -> bytes:
    """Return the report, as bytes.

    With `every` it has all of the front with details, the beaten candidates, and how figures are computed.
    """
    rows = result.list_shown(every=False) if every else result.rows
    lines = [
        describe_search(result),
        "",
        *_format_table(result, rows),
        explain_reference(result),
        *explain_typical(result, every=every),
        *list_unknown(result),
        "",
    ]
    for candidate in rows:
        lines.append(f"{candidate.name}: {describe_stand(candidate, result.rows, result.axes)}")
        lines += [f"  {describe_losses(candidate)}", *(f"  {line}" for line in candidate.figures.routing)]
        if every:
            lines += [f"  {line}" for line in list_details(candidate, result)]
        elif not candidate.shape.meet:
            lines.append(f"  {describe_rails_apart(candidate, result)}")
    if not every:
        lines += ["", summarize_counts(result), f"{_describe_rest(result)}: --all; a page with plots: --format html"]
        return _encode(lines)
    if result.beaten:
        lines += [
            "",
            "beaten:",
            *_format_table(result, [candidate for candidate in result.beaten if candidate not in rows]),
            "",
        ]
        lines += [f"{candidate.name}: {explain_beaten(candidate, result)}" for candidate in result.beaten]
    lines += ["", *format_reckonings(list_reckonings(result)), "", summarize_counts(result)]
    lines += [f"  {count:>5,}  {why}" for why, count in result.reasons[:REASONS]]
    return _encode(lines)


def _describe_rest(result: SearchResult) -> str:
    """Say what the first screen leaves out."""
    left_out = len(result.list_shown(every=False)) - len(result.rows)
    return (
        f"{left_out:,} more of the front, " if left_out else ""
    ) + "optics, racks and formulas, and what beats the others"


def _encode(lines: Sequence[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def _format_table(result: SearchResult, candidates: Sequence[Candidate]) -> list[str]:
    """Return the lines of a table with a row for each candidate; `*` marks the axes of the search."""
    axes = list_columns(result)
    columns = [["", *(name_candidate(candidate, result) for candidate in candidates)]]
    for axis in axes:
        head = f"{name_column(axis)}{'*' * (axis in result.axes)}"
        columns.append([head, *(format_value(candidate, axis) for candidate in candidates)])
    return list(align_columns(columns, [False, *[True] * len(axes)]))

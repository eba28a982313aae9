"""For people at a terminal: the front as a table, what each of it has beside, and with `--all` who beats the others."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.analyze.reckoned import format_reckonings
from fabricgen.reports.tables.text import align_columns
from fabricgen.size.front import Candidate
from fabricgen.size.reports._words import (
    describe_search,
    explain_beaten,
    explain_typical,
    format_value,
    list_columns,
    list_details,
    list_reckonings,
    list_unknown,
    name_column,
    summarize_counts,
)
from fabricgen.size.search import SearchResult

REASONS = 5
"""Reasons why shapes are no candidates that are listed, the commonest first."""


def report(result: SearchResult, *, every: bool) -> bytes:
    """The report; with `every` also what is beaten, and why."""
    lines = [
        describe_search(result),
        "",
        *_format_table(result, result.front),
        *explain_typical(result, every=every),
        *list_unknown(result),
        "",
    ]
    for candidate in result.front:
        lines += [candidate.name, *(f"  {line}" for line in list_details(candidate, result))]
    if every and result.beaten:
        lines += ["", "beaten:", *_format_table(result, result.beaten), ""]
        lines += [f"{candidate.name}: {explain_beaten(candidate, result)}" for candidate in result.beaten]
    lines += ["", *format_reckonings(list_reckonings(result)), "", summarize_counts(result)]
    lines += [f"  {count:>5,}  {why}" for why, count in result.reasons[:REASONS]]
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def _format_table(result: SearchResult, candidates: Sequence[Candidate]) -> list[str]:
    """A table with a row for each candidate; `*` marks the axes of the front."""
    axes = list_columns(result)
    columns = [["", *(candidate.name for candidate in candidates)]]
    for axis in axes:
        head = f"{name_column(axis)}{'*' * (axis in result.axes)}"
        columns.append([head, *(format_value(candidate, axis) for candidate in candidates)])
    return list(align_columns(columns, [False, *[True] * len(axes)]))

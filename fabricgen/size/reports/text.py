"""For people at a terminal: the front as a table, what each of it has beside, and with `--all` who beats the others."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.analyze.reckoned import reckoned
from fabricgen.size.front import Candidate
from fabricgen.size.reports._words import (
    beside,
    columns,
    counted,
    head,
    heading,
    reckoning,
    typical,
    unknown,
    value,
    why_beaten,
)
from fabricgen.size.search import Found

REASONS = 5
"""Reasons why shapes are no candidates that are listed, the commonest first."""


def report(found: Found, *, every: bool) -> bytes:
    """The report; with `every` also what is beaten, and why."""
    lines = [heading(found), "", *_table(found, found.front), *typical(found, every=every), *unknown(found), ""]
    for one in found.front:
        lines += [one.name, *(f"  {line}" for line in beside(one, found))]
    if every and found.beaten:
        lines += ["", "beaten:", *_table(found, found.beaten), ""]
        lines += [f"{one.name}: {why_beaten(one, found)}" for one in found.beaten]
    lines += ["", *reckoned(reckoning(found)), "", counted(found)]
    lines += [f"  {count:>5,}  {why}" for why, count in found.reasons[:REASONS]]
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def _table(found: Found, candidates: Sequence[Candidate]) -> list[str]:
    """A table with a row for each candidate; `*` marks the axes of the front."""
    axes = columns(found)
    rows = [["", *(f"{head(axis)}{'*' * (axis in found.axes)}" for axis in axes)]]
    rows += [[one.name, *(value(one, axis) for axis in axes)] for one in candidates]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for name, *cells in rows:
        padded = (cell.rjust(wide) for cell, wide in zip(cells, widths[1:], strict=True))
        lines.append("  ".join([name.ljust(widths[0]), *padded]))
    return lines

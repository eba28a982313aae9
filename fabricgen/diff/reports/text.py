"""A change as text for a terminal: a page of summary, then the details by unit and rack."""

from __future__ import annotations

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

LINES, RACKS, UNITS, ROWS = 6, 3, 8, 8
"""The most lines of a rack, racks of a unit, units, and rows of a list in the summary."""


def report(change: ClusterChange, *, every: bool = False, stages: Sequence[PushStage] | None = None) -> str:
    """Write the report; lists are shortened, and say by how much, unless `every`. `stages` are the order of pushing."""
    if change:
        lines = [*_write_summary(change, every), *_write_details(change, every), *_write_diffs(change)]
    else:
        lines = ["no differences", *map(make_printable, change.notes)]
    return "\n".join(lines) + format_stages(stages, every=every)


def _write_summary(change: ClusterChange, every: bool) -> Iterator[str]:
    """Yield the lines of the title, of the totals in two columns, and of the sections."""
    yield make_printable(change.title)
    width = max(len(title) for title, _ in list_totals(change))
    for title, figures in list_totals(change):
        yield f"  {title:<{width}}  {figures}"
    for title, rows in list_sections(change):
        bill = f"bill of materials: {describe_bom(change.bom)}" if title == "parts" and change.bom else ""
        yield from _write_section(bill or title, rows, every)


def _write_section(title: str, rows: Sequence[str], every: bool) -> Iterator[str]:
    """Yield the lines of a section under its title, the first `ROWS` or with `every` all of its rows."""
    if rows:
        yield from ("", title)
        yield from (f"  {make_printable(row)}" for row in (rows if every else rows[:ROWS]))
        yield from _write_left_out(len(rows), len(rows) if every else ROWS, "  ")


def _write_left_out(count: int, shown: int, indent: str, noun: str = "") -> Iterator[str]:
    if count > shown:
        yield f"{indent}… and {count - shown:,} more{noun} (--all)"


def _write_details(change: ClusterChange, every: bool) -> Iterator[str]:
    """Yield the lines of the changes by unit and rack; the first of each unless `every`."""
    units = group_by_unit(group_by_rack(change))
    for unit in list(units)[: None if every else UNITS]:
        racks = units[unit]
        yield from ("", f"{unit}: {summarize_racks(change, racks)}")
        for group in racks[: None if every else RACKS]:
            total = group.count_lines()
            limit = total if every else LINES
            yield make_printable(f"  rack {group.place.rack or '-'}: {summarize_racks(change, [group])}")
            yield from (f"    {line}" for line in list_rack_lines(change, group, limit))
            yield from _write_left_out(total, limit, "    ")
        yield from _write_left_out(len(racks), len(racks) if every else RACKS, "  ", " racks")
    if not every and len(units) > UNITS:
        yield ""
        yield from _write_left_out(len(units), UNITS, "", " units")


def _write_diffs(change: ClusterChange) -> Iterator[str]:
    """Yield the lines of the diffs of configurations, if diffs are asked for."""
    for file in change.configs.files if change.configs and change.show_diffs else ():
        if file.diff:
            yield ""
            yield from map(make_printable, file.diff.splitlines())

"""A change as text for a terminal: a page of summary, then the details by unit and rack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.diff.bill import describe_bom, describe_part
from fabricgen.diff.compare import Change
from fabricgen.diff.reports.wording import (
    count_optics_by_part,
    group_by_rack,
    group_by_unit,
    list_rack_lines,
    list_spare_ports,
    list_totals,
    summarize_racks,
)
from fabricgen.kernel.diagnostics import make_printable

LINES, RACKS, UNITS, ROWS = 6, 3, 8, 8
"""Limits: lines of a rack, racks of a unit, units, and rows of a table of the summary."""


def write_text(change: Change, *, every: bool = False) -> str:
    """The report; shortened lists say how much was left out, unless `every`."""
    if not change:
        return "\n".join(["no differences", *map(make_printable, change.notes)])
    return "\n".join([*_write_summary(change, every), *_write_details(change, every), *_write_diffs(change)])


def _write_summary(change: Change, every: bool) -> Iterator[str]:
    yield make_printable(change.title)
    width = max(len(title) for title, _ in list_totals(change))
    for title, figures in list_totals(change):
        yield f"  {title:<{width}}  {figures}"
    yield from _write_section("why", change.reasons, every)
    if change.bom:
        yield from _write_section(
            f"bill of materials: {describe_bom(change.bom)}", map(describe_part, change.bom.parts), every
        )
    if change.optics:
        optics = count_optics_by_part(change.optics).items()
        yield from _write_section("optics", (f"{part}: {come:,} in, {go:,} out" for part, (come, go) in optics), every)
    if any(change.shapes):
        yield from _write_section("down ports left", list_spare_ports(change), every)
    yield from _write_section("not compared", change.notes, every)


def _write_section(title: str, entries: Iterable[str], every: bool) -> Iterator[str]:
    rows = list(entries)
    if rows:
        yield from ("", title)
        yield from (f"  {make_printable(row)}" for row in (rows if every else rows[:ROWS]))
        yield from _write_left_out(len(rows), len(rows) if every else ROWS, "  ")


def _write_left_out(count: int, shown: int, indent: str, noun: str = "") -> Iterator[str]:
    if count > shown:
        yield f"{indent}… and {count - shown:,} more{noun} (--all)"


def _write_details(change: Change, every: bool) -> Iterator[str]:
    units = group_by_unit(group_by_rack(change))
    for unit in list(units)[: None if every else UNITS]:
        racks = units[unit]
        yield from ("", f"{unit}: {summarize_racks(change, racks)}")
        for group in racks[: None if every else RACKS]:
            total = group.total()
            most = total if every else LINES
            yield make_printable(f"  rack {group.place.rack or '-'}: {summarize_racks(change, [group])}")
            yield from (f"    {line}" for line in list_rack_lines(change, group, most))
            yield from _write_left_out(total, most, "    ")
        yield from _write_left_out(len(racks), len(racks) if every else RACKS, "  ", " racks")
    if not every and len(units) > UNITS:
        yield ""
        yield from _write_left_out(len(units), UNITS, "", " units")


def _write_diffs(change: Change) -> Iterator[str]:
    for file in change.configs.files if change.configs and change.show_diffs else ():
        if file.diff:
            yield ""
            yield from map(make_printable, file.diff.splitlines())

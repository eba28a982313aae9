"""A change as text for a terminal: a page of summary, then the details by unit and rack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.diff.bill import bom_line, bom_title
from fabricgen.diff.compare import Change
from fabricgen.diff.reports.wording import by_unit, changes_by_rack, heading, lines, optics_by_part, spare_lines, totals
from fabricgen.kernel.diagnostics import make_printable

LINES, RACKS, UNITS, ROWS = 6, 3, 8, 8
"""Limits: lines of a rack, racks of a unit, units, and rows of a table of the summary."""


def text(change: Change, *, every: bool = False) -> str:
    """The report; shortened lists say how much was left out, unless `every`."""
    if not change:
        return "\n".join(["no differences", *map(make_printable, change.notes)])
    return "\n".join([*_summary(change, every), *_details(change, every), *_diffs(change)])


def _summary(change: Change, every: bool) -> Iterator[str]:
    yield make_printable(change.title)
    width = max(len(title) for title, _ in totals(change))
    for title, what in totals(change):
        yield f"  {title:<{width}}  {what}"
    yield from _section("why", change.reasons, every)
    if change.bom:
        yield from _section(f"bill of materials: {bom_title(change.bom)}", map(bom_line, change.bom.parts), every)
    if change.optics:
        optics = optics_by_part(change.optics).items()
        yield from _section("optics", (f"{part}: {come:,} in, {go:,} out" for part, (come, go) in optics), every)
    if any(change.shapes):
        yield from _section("down ports left", spare_lines(change), every)
    yield from _section("not compared", change.notes, every)


def _section(title: str, found: Iterable[str], every: bool) -> Iterator[str]:
    rows = list(found)
    if rows:
        yield from ("", title)
        yield from (f"  {make_printable(row)}" for row in (rows if every else rows[:ROWS]))
        yield from _left_out(len(rows), len(rows) if every else ROWS, "  ")


def _left_out(count: int, shown: int, indent: str, what: str = "") -> Iterator[str]:
    if count > shown:
        yield f"{indent}… and {count - shown:,} more{what} (--all)"


def _details(change: Change, every: bool) -> Iterator[str]:
    units = by_unit(changes_by_rack(change))
    for unit in list(units)[: None if every else UNITS]:
        racks = units[unit]
        yield from ("", f"{unit}: {heading(change, racks)}")
        for group in racks[: None if every else RACKS]:
            total = group.total()
            most = total if every else LINES
            yield make_printable(f"  rack {group.place.rack or '-'}: {heading(change, [group])}")
            yield from (f"    {line}" for line in lines(change, group, most))
            yield from _left_out(total, most, "    ")
        yield from _left_out(len(racks), len(racks) if every else RACKS, "  ", " racks")
    if not every and len(units) > UNITS:
        yield ""
        yield from _left_out(len(units), UNITS, "", " units")


def _diffs(change: Change) -> Iterator[str]:
    for file in change.configs.files if change.configs and change.show_diffs else ():
        if file.diff:
            yield ""
            yield from map(make_printable, file.diff.splitlines())

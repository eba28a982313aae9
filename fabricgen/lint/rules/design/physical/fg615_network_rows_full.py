"""FG615: network racks stand outside their reserved rows."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class NetworkRowsFull(DesignRule):
    """A hall needs more network racks than its reserved network rows hold; the others stand behind all other rows.

    Rows between or behind node rows cannot grow without moving nodes. Racks that do not fit stand at the far end of
    the hall, or before its first row where the hall has no stated end, and have the longest cables. Each tier,
    plane and hall has room for about twice its racks in such rows.

    Reserve more `rows` from the start, spread tiers over fewer racks, or use taller racks.
    """

    severity = Severity.WARNING
    bad = """
        floor:
          racks_per_row: 1
          network_rows: {at: middle, rows: 1}  # <-
        fabrics: {compute: {tiers: {spine: {racks: 2}}}}
    """
    good = """
        floor:
          racks_per_row: 1
          network_rows: {at: middle, rows: 2}
        fabrics: {compute: {tiers: {spine: {racks: 2}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag halls whose network racks take more rows than are reserved for them."""
        if design.loaded.blueprint.floor.network_rows is None:
            return
        areas = FloorPlan(design).areas
        for i, area in enumerate(areas.areas):
            rows = area.rows + areas.count_overflow_rows(i)
            if rows > area.rows:
                racks = sum(areas.wanted[i].values())
                yield self.flag(
                    ("floor", "network_rows"),
                    f"{racks} network racks of {area.hall.name} need {rows} rows of {area.hall.racks_per_row}; "
                    f"{area.rows} are reserved",
                    f"set `rows: {rows}`; with a lock, racks that stand already stay in place",
                )

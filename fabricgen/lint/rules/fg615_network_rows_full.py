"""network racks stand outside of the rows that are kept for them."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class NetworkRowsFull(DesignRule):
    """More network racks are needed than the rows kept for them in a hall hold; the rest stands behind all others.

    Rows between or behind those of nodes cannot grow without moving nodes, so that what does not go in stands at the
    far end of the hall, or before its first row where it has no end, and its cables are the longest there are. Each
    tier, plane and hall has room for twice its racks in such rows, or nearly.

    Keep more `rows` from the start, deal tiers over fewer racks, or take racks of more units.
    """

    id = "FG615"
    severity = Severity.WARNING
    title = "network racks stand outside of the rows that are kept for them"
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
        """Count the rows that network racks of every hall take beyond those kept."""
        if design.loaded.blueprint.floor.network_rows is None:
            return
        areas = FloorPlan(design).areas
        for i, area in enumerate(areas.areas):
            beyond = areas.overflow(i)
            if beyond:
                racks = sum(areas.wanted[i].values())
                yield self.flag(
                    ("floor", "network_rows"),
                    f"{racks} network racks of {area.hall.name} take {area.rows + beyond} rows of "
                    f"{area.hall.racks_per_row}, {area.rows} are kept for them",
                    f"rows: {area.rows + beyond}; with a lock, what is racked stays where it is",
                )

"""FG638: two halls are in one place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from fabricgen.design.floor.halls import make_halls, measure_overlap
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class HallsOverlap(DesignRule):
    """Two halls of a site and storey share floor: racks of both would stand in the same place.

    A hall starts at its corner `at_m` and takes its rows and racks from there, or what is within its `walls_m`. Where
    two of them overlap, one corner or one size is wrong, and every cable between the halls is measured wrongly. State
    where each begins; halls above each other have a `storey`.
    """

    severity = Severity.ERROR
    bad = """
        floor:
          halls:
            h1: {rows: 20}
            h2: {rows: 20}  # <-
    """
    good = """
        floor:
          halls:
            h1: {rows: 20}
            h2: {rows: 20, at_m: [40, 0]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the areas of every two halls of a site on one storey."""
        blueprint = design.loaded.blueprint
        halls = [hall for hall in make_halls(blueprint.floor, design.layout.sites, blueprint.site) if hall.rows]
        for hall, other in combinations(halls, 2):
            if (hall.site, hall.storey) != (other.site, other.storey):
                continue
            left, top, right, bottom = hall.area
            x, y, *_ = other.area
            wide, deep = measure_overlap(hall.area, other.area)
            if wide and deep:
                yield self.flag(
                    ("floor", "halls", other.name),
                    f"hall {other.name} begins at ({x:g}, {y:g}) m and shares {wide:g} x {deep:g} m with hall "
                    f"{hall.name}, which is {right - left:g} x {bottom - top:g} m at ({left:g}, {top:g})",
                    f"at_m: [{right + other.x_m - x:g}, {top + other.y_m - y:g}] stands beside it, or state a `storey`",
                )

"""FG638: two halls are in one place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from fabricgen.design.floor.halls import Hall, halls_of
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class HallsOverlap(DesignRule):
    """Two halls of a site and storey share floor: racks of both would stand in the same place.

    A hall starts at its corner `at_m` and takes its rows and racks from there. Where two of them overlap, one corner
    or one size is wrong, and every cable between the halls is measured wrongly. State where each begins; halls above
    each other have a `storey`.
    """

    id = "FG638"
    severity = Severity.ERROR
    title = "two halls are in one place"
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
        """Compare the areas of every two halls of a site."""
        blueprint = design.loaded.blueprint
        halls = [hall for hall in halls_of(blueprint.floor, design.layout.sites, blueprint.site) if hall.rows]
        for one, other in combinations(halls, 2):
            if (one.site, one.storey) != (other.site, other.storey):
                continue
            (left, top, right, bottom), (x, y, far_x, far_y) = _area(one), _area(other)
            wide, deep = min(right, far_x) - max(left, x), min(bottom, far_y) - max(top, y)
            if wide > 1e-6 and deep > 1e-6:
                yield self.flag(
                    ("floor", "halls", other.name),
                    f"hall {other.name} begins at ({x:g}, {y:g}) m and shares {wide:g} x {deep:g} m with hall "
                    f"{one.name}, which is {right - left:g} x {bottom - top:g} m at ({left:g}, {top:g})",
                    f"at_m: [{right:g}, {top:g}] stands beside it, or state a `storey`",
                )


def _area(hall: Hall) -> tuple[float, float, float, float]:
    """(x, y, far x, far y) of a hall on the floor of its site, m."""
    last = hall.y_of(hall.rows - 1) + hall.rack_depth_m / 2
    return hall.x_m, hall.y_m, round(hall.x_m + hall.racks_per_row * hall.rack_pitch_m, 6), round(last, 6)

"""FG619: a rack stands where the building has something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.floor.halls import HallFixture, measure_overlap, print_row_number
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import RackTable


class RackInAFixture(PlanRule):
    """A rack stands in a column, in the way of a door, or where a cooling unit or power on the floor is.

    Racks take their places in rows by themselves, and fixtures (`floor.halls`) move none of them: a further column on a
    drawing must not renumber a hall. State another place for each rack that is named, by `floor.racks`, leave the
    place free by a shorter row (`racks_per_row`), or let the rows begin elsewhere (`at_m` of the hall, and all that is
    measured from there). Busways hang above racks and are not compared with them.
    """

    severity = Severity.ERROR
    bad = """
        floor:
          halls:
            h1:
              rows: 4
              fixtures:
                c1: {kind: column, at_m: [0.4, 0.2], size_m: [0.4, 0.4]}  # <-
    """
    good = """
        floor:
          halls:
            h1:
              rows: 4
              fixtures:
                c1: {kind: column, at_m: [0.4, 1.6], size_m: [0.4, 0.4]}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag fixtures of a hall in which racks stand; fixtures of one name are told once. Busways hang
        above racks.
        """
        table = cluster.plan.racks
        for number, hall in enumerate(table.halls):
            reported: set[str] = set()
            for fixture in (fixture for fixture in hall.fixtures if fixture.kind != "busway"):
                racks = _find_racks_in(table, number, fixture) if fixture.name not in reported else []
                if not racks:
                    continue
                reported.add(fixture.name)
                row, column = print_row_number(int(table.row[racks[0]])), int(table.column[racks[0]]) + 1
                name = table.names[racks[0]]
                wide, deep = measure_overlap(fixture.area, _compute_area(table, racks[0]))
                others = f"; so do {len(racks) - 1} more" if len(racks) > 1 else ""
                yield self.flag(
                    ("floor", "halls", hall.name, "fixtures", fixture.name),
                    f"rack {name} in row {row}, column {column} takes {wide:g} x {deep:g} m of {fixture.kind} "
                    f"{fixture.title}{others}",
                    f"state another place: floor.racks: {{{name}: {{row: .., column: ..}}}}",
                )


def _find_racks_in(table: RackTable, hall: int, fixture: HallFixture) -> list[int]:
    """Return the rows of the racks of a hall, by its number, that share floor with a fixture."""
    import numpy as np

    left, top, right, bottom = fixture.area
    half_width, half_depth = (max(getattr(kind, key) for kind in table.kinds) / 2 for key in ("width_m", "depth_m"))
    # no rack farther away reaches the fixture
    is_close_x = (table.x_m > left - half_width) & (table.x_m < right + half_width)
    is_close_y = (table.y_m > top - half_depth) & (table.y_m < bottom + half_depth)
    candidates = np.flatnonzero((table.hall == hall) & is_close_x & is_close_y).tolist()
    return [rack for rack in candidates if all(measure_overlap(fixture.area, _compute_area(table, rack)))]


def _compute_area(table: RackTable, rack: int) -> tuple[float, float, float, float]:
    """Return (left, top, right, bottom) of the floor under a rack, in metres of its site; no rack is taken to be larger
    than its place.
    """
    kind, hall = table.kinds[int(table.kind[rack])], table.halls[int(table.hall[rack])]
    wide, deep = min(kind.width_m, hall.rack_pitch_m) / 2, min(kind.depth_m, hall.rack_depth_m) / 2
    x, y = float(table.x_m[rack]), float(table.y_m[rack])
    return x - wide, y - deep, x + wide, y + deep

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
        """Compare the floor under every rack of a hall with its fixtures, each told once with the racks in it."""
        table = cluster.plan.racks
        for number, hall in enumerate(table.halls):
            reported: set[str] = set()
            for fixture in hall.fixtures:
                racks = (
                    _find_racks_in(table, number, fixture)
                    if fixture.kind != "busway" and fixture.name not in reported
                    else []
                )
                if not racks:
                    continue
                reported.add(fixture.name)
                first = racks[0]
                wide, deep = measure_overlap(fixture.area, _compute_area(table, first))
                more = f"; so do {len(racks) - 1} more" if len(racks) > 1 else ""
                yield self.flag(
                    ("floor", "halls", hall.name, "fixtures", fixture.name),
                    f"rack {table.names[first]} in row {print_row_number(int(table.row[first]))}, column "
                    f"{int(table.column[first]) + 1} takes {wide:g} x {deep:g} m of {fixture.kind} "
                    f"{fixture.title}{more}",
                    f"state another place: floor.racks: {{{table.names[first]}: {{row: .., column: ..}}}}",
                )


def _find_racks_in(table: RackTable, hall: int, fixture: HallFixture) -> list[int]:
    """The racks of a hall that share floor with a fixture."""
    import numpy as np

    reach = [max(getattr(kind, side) for kind in table.kinds) / 2 for side in ("width_m", "depth_m")]
    near = np.flatnonzero(
        (table.hall == hall)
        & (table.x_m > fixture.area[0] - reach[0])
        & (table.x_m < fixture.area[2] + reach[0])
        & (table.y_m > fixture.area[1] - reach[1])
        & (table.y_m < fixture.area[3] + reach[1])
    )
    return [rack for rack in near.tolist() if all(measure_overlap(fixture.area, _compute_area(table, rack)))]


def _compute_area(table: RackTable, rack: int) -> tuple[float, float, float, float]:
    """The floor under a rack, in the frame of its site, m; no rack is drawn wider than its place."""
    kind, hall = table.kinds[int(table.kind[rack])], table.halls[int(table.hall[rack])]
    wide, deep = min(kind.width_m, hall.rack_pitch_m) / 2, min(kind.depth_m, hall.rack_depth_m) / 2
    x, y = float(table.x_m[rack]), float(table.y_m[rack])
    return x - wide, y - deep, x + wide, y + deep

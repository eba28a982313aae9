"""FG637: racks or rows stand too close to each other."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.floor import Floor
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule

PANEL_M = 0.4826
"""Width of a 19-inch front panel, m (EIA/ECA-310-E, IEC 60297-3-100)."""

WORKING_SPACE_M = 0.914
"""Depth of the working space in front of electrical equipment, m (3 ft; NFPA 70, table 110.26(A)(1), up to 150 V)."""


class RowsTooClose(DesignRule):
    """Racks would overlap, or an aisle is narrower than a person needs to work in it.

    Rows stand `row_pitch_m` apart, centre to centre, and each is `rack_depth_m` deep; what is left is the aisle. Below
    0.914 m (3 ft; NFPA 70, table 110.26(A)(1)) no one can open a door or pull a switch out in front of it. Racks that
    stand closer than a 19-inch panel is wide (0.4826 m; EIA/ECA-310-E) overlap. Such a floor also makes all cable
    lengths too short. A slipped decimal point or feet for metres are the usual reasons.
    """

    severity = Severity.WARNING
    bad = """
        floor:
          row_pitch_m: 1.5  # <-
          rack_pitch_m: 0.3  # <-
    """
    good = """
        floor: {row_pitch_m: 2.4, rack_pitch_m: 0.6}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the distances of racks and of rows with the size of a rack and the space to work in."""
        floor = design.loaded.blueprint.floor
        if floor.rack_pitch_m < PANEL_M:
            yield self.flag(
                ("floor", "rack_pitch_m"),
                f"racks stand {floor.rack_pitch_m:g} m apart, but a 19-inch panel alone is {PANEL_M:g} m wide",
                "racks are 0.6 or 0.8 m wide",
            )
        for path, name, width, depth in _list_aisles(floor):
            if width < WORKING_SPACE_M:
                message = f"the {name} is {width:g} m wide; {WORKING_SPACE_M:g} m is the least to work in"
                if width < 0:
                    message = f"rows overlap by {-width:g} m: racks are {floor.rack_depth_m:g} m deep"
                yield self.flag(path, message, f"{path[-1]}: {WORKING_SPACE_M + depth:g} or more")


def _list_aisles(floor: Floor) -> Iterator[tuple[Path, str, float, float]]:
    """Yield (path of the stated distance, name of the aisle, its width, depth of a rack if the distance includes it)
    for each kind of aisle; all in metres.
    """
    if floor.aisles is None:
        path: Path = ("floor", "row_pitch_m")
        yield path, "aisle between rows", round(floor.row_pitch_m - floor.rack_depth_m, 6), floor.rack_depth_m
        return
    yield ("floor", "aisles", "cold_m"), "cold aisle", floor.aisles.cold_m, 0.0
    yield ("floor", "aisles", "hot_m"), "hot aisle", floor.aisles.hot_m, 0.0

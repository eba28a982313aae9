"""Halls: where their rows and racks stand, in metres of their site; for single racks and arrays of them.

Rows run along x and are numbered along y. They alternate front to front and back to back: rows 1 and 2 share a cold
aisle, rows 2 and 3 a hot one. All halls of a site share one coordinate system: they lie beside each other or, on
storeys, above each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fabricgen.blueprint.models import natural
from fabricgen.blueprint.sections.floor import Floor
from fabricgen.kernel.diagnostics import did_you_mean, fault

ENDLESS = 0
"""The number of rows of a hall whose size is not stated."""

USUAL_ROW = 16
"""Racks in a row where nothing says otherwise."""

DEFAULT_HALL = "hall1"
"""The hall of a site without a stated one."""


@dataclass(frozen=True, slots=True)
class Hall:
    """A hall: its site (an index), storey (0: ground floor), the corner before its first rack in metres, and its rows.

    It has `rows` rows of `racks_per_row` racks. With 0 rows it has as many as needed, and network rows are numbered
    down from -1.
    """

    name: str
    site: int
    storey: int
    x_m: float
    y_m: float
    rows: int
    racks_per_row: int
    rack_pitch_m: float
    cold_pitch_m: float
    """Distance of the centres of two rows that face each other, m."""
    hot_pitch_m: float
    """Distance of the centres of two rows back to back, m."""
    rack_depth_m: float

    def x_of(self, column: Any) -> Any:
        """The centre of a rack along its row, m, by column from 0."""
        return self.x_m + (column + 0.5) * self.rack_pitch_m

    def y_of(self, row: Any) -> Any:
        """The centre of a rack across the rows, m, by row from 0; rows below 0 lie before the corner."""
        pair = self.cold_pitch_m + self.hot_pitch_m
        return self.y_m + self.rack_depth_m / 2 + row // 2 * pair + row % 2 * self.cold_pitch_m


def face_of(row: Any) -> Any:
    """The direction that the fronts of a row face: 1 for +y, -1 for -y; rows 0 and 1 face each other."""
    return 1 - row % 2 * 2


def row_number(row: Any) -> Any:
    """The printed number of a row by its index: from 1, and down from -1 for rows before the first."""
    return row + (row >= 0)


def pitches(floor: Floor) -> tuple[float, float]:
    """(cold, hot): distance of the centres of rows across a cold and across a hot aisle, m."""
    if floor.aisles is None:
        return floor.row_pitch_m, floor.row_pitch_m
    return floor.rack_depth_m + floor.aisles.cold_m, floor.rack_depth_m + floor.aisles.hot_m


def halls_of(floor: Floor, sites: tuple[str, ...], usual_site: str, racks_per_row: int = USUAL_ROW) -> tuple[Hall, ...]:
    """The halls of every site: those stated, in natural order of names, else a single one without limits.

    Rows of halls that state no length have `racks_per_row` racks, unless the floor says.

    Raises InputError (FG012) for a hall at a site without pods.
    """
    found: list[Hall] = []
    for number, site in enumerate(sites):
        here = [name for name, spec in floor.halls.items() if (spec.site or usual_site) == site]
        found += [_stated(floor, name, number, racks_per_row) for name in sorted(here, key=natural)]
        found += [] if here else [_hall(floor, DEFAULT_HALL, number, racks_per_row)]
    for name, spec in floor.halls.items():
        if (spec.site or usual_site) not in sites:
            raise fault(
                "FG012",
                f"hall {name} is at {spec.site or usual_site}, where no pod stands",
                path=("floor", "halls", name),
                hint=did_you_mean(spec.site or usual_site, sites),
            )
    return tuple(found)


def _stated(floor: Floor, name: str, site: int, racks_per_row: int) -> Hall:
    spec = floor.halls[name]
    return replace(
        _hall(floor, name, site, racks_per_row),
        storey=spec.storey,
        x_m=spec.at_m[0],
        y_m=spec.at_m[1],
        rows=spec.rows,
        racks_per_row=spec.racks_per_row or floor.racks_per_row or racks_per_row,
    )


def _hall(floor: Floor, name: str, site: int, racks_per_row: int) -> Hall:
    cold, hot = pitches(floor)
    return Hall(
        name=name,
        site=site,
        storey=0,
        x_m=0.0,
        y_m=0.0,
        rows=ENDLESS,
        racks_per_row=floor.racks_per_row or racks_per_row,
        rack_pitch_m=floor.rack_pitch_m,
        cold_pitch_m=cold,
        hot_pitch_m=hot,
        rack_depth_m=floor.rack_depth_m,
    )

"""Halls: where their rows and racks stand, in metres of their site; for single racks and arrays of them.

Rows run along x and are numbered along y. They alternate front to front and back to back: rows 1 and 2 share a cold
aisle, rows 2 and 3 a hot one. All halls of a site share one coordinate system: they lie beside each other or, on
storeys, above each other.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from fabricgen.blueprint.models import make_natural_key
from fabricgen.blueprint.sections.floor import Floor, HallSpec, Kind
from fabricgen.kernel.diagnostics import did_you_mean, fault

ENDLESS = 0
"""The number of rows of a hall whose size is not stated."""

USUAL_ROW = 16
"""How many racks a row has if nothing says otherwise."""

DEFAULT_HALL = "hall1"
"""The hall of a site without a stated one."""


_NOTHING = 1e-6
"""What is shorter, m, is an error of rounding."""

Area = tuple[float, float, float, float]
"""x, y, far x and far y on the floor of a site, m."""


def measure_overlap(a: Area, b: Area) -> tuple[float, float]:
    """Return (length along the rows, length across them) of the overlap of two areas, m; (0, 0) if they only touch or
    are apart.
    """
    along, across = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return (round(along, 6), round(across, 6)) if min(along, across) > _NOTHING else (0.0, 0.0)


class HallFixture(NamedTuple):
    """A part of the building that takes space in a hall, under the name that the blueprint gives it.

    `number` counts the fixtures of a grid from 1; it is 0 for a single fixture.
    """

    name: str
    number: int
    kind: Kind
    area: Area
    feed: str | None

    @property
    def title(self) -> str:
        """Its name, such as `rpp`, with its number if it is one of a grid: `rpp-4`."""
        return f"{self.name}-{self.number}" if self.number else self.name


class Hall(NamedTuple):
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
    walls: Area | None = None
    """Its walls; None if the blueprint states none."""
    fixtures: tuple[HallFixture, ...] = ()

    @property
    def places(self) -> Area:
        """The area that the rows of a hall of stated size take."""
        far_y = float(self.find_y(self.rows - 1)) + self.rack_depth_m / 2
        far_x = self.x_m + self.racks_per_row * self.rack_pitch_m
        return self.x_m, self.y_m, round(far_x, 6), round(far_y, 6)

    @property
    def area(self) -> Area:
        """The area inside its walls, or the area that its rows take if no walls are stated."""
        return self.walls or self.places

    def find_x(self, column: Any) -> Any:
        """Return the x of the centre of a rack, m along its row, by column from 0; takes a number or an array."""
        return self.x_m + (column + 0.5) * self.rack_pitch_m

    def find_y(self, row: Any) -> Any:
        """Return the y of the centre of a row, m across the rows, by row from 0; takes a number or an array.

        Rows below 0 lie before the hall's corner.
        """
        pitch_of_pair = self.cold_pitch_m + self.hot_pitch_m
        # rows come in pairs around a cold aisle; `//` rounds down and `%` is never below 0, so that rows before the
        # first fit
        return self.y_m + self.rack_depth_m / 2 + row // 2 * pitch_of_pair + row % 2 * self.cold_pitch_m


def find_facing(row: Any) -> Any:
    """Return the direction that the fronts of a row face: 1 for +y, -1 for -y. Rows 0 and 1 face each other."""
    return 1 - row % 2 * 2


def print_row_number(row: Any) -> Any:
    """Return the printed number of a row or column by its index: from 1, and down from -1 for rows before the first."""
    # the comparison counts as 1 for rows from 0 on, and as 0 before
    return row + (row >= 0)


def make_halls(
    floor: Floor, sites: tuple[str, ...], usual_site: str, racks_per_row: int = USUAL_ROW
) -> tuple[Hall, ...]:
    """Return the halls of every site: the stated ones in natural order of names, or one hall without limits if none is
    stated.

    A row has as many racks as the hall states, else as the floor states, else `racks_per_row`.

    Raises InputError (FG012) for a hall at a site without pods.
    """
    halls: list[Hall] = []
    for site_number, site in enumerate(sites):
        hall_names = [name for name, spec in floor.halls.items() if (spec.site or usual_site) == site]
        halls += [
            _make_stated_hall(floor, name, site_number, racks_per_row)
            for name in sorted(hall_names, key=make_natural_key)
        ]
        halls += [] if hall_names else [_make_hall(floor, DEFAULT_HALL, site_number, racks_per_row)]
    for name, spec in floor.halls.items():
        if (spec.site or usual_site) not in sites:
            raise fault(
                "FG012",
                f"hall {name} is at {spec.site or usual_site}, where no pod stands",
                path=("floor", "halls", name),
                hint=did_you_mean(spec.site or usual_site, sites),
            )
    return tuple(halls)


def _make_stated_hall(floor: Floor, name: str, site: int, racks_per_row: int) -> Hall:
    spec = floor.halls[name]
    return _make_hall(floor, name, site, racks_per_row)._replace(
        storey=spec.storey,
        x_m=spec.at_m[0],
        y_m=spec.at_m[1],
        rows=spec.rows,
        racks_per_row=spec.racks_per_row or floor.racks_per_row or racks_per_row,
        walls=_find_walls(spec),
        fixtures=tuple(_list_fixtures(spec)),
    )


def _find_walls(spec: HallSpec) -> Area | None:
    """Return the walls of a hall in coordinates of its site, m; None if they are not stated."""
    if spec.walls_m is None:
        return None
    (x, y), (far_x, far_y) = spec.walls_m
    return _move_to_site(spec, (x, y, far_x, far_y))


def _list_fixtures(spec: HallSpec) -> Iterator[HallFixture]:
    """Yield the fixtures of a hall in order of their names, with areas in coordinates of its site, m; fixtures of a
    grid row by row.
    """
    for name in sorted(spec.fixtures, key=make_natural_key):
        fixture = spec.fixtures[name]
        grid_rows, (step_x_m, step_y_m) = fixture.count[1], fixture.every_m
        for grid_index, (grid_row, grid_column) in enumerate(product(range(grid_rows), range(fixture.count[0]))):
            x, y = fixture.at_m[0] + grid_column * step_x_m, fixture.at_m[1] + grid_row * step_y_m
            area = _move_to_site(spec, (x, y, x + fixture.size_m[0], y + fixture.size_m[1]))
            yield HallFixture(name, grid_index + 1 if fixture.count != (1, 1) else 0, fixture.kind, area, fixture.feed)


def _move_to_site(spec: HallSpec, area: Area) -> Area:
    """Return an area that is given from the corner of a hall (`at_m`) in coordinates of the site, m."""
    hall_x, hall_y = spec.at_m
    near_x, near_y, far_x, far_y = area
    return round(near_x + hall_x, 6), round(near_y + hall_y, 6), round(far_x + hall_x, 6), round(far_y + hall_y, 6)


def _make_hall(floor: Floor, name: str, site: int, racks_per_row: int) -> Hall:
    """Return a hall of a site with what the floor states for all halls: no limit of rows, its corner at the site's
    origin.
    """
    aisles, rack_depth_m = floor.aisles, floor.rack_depth_m
    cold_pitch_m, hot_pitch_m = (
        (rack_depth_m + aisles.cold_m, rack_depth_m + aisles.hot_m)
        if aisles
        else (floor.row_pitch_m, floor.row_pitch_m)
    )
    return Hall(
        name=name,
        site=site,
        storey=0,
        x_m=0.0,
        y_m=0.0,
        rows=ENDLESS,
        racks_per_row=floor.racks_per_row or racks_per_row,
        rack_pitch_m=floor.rack_pitch_m,
        cold_pitch_m=cold_pitch_m,
        hot_pitch_m=hot_pitch_m,
        rack_depth_m=floor.rack_depth_m,
    )

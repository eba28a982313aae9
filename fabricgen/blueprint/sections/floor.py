"""The language of the floor: halls, what the building has there, where racks stand in them, and what feeds them."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Name, Percent
from fabricgen.models.forms import CATALOGUE, FEED, make_text_form

# The language of cable trays: the ways that cables take through halls and between them.


def _read_cross(value: object) -> object:
    """Return the value of `cross` as it is: a number of racks, or a word such as `everywhere`.

    Raises ValueError for a truth value, and for a number in quotes.
    """
    if isinstance(value, bool) or not isinstance(value, int | str) or (isinstance(value, str) and value.isdigit()):
        raise ValueError("expected everywhere, ends, or a number of racks such as 8")
    return value


CROSS_FORM = {
    "description": "Where trays cross the rows: everywhere, at both ends of them, or every so many racks.",
    "oneOf": [
        {"enum": ["everywhere", "ends"], "description": "Everywhere, or at both ends of the rows."},
        {"type": "integer", "minimum": 1, "maximum": 10000, "description": "Every so many racks, and at the ends."},
    ],
}
Cross = Annotated[
    Literal["everywhere", "ends"] | Annotated[int, Field(ge=1, le=10000)],
    BeforeValidator(_read_cross),
    WithJsonSchema(CROSS_FORM),
]
"""Where trays cross the rows."""

SiteMetres = Annotated[float, Field(ge=-10_000, le=10_000, description="A coordinate in the frame of the site, m.")]
Point = Annotated[tuple[SiteMetres, SiteMetres], Field(examples=[[0, -3]])]
"""x along the rows and y across them, in the frame of the site, m."""


class Trays(Model):
    """The trays that cables run along: one with each row, and others across the rows."""

    at: Literal["overhead", "under-floor"] = Field(
        "overhead", description="Above the racks or below them, by `tray_m` from their top or bottom."
    )
    cross: Cross = Field(
        "everywhere",
        description="Where trays cross the rows; cables take the one that costs the least detour. Default: everywhere.",
    )
    loop_m: float = Field(0, ge=0, le=20, description="Service loop at each end of a cable, m, beside the slack.")
    cold_ports: tuple[str, ...] | None = Field(
        None,
        max_length=256,
        description="Profiles whose ports face the cold aisle, those of all others facing the hot one; a cable between "
        "both crosses a rack. Default: by the airflow of switches and the panels of nodes in the catalogue.",
    )
    exits: dict[Name, Point] = Field(
        default_factory=dict,
        max_length=256,
        description="Where cables leave a hall by its name, [x, y] in m from the site's corner, as `at_m`. "
        "Default: at its corner.",
    )
    risers: tuple[Point, ...] = Field(
        (),
        max_length=64,
        description="Shafts between storeys, [x, y] in m from the site's corner. Default: above each other's exits.",
    )


Stand = Literal[
    "rack-top",
    "rack-middle",
    "rack-bottom",
    "unit-end",
    "unit-middle",
    "row-middle",
    "row-end",
    "network-row",
]
"""Where the switches of a tier stand: in node racks, in network racks of a unit or of a row's units, or in shared
rows."""


class Aisles(Model):
    """Rows stand front to front and back to back in turn; these lie between them."""

    cold_m: float = Field(1.2, ge=0.1, le=20, description="Between the fronts of two rows, m.")
    hot_m: float = Field(1.2, ge=0.1, le=20, description="Between the backs of two rows, m.")


_METRES = 100_000
"""No site is larger, m."""

Kind = Literal["door", "column", "cooling", "power", "busway"]
"""A door or gate; a column of the building; a CRAH, CRAC or chiller; an RPP or PDU on the floor; a busway overhead."""

Metres = Annotated[float, Field(ge=-_METRES, le=_METRES, description="Along one axis, m.")]
Size = Annotated[float, Field(ge=0.01, le=1000, description="Along one axis, m.")]
Times = Annotated[int, Field(ge=1, le=100)]


class Fixture(Model):
    """Something of the building on the floor of a hall, or a busway above it: drawn, and no rack stands in it."""

    kind: Kind = Field(
        description="What it is: a door, a column of the building, a cooling unit (CRAH or CRAC), power on the floor "
        "(an RPP or PDU), or a busway above the racks."
    )
    at_m: tuple[Metres, Metres] = Field(
        description="Its corner, m from the corner of the hall's racks: along the rows, across them.",
        examples=[[4.2, 1.2]],
    )
    size_m: tuple[Size, Size] = Field(
        description="Its size, m: along the rows, across them; of a door with what it takes to open.",
        examples=[[0.6, 0.6]],
    )
    count: tuple[Times, Times] = Field(
        (1, 1), description="How many of them stand in a grid: along the rows, across them.", examples=[[3, 4]]
    )
    every_m: tuple[Metres, Metres] = Field(
        (0.0, 0.0), description="From one of a grid to the next, m: along the rows, across them.", examples=[[7.2, 9.6]]
    )
    feed: str | None = Field(None, max_length=16, description="Of power and a busway: which of `feeds` it is.")

    @model_validator(mode="after")
    def _check_grid_and_feed(self) -> Self:
        """Raise ValueError if a grid lacks the distance between its fixtures, or a feed is stated for other than
        power and busways.
        """
        for axis, count, distance_m in zip(("along the rows", "across them"), self.count, self.every_m, strict=True):
            if count > 1 and not distance_m:
                raise ValueError(f"{count} of them {axis} need the distance from one to the next in `every_m`")
        if self.feed and self.kind not in ("power", "busway"):
            raise ValueError(f"a {self.kind} has no feed: only `power` and `busway` have")
        return self


class HallSpec(Model):
    """A hall of so many rows. Units fill the halls of a site in natural order of their names; none is in two."""

    site: Name | None = Field(None, description="Where it is. Default: the blueprint's site.")
    storey: int = Field(0, ge=-20, le=200, description="Storey, 0 at ground.")
    at_m: tuple[Metres, Metres] = Field(
        (0.0, 0.0), description="Its corner in the site, m: along the rows, across them.", examples=[[40, 0]]
    )
    rows: int = Field(ge=1, le=10000, description="Rows of racks, those of networks included.")
    racks_per_row: int | None = Field(None, gt=0, le=10000, description="Racks in a row. Default: the floor's.")
    walls_m: tuple[tuple[Metres, Metres], tuple[Metres, Metres]] | None = Field(
        None,
        description="Two opposite corners of the room, m from the corner of its racks: along the rows, across them. "
        "Default: around the rows.",
        examples=[[[-2.4, -1.8], [12.6, 20.4]]],
    )
    fixtures: dict[Name, Fixture] = Field(
        default_factory=dict,
        max_length=1000,
        description="Doors, columns, cooling units and power by name; floor plans show them.",
    )

    @model_validator(mode="after")
    def _check_walls(self) -> Self:
        """Raise ValueError if walls enclose no floor, or there are more fixtures than a hall can have."""
        if self.walls_m and any(far <= near for near, far in zip(*self.walls_m, strict=True)):
            raise ValueError("`walls_m` names the corner with the smaller metres first: [[-2.4, -1.8], [12.6, 20.4]]")
        if (fixtures := sum(fixture.count[0] * fixture.count[1] for fixture in self.fixtures.values())) > MOST_FIXTURES:
            raise ValueError(f"{fixtures} fixtures are more than a hall can have ({MOST_FIXTURES})")
        return self


class NetworkRows(Model):
    """Rows of racks that serve more than a unit."""

    at: Literal["first", "middle", "last", "row-ends"] = Field(
        "first",
        description="Before the rows of nodes, between them (which makes cables short), after them, or no rows: at the "
        "ends of those of nodes.",
    )
    rows: int | None = Field(
        None,
        ge=1,
        le=1000,
        description="Rows kept for them, each tier with room to grow there. Default: as many as they fill together.",
    )

    @model_validator(mode="after")
    def _check_rows(self) -> Self:
        """Raise ValueError if rows are counted though racks stand at the ends of rows of nodes, and so have no rows
        of their own.
        """
        if self.at == "row-ends" and self.rows:
            raise ValueError("racks at the ends of rows of nodes have no rows of their own: leave out `rows`")
        return self


MOST_FIXTURES = 2000
"""The most fixtures of a hall, all grids counted."""

_RACK = r"[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?"


def is_rack_name(text: str) -> bool:
    """Whether a text can be the name of a rack.

    Capitals are not allowed: racks name files and sheets, and some systems do not tell `A1` from `a1`.
    """
    return re.fullmatch(_RACK, text) is not None


def _check_rack_name(text: str) -> str:
    """Refuse a text that no rack can be called."""
    if not is_rack_name(text):
        raise ValueError(
            f"'{text[:100]}' is no name of a rack: lower-case letters, digits and '-' inside, at most 100 characters"
        )
    return text


RackName = Annotated[
    str,
    AfterValidator(_check_rack_name),
    WithJsonSchema(make_text_form(f"^{_RACK}$", "a rack: lower-case letters, digits and '-' inside", "p1-su01-rk01")),
]
"""The name of a rack, as racks.csv has it, or a new one."""


HIGHEST = 60
"""The highest rack unit that a place can have."""


class RackPlace(Model):
    """A place on the floor."""

    hall: Name | None = Field(None, description="The hall. Default: the only one.")
    row: int = Field(ge=1, le=10000, description="Its row, from 1.")
    column: int = Field(ge=1, le=10000, description="Its place in the row, from 1.")


class DevicePlace(Model):
    """A place in a rack."""

    rack: RackName = Field(description="The rack, by name.")
    u: int = Field(ge=1, le=HIGHEST, description="Its lowest rack unit, from 1.")


class Floor(Model):
    """The floor: halls, where racks stand in them, and how cables run."""

    row_pitch_m: float = Field(
        2.4,
        ge=0.1,
        le=100,
        description="Between the centres of rows, m. With `aisles` it is rack_depth_m and an aisle.",
    )
    aisles: Aisles | None = Field(
        None, description="Cold and hot aisles, e.g. {cold_m: 1.8, hot_m: 1.2}, instead of row_pitch_m."
    )
    rack_depth_m: float = Field(1.2, ge=0.1, le=10, description="Depth of a rack and what stands out of it, m.")
    rack_pitch_m: float = Field(0.6, ge=0.1, le=10, description="Between the centres of racks in a row, m.")
    racks_per_row: int | None = Field(
        None,
        gt=0,
        le=10000,
        description="Racks in a row. Default: 16, or the next more that whole units fill, at most 32.",
    )
    halls: dict[Name, HallSpec] = Field(
        default_factory=dict, max_length=1000, description="Halls by name. Default: one without end at each site."
    )
    storey_m: float = Field(5.0, gt=0, le=50, description="From one storey up to the next, m.")
    network_rows: NetworkRows | None = Field(
        None, description="Rows for what serves more than a unit. Default: together in rows before all others."
    )
    racks: dict[RackName, RackPlace] = Field(
        default_factory=dict, max_length=100_000, description="Where racks stand instead, by name."
    )
    devices: dict[str, DevicePlace] = Field(
        default_factory=dict,
        max_length=100_000,
        description="Where devices stand instead, by name; a rack of `racks` may be new.",
    )
    tray_m: float = Field(1.2, ge=0, le=20, description="From the top of a rack up to the cable tray, m.")
    trays: Trays = Field(default_factory=Trays.model_construct, description="Where trays run, and ways between halls.")
    slack: Percent = Field(0.1, description="Added to every cable length.")
    network_rack: str | None = Field(
        None,
        min_length=1,
        description="Rack profile of racks without nodes, for example eia-48u-800. Default: as high as node racks.",
        json_schema_extra={CATALOGUE: "racks"},
    )
    network_fill: Literal["up", "down"] | None = Field(
        None,
        description="Whether racks without nodes are filled from the bottom up, or from the top down. Default: racks "
        "of switches from where the trays run, down below overhead ones, and those of extra devices up.",
    )
    network_join: bool = Field(
        True,
        description="Whether switches and extra devices that fill less than half a rack stand in network racks of "
        "others. False: each tier, plane and part has racks of its own.",
    )
    network_rack_kw: float | None = Field(
        None, gt=0, le=2000, description="What a rack without nodes may draw, kW. Default: not judged."
    )
    network_rack_kg: float | None = Field(
        None, gt=0, le=20000, description="What may stand in a rack without nodes, kg. Default: not judged."
    )
    feeds: tuple[Annotated[str, Field(pattern=FEED)], ...] = Field(
        (), max_length=8, examples=[["A", "B"]], description="Power feeds by name, e.g. [A, B]. Default: not judged."
    )
    feed_per: Literal["rack", "row", "site"] = Field(
        "rack",
        description="What takes the feeds in turn where `cords` are fewer than they: racks side by side (drop boxes "
        "of two busways), whole rows (a busway a row), or sites.",
    )
    cords: int = Field(
        2,
        ge=1,
        le=4,
        description="Feeds that each rack hangs on: 2, so that it outlives one; 1 goes down with it; 3 where devices "
        "need more than half of their power supplies.",
    )

    @model_validator(mode="after")
    def _check_feeds(self) -> Self:
        """Raise ValueError unless there are as many feeds, each once, as a rack has cords."""
        if len(set(self.feeds)) < len(self.feeds):
            raise ValueError("a feed is named twice")
        if self.feeds and self.cords > len(self.feeds):
            raise ValueError(
                f"racks of {self.cords} cords need as many feeds, and {len(self.feeds)} of {self.cords} are named: "
                f"say `cords: {len(self.feeds)}`, or name more"
            )
        return self

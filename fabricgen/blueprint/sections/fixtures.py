"""The language of what the building has in a hall: doors, columns, cooling units, and where power comes from."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.blueprint.base import Model

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
    def _grid_has_distances(self) -> Self:
        for axis, count, every in zip(("along the rows", "across them"), self.count, self.every_m, strict=True):
            if count > 1 and not every:
                raise ValueError(f"{count} of them {axis} need the distance from one to the next in `every_m`")
        if self.feed and self.kind not in ("power", "busway"):
            raise ValueError(f"a {self.kind} has no feed: only `power` and `busway` have")
        return self

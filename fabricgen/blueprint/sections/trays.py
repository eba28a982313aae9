"""The language of cable trays: the ways that cables take through halls and between them."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Name


def _every(value: object) -> object:
    """A number of racks as it is written: a whole number, which true and text are not."""
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
    BeforeValidator(_every),
    WithJsonSchema(CROSS_FORM),
]
"""Where trays cross the rows."""

Metres = Annotated[float, Field(ge=-10_000, le=10_000, description="A coordinate in the frame of the site, m.")]
Point = Annotated[tuple[Metres, Metres], Field(examples=[[0, -3]])]
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
        description="Where cables leave a hall by its name, [x, y] in m. Default: at its corner.",
    )
    risers: tuple[Point, ...] = Field(
        (), max_length=64, description="Shafts between storeys, [x, y] in m. Default: above each other's exits."
    )

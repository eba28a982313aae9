"""The language of the floor: where racks stand, and what feeds them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Percent
from fabricgen.blueprint.trays import Trays
from fabricgen.kernel.forms import CATALOGUE


class Aisles(Model):
    """Rows stand front to front and back to back in turn; these lie between them."""

    cold_m: float = Field(1.2, gt=0, le=20, description="Between the fronts of two rows, m.")
    hot_m: float = Field(1.2, gt=0, le=20, description="Between the backs of two rows, m.")


class Floor(Model):
    """The hall: where racks stand and how cables run."""

    row_pitch_m: float = Field(
        2.4, gt=0, le=100, description="Between the centres of rows, m. With `aisles` it is rack_depth_m and an aisle."
    )
    aisles: Aisles | None = Field(
        None, description="Cold and hot aisles, e.g. {cold_m: 1.8, hot_m: 1.2}, instead of row_pitch_m."
    )
    rack_depth_m: float = Field(1.2, gt=0, le=10, description="Depth of a rack and what stands out of it, m.")
    rack_pitch_m: float = Field(0.6, gt=0, le=10, description="Between the centres of racks in a row, m.")
    racks_per_row: int = Field(16, gt=0, le=10000, description="Racks in a row.")
    tray_m: float = Field(1.2, ge=0, le=20, description="From the top of a rack up to the cable tray, m.")
    trays: Trays = Field(default_factory=Trays.model_construct, description="Where trays run, and ways between halls.")
    slack: Percent = Field(0.1, description="Added to every cable length.")
    network_rack: str | None = Field(
        None,
        description="Rack profile of racks without nodes, for example eia-48u-800. Default: as high as node racks.",
        json_schema_extra={CATALOGUE: "racks"},
    )
    network_rack_kw: float | None = Field(
        None, gt=0, le=2000, description="What a rack without nodes may draw, kW. Default: not judged."
    )
    network_rack_kg: float | None = Field(
        None, gt=0, le=20000, description="What may stand in a rack without nodes, kg. Default: not judged."
    )
    feeds: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,15}$")], ...] = Field(
        (), max_length=8, examples=[["A", "B"]], description="Power feeds by name, e.g. [A, B]. Default: not judged."
    )
    feed_per: Literal["rack", "row", "site"] = Field(
        "rack",
        description="What takes the feeds in turn where `cords` are fewer than they: racks side by side (drop boxes "
        "of two busways), whole rows (a busway a row), or sites.",
    )
    cords: int = Field(
        2, ge=1, le=2, description="Feeds that each rack hangs on: 2, so that it outlives one; 1 goes down with it."
    )

    @model_validator(mode="after")
    def _feeds_suffice(self) -> Floor:
        if len(set(self.feeds)) < len(self.feeds):
            raise ValueError("a feed is named twice")
        if self.feeds and self.cords > len(self.feeds):
            raise ValueError(
                f"racks of {self.cords} cords need as many feeds, {len(self.feeds)} is named; say `cords: 1`"
            )
        return self

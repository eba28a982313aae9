"""What the catalogue says of a rack: its size, what it carries, feeds and cools, and what is fixed in it."""

from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.profile import Profile

Unit = Annotated[int, Field(ge=1, le=60, description="A rack unit, counted from the bottom, from 1.")]


class RackProfile(Profile):
    """A rack as it is ordered. What is not stated of its budgets is not judged.

    `fixed` says at which rack units what belongs there stands, from the first of it on: `node`, `tray` (the switch
    trays of a scale-up domain), `switch` (those on top of the rack), or what stands beside the nodes by its profile.
    """

    kind: Literal["rack"] = Field("rack", description="What the file describes.")
    name: str = Field(description="What it is, for people.")
    vendor: str = Field("", description="Who makes it; empty: many.")
    units: int = Field(ge=10, le=60, description="Height inside, rack units.")
    width_m: float = Field(gt=0, le=3, description="Width, m.")
    depth_m: float = Field(gt=0, le=3, description="Depth, m.")
    weight_kg: float | None = Field(None, gt=0, description="Weight of the empty rack, kg.")
    load_kg: float | None = Field(None, gt=0, description="What may stand in it, kg, without itself.")
    power_kw: float | None = Field(None, gt=0, description="What it may draw, kW.")
    air_kw: float | None = Field(None, ge=0, description="Heat that air may take from it, kW.")
    liquid_kw: float | None = Field(None, ge=0, description="Heat that its coolant may take, kW; 0: it has none.")
    cords: int = Field(2, ge=1, le=8, description="Power feeds that it has cords for.")
    fixed: dict[str, tuple[Unit, ...]] = Field(
        default_factory=dict, description="What stands where: lowest rack units of each of its kind, in their order."
    )
    part_number: str = Field("", description="What is ordered.")

    @model_validator(mode="after")
    def _places_are_apart(self) -> Self:
        held = Counter(u for places in self.fixed.values() for u in places)
        wrong = sorted(u for u, count in held.items() if count > 1 or u > self.units)
        if wrong:
            raise ValueError(f"rack units hold one thing each, from 1 to {self.units}; got {wrong}")
        return self

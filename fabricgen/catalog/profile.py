"""What every profile of the catalogue has."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", description="Name used in blueprints.")]
Tag = Literal["V", "R", "D"]


class Profile(BaseModel):
    """What every profile has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Id
    source: str = Field(min_length=8, description="Where these facts were read.")
    tag: Tag = Field(description="V read in the source, R recalled, D derived.")
    note: str = Field("", description="What else one should know.")


class Power(BaseModel):
    """Electrical power of a device without its optics, W."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max: float | None = Field(None, gt=0, description="Largest draw, W.")
    typical: float | None = Field(None, gt=0, description="Typical draw, W.")

    @property
    def planning_w(self) -> float | None:
        """The figure to plan by: the maximum, or the typical draw where no maximum is published."""
        return self.max if self.max is not None else self.typical

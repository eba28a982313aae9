"""What every profile of the catalogue has."""

from typing import Annotated, Literal

from pydantic import Field

from fabricgen.kernel.frozen_model import FrozenModel

Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", description="Name used in blueprints.")]
Tag = Literal["V", "R", "D"]


class Profile(FrozenModel):
    """What every profile has."""

    id: Id
    source: str = Field(min_length=8, description="Where these facts were read.")
    tag: Tag = Field(description="V read in the source, R recalled, D derived.")
    note: str = Field("", description="What else one should know.")


class Power(FrozenModel):
    """Electrical power of a device without its optics, W."""

    max: float | None = Field(None, gt=0, description="Largest draw, W.")
    typical: float | None = Field(None, gt=0, description="Typical draw, W.")

    @property
    def planning_w(self) -> float | None:
        """The figure to plan by: the maximum, or the typical draw where no maximum is published."""
        return self.max if self.max is not None else self.typical


class PowerSupplies(FrozenModel):
    """The power supplies of a device, each with a cord of its own."""

    count: int = Field(gt=0, le=64, description="Power supplies of one device, redundant ones included.")
    inlet: Literal["C14", "C16", "C20", "C22"] = Field(description="The inlet of each (IEC 60320-1).")
    cords: Literal["ordered", "included"] = Field(
        "ordered", description="Whether cords are ordered, or come with the device."
    )

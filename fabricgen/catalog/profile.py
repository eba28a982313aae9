"""What every profile of the catalogue has."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.models.base import FieldError, FrozenModel

Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", description="Name used in blueprints.")]
Tag = Literal["V", "R", "D"]


class Profile(FrozenModel):
    """What every profile has."""

    id: Id
    source: Annotated[str, Field(min_length=8, description="Where these facts were read.")]
    tag: Annotated[Tag, Field(description="V read in the source, R recalled, D derived.")]
    note: Annotated[str, Field(description="What else one should know.")] = ""


class Power(FrozenModel):
    """Electrical power of a device without its optics, W."""

    max: Annotated[float | None, Field(gt=0, description="Largest draw, W.")] = None
    typical: Annotated[float | None, Field(gt=0, description="Typical draw, W.")] = None

    @model_validator(mode="after")
    def _typical_is_below_max(self) -> Self:
        if self.max is not None and self.typical is not None and self.typical > self.max:
            raise FieldError("typical", f"a typical draw of {self.typical:g} W is above the largest, {self.max:g} W")
        return self

    @property
    def planning_w(self) -> float | None:
        """The figure to plan by: the maximum, or the typical draw where no maximum is published."""
        return self.max if self.max is not None else self.typical


class PowerSupplies(FrozenModel):
    """The power supplies of a device, each with a cord of its own."""

    count: Annotated[int, Field(gt=0, le=64, description="Power supplies of one device, redundant ones included.")]
    inlet: Annotated[
        Literal["C14", "C16", "C20", "C22"] | None,
        Field(description="The inlet of each (IEC 60320-1). Default: not known; the bill names the device instead."),
    ] = None
    cords: Annotated[
        Literal["ordered", "included"], Field(description="Whether cords are ordered, or come with the device.")
    ] = "ordered"


class DeviceProfile(Profile):
    """What every device that stands in a rack has: size, power, weight and heat."""

    rack_units: Annotated[int, Field(gt=0, description="Height, rack units.")]
    power_w: Annotated[Power, Field(description="Electrical power, W; of a switch without optics.")] = (
        Power.model_construct()
    )
    psu: Annotated[
        PowerSupplies | None,
        Field(description="Its power supplies. Default: not known: no cords are ordered, and lint says so (FG651)."),
    ] = None
    weight_kg: Annotated[float | None, Field(gt=0, description="Weight, kg.")] = None
    liquid_share: Annotated[
        float | None,
        Field(
            ge=0, le=1, description="Share of its heat that coolant takes, null where it is not known. Default: air."
        ),
    ] = 0.0

"""What every profile of the catalogue has."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fabricgen.models.forms import FieldError, FrozenModel

Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", description="Name used in blueprints.")]
Tag = Literal["V", "R", "D"]
CAGES = (
    *("OSFP", "OSFP-XD", "QSFP-DD", "QSFP-DD800", "QSFP112", "QSFP56", "QSFP56-DD", "QSFP28", "QSFP+"),
    *("SFP-DD112", "SFP112", "SFP56", "SFP28", "SFP+", "RJ45", "CPO"),
)
"""Form factors of cages as cables are found by them; a profile of yours may have another one."""


def _check_form_factor(text: str) -> str:
    """Return a form factor as it is; raises ValueError for another spelling of a known one, which no cable would
    fit.
    """
    matching = [cage for cage in CAGES if _list_letters(cage) == _list_letters(text)]
    if matching and text not in matching:
        raise ValueError(f"'{text}' is no form factor; did you mean '{matching[0]}'?")
    return text


def _list_letters(text: str) -> list[str]:
    """Return what all spellings of a form factor share: its letters, digits and `+`, sorted."""
    return sorted(letter for letter in text.upper() if letter.isalnum() or letter == "+")


FormFactor = Annotated[str, AfterValidator(_check_form_factor)]
Basis = Literal["maximum", "maximum-with-optics", "estimate", "estimate-with-optics", "typical", "unknown"]


class Profile(FrozenModel):
    """What every profile has."""

    id: Id
    source: Annotated[str, Field(min_length=8, description="Where these facts were read.")]
    tag: Annotated[Tag, Field(description="V read in the source, R recalled, D derived.")]
    note: Annotated[str, Field(description="What else one should know.")] = ""


class Power(FrozenModel):
    """Electrical power of a device, W: what it draws at most and what it typically draws, each with where it was read.

    The two are not the same figure: vendors measure a typical draw with passive cables, and a maximum often with optics
    or active cables in all cages. Such optics are not added to it.
    """

    max: Annotated[float | None, Field(gt=0, description="Largest draw, W; without optics, unless stated.")] = None
    max_with_optics: Annotated[
        bool,
        Field(description="The largest draw is with optics or active cables plugged in: they are not added to it."),
    ] = False
    max_tag: Annotated[Tag | None, Field(description="V published, R recalled, D derived. Default: published.")] = None
    max_source: Annotated[str, Field(description="Where the largest draw was read.")] = ""
    typical: Annotated[float | None, Field(gt=0, description="Typical draw, W, without optics.")] = None
    typical_tag: Annotated[Tag | None, Field(description="V published, R recalled, D derived. Default: published.")] = (
        None
    )
    typical_source: Annotated[str, Field(description="Where the typical draw was read.")] = ""
    counted_in: Annotated[
        str,
        Field(description="The figure that has its draw in it already, so that it adds 0 W; instead of figures."),
    ] = ""

    @model_validator(mode="after")
    def _check_typical(self) -> Self:
        """Raise ValueError if the typical draw is above the largest."""
        if self.max is not None and self.typical is not None and self.typical > self.max:
            raise FieldError("typical", f"a typical draw of {self.typical:g} W is above the largest, {self.max:g} W")
        return self

    @model_validator(mode="after")
    def _check_figures(self) -> Self:
        """Raise ValueError if a tag or source is about a figure that is not stated."""
        for key in ("max_with_optics", "max_tag", "max_source", "typical_tag", "typical_source"):
            figure = key.partition("_")[0]
            if getattr(self, key) and getattr(self, figure) is None:
                raise FieldError(key, f"is about the {figure} draw, which is not stated: add `{figure}`")
        return self

    @model_validator(mode="after")
    def _check_counted(self) -> Self:
        """Raise ValueError if `counted_in` names a device whose figure includes this draw, and `max` or `typical` is
        stated, too.
        """
        if self.counted_in and (self.max is not None or self.typical is not None):
            raise FieldError("counted_in", "it has a figure of its own, and its draw would count twice: remove one")
        return self

    @property
    def planning_w(self) -> float | None:
        """The figure to plan by, W: the maximum, else the typical draw; None if neither is published.

        0 if the figure of another device includes it.
        """
        if self.counted_in:
            return 0
        return self.max if self.max is not None else self.typical

    @property
    def basis(self) -> Basis:
        """What kind of figure `planning_w` is: a maximum, an estimate, a typical draw, or `unknown`.

        An estimate is a maximum that is not published, but recalled or derived. `-with-optics` at its end says that
        optics in all cages are included.
        """
        if self.max is None:
            return "unknown" if self.typical is None else "typical"
        if self.max_tag in ("R", "D"):
            return "estimate-with-optics" if self.max_with_optics else "estimate"
        return "maximum-with-optics" if self.max_with_optics else "maximum"


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
    needed: Annotated[
        int | None,
        Field(gt=0, description="How many must be fed for it to run: 4 of the 6 of a DGX H100. Default: not known."),
    ] = None

    @model_validator(mode="after")
    def _check_needed(self) -> Self:
        """Raise ValueError if the device needs more power supplies than it has."""
        if self.needed is not None and self.needed > self.count:
            raise FieldError("needed", f"{self.needed} of {self.count} power supplies cannot be fed")
        return self

    def count_left_without_feed(self, feeds: int) -> int:
        """Return how many stay fed when the fullest of `feeds` feeds is lost.

        They are spread equally over feeds: six on two feeds are 3 + 3.
        """
        return self.count - -(-self.count // feeds)

    def stop_without_feed(self, feeds: int) -> bool:
        """Whether the device is known to stop when one of `feeds` feeds is lost, as too few of them stay fed."""
        return self.needed is not None and self.count_left_without_feed(feeds) < self.needed


class DeviceProfile(Profile):
    """What every device that stands in a rack has: size, power, weight and heat."""

    rack_units: Annotated[int, Field(gt=0, description="Height, rack units.")]
    power_w: Annotated[Power, Field(description="Electrical power, W, at most and typically.")] = (
        Power.model_construct()
    )
    psu: Annotated[
        PowerSupplies | None,
        Field(description="Its power supplies. Default: not known: no cords are ordered, and lint says so (FG651)."),
    ] = None
    rails: Annotated[
        Literal["ordered", "included"], Field(description="Whether its rails are ordered, or come in its box.")
    ] = "ordered"
    weight_kg: Annotated[float | None, Field(gt=0, description="Weight, kg.")] = None
    liquid_share: Annotated[
        float | None,
        Field(
            ge=0, le=1, description="Share of its heat that coolant takes, null where it is not known. Default: air."
        ),
    ] = 0.0

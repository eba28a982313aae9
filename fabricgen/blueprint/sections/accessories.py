"""The language of what racks are fitted out with."""

from typing import Annotated

from pydantic import Field, WithJsonSchema, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Percent
from fabricgen.models.forms import text_form

_SPEC = r"^[a-z0-9][a-z0-9.-]{0,79}$"
_PART = r"^[A-Za-z0-9][A-Za-z0-9._/+-]{0,79}$"


class RackPdus(Model):
    """The three-phase supply of racks, by which rack PDUs and whips are specified."""

    volts: int = Field(415, ge=100, le=600, description="From line to line, V.")
    amps: tuple[Annotated[int, Field(ge=10, le=200, description="A breaker, A.")], ...] = Field(
        (30, 60), min_length=1, max_length=8, description="Ratings to choose from, ascending: the least that suffices."
    )
    load: Percent = Field(0.8, gt=0, description="Of its rating that a PDU may carry all the time.")

    @model_validator(mode="after")
    def _ascending(self) -> "RackPdus":
        if list(self.amps) != sorted(set(self.amps)):
            raise ValueError(f"ratings ascend, each once; got {list(self.amps)}")
        return self


class Accessories(Model):
    """What the bill lists of rack PDUs, whips, blanking panels, cable managers, rails and console servers.

    Each is listed by its specification, unless `parts` names a product for that.
    """

    order: bool = Field(True, description="Whether the bill lists them.")
    pdu: RackPdus = Field(default_factory=RackPdus.model_construct, description="The supply of racks.")
    console_ports: int | None = Field(
        None,
        ge=1,
        le=96,
        description="Ports of a console server; so many at each site as switches need. Default: none.",
    )
    parts: dict[
        Annotated[str, Field(pattern=_SPEC), WithJsonSchema(text_form(_SPEC, "a specification", "blanking-panel-1u"))],
        Annotated[str, Field(pattern=_PART, description="What is ordered for it.")],
    ] = Field(
        default_factory=dict,
        max_length=100,
        description="Products by specification, as the bill lists it, e.g. {rack-pdu-3ph-60a-415v: PDU-4711}.",
    )

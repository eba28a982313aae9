"""The language of structured cabling: which fibre goes through patch panels, and over which trunks."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model, as_list
from fabricgen.blueprint.scalars import NAME_FORM, Name, Percent
from fabricgen.models import forms
from fabricgen.models.forms import CATALOGUE

FabricNames = Annotated[
    tuple[Name, ...],
    BeforeValidator(as_list),
    WithJsonSchema(forms.one_or_list(NAME_FORM)),
    Field(min_length=1, max_length=64),
]
TierPairs = Annotated[
    tuple[Annotated[str, Field(max_length=65)], ...],
    BeforeValidator(as_list),
    WithJsonSchema(forms.one_or_list({"type": "string", "maxLength": 65})),
    Field(min_length=1, max_length=64),
]
PolarityOf = Literal["A", "B", "C"]


class Patch(Model):
    """Fibre that is patched: a jumper to a panel, a trunk from panel to panel, a jumper again."""

    fabrics: FabricNames = Field((), description="Fabrics whose fibre is patched. Default: all.")
    between: TierPairs = Field(
        (), description="Between which tiers, as summary.json names them: node-leaf, leaf-spine. Default: all."
    )
    at: Literal["rack", "row-end"] = Field(
        "rack", description="Where panels stand: in the rack of each end, or in patch racks at the head of its row."
    )
    end: Literal["a", "b"] | None = Field(
        None, description="At which end fibre shuffles stand, where `panel` is one: lower (a) or upper. Default: b."
    )
    panel: str = Field(
        "mpo-apc-72",
        max_length=64,
        description="Patch panel of the catalogue, or fibre shuffle: these need no trunks.",
        json_schema_extra={CATALOGUE: "panels"},
    )
    trunk_fibres: int = Field(144, ge=8, le=6912, description="Fibres of each trunk.")
    base: Literal[8, 12, 16] = Field(8, description="Fibres of each connector of a trunk.")
    method: PolarityOf = Field(
        "B", description="Polarity method of ANSI/TIA-568.3, which says of what type trunks and jumpers are."
    )
    jumpers: Annotated[tuple[PolarityOf, ...], Field(min_length=2, max_length=2)] | None = Field(
        None,
        description="Types of the jumpers at the a and b end. Default: by the method; A: [A, B], B: [B, B], C: [B, B].",
    )
    spare: Percent = Field(0.1, description="Trunk connectors beyond those in use now, at least.")
    mating_db: float | None = Field(
        None, ge=0, le=2, description="Loss of a mated pair of connectors at most, dB. Default: of the panel."
    )

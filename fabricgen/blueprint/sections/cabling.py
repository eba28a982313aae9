"""The language of cabling: which media are taken, what is stocked, the products to order, and what is patched."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from fabricgen.blueprint.base import Model, wrap_in_list
from fabricgen.blueprint.scalars import NAME_FORM, NAME_PATTERN, MediaOf, Name, Percent
from fabricgen.catalog.models import require_ascending
from fabricgen.models import forms
from fabricgen.models.forms import CATALOGUE, one_or_list

# The language of structured cabling: which fibre goes through patch panels, and over which trunks.

FabricNames = Annotated[
    tuple[Name, ...],
    BeforeValidator(wrap_in_list),
    WithJsonSchema(forms.one_or_list(NAME_FORM, minItems=1)),
    Field(min_length=1, max_length=64),
]
TierPairs = Annotated[
    tuple[Annotated[str, Field(max_length=65)], ...],
    BeforeValidator(wrap_in_list),
    WithJsonSchema(forms.one_or_list({"type": "string", "maxLength": 65}, minItems=1)),
    Field(min_length=1, max_length=64),
]
PolarityOf = Literal["A", "B", "C"]


class Patch(Model):
    """Fibre that is patched: a jumper to a panel, a trunk from panel to panel, a jumper again."""

    fabrics: FabricNames = Field((), description="Fabrics whose fibre is patched. Default: all.")
    between: TierPairs = Field(
        (), description="Between which tiers, as summary.json names them: node-leaf, leaf-spine. Default: all."
    )
    across: Literal["row", "storey", "hall"] | None = Field(
        None,
        description="Only links between two rows (or halls), two storeys, or two halls of a site go over panels. "
        "Default: between two racks, with `at: row-end` two rows.",
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


Length = Annotated[float, Field(gt=0, le=100_000, description="A length, m.")]
Lengths = Annotated[tuple[Length, ...], Field(min_length=1, max_length=64), AfterValidator(require_ascending)]
"""Lengths of cables, m, ascending."""


class MediaPolicy(Model):
    """Which media are taken where none are stated: of those that reach, the first of `prefer`, else the cheapest."""

    copper_to_m: float | None = Field(
        None,
        ge=0,
        le=100,
        description="Longest DAC, ACC or AEC, m; 0: no copper. Twisted pair stays. Default: as far as each reaches.",
    )
    allow: MediaOf | None = Field(
        None, description="Media taken beside the usual ones, e.g. [LPO, LRO], where the cages and hosts take them."
    )
    avoid: MediaOf | None = Field(None, description="Media that are not taken, e.g. [AEC, FR].")
    prefer: MediaOf | None = Field(
        None, description="Media taken before cheaper ones, the first of these that reaches. Default: by cost."
    )
    fibre: Literal["single-mode", "multi-mode", "any"] | None = Field(
        None, description="The fibre that transceivers may need. Default: any."
    )

    @model_validator(mode="after")
    def _check_avoided(self) -> Self:
        """Raise ValueError if a medium that is avoided is also allowed or preferred."""
        for name, words in (("allow", self.allow), ("prefer", self.prefer)):
            contradictory = [word for word in words or () if word in (self.avoid or ())]
            if contradictory:
                raise ValueError(f"`{name}` and `avoid` both name {contradictory[0]}")
        return self


_STOCK_FORM = {
    "description": "Medium or cable profile -> the lengths it is stocked in, m, ascending.",
    "type": "object",
    "maxProperties": 64,
    "additionalProperties": {
        "type": "array",
        "description": "Lengths that are stocked, m, ascending.",
        "items": {"type": "number", "exclusiveMinimum": 0, "maximum": 100_000, "description": "A length, m."},
        "minItems": 1,
        "maxItems": 64,
    },
}


OTHERS = "others"
"""The key of the product lists for the cages of devices of no vendor that is named."""

_LISTS_FORM = one_or_list(
    {"type": "string", "description": "A product list of the catalogue.", CATALOGUE: "products"}, maxItems=16
)
_LISTS_BY_VENDOR = {
    "type": "object",
    "description": "Vendor of switches or nodes, e.g. nvidia, or `others` -> the product lists for their cages.",
    "patternProperties": {NAME_PATTERN: _LISTS_FORM},
    "additionalProperties": False,
    "maxProperties": 64,
}


def _read_by_vendor(value: Any) -> Any:
    """Return names by vendor; a single name, or a list of names, stands for all cages, under the key "". Raises
    ValueError for a key "" in the blueprint.
    """
    if isinstance(value, dict) and "" in value:
        raise ValueError(f"a vendor has a name; for all that are not named write `{OTHERS}`")
    return value if isinstance(value, dict) else {"": value}


def _check_vendor(word: str) -> str:
    """Refuse what is no key of a vendor; "" stands for all vendors."""
    if word and not re.fullmatch(NAME_PATTERN[1:-1], word):
        raise ValueError(f"'{word}' is no vendor: lower-case letters, digits and '-', e.g. vast-data")
    return word


ProductLists = Annotated[
    dict[
        Annotated[str, AfterValidator(_check_vendor)],
        Annotated[tuple[str, ...], BeforeValidator(wrap_in_list), Field(max_length=16)],
    ],
    BeforeValidator(_read_by_vendor),
    Field(max_length=64),
    WithJsonSchema({"oneOf": [*_LISTS_FORM["oneOf"], _LISTS_BY_VENDOR]}),
]
"""Product lists by the vendor whose cages their parts go into, in order of preference; by "" for all."""


class Cabling(MediaPolicy):
    """The media of all fabrics, what is stocked, the products to order, and what is patched."""

    products: ProductLists = Field(
        default_factory=dict,
        examples=[["nvidia-linkx"], {"arista": "arista", "others": ["nvidia-linkx", "generic"]}],
        description="Product lists to order from, the first that has a part first; or by the vendor of the switches "
        "and nodes whose cages their parts go into. Default: generic part names.",
    )
    third_party: tuple[Literal["Arista"], ...] = Field(
        (), max_length=1, description="Vendors whose switches have your licence for transceivers of other vendors."
    )

    linear_hosts: Annotated[tuple[str, ...], Field(max_length=256)] = Field(
        (),
        description="Switch, node and NIC-bearing profiles whose ports drive linear optics (LPO, LRO, NPO): both ends "
        "of a link are needed.",
    )
    stock_m: Annotated[dict[str, Lengths], Field(max_length=64), WithJsonSchema(_STOCK_FORM)] = Field(
        default_factory=dict,
        description="Lengths that are stocked, m, by medium or cable profile, e.g. {DAC: [1, 2], DR: [5, 10, 30]}. "
        "Default: the catalogue's.",
    )
    patch: Annotated[dict[Name, Patch], Field(max_length=16)] = Field(
        default_factory=dict, description="Fibre that goes through patch panels, by policy."
    )

"""The language of phases: what of a cluster is there before all of it is."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import NAME_PATTERN, Name

ALL = "all"
"""The key of numbers that are stated for every fabric."""

_NUMBERS_FORM = {"type": "array", "items": {"type": "integer", "minimum": 1}}
Numbers = tuple[Annotated[int, Field(ge=1)], ...]


def _read_numbers(value: Any) -> Any:
    """Return a list of numbers as a map with the key `ALL`, which stands for every fabric; any other value as it is."""
    return {ALL: value} if isinstance(value, list | tuple) else value


NumbersOf = Annotated[
    dict[Name, Numbers],
    BeforeValidator(_read_numbers),
    WithJsonSchema({"oneOf": [_NUMBERS_FORM, {"type": "object", "patternProperties": {NAME_PATTERN: _NUMBERS_FORM}}]}),
]
"""Fabric -> numbers, from 1; a list is meant for every fabric with several."""


class Phase(Model):
    """What is there at a phase; of what is not named, all is there."""

    planes: NumbersOf | None = Field(
        None, description="Planes, e.g. [1, 2], of every fabric with several; or by fabric, {compute: [1, 2]}."
    )
    rails: NumbersOf | None = Field(None, description="Rails of every fabric with several, or by fabric.")
    sites: tuple[Name, ...] | None = Field(None, description="Sites whose pods are there.")
    pods: tuple[Name, ...] | None = Field(None, description="Pods that are there.")
    units: dict[Name, Annotated[int, Field(ge=0)]] = Field(
        default_factory=dict, description="The first scalable units of a pod that are there, e.g. {p1: 4}."
    )
    fabrics: tuple[Name, ...] | None = Field(None, description="Fabrics that are there.")
    switches: dict[str, Annotated[int, Field(ge=0)]] = Field(
        default_factory=dict,
        description="The first switches of each group of a tier, as FABRIC.TIER, e.g. {compute.spine: 8}.",
    )
    extra: tuple[Name, ...] | None = Field(
        None, description="Extra devices that are there. Default: those of the fabrics that are."
    )
    description: str = Field("", description="For people.")

"""The language of leaks: routes that two VRFs tell each other."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Line, Name
from fabricgen.blueprint.sections.fabric import VrfName
from fabricgen.blueprint.sections.routing import Prefixes

VrfOf = Annotated[
    VrfName,
    Field(
        description="A VRF by name: a tenant, the VRF of a carried fabric, or `default` for that of the carrier.",
    ),
]


class Leak(Model):
    """Routes that two VRFs tell each other, in both directions: what one shares with the other."""

    between: tuple[VrfOf, VrfOf] = Field(examples=[["blue", "services"]], description="The two VRFs.")
    prefixes: dict[VrfOf, Prefixes] = Field(
        default_factory=dict,
        examples=[{"services": ["10.128.4.0/24"]}],
        description="Which of its hosts' subnets each VRF shows to the other: those in these prefixes. Default: all.",
    )
    fabrics: tuple[Name, ...] = Field((), description="The fabrics whose switches leak. Default: all that have both.")
    description: Line = Field("", description="For people.")

    @model_validator(mode="after")
    def _is_between_two(self) -> Self:
        if len(set(self.between)) < 2:
            raise ValueError("a leak is between two VRFs")
        for vrf, prefixes in self.prefixes.items():
            if vrf not in self.between:
                raise ValueError(f"prefixes of {vrf}, which the leak is not of")
            if not prefixes:
                raise ValueError(f"{vrf} shows nothing: leave it out to show all its hosts, or state prefixes")
        return self

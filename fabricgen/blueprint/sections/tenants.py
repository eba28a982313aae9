"""The language of tenants: whose nodes and extra devices are whose, and what VRFs share."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Line, Name
from fabricgen.blueprint.sections.fabric import VrfName
from fabricgen.blueprint.sections.routing import Prefixes


class Tenant(Model):
    """Nodes and extra devices that reach each other, and none of another tenant."""

    nodes: tuple[
        Annotated[str, Field(description="A slot as in `omit`, for example p1/su-1/node-3, or a whole pod.")], ...
    ] = Field((), examples=[["p1/su-1", "p1/su-2/node-3"]], description="Its nodes: slots as in `omit`, or whole pods.")
    fabrics: tuple[Name, ...] = Field(
        (),
        min_length=1,
        description="The fabrics that it is kept apart in. Default: all of its nodes', but none of management ports.",
    )
    extra: tuple[Name, ...] = Field((), description="Extra devices that are its own, by the name of their set.")
    shared: tuple[Name, ...] = Field(
        (),
        description="Extra devices on InfiniBand that it shares, by the name of their set: in its partition beside "
        "others. On Ethernet, `leaks` join VRFs.",
        json_schema_extra={"uniqueItems": True},
    )
    description: Line = Field("", description="For people.")

    @model_validator(mode="after")
    def _check_members(self) -> Self:
        """Raise ValueError if a tenant has nothing of its own."""
        if not self.nodes and not self.extra:
            raise ValueError("a tenant has `nodes` or `extra` devices")
        return self


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
    fabrics: tuple[Name, ...] = Field(
        (), min_length=1, description="The fabrics whose switches leak. Default: all that have both."
    )
    description: Line = Field("", description="For people.")

    @model_validator(mode="after")
    def _check_between(self) -> Self:
        """Raise ValueError unless a leak is between two VRFs, and each prefix is of one of them."""
        if len(set(self.between)) < 2:
            raise ValueError("a leak is between two VRFs")
        for vrf, prefixes in self.prefixes.items():
            if vrf not in self.between:
                raise ValueError(f"prefixes of {vrf}, which the leak is not of")
            if not prefixes:
                raise ValueError(f"{vrf} shows nothing: leave it out to show all its hosts, or state prefixes")
        return self

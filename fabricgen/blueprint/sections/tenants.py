"""The language of tenants: whose nodes and extra devices are whose."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Line, Name


class Tenant(Model):
    """Nodes and extra devices that reach each other, and none of another tenant."""

    nodes: tuple[
        Annotated[str, Field(description="A slot as in `omit`, for example p1/su-1/node-3, or a whole pod.")], ...
    ] = Field((), examples=[["p1/su-1", "p1/su-2/node-3"]], description="Its nodes: slots as in `omit`, or whole pods.")
    fabrics: tuple[Name, ...] = Field(
        (),
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
    def _has_something(self) -> Self:
        if not self.nodes and not self.extra:
            raise ValueError("a tenant has `nodes` or `extra` devices")
        return self

"""The language of ports of a switch that are kept for a named purpose and get no cable."""

from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Cages


class Reserved(Model):
    """Ports of a switch that are kept for a named purpose: so many down ports, or whole cages."""

    ports: int = Field(0, ge=0, le=1024, description="So many down ports of its first kind, the last free ones.")
    cages: Cages = Field((), description="These cages, e.g. 63-64.")

    @model_validator(mode="after")
    def _check_one_stated(self) -> Self:
        """Raise ValueError unless either a number of ports or cages are stated."""
        if bool(self.ports) == bool(self.cages):
            raise ValueError("expected a number of ports, or cages such as {cages: 63-64}")
        return self


class _NumberAlone:
    """Lets the schema take a number of ports where a map may stand."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        number = {"type": "integer", "minimum": 1, "maximum": 1024, "description": "So many down ports."}
        mapping = {**handler(core), "minProperties": 1, "maxProperties": 1}
        return {"anyOf": [number, mapping], "examples": [2, {"cages": "63-64"}]}


ReservedOf = Annotated[
    Reserved,
    BeforeValidator(
        lambda value: {"ports": value} if isinstance(value, int) and not isinstance(value, bool) else value
    ),
    _NumberAlone(),
]
"""Ports kept for a purpose: a number, or cages."""

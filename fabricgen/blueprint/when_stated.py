"""Parts of the language that most blueprints leave out: nothing is made ready for them until one has them."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

T = TypeVar("T", bound=BaseModel)


def _validated(model: type[BaseModel], value: Any) -> BaseModel:
    """A part, by the validator of its own model, which is made with the first part there is.

    What is wrong is told at its place in the whole: pydantic takes over the errors of a validator within another.
    """
    return value if isinstance(value, model) else model.model_validate(value)


class _WhenStated:
    """Holds the validator of a model back, which pydantic would make with that of the whole."""

    def __get_pydantic_core_schema__(self, model: type[BaseModel], handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(partial(_validated, model))

    def __get_pydantic_json_schema__(self, core: Any, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """As the model's own, under its name."""
        model = core["function"]["function"].args[0]
        model.model_rebuild()
        return handler(core_schema.definitions_schema(model.__pydantic_core_schema__, []))


WhenStated = Annotated[T, _WhenStated()]
"""A model of a part that few blueprints have: `spans: dict[Name, WhenStated[SpanSpec]]`."""

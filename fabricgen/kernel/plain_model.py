"""What parts of files are made of that are read at every start: plain dataclasses that pydantic only sees when asked.

Their annotations say what a file may hold, and are left as text (`from __future__ import annotations`) until a file is
validated: a class costs a tenth of what one of pydantic's does, and profiles that were compiled are never validated.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, get_type_hints

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic.fields import FieldInfo

M = TypeVar("M")


class PlainModel:
    """Base of frozen dataclasses that are read from files: unknown keys are errors."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


def adapter(model: type[M]) -> TypeAdapter[M]:
    """What validates, describes and writes instances of a model, made when it is first asked for."""
    kind: Any = model
    made: TypeAdapter[M] = _adapter(kind)
    return made


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(model)


def fields_of(model: Any) -> dict[str, FieldInfo]:
    """The fields of a model, one of pydantic's or a plain one, by name, with what they may hold and are for."""
    found: dict[str, FieldInfo] = _plain_fields(model) if issubclass(model, PlainModel) else model.model_fields
    return found


@cache
def _plain_fields(model: Any) -> dict[str, FieldInfo]:
    from pydantic.fields import FieldInfo

    hints = get_type_hints(model, include_extras=True)
    return {field.name: FieldInfo.from_annotation(hints[field.name]) for field in fields(model)}


def validated(model: type[M], data: Any) -> M:
    """Plain data as an instance of a model, one of pydantic's or a plain one; raises ValidationError."""
    if issubclass(model, PlainModel):
        return adapter(model).validate_python(data)
    own: Any = model  # has a validator, which an adapter would make a second time
    found: M = own.model_validate(data)
    return found

"""What parts of files are made of that are read at every start: plain dataclasses that pydantic only sees when asked.

Their annotations say what a file may hold, and are left as text (`from __future__ import annotations`) until a file is
validated: a class costs a tenth of what one of pydantic's does, and profiles that were compiled are never validated.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import Any, ClassVar, get_type_hints

from fabricgen.models.fields import FieldInfo


class PlainModel:
    """Base of frozen dataclasses that are read from files: unknown keys are errors."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


def fields_of(model: Any) -> dict[str, FieldInfo]:
    """The fields of a model, plain or frozen, by name, with what they may hold and are for."""
    found: dict[str, FieldInfo] = _plain_fields(model) if issubclass(model, PlainModel) else model.model_fields
    return found


@cache
def _plain_fields(model: Any) -> dict[str, FieldInfo]:
    hints = get_type_hints(model, include_extras=True)
    return {field.name: FieldInfo(hints[field.name]) for field in fields(model)}

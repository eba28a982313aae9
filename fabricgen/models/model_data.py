"""A model as plain data, such as JSON has."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fabricgen.models.fields import FieldInfo
from fabricgen.models.frozen_model import FrozenModel


def plain_data(value: Any) -> Any:
    """A value of a model without what is as it usually is: mappings with keys of text, lists, text and numbers.

    What a field usually is does not tell what a blueprint means; a fraction is written as text, such as 4/3.
    """
    if isinstance(value, FrozenModel):
        fields, found = type(value).model_fields, vars(value)
        return {name: plain_data(found[name]) for name, info in fields.items() if not _is_usual(info, found[name])}
    if isinstance(value, dict):
        return {str(key): plain_data(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain_data(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


def _is_usual(info: FieldInfo, value: Any) -> bool:
    return not info.is_required and bool(value == info.get_default())

"""The base of every part of the language, and the checks that all of its numbers pass."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import AliasChoices, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from fabricgen.models.forms import FrozenModel

_BELOW = ("schema", "items_schema", "values_schema", "keys_schema")
"""The keys of a schema under which the schemas of its parts are."""


class Model(FrozenModel):
    """A part of the language: unknown keys are errors, values never change, and text is no number or truth value.

    A key that was renamed is still read under its old name, which the schema marks as deprecated and lint reports.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema by which pydantic validates, changed so that it takes only what JSON Schema would take.

        JSON Schema takes no text such as "3" for a number, and no `true` for 1: editors and fabricgen then agree. A
        model that is a part of another one gets its validator only when the first such part is read, since most pages
        have few of them. A part that a page leaves out is made by `model_construct` (`default_factory`), which needs no
        validator.
        """
        if handler.field_name:
            ref = f"{cls.__module__}.{cls.__name__}:{id(cls)}"  # as pydantic names definitions of JSON Schema
            return core_schema.no_info_plain_validator_function(cls.model_validate, ref=ref)
        schema = handler(source)
        fields: Any = schema
        while "fields" not in fields and "schema" in fields:
            fields = fields["schema"]
        for field in fields.get("fields", {}).values():
            field["schema"] = _forbid_conversions(field["schema"])
        return schema

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the JSON Schema of the model, with the old names of its fields as deprecated properties.

        Data that have both an old name and the name of today do not fit it.
        """
        if core["type"] == "function-plain":  # of a part
            cls.model_rebuild()
            core = cls.__pydantic_core_schema__
        schema = handler(core)
        inside = handler.resolve_ref_schema(schema)
        renamed = [(name, old) for name, info in cls.model_fields.items() for old in list_old_names(info)]
        for name, old in renamed:
            like = inside["properties"][name]
            inside["properties"][old] = {**like, "deprecated": True, "description": f"Old name of `{name}`."}
        doubled = [{"required": [*names]} for names in renamed]
        if doubled:
            inside["not"] = {"anyOf": doubled} if len(doubled) > 1 else doubled[0]
        return schema


def list_old_names(field: FieldInfo) -> tuple[str, ...]:
    """Return the names that a field had before: the choices of its alias after its name of today."""
    alias = field.validation_alias
    return tuple(map(str, alias.choices[1:])) if isinstance(alias, AliasChoices) else ()


def _forbid_conversions(schema: Any) -> Any:
    """Return a field's schema without the conversions that pydantic makes by itself, such as "3", "1_0" and true to
    3, 10 and 1.
    """
    kind = schema["type"]
    if kind in ("int", "float"):
        return core_schema.no_info_before_validator_function(partial(_refuse_text, f"{kind}_type"), schema)
    if kind == "literal" and any(isinstance(value, int) for value in schema["expected"]):
        expected = ", ".join(map(repr, schema["expected"]))
        return core_schema.no_info_before_validator_function(partial(_check_choice, expected), schema)
    if kind == "bool":
        return {**schema, "strict": True}
    if kind in ("model", "definitions", "definition-ref"):
        return schema  # other models have seen to theirs
    changed = {key: _forbid_conversions(schema[key]) for key in _BELOW if isinstance(schema.get(key), dict)}
    for key in ("choices", "items_schema"):
        if isinstance(schema.get(key), list):
            changed[key] = [_forbid_conversions(choice) for choice in schema[key]]
    return {**schema, **changed}


def _refuse_text(error: str, value: Any) -> Any:
    """Return a value as it is, but raise pydantic's `error` for text and truth values, which pydantic would convert to
    numbers.
    """
    if isinstance(value, bool | str):
        raise PydanticKnownError(error)  # type: ignore[arg-type]
    return value


def _check_choice(expected: str, value: Any) -> Any:
    """Return a value that is to be one of some numbers, unless it is a truth value: then raise pydantic's error.

    Without this check `true` would pass for 1, since Python takes them for equal. `expected` lists the choices, for the
    message.
    """
    if isinstance(value, bool):
        raise PydanticKnownError("literal_error", {"expected": expected})
    return value


def wrap_in_list(value: Any) -> Any:
    """Return a single text as a list of one, and any other value as it is."""
    return [value] if isinstance(value, str) else value

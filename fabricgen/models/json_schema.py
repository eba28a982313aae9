"""What pydantic's JSON Schemas are made into before people and editors read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from fabricgen.models.forms import CATALOGUE

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_CHOICES = frozenset({"anyOf", "oneOf"})
_VALUES = frozenset({"items", "prefixItems", "additionalProperties"})
_NAMED = frozenset({"properties", "patternProperties", "$defs"})
"""Keywords of a value's alternatives, of a value's parts, and of parts by name."""


class SchemaWriter(GenerateJsonSchema):
    """pydantic's, without titles that only repeat the key: editors would show them as headings."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's signature
        """Return False: the key is title enough."""
        return False


def schema_of(model: type[BaseModel], title: str, catalogue: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """JSON Schema 2020-12 of what a user writes; `catalogue` has the names that editors propose, by kind."""
    return finished(model.model_json_schema(schema_generator=SchemaWriter), title, catalogue)


def finished(schema: Any, title: str, catalogue: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """A schema of pydantic's, closed and with names to choose from."""
    return {**_described(_finished(schema, catalogue)), "$schema": DIALECT, "title": title}


def _finished(schema: Any, catalogue: Mapping[str, Sequence[str]]) -> Any:
    if isinstance(schema, list):
        return [_finished(each, catalogue) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _finished(value, catalogue) for key, value in schema.items()}
    if made.get("default", ...) is None:
        del made["default"]  # it would be proposed as the value to write
    if "patternProperties" in made:
        made.setdefault("additionalProperties", False)  # names of another form are none
    kind = made.pop(CATALOGUE, None)
    if kind is None:
        return made
    # Names of the built-in catalogue are proposed; those of a user's own are as good.
    about = {key: made.pop(key) for key in ("description",) if key in made}
    return {**about, "anyOf": [{"enum": list(catalogue[kind])}, made]}


def _described(schema: Any, about: str = "") -> Any:
    """The schema where items of lists and values of maps that have no description have that of the whole."""
    if isinstance(schema, list):
        return [_described(each, about) for each in schema]
    if not isinstance(schema, dict):
        return schema
    about = schema.get("description", about)
    made = {key: _described(value, about) if key in _CHOICES else value for key, value in schema.items()}
    for key in _VALUES & schema.keys():
        made[key] = _with_description(schema[key], about)
    for key in _NAMED & schema.keys():
        own = about if key == "patternProperties" else ""
        made[key] = {name: _with_description(value, own) for name, value in schema[key].items()}
    return made


def _with_description(schema: Any, about: str) -> Any:
    made = _described(schema, about)
    if isinstance(made, list):
        return [_with_description(each, about) for each in made]
    if not isinstance(made, dict) or not about or "description" in made or "$ref" in made:
        return made
    return {"description": about, **made}

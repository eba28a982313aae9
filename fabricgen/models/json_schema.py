"""What pydantic's JSON Schemas are made into before people and editors read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from fabricgen.models.forms import CATALOGUE, CATALOGUE_COUNTED, count_of

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


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a catalogue, by kind: those that editors propose, and with `only` those that there are."""

    of: Mapping[str, Sequence[str]]
    only: bool = False

    def __hash__(self) -> int:
        return hash((frozenset((kind, tuple(names)) for kind, names in self.of.items()), self.only))


def schema_of(model: type[BaseModel], title: str, names: Names) -> dict[str, Any]:
    """JSON Schema 2020-12 of what a user writes."""
    return finished(model.model_json_schema(schema_generator=SchemaWriter), title, names)


def finished(schema: Any, title: str, names: Names) -> dict[str, Any]:
    """A schema of pydantic's, without further keys and with names to choose from."""
    return {**_described(_finished(schema, names)), "$schema": DIALECT, "title": title}


def _finished(schema: Any, names: Names) -> Any:
    if isinstance(schema, list):
        return [_finished(each, names) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _finished(value, names) for key, value in schema.items()}
    if made.get("default", ...) is None:
        del made["default"]  # it would be proposed as the value to write
    if "patternProperties" in made:
        made.setdefault("additionalProperties", False)  # names of another form are none
    counted = made.pop(CATALOGUE_COUNTED, None)
    if counted and names.only:
        made["pattern"] = count_of(names.of[counted])
    kind = made.pop(CATALOGUE, None)
    if kind is None:
        return made
    about = {key: made.pop(key) for key in ("description",) if key in made}
    known = {"enum": list(names.of[kind])}
    if names.only:
        absent = [each for each in made.get("anyOf", ()) if each == {"type": "null"}]
        return {**about, "anyOf": [known, *absent]}
    # Whose catalogue it will be used with is not known: other names are as good.
    return {**about, "anyOf": [known, made]}


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

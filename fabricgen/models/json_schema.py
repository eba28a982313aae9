"""The JSON Schemas of models: those of pydantic, changed for people and editors; and the fields of a model at a
path.
"""

import types
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from fabricgen.kernel.diagnostics import Path
from fabricgen.models.forms import CATALOGUE, CATALOGUE_COUNTED, make_count_form

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_CHOICES = frozenset({"anyOf", "oneOf"})
_VALUES = frozenset({"items", "prefixItems", "additionalProperties"})
_NAMED = frozenset({"properties", "patternProperties", "$defs"})
"""Keywords of JSON Schema for the alternatives of a value, for its parts, and for its parts by name."""


class SchemaWriter(GenerateJsonSchema):
    """The schema generator of pydantic, without titles that only repeat the key: editors would show them as
    headings.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's signature
        """Return False: the key is title enough."""
        return False


class Names(NamedTuple):
    """The names of a catalogue, by kind; editors propose them, and with `only` no others are valid."""

    of: Mapping[str, Sequence[str]]
    only: bool = False

    def __hash__(self) -> int:
        return hash((frozenset((kind, tuple(names)) for kind, names in self.of.items()), self.only))


def make_schema(model: type[BaseModel], title: str, names: Names) -> dict[str, Any]:
    """Return the JSON Schema 2020-12 of a model that a user writes."""
    return finish_schema(model.model_json_schema(schema_generator=SchemaWriter), title, names)


def finish_schema(schema: Any, title: str, names: Names) -> dict[str, Any]:
    """Return a schema of pydantic changed for editors: no unknown keys, names to choose from, descriptions in all
    parts.
    """
    return {**_add_descriptions(_finish_part(schema, names)), "$schema": DIALECT, "title": title}


def _finish_part(schema: Any, names: Names) -> Any:
    """Return a part of the schema changed for editors, with all parts below it.

    Maps allow no keys of another form, defaults of null are left out, and names are those of the catalogue.
    """
    if isinstance(schema, list):
        return [_finish_part(element, names) for element in schema]
    if not isinstance(schema, dict):
        return schema
    part = {key: _finish_part(value, names) for key, value in schema.items()}
    if part.get("default", ...) is None:
        del part["default"]  # it would be proposed as the value to write
    if "patternProperties" in part:
        part.setdefault("additionalProperties", False)  # names of another form are none
    counted = part.pop(CATALOGUE_COUNTED, None)
    if counted and names.only:
        part["pattern"] = make_count_form(names.of[counted])
    kind = part.pop(CATALOGUE, None)
    if kind is None:
        return part
    about = {key: part.pop(key) for key in ("description",) if key in part}
    choices = {"enum": list(names.of[kind])}
    if names.only:
        absent = [element for element in part.get("anyOf", ()) if element == {"type": "null"}]
        return {**about, "anyOf": [choices, *absent]}
    # it may be used with another catalogue, so that other names are as good
    return {**about, "anyOf": [choices, part]}


def _add_descriptions(schema: Any, about: str = "") -> Any:
    """Return a schema in which items of lists and values of maps without a description have that of the list or map.

    `about` is the description that it inherits from the schema around it, "" for none.
    """
    if isinstance(schema, list):
        return [_add_descriptions(element, about) for element in schema]
    if not isinstance(schema, dict):
        return schema
    about = schema.get("description", about)
    described = {key: _add_descriptions(value, about) if key in _CHOICES else value for key, value in schema.items()}
    for key in _VALUES & schema.keys():
        described[key] = _describe_part(schema[key], about)
    for key in _NAMED & schema.keys():
        inherited = about if key == "patternProperties" else ""
        described[key] = {name: _describe_part(value, inherited) for name, value in schema[key].items()}
    return described


def _describe_part(schema: Any, about: str) -> Any:
    """Return a part of a schema, with the description `about` of the schema around it if it has none of its own."""
    part = _add_descriptions(schema, about)
    if isinstance(part, list):
        return [_describe_part(element, about) for element in part]
    if not isinstance(part, dict) or not about or "description" in part or "$ref" in part:
        return part
    return {"description": about, **part}


# The fields that a model has at a path of its data.


def list_keys(model: type[BaseModel], path: Path, tags: Sequence[str] = ()) -> list[str]:
    """Return the keys that the mapping at `path` may have, sorted.

    Where a union allows several models, `tags`, as errors of pydantic have them, say which of these are meant
    (`_is_tagged`); without a tag that fits, all are.
    """
    return sorted({name for candidate in _find_models(model, path, tags) for name in candidate.model_fields})


def describe_field(model: type[BaseModel], path: Path, tags: Sequence[str] = ()) -> str:
    """Return `KEY: ` and the description of the field at `path`, without a full stop; "" if the model has none."""
    for candidate in _find_models(model, path[:-1], tags):
        info = candidate.model_fields.get(str(path[-1]))
        if info and info.description:
            return f"{path[-1]}: {info.description.rstrip('.')}"
    return ""


def find_fields(model: type[BaseModel], path: Path) -> dict[str, FieldInfo]:
    """Return the fields of the mapping at `path`, by name."""
    return {name: info for candidate in _find_models(model, path, ()) for name, info in candidate.model_fields.items()}


def list_places(model: type[BaseModel], key: str) -> list[str]:
    """Return the mappings of a model that have a key, written like `fabrics.NAME`, the least deep first."""
    places: list[str] = []
    reached: set[type] = set()
    layer: list[tuple[str, Any]] = [("", model)]
    while layer:
        next_layer: list[tuple[str, Any]] = []
        for place, annotation in layer:
            for inner in _list_types(annotation):
                if _is_model(inner) and inner not in reached:
                    reached.add(inner)
                    places += [place] * (key in inner.model_fields)
                    # the fields of a model, and what mappings hold, are one deeper
                    next_layer += [(f"{place}.{n}".strip("."), f.annotation) for n, f in inner.model_fields.items()]
                elif isinstance(get_origin(inner), type) and issubclass(get_origin(inner), Mapping):
                    next_layer.append((f"{place}.NAME", get_args(inner)[1]))
        layer = next_layer
    return places


def _find_models(model: type[BaseModel], path: Path, tags: Sequence[str]) -> list[type[BaseModel]]:
    """Return the models that the value at a path may be of; if tags name some of them, only these."""
    types: list[Any] = list(_list_types(model))
    for part in path:
        types = [t for kind in types for inner in _list_children(kind, part) for t in _list_types(inner)]
    models: list[type[BaseModel]] = [t for t in types if _is_model(t)]
    return [m for m in models if _is_tagged(m, tags)] or models


def _list_types(annotation: Any) -> Iterator[Any]:
    """Yield the plain types that an annotation allows."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _list_types(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _list_types(member)
    else:
        yield annotation


def _list_children(annotation: Any, part: str | int) -> Iterator[Any]:
    """Yield the annotations of the values under a key or index of a value of this type."""
    if _is_model(annotation):
        info = annotation.model_fields.get(str(part))
        if info:
            yield info.annotation
        return
    origin, arguments = get_origin(annotation), get_args(annotation)
    if not (isinstance(origin, type) and arguments):
        return
    if issubclass(origin, Mapping):
        yield arguments[1]
    elif issubclass(origin, tuple) and arguments[-1] is not Ellipsis:
        yield from arguments[part : part + 1] if isinstance(part, int) else ()
    elif issubclass(origin, Sequence | Set):
        yield arguments[0]


def _is_model(annotation: Any) -> bool:
    """Whether an annotation is a model."""
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _is_tagged(model: type[BaseModel], tags: Sequence[str]) -> bool:
    """Whether one of the tags means this model: its name, or a literal value of one of its fields."""
    if model.__name__ in tags:
        return True
    literals = (i.annotation for i in model.model_fields.values() if get_origin(i.annotation) is Literal)
    return any(str(value) in tags for literal in literals for value in get_args(literal))

"""The JSON Schemas of the language and of settings, for editors and for checks without fabricgen."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.lint_settings import Project
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.schema import catalog_schema
from fabricgen.models.json_schema import Names, schema_of

_INCLUDE = {
    "description": "Files that this one is laid over, relative to it; the last wins.",
    "oneOf": [
        {"type": "string", "description": "A file."},
        {"type": "array", "items": {"type": "string", "description": "A file."}},
    ],
    "examples": ["common.yaml"],
}
_ANCHORS = {"^x-": {"description": "A place to hold anchors; not read."}}
_OF_WHOLE = ("required", "allOf", "anyOf", "oneOf", "if", "then", "minProperties")
"""What a schema asks of a mapping as a whole, and an overlay leaves to the file below it."""


def blueprint_schema(own: Catalog | None = None) -> dict[str, Any]:
    """JSON Schema 2020-12 of a blueprint, made from the models.

    With the catalogue that it is built with, only the names in that are right; without one other names are as good as
    the built-in ones, which are proposed: they may be of somebody's own catalogue.

    `include` and `x-` keys, which are resolved before the models see them, are added here. What includes others is an
    overlay: it may leave anything to them, and take keys of theirs away with null.
    """
    return schema_of_names(names_of(own))


def schema_of_names(names: Names) -> dict[str, Any]:
    """`blueprint_schema` by the names that are right or, without `only`, proposed."""
    schema = schema_of(Blueprint, "fabricgen blueprint", names)
    schema["properties"]["include"] = _INCLUDE
    schema["patternProperties"] = _ANCHORS
    keys = ("required", "properties", "patternProperties", "additionalProperties", "type")
    whole = {key: schema.pop(key) for key in keys}
    overlays = {f"{name}Overlay": _overlay(model) for name, model in schema["$defs"].items()}
    schema["$defs"] |= overlays
    schema["$defs"]["Blueprint"] = {**whole, "description": schema["description"]}
    schema["$defs"]["Overlay"] = {**_overlay(whole), "description": "What is laid over other files, or included."}
    schema |= {"if": {"required": ["include"]}, "then": _ref("Overlay"), "else": _ref("Blueprint")}
    return schema


def overlay_schema(own: Catalog | None = None) -> dict[str, Any]:
    """JSON Schema 2020-12 of a file that blueprints include: nothing is required in it; names likewise."""
    schema = blueprint_schema(own)
    kept = {name: model for name, model in schema["$defs"].items() if name.endswith("Overlay")}
    return {
        "$schema": schema["$schema"],
        "$defs": kept,
        "title": "fabricgen overlay or included file",
        "description": kept["Overlay"]["description"],
        **_ref("Overlay"),
    }


def project_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a project's settings file."""
    return schema_of(Project, "fabricgen project settings", names_of(None))


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "blueprint": blueprint_schema,
    "catalog": catalog_schema,
    "overlay": overlay_schema,
    "project": project_schema,
}
"""What a user writes -> its schema."""


OF_CATALOGUES: Mapping[str, Callable[[Catalog], dict[str, Any]]] = {
    "blueprint": blueprint_schema,
    "overlay": overlay_schema,
}
"""Likewise with no names but those of a catalogue."""


def schema_text(name: str, own: Catalog | None = None) -> str:
    """One of `SCHEMAS` as it is written to files; with a catalogue, one of `OF_CATALOGUES`."""
    return json.dumps(OF_CATALOGUES[name](own) if own else SCHEMAS[name](), indent=2, sort_keys=True) + "\n"


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def names_of(own: Catalog | None) -> Names:
    """The names that a blueprint may have of a catalogue; those of the built-in one are proposals."""
    catalog = own or Catalog()
    kinds = ("switches", "nodes", "scale_up", "racks", "products", "panels")
    found = {kind: catalog.ids(kind) for kind in kinds}
    return Names({**found, "nos": catalog.known_nos()}, only=own is not None)


def _overlay(model: dict[str, Any]) -> dict[str, Any]:
    """A model's schema where every key may be left out, or be null."""
    made = {key: value for key, value in model.items() if key not in _OF_WHOLE}
    for key in ("properties", "patternProperties"):
        if key in made:
            made[key] = {name: _or_null(value) for name, value in made[key].items()}
    return made


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    about = {key: value for key, value in schema.items() if key in ("description", "deprecated")}
    rest = _parts({key: value for key, value in schema.items() if key not in about})
    return {**about, **(rest if {"type": "null"} in rest.get("anyOf", []) else {"anyOf": [rest, {"type": "null"}]})}


def _parts(schema: Any) -> Any:
    """A value's schema whose mappings are overlays too."""
    if isinstance(schema, list):
        return [_parts(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {**schema, "$ref": f"{schema['$ref']}Overlay"}
    made = {key: _parts(value) for key, value in schema.items() if key != "minProperties"}
    for key in ("patternProperties", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            own = schema[key]
            made[key] = {k: _or_null(v) for k, v in own.items()} if key == "patternProperties" else _or_null(own)
    return made

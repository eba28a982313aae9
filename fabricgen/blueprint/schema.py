"""The JSON Schemas of the language and of settings, for editors and for checks without fabricgen."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.lint_settings import Project
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.schema import make_catalog_schema
from fabricgen.models.json_schema import Names, make_schema

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


def make_blueprint_schema(catalog: Catalog | None = None) -> dict[str, Any]:
    """Return JSON Schema 2020-12 of a blueprint, made from the models.

    With the catalogue that it is built with, only the names in that are right; without one other names are as good as
    the built-in ones, which are proposed: they may be of somebody's own catalogue.

    `include` and `x-` keys, which are resolved before the models see them, are added here. What includes others is an
    overlay: it may leave anything to them, and take keys of theirs away with null.
    """
    return make_schema_of_names(list_catalog_names(catalog))


def make_schema_of_names(names: Names) -> dict[str, Any]:
    """Return `make_blueprint_schema` by names: those that are right or, where `Names.only` is not set, proposed."""
    schema = make_schema(Blueprint, "fabricgen blueprint", names)
    schema["properties"]["include"] = _INCLUDE
    schema["patternProperties"] = _ANCHORS
    keys = ("required", "properties", "patternProperties", "additionalProperties", "type")
    body = {key: schema.pop(key) for key in keys}
    overlays = {f"{name}Overlay": _make_overlay(model) for name, model in schema["$defs"].items()}
    schema["$defs"] |= overlays
    schema["$defs"]["Blueprint"] = {**body, "description": schema["description"]}
    schema["$defs"]["Overlay"] = {**_make_overlay(body), "description": "What is laid over other files, or included."}
    # a file that includes others need not be whole
    schema |= {"if": {"required": ["include"]}, "then": _make_ref("Overlay"), "else": _make_ref("Blueprint")}
    return schema


def make_overlay_schema(catalog: Catalog | None = None) -> dict[str, Any]:
    """Return JSON Schema 2020-12 of a file that blueprints include: nothing is required in it; names likewise."""
    schema = make_blueprint_schema(catalog)
    overlays = {name: model for name, model in schema["$defs"].items() if name.endswith("Overlay")}
    return {
        "$schema": schema["$schema"],
        "$defs": overlays,
        "title": "fabricgen overlay or included file",
        "description": overlays["Overlay"]["description"],
        **_make_ref("Overlay"),
    }


def make_project_schema() -> dict[str, Any]:
    """Return JSON Schema 2020-12 of a project's settings file."""
    return make_schema(Project, "fabricgen project settings", list_catalog_names(None))


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "blueprint": make_blueprint_schema,
    "catalog": make_catalog_schema,
    "overlay": make_overlay_schema,
    "project": make_project_schema,
}
"""What a user writes -> its schema."""


OF_CATALOGUES: Mapping[str, Callable[[Catalog], dict[str, Any]]] = {
    "blueprint": make_blueprint_schema,
    "overlay": make_overlay_schema,
}
"""Likewise with no names but those of a catalogue."""


def write_schema_text(name: str, catalog: Catalog | None = None) -> str:
    """Return one of `SCHEMAS` as it is written to files; with a catalogue, one of `OF_CATALOGUES`."""
    return json.dumps(OF_CATALOGUES[name](catalog) if catalog else SCHEMAS[name](), indent=2, sort_keys=True) + "\n"


def _make_ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def list_catalog_names(own: Catalog | None) -> Names:
    """Return the names that a blueprint may have of a catalogue; those of the built-in one are proposals."""
    catalog = own or Catalog()
    kinds = ("switches", "nodes", "scale_up", "racks", "products", "panels")
    names_by_kind = {kind: catalog.ids(kind) for kind in kinds}
    return Names({**names_by_kind, "nos": catalog.list_known_nos()}, only=own is not None)


def _make_overlay(model: dict[str, Any]) -> dict[str, Any]:
    """Return a model's schema where every key may be left out, or be null."""
    overlay = {key: value for key, value in model.items() if key not in _OF_WHOLE}
    for key in ("properties", "patternProperties"):
        if key in overlay:
            overlay[key] = {name: _allow_null(value) for name, value in overlay[key].items()}
    return overlay


def _allow_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Let a value be null, which takes a key of the file below away; what describes it stays outside."""
    about = {key: value for key, value in schema.items() if key in ("description", "deprecated")}
    rest = _overlay_parts({key: value for key, value in schema.items() if key not in about})
    return {**about, **(rest if {"type": "null"} in rest.get("anyOf", []) else {"anyOf": [rest, {"type": "null"}]})}


def _overlay_parts(schema: Any) -> Any:
    """Return a value's schema whose mappings are overlays too."""
    if isinstance(schema, list):
        return [_overlay_parts(element) for element in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {**schema, "$ref": f"{schema['$ref']}Overlay"}
    overlay = {key: _overlay_parts(value) for key, value in schema.items() if key != "minProperties"}
    for key in ("patternProperties", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            inner = schema[key]
            overlay[key] = (
                {k: _allow_null(v) for k, v in inner.items()} if key == "patternProperties" else _allow_null(inner)
            )
    return overlay

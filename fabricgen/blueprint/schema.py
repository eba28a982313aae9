"""The JSON Schemas of the language and of settings, for editors and for checks without fabricgen."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.lint_settings import Project
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import PROFILE_KINDS, find_model
from fabricgen.models.json_schema import Names, SchemaWriter, finish_schema, make_schema

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
"""What a schema asks of a whole mapping; an overlay leaves it to the file that it is laid over."""


def make_blueprint_schema(catalog: Catalog | None = None) -> dict[str, Any]:
    """Return the JSON Schema 2020-12 of a blueprint, made from the models.

    With the catalogue that it is built with, only names of that catalogue are valid. Without one, other names are as
    good as the built-in ones, which are proposed: they may be of somebody's own catalogue.

    `include` and `x-` keys, which are resolved before the models see them, are added here. A file that includes others
    is an overlay: it may leave anything to them, and remove keys of theirs with null.
    """
    return make_schema_of_names(list_catalog_names(catalog))


def make_schema_of_names(names: Names) -> dict[str, Any]:
    """Return the schema that `make_blueprint_schema` describes, for the given names of the catalogue.

    If `names.only` is set, other names are errors; else the names are only proposed.
    """
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
    """Return the JSON Schema 2020-12 of a file that blueprints include, in which nothing is required; names as in
    `make_blueprint_schema`.
    """
    schema = make_blueprint_schema(catalog)
    overlays = {name: model for name, model in schema["$defs"].items() if name.endswith("Overlay")}
    return {
        "$schema": schema["$schema"],
        "$defs": overlays,
        "title": "fabricgen overlay or included file",
        "description": overlays["Overlay"]["description"],
        **_make_ref("Overlay"),
    }


def make_catalog_schema() -> dict[str, Any]:
    """Return the schema of a profile file of any kind; its `kind` says which kind."""
    models = [find_model(kind) for kind in PROFILE_KINDS]
    refs, shared = models_json_schema(
        [(model, "validation") for model in models],
        ref_template="#/$defs/{model}",
        schema_generator=SchemaWriter,
    )
    schema = {
        "$defs": shared["$defs"],
        "description": "A switch, node, NIC, cable, scale-up domain, rack, product list, panel, trunk or constants.",
        "oneOf": [refs[model, "validation"] for model in models],
    }
    return finish_schema(schema, "fabricgen catalogue profile", Names({}))


def make_project_schema() -> dict[str, Any]:
    """Return the JSON Schema 2020-12 of a project's settings file."""
    return make_schema(Project, "fabricgen project settings", list_catalog_names(None))


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "blueprint": make_blueprint_schema,
    "catalog": make_catalog_schema,
    "overlay": make_overlay_schema,
    "project": make_project_schema,
}
"""Kind of file that a user writes -> function that makes its schema."""


OF_CATALOGUES: Mapping[str, Callable[[Catalog], dict[str, Any]]] = {
    "blueprint": make_blueprint_schema,
    "overlay": make_overlay_schema,
}
"""Kind of file -> function that makes its schema with the names of one catalogue alone."""


def write_schema_text(name: str, catalog: Catalog | None = None) -> str:
    """Return one of `SCHEMAS` as it is written to files; with a catalogue, one of `OF_CATALOGUES`."""
    return json.dumps(OF_CATALOGUES[name](catalog) if catalog else SCHEMAS[name](), indent=2, sort_keys=True) + "\n"


def _make_ref(name: str) -> dict[str, Any]:
    """Return a reference to a definition of the schema."""
    return {"$ref": f"#/$defs/{name}"}


def list_catalog_names(stated_catalog: Catalog | None) -> Names:
    """Return the names of a catalogue that a blueprint may use; those of the built-in one (None) are proposals only."""
    catalog = stated_catalog or Catalog()
    kinds = ("switches", "nodes", "scale_up", "racks", "products", "panels")
    names_by_kind = {kind: catalog.ids(kind) for kind in kinds}
    return Names({**names_by_kind, "nos": catalog.list_known_nos()}, only=stated_catalog is not None)


def _make_overlay(model: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a model in which every key may be left out, or be null."""
    overlay = {key: value for key, value in model.items() if key not in _OF_WHOLE}
    for key in ("properties", "patternProperties"):
        if key in overlay:
            overlay[key] = {name: _allow_null(value) for name, value in overlay[key].items()}
    return overlay


def _allow_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that may also be null, which removes the key from the file below; its description
    stays outside.
    """
    about = {key: value for key, value in schema.items() if key in ("description", "deprecated")}
    rest = _overlay_parts({key: value for key, value in schema.items() if key not in about})
    return {**about, **(rest if {"type": "null"} in rest.get("anyOf", []) else {"anyOf": [rest, {"type": "null"}]})}


def _overlay_parts(schema: Any) -> Any:
    """Return the schema of a value in which all mappings are overlays, too."""
    if isinstance(schema, list):
        return [_overlay_parts(element) for element in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {**schema, "$ref": f"{schema['$ref']}Overlay"}
    overlay = {key: _overlay_parts(value) for key, value in schema.items() if key != "minProperties"}
    for key in ("patternProperties", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            parts = schema[key]
            overlay[key] = (
                {k: _allow_null(v) for k, v in parts.items()} if key == "patternProperties" else _allow_null(parts)
            )
    return overlay

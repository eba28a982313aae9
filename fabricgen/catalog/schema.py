"""The JSON Schema of catalogue files, made from the models."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from fabricgen.catalog.models import PROFILE_KINDS

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def catalog_schema() -> dict[str, Any]:
    """Return the schema of a profile file of any kind; its `kind` says which it is."""
    models: list[tuple[type[BaseModel], Any]] = [(model, "validation") for model in PROFILE_KINDS.values()]
    refs, shared = models_json_schema(models, ref_template="#/$defs/{model}")
    schema = {
        "$schema": DIALECT,
        "$defs": shared["$defs"],
        "title": "fabricgen catalogue profile",
        "description": "A switch, node, NIC, cable or scale-up domain of the catalogue.",
        "oneOf": [refs[key] for key in models],
    }
    sorted_schema: dict[str, Any] = _sorted(schema)
    return sorted_schema


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value

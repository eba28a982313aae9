"""The JSON Schema of catalogue files, made from the models."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from fabricgen.catalog.models import PROFILE_KINDS, find_model
from fabricgen.models.json_schema import Names, SchemaWriter, finish_schema


def make_catalog_schema() -> dict[str, Any]:
    """Return the schema of a profile file of any kind; its `kind` says which it is."""
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

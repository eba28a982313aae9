"""The JSON Schema of catalogue files, made from the models."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from fabricgen.catalog.models import PROFILE_KINDS
from fabricgen.models.as_pydantic import adapter
from fabricgen.models.json_schema import SchemaWriter, finished


def catalog_schema() -> dict[str, Any]:
    """Return the schema of a profile file of any kind; its `kind` says which it is."""
    refs, shared = TypeAdapter.json_schemas(
        [(kind, "validation", adapter(model)) for kind, model in PROFILE_KINDS.items()],
        ref_template="#/$defs/{model}",
        schema_generator=SchemaWriter,
    )
    schema = {
        "$defs": shared["$defs"],
        "description": "A switch, node, NIC, cable, scale-up domain, rack, product list, patch panel or trunk.",
        "oneOf": [refs[kind, "validation"] for kind in PROFILE_KINDS],
    }
    return finished(schema, "fabricgen catalogue profile", {})

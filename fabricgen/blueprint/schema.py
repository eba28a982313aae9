"""The JSON Schemas of the language and of settings, for editors and for checks without fabricgen."""

from __future__ import annotations

from typing import Any

SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"


def blueprint_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a blueprint, made from the models; keys in a fixed order.

    `include` and `x-` keys, which are resolved before the models see them, are added here.
    """
    from fabricgen.blueprint.models import Blueprint

    schema = Blueprint.model_json_schema(mode="validation")
    schema["$schema"] = SCHEMA_ID
    schema["title"] = "fabricgen blueprint"
    schema["properties"]["include"] = {
        "description": "Files that this one is laid over, relative to it.",
        "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    }
    schema["patternProperties"] = {"^x-": {"description": "A place to hold anchors; not read."}}
    # An overlay may leave what an included file states to that file.
    schema["anyOf"] = [{"required": schema.pop("required")}, {"required": ["include"]}]
    return {key: schema[key] for key in sorted(schema)}


def project_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a project's settings file; keys in a fixed order."""
    from fabricgen.blueprint.lint_settings import Project

    schema = Project.model_json_schema(mode="validation")
    schema["$schema"] = SCHEMA_ID
    schema["title"] = "fabricgen project settings"
    return {key: schema[key] for key in sorted(schema)}

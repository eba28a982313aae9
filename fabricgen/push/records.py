"""Whether records are as NetBox has them: `records.yaml` has what is read of each kind, as JSON Schema."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

Record = dict[str, Any]

KEPT = "kept"
"""The name of the schema of any object."""


@cache
def _validator(kind: str) -> Draft202012Validator:
    """The judge of a record of a kind, which is a path or KEPT."""
    schemas = YAML(typ="safe").load(Path(__file__).with_name("records.yaml").read_bytes())
    return Draft202012Validator({"type": "object", **schemas[kind], "$defs": schemas["$defs"]})


def describe_misfit(kind: str, record: Any) -> str:
    """What of a record is not as NetBox has it, such as `tags: 7 is not of type 'array'`; "" where it fits."""
    error = next(_validator(kind).iter_errors(record), None)
    if error is None:
        return ""
    number = record.get("id") if isinstance(record, dict) else None
    named = f"record {number}" if isinstance(number, int) else "a record"
    return ": ".join(filter(None, (named, ".".join(map(str, error.absolute_path)), error.message[:120])))

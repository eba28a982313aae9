"""What SONiC's YANG models say of config_db.json: tables, rows, fields, their types and defaults.

`tools/sonic_schema.py` makes the schema of the models, and names their commit. It is read when first needed.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, TypeAlias

from fabricgen.kernel.discovery import find_resource_dir

FILE_NAME = "sonic-config-db.schema.json"

Kind: TypeAlias = Literal["number", "boolean", "word", "text"]
Schema: TypeAlias = dict[str, Any]

TRUTH = frozenset(("true", "false", "True", "False"))


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """A field of a row.

    `default` is the value that SONiC takes where the field is not there, None where there is none. `is_list` fields
    are JSON lists of strings, or one text with `separator` between the items where that is not "". `kind` is that of
    the value, or of an item: a number in digits, a truth value in small or capital letters, one of some words, or
    other text (unions among it).
    """

    default: str | tuple[str, ...] | None
    is_list: bool
    separator: str
    kind: Kind


@cache
def load_sonic_schema() -> Schema:
    """Return the JSON Schema of config_db.json; it must not be changed."""
    text = (find_resource_dir("schemas") / FILE_NAME).read_text(encoding="utf-8")
    schema: Schema = json.loads(text)
    return schema


def find_row_schema(table: str, key: str) -> Schema | None:
    """Return the schema of the row of a table with a key such as `Vlan10|10.0.0.1/24`; None if SONiC has none.

    A row with a fixed name has a schema of its own. For any other key it is the first schema of the table whose keys
    have as many parts, which `|` separates.
    """
    rows = load_sonic_schema()["properties"].get(table, {})
    row_of_key: Schema | None = rows.get("properties", {}).get(key)
    # else a row whose key has as many parts: tables may have rows by interface, and by interface and address
    return row_of_key or next(
        (row for row in list_row_schemas(table) if len(row["x-keys"]) == key.count("|") + 1), None
    )


def list_row_schemas(table: str) -> list[Schema]:
    """Return the schemas of a table's rows other than those with fixed names; their `x-keys` are the parts of keys."""
    return list(load_sonic_schema()["properties"].get(table, {}).get("patternProperties", {}).values())


def walk_types(schema: Schema, opaque: Container[str] = ()) -> Iterator[tuple[str, Schema]]:
    """Yield (name of the definition or "", schema without references) of each type that a value may have.

    The members of a union are yielded one by one, each with the `x-ref` of the union if that has one. A definition
    whose name is in `opaque` is yielded as a whole.
    """
    reference: str = schema.get("$ref", "")
    name = reference.removeprefix("#/$defs/")
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    plain = {**load_sonic_schema()["$defs"][name], **beside} if name else schema
    if name in opaque or "anyOf" not in plain or "type" in plain:
        yield name, plain
        return
    target = {"x-ref": plain["x-ref"]} if "x-ref" in plain else {}
    for part in plain["anyOf"]:
        yield from ((inner, {**kind, **target}) for inner, kind in walk_types(part, opaque))


def find_field_facts(table: str, key: str, field: str) -> FieldFacts | None:
    """Return what the models say of a field of a row, or of a value of a row that is a map; None if they do not have
    it.
    """
    rows_by_name = load_sonic_schema()["properties"].get(table, {}).get("properties", {})
    # a switch has thousands of keys and few forms of them: the memory is by form
    return _find_field_facts(table, key if key in rows_by_name else "|" * key.count("|"), field)


@lru_cache(maxsize=1 << 14)
def _find_field_facts(table: str, key: str, field: str) -> FieldFacts | None:
    """Return the same as `find_field_facts`, from a `key` that is shortened, so that few different ones are cached.

    It is the whole key of a row with a fixed name; for other rows only the bars between the parts of the key, such as
    `|`.
    """
    row = find_row_schema(table, key) or {}
    field_schema = row.get("properties", {}).get(field)
    if field_schema is None and "propertyNames" in row:
        field_schema = row["additionalProperties"]
    if field_schema is None:
        return None
    is_list = "items" in field_schema
    kinds = {_classify_type(kind) for _, kind in walk_types(field_schema["items"] if is_list else field_schema)}
    default = field_schema.get("default")
    return FieldFacts(
        default=tuple(default) if isinstance(default, list) else default,
        is_list=is_list,
        separator=field_schema.get("x-separator", ""),
        kind=kinds.pop() if len(kinds) == 1 else "text",
    )


def _classify_type(schema: Schema) -> Kind:
    """Return the kind of value that a schema without references allows."""
    if "x-range" in schema:
        return "number"
    words = schema.get("enum")
    if words is None:
        return "text"
    # SONiC's models spell truth in several ways, all of which are words to JSON
    return "boolean" if TRUTH.issuperset(words) else "word"

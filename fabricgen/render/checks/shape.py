"""config_db.json as tables of rows of text: what is of another shape is told, and the rest goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from fabricgen.catalog.sonic_schema import load_sonic_schema
from fabricgen.render.checks.problem import ConfigProblem

Value: TypeAlias = str | tuple[str, ...]
Rows: TypeAlias = dict[str, dict[str, dict[str, Value]]]
"""Table -> key -> field -> text, or texts where config_db has a list."""

Fields: TypeAlias = dict[str, str]
Tables: TypeAlias = dict[str, dict[str, Fields]]
"""Table -> key -> field -> text, lists joined by commas."""

_SECRET = re.compile(r"(passkey|_password|_cak)$", re.IGNORECASE)


def is_secret(table: str, field: str) -> bool:
    """Whether the values of a field are not repeated in problems."""
    return bool(_SECRET.search(field)) or (table, field) == ("NTP_KEY", "value")


def read_tables(data: object) -> tuple[Rows, tuple[ConfigProblem, ...]]:
    """The tables of parsed JSON, and what of it is no table, row, text or list of texts.

    Numbers are told and taken for their digits. A truth value is what SONiC makes of it when it loads the file, `True`
    or `False` (sonic-py-swsssdk, ConfigDBConnector.typed_to_raw); init_cfg.json has some. What is in a table that
    SONiC does not have is not looked at.
    """
    problems: list[ConfigProblem] = []
    if not isinstance(data, dict):
        return {}, (ConfigProblem("", found=f"the file holds {_describe_shape(data)}", wanted="an object of tables"),)
    rows: Rows = {}
    known_tables = load_sonic_schema()["properties"]
    for table, keys in data.items():
        if not isinstance(keys, dict):
            problems.append(ConfigProblem(table, found=_describe_shape(keys), wanted="an object of rows"))
            continue
        rows[table] = {}
        for key, fields in keys.items() if table in known_tables else ():
            if not isinstance(fields, dict):
                problems.append(ConfigProblem(table, key, found=_describe_shape(fields), wanted="an object of fields"))
                continue
            plain = all(isinstance(value, str) for value in fields.values())
            rows[table][key] = fields if plain else dict(_read_texts(ConfigProblem(table, key), fields, problems))
    return rows, tuple(problems)


def join_lists(rows: Rows) -> Tables:
    """Tables with their lists joined by commas."""

    def join(value: Value) -> str:
        return value if isinstance(value, str) else ",".join(value)

    return {
        table: {key: {field: join(value) for field, value in fields.items()} for key, fields in keys.items()}
        for table, keys in rows.items()
    }


def _read_texts(
    row: ConfigProblem, fields: dict[str, Any], problems: list[ConfigProblem]
) -> Iterator[tuple[str, Value]]:
    """Fields whose values are text or texts; of others a problem is added, and of numbers their digits are taken."""
    for field, value in fields.items():
        if isinstance(value, list) and all(isinstance(text, str) for text in value):
            yield field, tuple(value)
        elif isinstance(value, str | bool):
            yield field, str(value)
        else:
            number = isinstance(value, int | float)
            shown = "a number" if number and is_secret(row.table, field) else _describe_shape(value)
            right = "a string: every value in config_db is one, or a list of some"
            problems.append(replace(row, field=field, found=shown, wanted=right))
            if number:
                yield field, str(value)


def _describe_shape(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), f"the number {value}")

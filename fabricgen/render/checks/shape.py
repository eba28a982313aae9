"""config_db.json as tables of rows of text: anything of another shape is reported, and the rest is checked further."""

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
    """Whether the values of a field must not be repeated in problems."""
    return bool(_SECRET.search(field)) or (table, field) == ("NTP_KEY", "value")


def read_tables(data: object) -> tuple[Rows, tuple[ConfigProblem, ...]]:
    """Return the tables of parsed JSON, and problems with what is no table, row, text or list of texts.

    Numbers are reported, and read as their digits. A truth value is read as SONiC loads it, `True` or `False`
    (sonic-py-swsssdk, ConfigDBConnector.typed_to_raw); init_cfg.json has some. The rows of tables that SONiC does not
    have are left out.
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
    """Return tables with their lists joined by commas."""

    def join(value: Value) -> str:
        """Return a value as one text."""
        return value if isinstance(value, str) else ",".join(value)

    return {
        table: {key: {field: join(value) for field, value in fields.items()} for key, fields in keys.items()}
        for table, keys in rows.items()
    }


def _read_texts(
    row: ConfigProblem, fields: dict[str, Any], problems: list[ConfigProblem]
) -> Iterator[tuple[str, Value]]:
    """Yield fields with text or texts; for other values a problem is added, and numbers are read as their digits."""
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
    """Return what a JSON value is, such as `a list`."""
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), f"the number {value}")

"""Check every row of a config_db.json against its table's schema: keys, fields, values, references."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Mapping_
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias, cast

from pydantic import AfterValidator
from pydantic.fields import FieldInfo

from fabricgen.kernel.diagnostics import did_you_mean
from fabricgen.kernel.discovery import load, module_names
from fabricgen.render.checks.kinds import Check, UnwantedError
from fabricgen.render.checks.known_tables import KNOWN_TABLES
from fabricgen.render.checks.problem import Problem
from fabricgen.render.checks.table import KeyPart, Mapping, Ref, TableSchema
from fabricgen.render.checks.tables.balancing import LISTED

PACKAGE = "fabricgen.render.checks.tables"

LISTS = frozenset(
    (
        ("ACL_TABLE", "ports"),
        ("DHCPV4_RELAY", "dhcpv4_servers"),
        ("DHCP_RELAY", "dhcpv6_servers"),
        ("DNS_OPTIONS", "search"),
        ("PORT", "adv_speeds"),
        ("VLAN", "dhcp_servers"),
        *(("SWITCH_HASH", field) for field in LISTED),
    )
)
"""(table, field) of values that are JSON lists of strings; they are checked as comma-separated text."""

SECRETS = frozenset(
    (
        "SNMP_USER_AUTH_PASSWORD",
        "SNMP_USER_ENCRYPTION_PASSWORD",
        "auth_password",
        "fallback_cak",
        "passkey",
        "primary_cak",
    )
)
"""Fields whose values are not repeated in problems."""

Fields: TypeAlias = dict[str, str]
Tables: TypeAlias = dict[str, dict[str, Fields]]
"""Table -> key -> field -> value: a config_db.json that has passed `misshapen`."""


@cache
def all_tables() -> dict[str, TableSchema]:
    """The known table schemas, by name."""
    modules = (load(PACKAGE, name) for name in module_names(PACKAGE))
    return {table.name: table for module in modules for table in cast("tuple[TableSchema, ...]", module.TABLES)}


def misshapen(data: object) -> Iterator[Problem]:
    """Yield whatever is not a table of rows of strings; if nothing is yielded, the data is `Tables`."""
    if not isinstance(data, dict):
        yield Problem("", found=f"the file holds {_shape(data)}", wanted="an object of tables")
        return
    for name, rows in data.items():
        if not isinstance(rows, dict):
            yield Problem(name, found=_shape(rows), wanted="an object of rows")
            continue
        for key, fields in rows.items():
            if not isinstance(fields, dict):
                yield Problem(name, key, found=_shape(fields), wanted="an object of fields")
                continue
            for field, value in fields.items():
                if (name, field) in LISTS and isinstance(value, list) and all(isinstance(v, str) for v in value):
                    continue
                if not isinstance(value, str):
                    yield Problem(name, key, field, f"{_shape(value)}", "a string: every value in config_db is one")


def with_joined_lists(data: Mapping_[str, Mapping_[str, Mapping_[str, str | list[str]]]]) -> Tables:
    """Data that passed `misshapen`, with lists joined by commas."""

    def text(value: str | list[str]) -> str:
        return value if isinstance(value, str) else ",".join(value)

    listed = {table for table, _ in LISTS}
    return {
        name: {key: {f: text(v) for f, v in fields.items()} for key, fields in rows.items()}
        if name in listed
        else cast("dict[str, Fields]", rows)
        for name, rows in data.items()
    }


def _shape(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), f"the number {value}")


def check_rows(tables: Tables) -> Iterator[Problem]:
    """Yield unknown rows, keys and fields, values of the wrong kind, and references to missing rows."""
    known = all_tables()
    for name, rows in tables.items():
        if name in known:
            for key, fields in rows.items():
                yield from _row(tables, name, key, fields)
        elif name not in KNOWN_TABLES:
            hint = did_you_mean(name, {*known, *KNOWN_TABLES})
            yield Problem(name, found="SONiC has no such table", wanted=hint)


class RowCheck(NamedTuple):
    """The result of checking a key, or the fields of a row, on their own; the same in every file, so it is cached.

    Faults are (field, value, what would be right), names are (field, reference, row that it must name).
    """

    form: int
    faults: tuple[tuple[str, str, str], ...]
    names: tuple[tuple[str, Ref, str], ...]


def _row(tables: Tables, table: str, key: str, fields: Fields) -> Iterator[Problem]:
    of_key = _key(table, key)
    of_fields = _fields(table, of_key.form, tuple(fields.items())) if of_key.form >= 0 else RowCheck(-1, (), ())
    for field, found, wanted in (*of_key.faults, *of_fields.faults):
        yield Problem(table, key, field, found, wanted)
    for field, reference, target in (*of_key.names, *of_fields.names):
        if not any(target in tables.get(name, ()) for name in reference.tables):
            yield _nameless(tables, Problem(table, key, field), reference, target)


def _nameless(tables: Tables, place: Problem, reference: Ref, target: str) -> Problem:
    where = " or ".join(reference.tables)
    rows = [key for table in reference.tables for key in tables.get(table, ())]
    hint = f" ({did_you_mean(target, rows)})" if 0 < len(rows) <= 12 else ""
    return replace(place, found=f"'{target}' has no row in {where}", wanted=f"a row of {where}{hint}")


@lru_cache(maxsize=1 << 16)
def _key(table: str, key: str) -> RowCheck:
    """The result for the form of a key with the fewest faults; form -1 where none has as many parts."""
    forms, parts = all_tables()[table].forms, key.split("|")
    fitting = [i for i, form in enumerate(forms) if len(form.parts) == len(parts)]
    if not fitting:
        counts = " or ".join(str(n) for n in sorted({len(form.parts) for form in forms}))
        return RowCheck(-1, (("", f"a key of {len(parts)} parts", f"{counts}, between bars"),), ())
    judged = [_parts(i, forms[i].parts, parts) for i in fitting]
    return min(judged, key=lambda found: len(found.faults))


def _parts(form: int, parts: tuple[KeyPart, ...], values: list[str]) -> RowCheck:
    names: list[tuple[str, Ref, str]] = []
    for part, value in zip(parts, values, strict=True):
        wanted = _wanted(part.check, value)
        if wanted:
            return RowCheck(form, (("", f"'{value}' in the key", wanted),), ())
        if part.ref:
            names += [("", part.ref, target) for target in part.ref.targets(value)]
    return RowCheck(form, (), tuple(names))


def _wanted(check: Check, value: str) -> str:
    """What a check wants instead of a value; "" where the value is right."""
    try:
        check(value)
    except UnwantedError as error:
        return str(error)
    return ""


@lru_cache(maxsize=1 << 16)
def _fields(table: str, form: int, items: tuple[tuple[str, str], ...]) -> RowCheck:
    fields = all_tables()[table].forms[form].fields
    return _mapping(form, fields, items) if isinstance(fields, Mapping) else _model(form, fields, dict(items))


class FieldSchema(NamedTuple):
    """The requirements on a field."""

    required: bool
    checks: tuple[Check, ...]
    ref: Ref | None


@cache
def _asked(model: Any) -> dict[str, FieldSchema]:
    """The requirements on the fields of a row, by name; `model` is the class of such rows."""

    def of(info: FieldInfo) -> FieldSchema:
        checks = tuple(cast(Check, asked.func) for asked in info.metadata if isinstance(asked, AfterValidator))
        return FieldSchema(info.is_required(), checks, next((a for a in info.metadata if isinstance(a, Ref)), None))

    return {info.alias or name: of(info) for name, info in model.model_fields.items()}


def _model(form: int, model: Any, fields: Fields) -> RowCheck:
    known = _asked(model)
    faults = [fault for name, asked in known.items() for fault in _of_field(name, asked, fields)]
    for field in (name for name in fields if name not in known):
        faults.append((field, "there is no such field here", did_you_mean(field, known) or "a row without fields"))
    refs = ((name, asked.ref, fields[name]) for name, asked in known.items() if asked.ref and name in fields)
    return RowCheck(
        form, tuple(faults), tuple((name, r, target) for name, r, value in refs for target in r.targets(value))
    )


def _of_field(field: str, asked: FieldSchema, fields: Fields) -> Iterator[tuple[str, str, str]]:
    if field not in fields:
        if asked.required:
            yield field, "the field is missing", "every such row has it"
        return
    wanted = next(filter(None, (_wanted(check, fields[field]) for check in asked.checks)), "")
    if wanted:
        yield field, "the secret" if field in SECRETS else f"'{fields[field]}'", wanted


def _mapping(form: int, mapping: Mapping, items: tuple[tuple[str, str], ...]) -> RowCheck:
    faults: list[tuple[str, str, str]] = []
    for field, value in items:
        of_field, of_value = _wanted(mapping.field, field), _wanted(mapping.value, value)
        if of_field:
            faults.append((field, f"'{field}' as a field", of_field))
        elif of_value:
            faults.append((field, f"'{value}'", of_value))
    names = ((field, mapping.ref, field) for field, _ in items) if mapping.ref else ()
    return RowCheck(form, tuple(faults), tuple(names))

"""Checks of every row of a config_db.json against SONiC's YANG models: keys, fields, values, references.

The models are the schema of `catalog/sonic_schema.py`. jsonschema validates each part of a key, the names of the fields
that a row has, and each value. Files are alike, so results are cached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator

from fabricgen.catalog.sonic_schema import Schema, list_row_schemas, load_sonic_schema, walk_types
from fabricgen.kernel.diagnostics import did_you_mean, find_nearest
from fabricgen.render.checks.problem import SECRET_KEYS, ConfigProblem, shorten
from fabricgen.render.checks.shape import Rows, Value, is_secret

UNMODELLED = frozenset(("LLR_PORT", "SNMP_TRAP_CONFIG", "VRRP", "VRRP6", "VRRP6_TRACK", "VRRP_TRACK"))
"""Tables that SONiC's commands write and its YANG models do not have (sonic-utilities@691b1bbc, config/)."""

MULTILINE = frozenset(("BANNER_MESSAGE",))
"""Tables whose texts may have line breaks; elsewhere they break what SONiC's templates write."""

CONTROL = re.compile(r"[\x00-\x1f\x7f]")

LEFT_OUT = re.compile(r"<[^<>]*>")
"""The text that a build writes in place of a redacted secret."""

LONGEST = 8192
"""Characters of a value: no model has a longer one, and patterns take a time that grows with the square of them."""

NAME = -1
"""The key that stands for the name of a field in a map."""

Place: TypeAlias = tuple[str, int | str, int | str]
"""The target of a reference: (table, parts of the key, part or field), or (table, row, field)."""


@dataclass(frozen=True, slots=True)
class JudgedValue:
    """The result for a value: its `faults`, each (found, what would be right), and the rows that it refers to.

    Each of `names` is (text, places, what else would be right): a row with this text must be at one of the places.
    """

    faults: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, tuple[Place, ...], str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RowKind:
    """The rows of a table that one schema is for: those whose keys have the same number of parts, such as
    `Vlan10|Ethernet0`, or the single row of a fixed name, such as `localhost`.
    """

    table: str
    schema: Schema

    def find_schema(self, name_or_number: str | int) -> Schema | None:
        """Return a schema of these rows: by number that of a part of the key, by name that of a field's value.

        NAME (-1) gives that of the names of fields in a map. None for an unknown field.
        """
        if isinstance(name_or_number, int):
            part: Schema = (
                self.schema["propertyNames"] if name_or_number == NAME else self.schema["x-keys"][name_or_number]
            )
            return part
        schema: Schema | None = self.schema.get("properties", {}).get(
            name_or_number, self.schema["additionalProperties"] or None
        )
        return schema


@cache
def _list_row_kinds(table: str) -> tuple[dict[str, RowKind], dict[int, RowKind]]:
    """Return the kinds of rows of a table, by name and by the number of parts of their key."""
    named = load_sonic_schema()["properties"][table].get("properties", {})
    return (
        {name: RowKind(table, row) for name, row in named.items()},
        {len(row["x-keys"]): RowKind(table, row) for row in list_row_schemas(table)},
    )


@cache
def _list_types(kind: RowKind, name_or_number: str | int) -> tuple[tuple[Draft202012Validator, Place | None], ...]:
    """Return (validator, place) of each type that a value, or an item of a list, may have.

    The place is where a value of this type refers to, None for a type that is no reference. `name_or_number` is the
    name of a field or the number of a part of the key.
    """
    schema = kind.find_schema(name_or_number) or {}
    types = walk_types(schema.get("items", schema))
    return tuple((_make_validator(plain), tuple(plain["x-ref"]) if "x-ref" in plain else None) for _, plain in types)


def _make_validator(schema: Schema) -> Draft202012Validator:
    """Return the validator of a schema."""
    return Draft202012Validator(schema)


def check_rows(rows: Rows) -> Iterator[ConfigProblem]:
    """Yield unknown tables, rows and fields, values of the wrong type, and references to missing rows."""
    schemas = load_sonic_schema()["properties"]
    targets = ReferenceTargets(rows)
    for table, keys in rows.items():
        if table in schemas:
            most = schemas[table].get("maxProperties", len(keys))
            if len(keys) > most:
                yield ConfigProblem(table, found=f"{len(keys)} rows", wanted=f"{most} at most")
            for key, fields in keys.items():
                yield from _check_row(targets, table, key, fields)
        elif table not in UNMODELLED:
            yield ConfigProblem(table, found="SONiC has no such table", wanted=did_you_mean(shorten(table), schemas))


def _check_row(targets: ReferenceTargets, table: str, key: str, fields: dict[str, Value]) -> Iterator[ConfigProblem]:
    """Yield problems with a row by itself, then references of it that lead nowhere."""
    named, by_parts = _list_row_kinds(table)
    parts = key.split("|")
    kind = named.get(key) or by_parts.get(len(parts))
    if kind is None:
        counts = " or ".join(map(str, sorted(by_parts)))
        fault = f"a key of {len(parts)} parts", f"{counts}, between bars"
        yield ConfigProblem(
            table, key, "", *(fault if by_parts else (f"'{key}' in the key", f"one of {', '.join(named)}"))
        )
        return
    judged = [] if key in named else [_judge_key(kind, key)]
    judged.append(_judge_fields(kind, tuple(fields.items())))
    for faults, names in judged:
        yield from (ConfigProblem(table, key, *fault) for fault in faults)
        yield from targets.list_missing(table, key, names)


Fault: TypeAlias = tuple[str, str, str]
"""(field or "", what was found, what would be right)."""

Name: TypeAlias = tuple[str, str, tuple[Place, ...], str]
"""(field or "", text, places of which one must have it, what else would be right)."""


@lru_cache(maxsize=1 << 16)
def _judge_key(kind: RowKind, key: str) -> tuple[tuple[Fault, ...], tuple[Name, ...]]:
    """Return (faults, names of rows that must exist) of the parts of a key."""
    parts = [_judge_value(kind, number, part) for number, part in enumerate(key.split("|"))]
    shown = "the secret" if kind.table in SECRET_KEYS else ""
    faults = (("", f"{shown or text} in the key", right) for part in parts for text, right in part.faults)
    return tuple(faults), tuple(("", *name) for part in parts for name in part.names)


@lru_cache(maxsize=1 << 16)
def _judge_fields(kind: RowKind, fields: tuple[tuple[str, Value], ...]) -> tuple[tuple[Fault, ...], tuple[Name, ...]]:
    """Return (faults, names of rows that must exist) of the fields of a row."""
    faults = list(_check_field_names(kind, frozenset(name for name, _ in fields)))
    names: list[Name] = []
    for name, value in fields:
        if "propertyNames" in kind.schema:
            judged = _judge_value(kind, NAME, name)
            faults += [(name, f"{text} as a field", right) for text, right in judged.faults]
            names += [(name, *named) for named in judged.names]
        judged = _judge_value(kind, name, value)
        faults += [
            (name, "the secret" if is_secret(kind.table, name) else text, right) for text, right in judged.faults
        ]
        names += [(name, *named) for named in judged.names]
    return tuple(faults), tuple(names)


@lru_cache(maxsize=1 << 17)
def _judge_value(kind: RowKind, name_or_number: str | int, value: Value) -> JudgedValue:
    """Return the result for a part of a key, or for a field's value; an unknown field gives an empty result."""
    schema = kind.find_schema(name_or_number)
    left_out = (
        isinstance(name_or_number, str)
        and isinstance(value, str)
        and is_secret(kind.table, name_or_number)
        and LEFT_OUT.fullmatch(value)
    )
    if schema is None or left_out:
        return JudgedValue()
    if "items" in schema:
        return _judge_list(kind, name_or_number, schema, value)
    if isinstance(value, tuple):
        return JudgedValue(((f"a list of {len(value)}", f"a string: {describe_expected(schema)}"),))
    return _judge_text(kind, name_or_number, schema, value)


def _judge_text(kind: RowKind, name_or_number: str | int, schema: Schema, text: str) -> JudgedValue:
    """Return the result for a text: a fault if it is of none of the types that it may have.

    If all types that it fits are references, one of them must have its target: the result has the names to look for.
    """
    if len(text) > LONGEST:
        return JudgedValue(((f"{len(text)} characters", f"at most {LONGEST}"),))
    types = _list_types(kind, name_or_number)
    targets = [target for validator, target in types if validator.is_valid(text)]
    if kind.table not in MULTILINE and CONTROL.search(text):
        words = describe_expected(schema)
        return JudgedValue(((repr(shorten(text)), f"one line of {words}" if words.endswith("characters") else words),))
    if not targets and None in (target for _, target in types):
        return JudgedValue(((f"'{shorten(text)}'", describe_expected(schema, text)),))
    if None in targets:
        return JudgedValue()
    alternative = describe_expected(schema, text, references=False)
    return JudgedValue(names=((text, tuple(target for _, target in types if target), alternative),))


def _judge_list(kind: RowKind, name_or_number: str | int, schema: Schema, value: Value) -> JudgedValue:
    """Return the result for a list, or for the text that SONiC writes for a list with `x-separator`.

    A list whose only item is empty has no items (sonic_yang_ext.py).
    """
    separator = schema.get("x-separator")
    if isinstance(value, str) and not separator:
        return JudgedValue(
            (
                (
                    f"'{shorten(value)}', a string",
                    f"a list, {_quote_list(value.split(','))}: {describe_expected(schema['items'])}",
                ),
            )
        )
    texts = tuple(map(str.strip, value.split(separator))) if isinstance(value, str) else value
    texts = () if texts == ("",) and "default" not in schema else texts
    judged = [_judge_text(kind, name_or_number, schema["items"], text) for text in dict.fromkeys(texts)]
    limits = {key: limit for key, limit in schema.items() if key in ("minItems", "maxItems", "uniqueItems")}
    faults = [
        _describe_list_fault(error.validator, error.validator_value, texts)
        for error in _make_validator(limits).iter_errors(list(texts))
    ]
    faults += [fault for judgement in judged for fault in judgement.faults]
    return JudgedValue(tuple(faults), tuple(name for judgement in judged for name in judgement.names))


def _describe_list_fault(rule: object, limit: int, texts: tuple[str, ...]) -> tuple[str, str]:
    """Return (found, what would be right) for a list that breaks a rule of its schema; `limit` is the rule's value."""
    if rule == "uniqueItems":
        return ", ".join(
            f"'{shorten(text)}' is there twice" for text in dict.fromkeys(texts) if texts.count(text) > 1
        ), "each once"
    return f"{len(texts)} in the list", f"{limit} at {'most' if rule == 'maxItems' else 'least'}"


def _quote_list(texts: list[str]) -> str:
    """Return the first three texts in quotes, as a JSON list."""
    return (
        "[" + ", ".join(f'"{shorten(text.strip())}"' for text in texts[:3]) + (", ..." if len(texts) > 3 else "") + "]"
    )


@lru_cache(maxsize=1 << 14)
def _check_field_names(kind: RowKind, names: frozenset[str]) -> tuple[tuple[str, str, str], ...]:
    """Return (field, found, what would be right) for each wrong field name of a row."""
    properties = kind.schema.get("properties", {})
    names_schema = {**kind.schema, "properties": dict.fromkeys(properties, True)}
    if "propertyNames" in kind.schema or _make_validator(names_schema).is_valid(dict.fromkeys(names)):
        return ()
    faults = [(name, "the field is missing", "every such row has it") for name in names_schema.get("required", ())]
    faults = [fault for fault in faults if fault[0] not in names]
    faults += [
        (name, "there is no such field here", did_you_mean(shorten(name), properties) or "a row without fields")
        for name in sorted(names - properties.keys())
    ]
    exclusive = [rule["not"]["required"] for rule in names_schema.get("allOf", ())]
    faults += [(pair[1], f"beside {pair[0]}", "one of the two") for pair in exclusive if names.issuperset(pair)]
    return tuple(faults)


@dataclass(frozen=True, slots=True)
class ReferenceTargets:
    """The rows of a file, and the values that references may have, by place, once a place was asked for."""

    rows: Rows
    values: dict[Place, set[str]] = field(default_factory=dict)

    def list_missing(self, table: str, key: str, names: tuple[Name, ...]) -> Iterator[ConfigProblem]:
        """Yield references of a row that lead nowhere."""
        for name, text, places, alternative in names:
            if not any(text in self.find_values(target) for target in places):
                tables = " or ".join(dict.fromkeys(target[0] for target in places))
                near = {value for target in places for value in self.find_values(target)}
                hint = f" ({did_you_mean(shorten(text), near)})" if 0 < len(near) <= 12 else ""
                right = f"a row of {tables}{hint}{f', or {alternative}' * bool(alternative)}"
                yield ConfigProblem(table, key, name, f"'{shorten(text)}' has no row in {tables}", right)

    def find_values(self, target: Place) -> set[str]:
        """Return the values in the file at a place that references lead to, such as the names of a table's rows."""
        if target not in self.values:
            self.values[target] = set(self._read_values(*target))
        return self.values[target]

    def _read_values(self, table: str, form: int | str, part_or_field: int | str) -> Iterator[str]:
        """Yield the values of a part of a key, or of a field.

        A part of a key is given by index, in keys of `form` parts; a field by name, in rows with the name `form`, or
        with that many parts.
        """
        for key, fields in self.rows.get(table, {}).items():
            parts = key.split("|")
            if isinstance(part_or_field, int):
                yield from parts[part_or_field : part_or_field + 1] if len(parts) == form else ()
            elif form in (key, len(parts)) and part_or_field in fields:
                value = fields[part_or_field]
                yield from (value,) if isinstance(value, str) else value


# What a schema of SONiC's asks of a value, in words.

_PREFIX = "an IP prefix with its length, such as 10.0.0.0/24"
_ADDRESS = "an IP address"
_ADDRESS_AND_LENGTH = "an IP address with a prefix length, such as 10.0.0.1/31"
_MAP_NAME = "a name of 1 to 32 letters, digits, `_` and `-`"
_VLAN = "the name of a VLAN, Vlan1 to Vlan4094"
_VRF = "a name that begins with Vrf"

NAMED = {
    "ietf-inet-types:domain-name": "a host name",
    "ietf-inet-types:host": "a host name or address",
    "ietf-inet-types:ip-address": _ADDRESS,
    "ietf-inet-types:ip-address-no-zone": _ADDRESS,
    "ietf-inet-types:ip-prefix": _PREFIX,
    "ietf-inet-types:ipv4-address": "an IPv4 address",
    "ietf-inet-types:ipv4-address-no-zone": "an IPv4 address",
    "ietf-inet-types:ipv4-prefix": "an IPv4 prefix with its length, such as 10.0.0.0/24",
    "ietf-inet-types:ipv6-address": "an IPv6 address",
    "ietf-inet-types:ipv6-address-no-zone": "an IPv6 address",
    "ietf-inet-types:ipv6-prefix": "an IPv6 prefix with its length, such as fd00::/64",
    "ietf-yang-types:mac-address": "a MAC address",
    "sonic-types:hostname": "a host name of at most 63 characters",
    "sonic-types:mac-address-list": "MAC addresses with commas between them",
    "sonic-types:sonic-ip-prefix": _ADDRESS_AND_LENGTH,
    "sonic-types:sonic-ip4-prefix": _ADDRESS_AND_LENGTH,
    "sonic-types:sonic-ip6-prefix": _ADDRESS_AND_LENGTH,
}
"""Descriptions of types that have a name."""

BY_PATTERN = {
    "": "an empty value",
    "(1[0-5]|[0-9])((-)(1[0-5]|[0-9]))?": "a queue 0 to 15, or a range such as 0-2",
    "([0-7](,[0-7])*)?": "whole numbers from 0 to 7 with commas between them",
    "6[0-3]|[1-5][0-9]?|[0-9]?": "a whole number from 0 to 63",
    "[0-7]((-)[0-7])?": "a priority group 0 to 7, or a range such as 3-4",
    "[0-7]?": "a whole number from 0 to 7",
    "[0-9]+m": "a length in metres such as 40m",
    "AUTO|([a-fA-F0-9]{2}:){9}[a-fA-F0-9]{2}": "AUTO, or ten bytes of which the first is 00",
    "PortChannel[0-9]{1,4}": "the name of a bond, PortChannelN",
    "Vrf[a-zA-Z0-9_-]+": _VRF,
    "[a-zA-Z0-9]{1}([-a-zA-Z0-9_]{0,31})": _MAP_NAME,
    "Vlan(409[0-5]|40[0-8][0-9]|[1-3][0-9]{3}|[1-9][0-9]{2}|[1-9][0-9]|[2-9])": "the name of a VLAN, Vlan2 to Vlan4095",
    "Vlan([0-9]{1,3}|[1-3][0-9]{3}|[4][0][0-8][0-9]|[4][0][9][0-4])": _VLAN,
    "Vlan[0-9]+": "the name of a VLAN, VlanN",
    "[^ #,]*": "characters without blank, # and comma",
    "[^ @:]*": "characters without blank, @ and :",
    "[^ :@,\\\\']*": "characters without blank, : @ , \\ and '",
    "version_(([1-9]|[1-9]{1}[0-9]{1})_([0-9]{1,2})_([0-9]{1,2})|([1-9]{1}[0-9]{5})_([0-9]{2}))": (
        "a schema such as version_202305_01"
    ),
    "[^\\n]+": "one line",
}
"""Descriptions of patterns of types without a name."""

_ENDS = "^(?:", r")$(?!\n)"


def describe_expected(schema: Schema, value: str = "", *, references: bool = True) -> str:
    """Describe what would be right instead of a value, with a suggestion if a right word is near to it.

    `references`: whether types that name rows are described too.
    """
    types = [(name, kind) for name, kind in walk_types(schema, NAMED) if references or "x-ref" not in kind]
    words = [word for _, kind in types for word in kind.get("enum", ())]
    descriptions = [NAMED.get(name) or _describe_type(kind) for name, kind in types if "enum" not in kind]
    near = find_nearest(value, words) if value and len(words) > 3 else None
    choices = [f"{'one of ' * (len(words) > 1 or not descriptions)}{', '.join(dict.fromkeys(words))}"] if words else []
    return " or ".join([*dict.fromkeys(descriptions), *choices]) + (f"; did you mean '{near}'?" if near else "")


def _describe_type(schema: Schema) -> str:
    """Describe the text that a schema allows, by its range, patterns and length: `at most 32 characters`."""
    if "x-range" in schema:
        return _describe_range(schema["x-range"])
    patterns = [rule["pattern"] for rule in (schema, *schema.get("allOf", ())) if "pattern" in rule]
    texts = [pattern.removeprefix(_ENDS[0]).removesuffix(_ENDS[1]) for pattern in patterns]
    length = _describe_length(schema)
    descriptions = [BY_PATTERN.get(text, f"characters like {text}") for text in texts]
    return " and ".join(re.sub("^characters", length, text) for text in descriptions) or length


def _describe_range(ranges: list[list[Any]]) -> str:
    """Describe the numbers in some ranges, each (lowest, highest): `a whole number from 1 to 4094`."""
    parts = [f"{low}" if low == high else f"from {low} to {high}" for low, high in ranges]
    whole_word = "whole " if all(isinstance(low, int) for low, _ in ranges) else ""
    return f"a {whole_word}number {' or '.join(parts)}"


def _describe_length(schema: Schema) -> str:
    """Describe how many characters a schema allows: `at most 32 characters`, or `characters` for any number."""
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    if high is None:
        return f"at least {low} characters" if low else "characters"
    return f"{low} to {high} characters" if low else f"at most {high} characters"

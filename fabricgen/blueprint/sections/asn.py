"""The language of AS numbers: of two or four bytes, in plain or dotted notation."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from fabricgen.models.forms import make_text_form

RESERVED = {
    0: "RFC 7607",
    23456: "AS_TRANS, RFC 6793",
    65535: "RFC 7300",
    4294967295: "RFC 7300",
}
"""AS numbers that nobody may use, and why."""

LAST = 4294967295

_FORM = r"\d{1,10}|\d{1,5}\.\d{1,5}"


def parse_asn(value: Any) -> int:
    """Return the AS number of a value: 65001, "65001" or, in the notation of RFC 5396, "65000.1".

    Raises ValueError, in the user's terms, for any other value and for reserved numbers.
    """
    if isinstance(value, float):
        raise ValueError(f'write an AS number with a dot in quotes: "{value}" (YAML reads it as a fraction)')
    if (
        isinstance(value, bool)
        or not isinstance(value, int | str)
        or not re.fullmatch(_FORM, str(value).strip(), re.ASCII)
    ):
        raise ValueError(f"'{value}' is not an AS number such as 4200000001 or \"64086.59905\"")
    high, _, low = str(value).strip().rpartition(".")
    if high and max(int(high), int(low)) > 65535:
        raise ValueError(f"'{value}' is not an AS number: either side of the dot is at most 65535 (RFC 5396)")
    number = int(high or 0) * 65536 + int(low)
    if number > LAST:
        raise ValueError(f"AS number {value} has more than four bytes: {LAST} is the last")
    if number in RESERVED:
        raise ValueError(f"AS number {value} is reserved ({RESERVED[number]})")
    return number


def _make_schema(form: str, meaning: str, *examples: int | str) -> dict[str, Any]:
    """Return the JSON Schema of AS numbers; as text they match `form`, a regular expression.

    `meaning` describes the form in messages. Reserved numbers are excluded if they are written as numbers, not as text.
    """
    numbers = {"type": ["integer", "string"], "minimum": 1, "maximum": LAST, "not": {"enum": sorted(RESERVED)}}
    return {**make_text_form(rf"^\s*(?:{form})\s*$", meaning), **numbers, "examples": list(examples)}


_SCHEMA = _make_schema(_FORM, 'an AS number such as 4200000001 or "64086.59905"', 4200000001, "64086.59905")
Asn = Annotated[int, BeforeValidator(parse_asn), WithJsonSchema(_SCHEMA)]
"""An AS number."""


def parse_asns(value: Any) -> tuple[int, int]:
    """Return the first and the last of a range of AS numbers such as `64512-65534` or `65000.1-65000.500`; a single
    number is both.

    Raises ValueError, in the user's terms, for ranges that run downwards or hold a reserved number.
    """
    first, dash, last = str(value).partition("-")
    if not dash or not isinstance(value, str):
        number = parse_asn(value)
        return number, number
    low, high = parse_asn(first), parse_asn(last)
    if low > high:
        raise ValueError(f"'{value}' must run upwards")
    for number, why in RESERVED.items():
        if low < number < high:
            raise ValueError(f"'{value}' holds {number}, which is reserved ({why})")
    return low, high


def _read_range(value: Any) -> str:
    """Return a range of AS numbers in plain notation. Raises ValueError for a single number."""
    first, last = parse_asns(value)
    if not isinstance(value, str) or "-" not in value:
        raise ValueError(f"'{value}' is not a range of AS numbers such as 4200000000-4200099999")
    return f"{first}-{last}"


def _read_one_or_range(value: Any) -> str:
    """Return an AS number or a range of them in its usual spelling; raises ValueError for what is neither."""
    first, last = parse_asns(value)
    return str(first) if first == last else f"{first}-{last}"


_RANGE_FORM = rf"\s*(?:{_FORM})\s*-\s*(?:{_FORM})\s*"
AsnRange = Annotated[
    str,
    BeforeValidator(_read_range),
    WithJsonSchema(
        make_text_form(
            f"^{_RANGE_FORM}$",
            "a range of AS numbers such as 4200000000-4200099999",
            "4200000000-4200099999",
            "65000.1-65000.500",
        )
    ),
]
"""A range of AS numbers, held in plain notation."""

AsnOrRange = Annotated[
    str,
    BeforeValidator(_read_one_or_range),
    WithJsonSchema(
        _make_schema(
            rf"{_FORM}|{_RANGE_FORM}",
            "an AS number, or a range of them such as 4200001000-4200001999",
            4200000000,
            "4200001000-4200001999",
        )
    ),
]
"""One AS number for all, or a range that is dealt."""

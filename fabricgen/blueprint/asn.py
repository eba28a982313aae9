"""The language of AS numbers: of two or four bytes, in plain or dotted notation."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

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
    """Read an AS number: 65001, "65001" or, in the notation of RFC 5396, "65000.1".

    Raises ValueError, in the user's terms, for what is none or is reserved.
    """
    if isinstance(value, float):
        raise ValueError(f'write an AS number with a dot in quotes: "{value}" (YAML reads it as a fraction)')
    if isinstance(value, bool) or not isinstance(value, int | str) or not re.fullmatch(_FORM, str(value).strip()):
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


_SCHEMA = {"type": ["integer", "string"], "examples": [4200000001, "64086.59905"]}
Asn = Annotated[int, BeforeValidator(parse_asn), WithJsonSchema(_SCHEMA)]
"""An AS number."""

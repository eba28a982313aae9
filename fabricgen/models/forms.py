"""Forms of text for JSON Schema: regular expressions that mean the same in ECMA-262, which editors use, and in Python.

They accept what the readers in `units` and the language accept, as far as a regular expression can say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

CATALOGUE = "x-catalogue"
"""Marks the schema of names of the catalogue, by their kind: a kind of profiles, or `nos`."""

CATALOGUE_COUNTED = "x-catalogue-counted"
"""Likewise text with a count before the name: `32 x dgx-b200`."""

UP_TO_4096 = r"0*(?:[1-9]\d{0,2}|[1-3]\d{3}|40[0-8]\d|409[0-6])"
_NOT_ZERO = r"(?=[0.]*[1-9])"
_NUMBER = r"\d+(?:\.\d+)?"
_BITS = r"(?:b(?:it)?(?:/[Ss]|[Pp][Ss])?|[Bb][Ee])?"
_WHOLE = r"0*[1-9]\d*(?:\.0+)?"
_SPEED = (
    rf"(?:{_WHOLE}(?:\s*[Gg]{_BITS})?|"  # whole Gb/s: bare or of G, of T, and of thousands of M
    rf"{_NOT_ZERO}\d+(?:\.\d{{1,3}}0*)?\s*[Tt]{_BITS}|"
    rf"0*[1-9]\d*000(?:\.0+)?\s*[Mm]{_BITS})"
)
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
IPV6 = r"(?=[^:]*:[^:]*:)[0-9A-Fa-f:]+(?::\d{1,3}(?:\.\d{1,3}){3})?"
"""The characters of one; whether its groups add up is left to the reader."""

SPEED = rf"^\s*{_SPEED}\s*$"
RATIO = rf"^\s*{_NOT_ZERO}{_NUMBER}\s*(?::\s*{_NOT_ZERO}{_NUMBER})?\s*$"
PERCENT = r"^\s*0*(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)\s*%\s*$"
COUNT_OF = rf"^\s*{UP_TO_4096}\s*[xX×]\s*\S.*$"


def count_of(names: Iterable[str]) -> str:
    """The form of a count of one of some names."""
    return rf"^\s*{UP_TO_4096}\s*[xX×]\s*(?:{'|'.join(map(re.escape, names))})\s*$"


LINKS = rf"^\s*(?:{UP_TO_4096}\s*[xX×]\s*)?{_SPEED}\s*$"
PEERS = rf"^\s*(?:{UP_TO_4096}\s*[xX×]\s*)?{_SPEED}\s*(?:per\s+su\s*)?$"
BOUND = rf"^\s*(?:[<>]=)?\s*{_NUMBER}\s*$"
SHARE_BOUND = r"^\s*(?:[<>]=)?\s*0*(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)\s*%\s*$"
SIZE = r"^[1-9][0-9]{0,12}(?:[KMGT]i?)?B?$"
NIC_MODE = rf"^\s*0*[1-8]\s*[xX×]\s*{_SPEED}\s*$"
LINE = r"^[^\x00-\x1f\x7f]*$"


def text_form(pattern: str, meaning: str, *examples: str, **more: Any) -> dict[str, Any]:
    """The JSON Schema of text of a form; `meaning` describes it, and is what editors say of text that does not fit."""
    schema = {
        "type": "string",
        "pattern": pattern,
        "description": meaning,
        "patternErrorMessage": f"expected: {meaning}",
    }
    return {**schema, **({"examples": list(examples)} if examples else {}), **more}


def one_or_list(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The JSON Schema of a value that may stand alone or in a list."""
    return {"oneOf": [schema, {"type": "array", "items": schema, **more}]}

"""Forms of text for JSON Schema: regular expressions that mean the same in ECMA-262, which editors use, and in Python.

They accept the text that the readers in `units` and the language accept, as far as a regular expression can say it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

CATALOGUE = "x-catalogue"
"""Marks the schema of names of the catalogue, by their kind: a kind of profiles, or `nos`."""

CATALOGUE_COUNTED = "x-catalogue-counted"
"""Marks the schema of text with a count before a name of the catalogue, as in `32 x dgx-b200`."""

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
"""The characters of an IPv6 address; whether its groups add up is left to the reader."""
PREFIX = rf"{IPV4}/(?=\d{{1,3}}\b)0*(?:3[0-2]|[12]?\d)|{IPV6}/(?=\d{{1,3}}\b)0*(?:12[0-8]|1[01]\d|\d{{1,2}})"

SPEED = rf"^\s*{_SPEED}\s*$"
RATIO = rf"^\s*{_NOT_ZERO}{_NUMBER}\s*(?::\s*{_NOT_ZERO}{_NUMBER})?\s*$"
PERCENT = r"^\s*0*(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)\s*%\s*$"
COUNT_OF = rf"^\s*{UP_TO_4096}\s*[xX×]\s*\S.*$"


def make_count_form(names: Iterable[str]) -> str:
    """Return a regular expression for text such as `32 x dgx-b200`: a count up to 4096, `x`, and one of some names."""
    # re.escape would write `\-`, which validators that read patterns as Unicode refuse; ids have no other signs
    choices = "|".join(name.replace(".", r"\.") for name in names)
    return rf"^\s*{UP_TO_4096}\s*[xX×]\s*(?:{choices})\s*$"


LINKS = rf"^\s*(?:{UP_TO_4096}\s*[xX×]\s*)?{_SPEED}\s*$"
PEERS = rf"^\s*(?:{UP_TO_4096}\s*[xX×]\s*)?{_SPEED}\s*(?:per\s+su\s*)?$"
BOUND = rf"^\s*(?:[<>]=)?\s*{_NUMBER}\s*$"
SHARE_BOUND = r"^\s*(?:[<>]=)?\s*0*(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)\s*%\s*$"
SIZE = r"^[1-9][0-9]{0,12}(?:[KMGT]i?)?B?$"
NIC_MODE = rf"^\s*0*[1-8]\s*[xX×]\s*{_SPEED}\s*$"
LINE = r"^[^\x00-\x1f\x7f]*$"

_NAME = r"[a-z]([a-z0-9-]{0,30}[a-z0-9])?"
TIER_NAME, VRF_NAME = rf"^{_NAME}(\.{_NAME})?$", r"^[a-z][a-z0-9-]{0,10}$"
CAGE_PURPOSE = rf"^(up|peer|down(\.{_NAME})?|extra\.{_NAME})$"
PART_PATTERN, PART = r"^[A-Za-z0-9*?][A-Za-z0-9*?._/+-]{0,79}$", r"^[A-Za-z0-9][A-Za-z0-9._/+-]{0,79}$"
SPECIFICATION, FEED = r"^[a-z0-9][a-z0-9.-]{0,79}$", r"^[A-Za-z0-9][A-Za-z0-9-]{0,15}$"
RULE_CODE, CODE_PREFIX = r"^[A-Z]{2,12}\d{3}$", r"^[A-Z]{2,12}\d{0,3}$"
LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
HOST, _STEP = rf"{LABEL}(\.{LABEL})*", "[A-Za-z0-9][A-Za-z0-9._+~-]*"
_TCP_PORT = r"(?:[0-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
URL = rf"^https?://({HOST}|\[[0-9a-fA-F:]+\])(:{_TCP_PORT})?(/[A-Za-z0-9._~-]+)*/?$"
ACCOUNT, DEVICE_FILE = r"^[a-z_][a-z0-9_-]{0,30}$", r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
IMAGE_FILE, IMAGE_VERSION = rf"^{_STEP}(/{_STEP})*$", rf"^{_STEP}$"
IMAGE_USER, SHA256 = r"^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$", "^[0-9a-f]{64}$"
TIMEZONE, CONNECTION_KEY_NAME = r"^[A-Za-z]+([_/+-][A-Za-z0-9]+)*$", r"^(?:[0-9a-f]{32}|[0-9a-f]{64})$"
CIRCUIT_ID = r"^([A-Za-z0-9 ._:/#|,=+-]|\{switch\}|\{port\}|\{alias\}|\{vlan\})+$"

IN_WORDS = {
    TIER_NAME: "a tier such as leaf, or FABRIC.TIER of another fabric, in small letters, digits and '-'",
    CAGE_PURPOSE: "down, up, peer, down.NAME or extra.NAME, names in small letters, digits and '-'",
    VRF_NAME: "a name of up to 11 small letters, digits and '-', a letter first",
    CONNECTION_KEY_NAME: "32 or 64 hexadecimal digits, in small letters",
    PART_PATTERN: "a part number without spaces, in which * and ? may stand for others",
    PART: "a part number of up to 80 letters, digits and . _ / + -, without spaces",
    SPECIFICATION: "a specification as the bill lists it, such as rack-pdu-3ph-60a-415v",
    RULE_CODE: "the code of a rule, such as FG203",
    CODE_PREFIX: "the beginning of a code, such as FG2",
    URL: "http:// or https://, a host, a port of up to 65535 and a path, without ?, @ and spaces",
    ACCOUNT: "a login name of up to 31 small letters, digits, '_' and '-', a letter or '_' first",
    DEVICE_FILE: "a file name of letters, digits and . _ -, without a folder",
    IMAGE_FILE: "a path below the URL, such as images/sonic.bin, without '/' at its start and without spaces",
    IMAGE_USER: "a model or NOS as `fabricgen catalog` has it, in small letters",
    IMAGE_VERSION: "a version of letters, digits and . _ + ~ -, without spaces",
    SHA256: "64 hexadecimal digits, in small letters",
    TIMEZONE: "a timezone by its IANA name, such as Europe/Berlin",
    CIRCUIT_ID: "letters, digits, spaces, . _ : / # | , = + - and the fields {switch}, {port}, {alias} and {vlan}",
    FEED: "a name of up to 16 letters, digits and '-'",
}
"""Form -> the words for it in messages, instead of its regular expression."""


def make_text_form(pattern: str, meaning: str, *examples: str, **more: Any) -> dict[str, Any]:
    """Return the JSON Schema of text of a form; `meaning` describes the form, also in what editors say of text that
    does not fit, and `more` are further keywords of the schema.
    """
    schema = {
        "type": "string",
        "pattern": pattern,
        "description": meaning,
        "patternErrorMessage": f"expected: {meaning}",
    }
    return {**schema, **({"examples": list(examples)} if examples else {}), **more}


def one_or_list(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the JSON Schema of a value that may stand alone or in a list; `more` are further keywords of the list."""
    return {"oneOf": [schema, {"type": "array", "items": schema, **more}]}


# The base of every model of a file.


class FrozenModel(BaseModel):
    """Unknown keys are errors, and values never change.

    What reads a model is made when the first one is read (`defer_build`): most commands read few of them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:
        """Make a model without validation, as pydantic does; a model of defaults alone is made once, since it never
        changes.
        """
        return super().model_construct(_fields_set, **values) if values or _fields_set else cls._make_usual()

    @classmethod
    @cache
    def _make_usual(cls) -> Self:
        return super().model_construct()


class FieldError(ValueError):
    """The error of a validator of a whole model about one of its keys."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key

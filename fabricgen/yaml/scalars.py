"""YAML 1.2 core-schema scalars; scalars that a YAML 1.1 reader would take for something else are refused."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeAlias

from fabricgen.kernel.diagnostics import InputError, Span, fault

CORE = "tag:yaml.org,2002:"
"""The prefix that `!!` stands for in a tag."""


@dataclass(frozen=True, slots=True)
class Include:
    """The value of `!include target`, which the reader of blueprints replaces by the content of the file."""

    target: str


Scalar: TypeAlias = str | int | float | bool | Include | None

_MAX_DIGITS = 18
_WORDS: dict[str, Scalar] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_OLD_BOOLEANS = {
    form: meaning
    for words, meaning in ((("y", "yes", "on"), "true"), (("n", "no", "off"), "false"))
    for word in words
    for form in (word, word.capitalize(), word.upper())
}
_NOT_FINITE = re.compile(r"[-+]?\.?(?:inf(?:inity)?|nan)", re.IGNORECASE)
_SEXAGESIMAL = re.compile(r"([-+]?)([0-9][0-9_]*(?::[0-5]?[0-9])+)(\.[0-9_]*)?")
_LEADING_ZERO = re.compile(r"([-+]?)0[0-9_]+")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int),
    "bool": (bool,),
    "null": (type(None),),
}


def resolve_scalar(text: str, tag: str | None, *, plain: bool, span: Span, ratios_are_text: bool = False) -> Scalar:
    """Return the value of a scalar as YAML 1.2 has it; dates stay text.

    With `ratios_are_text`, an unquoted 4:3 is text instead of an error. Raises InputError: FG004 for an unquoted scalar
    that means something else in YAML 1.1, a number out of range, NaN and infinity; FG006 for a bad tag.
    """
    if tag is None:
        return _resolve_plain(text, span, ratios_are_text) if plain else text
    if tag in ("!", CORE + "str"):
        return text
    if tag == "!include":
        return Include(text)
    name = tag.removeprefix(CORE)
    if name not in _TYPES or name == tag:
        raise make_tag_error(tag, span)
    value = _resolve_plain(text, span, ratios_are_text)
    if type(value) not in _TYPES[name]:
        raise fault("FG006", f"'{text}' is not what its tag !!{name} says", span=span)
    return float(value) if name == "float" and isinstance(value, int) else value


def make_tag_error(tag: str, span: Span) -> InputError:
    """Return the error for a tag that has no meaning where it stands."""
    shown = f"!!{tag.removeprefix(CORE)}" if tag.startswith(CORE) else tag
    if tag == "!include":
        return fault("FG006", "!include takes one file name", hint="write it like !include other.yaml", span=span)
    if tag in (CORE + "map", CORE + "seq"):
        return fault("FG006", f"this value is not what its tag {shown} says", span=span)
    return fault("FG006", f"unknown tag {shown}", hint="only !include file.yaml is known; remove the tag", span=span)


def _resolve_plain(text: str, span: Span, ratios_are_text: bool) -> Scalar:
    """Return the value of a scalar without quotes and tag. Raises InputError (FG004) if YAML 1.1 has another value."""
    if text in _WORDS:
        return _WORDS[text]
    if text in _OLD_BOOLEANS:
        meaning = _OLD_BOOLEANS[text]
        raise _make_trap_error(
            text, f"is {meaning} to YAML 1.1 readers", span, f", or {meaning} if a truth value is meant"
        )
    if text[0] in "+-.iInN" and _NOT_FINITE.fullmatch(text):
        raise _make_trap_error(text, "is no finite number", span, " if it is a name")
    return _parse_number(text, span, ratios_are_text) if text[0] in "+-.0123456789" else text


def _parse_number(text: str, span: Span, ratios_are_text: bool) -> Scalar:
    """Return a number, or the text itself if it only begins like one. Raises InputError (FG004) for traps of YAML
    1.1 and numbers out of range.
    """
    if text.isdecimal() and text.isascii() and text[0] != "0":  # most numbers are this plain
        return _parse_integer(text, span)
    if ratio := _SEXAGESIMAL.fullmatch(text):
        if ratios_are_text:
            return text
        raise _make_trap_error(text, _describe_sixties(ratio), span)
    if _LEADING_ZERO.fullmatch(text):
        raise _make_leading_zero_error(text, span)
    if _INTEGER.fullmatch(text) or _BASED.fullmatch(text):
        return _parse_integer(text, span)
    if not _FLOAT.fullmatch(text):
        return text
    value = float(text)
    if math.isinf(value):
        raise fault(
            "FG004",
            f"the number {_shorten_text(text)} is too large",
            hint="put it in quotes if it is a name",
            span=span,
        )
    return value


def _parse_integer(text: str, span: Span) -> int:
    """Return an integer of at most 18 digits, which 64 bits hold. Raises InputError (FG004) for longer ones."""
    if len(text) <= _MAX_DIGITS + 6:  # 0o and twenty-odd octal digits
        value = int(text, 0) if text[1:2] in ("o", "x") else int(text)
        if abs(value) < 10**_MAX_DIGITS:
            return value
    raise fault(
        "FG004",
        f"the number {_shorten_text(text)} has more than {_MAX_DIGITS} digits",
        hint="put it in quotes if it is a name",
        span=span,
    )


def is_sexagesimal(text: str) -> bool:
    """Whether an unquoted text is a base-60 number to YAML 1.1, as 4:3 is."""
    return _SEXAGESIMAL.fullmatch(text) is not None


def make_sexagesimal_error(text: str, span: Span) -> InputError:
    """Return the error for an unquoted value such as 4:30, which YAML 1.1 reads as a base-60 number."""
    match = _SEXAGESIMAL.fullmatch(text)
    return _make_trap_error(text, _describe_sixties(match) if match else "is a number to YAML 1.1 readers", span)


def _describe_sixties(match: re.Match[str]) -> str:
    """Return words for what YAML 1.1 makes of digits between colons: `4:3` is 243."""
    sign, sixties, fraction = match[1], match[2].replace("_", ""), (match[3] or "").replace("_", "")
    if len(sixties) > _MAX_DIGITS:
        return "is a base-60 number to YAML 1.1 readers"
    number = 0
    for part in sixties.split(":"):
        number = number * 60 + int(part)
    return f"is the number {sign.strip('+')}{number}{fraction.rstrip('.')} to YAML 1.1 readers"


def _make_leading_zero_error(text: str, span: Span) -> InputError:
    """Return the error for a number such as `010`, which is 8 to YAML 1.1 and 10 to others."""
    sign, digits = ("-" if text[0] == "-" else ""), text.lstrip("+-").replace("_", "")
    bare = digits.lstrip("0") or "0"
    octal = len(digits) <= _MAX_DIGITS and set(bare) <= set("01234567")
    reading = f"the octal number {sign}{int(digits, 8)}" if octal else "a number to some and text to other"
    return _make_trap_error(
        text, f"is {reading}{' to' if octal else ''} YAML 1.1 readers", span, f", or {sign}{_shorten_text(bare)}"
    )


def _make_trap_error(text: str, meaning: str, span: Span, otherwise: str = "") -> InputError:
    """Return the error (FG004) for an unquoted scalar that YAML reads as something else than what it looks like."""
    shown = _shorten_text(text)
    return fault("FG004", f"unquoted {shown} {meaning}", hint=f'write "{shown}" in quotes{otherwise}', span=span)


def _shorten_text(text: str) -> str:
    """Return a text cut to 40 characters."""
    return text if len(text) <= 40 else text[:37] + "..."

"""Names as patterns: the template that most names of a kind follow, and the names that follow none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_SEPARATORS = re.compile(r"([-_.])")
_DIGITS = re.compile(r"(\d+)")
_FIELD = re.compile(r"\{([a-z-]+)(?::0(\d+))?\}")
_WORDS = ("fabric", "tier", "set", "pod", "site")
"""Fields that are words, not numbers."""

MOST_STRANGE = 0.5
"""The share of names that may follow no pattern for one to be worth its word."""

Fields = Mapping[str, str | int]


class Named(NamedTuple):
    """A device: its name, what it is called without `names`, and the fields that templates of its kind have."""

    name: str
    default: str
    fields: Fields


def find_template(devices: Sequence[Named]) -> str:
    """The template that gives most of some names; "" where the usual ones do, or where none gives half of them."""
    usual = sum(device.name == device.default for device in devices)
    if usual >= (1 - MOST_STRANGE) * len(devices):
        return ""
    shapes = Counter(_split_shape(device.name) for device in devices)
    if not shapes:
        return ""
    shape = min(shapes.items(), key=lambda pair: (-pair[1], pair[0]))[0]
    alike = [device for device in devices if _split_shape(device.name) == shape]
    columns = list(zip(*(_split_name(device.name) for device in alike), strict=True))
    template = "".join(_explain_column(column, alike) for column in columns)
    if "{" not in template or None in (fits := [fill_template(template, d.fields) for d in devices]):
        return ""
    hits = sum(text == device.name for text, device in zip(fits, devices, strict=True))
    return template if hits >= (1 - MOST_STRANGE) * len(devices) and hits > usual else ""


def fill_template(template: str, fields: Fields) -> str | None:
    """A template filled in; None where a field is missing.

    Not by `str.format`: the text of templates is of names that devices tell, and may hold braces of any kind.
    """
    missing = [name for name, _ in _FIELD.findall(template) if name not in fields]
    return None if missing else _FIELD.sub(lambda field: str(fields[field[1]]).zfill(int(field[2] or 0)), template)


def _split_name(name: str) -> list[str]:
    """Words, separators and numbers of a name, by turns; empty ones kept, so that names of one shape are alike."""
    return [piece for part in _SEPARATORS.split(name) for piece in _DIGITS.split(part)]


def _split_shape(name: str) -> tuple[int, ...]:
    return tuple(
        len(_DIGITS.split(part)) if i % 2 == 0 else ord(part) for i, part in enumerate(_SEPARATORS.split(name))
    )


def _explain_column(column: Sequence[str], devices: Sequence[Named]) -> str:
    """What a piece of names is in a template: a field that it follows, else the text that most have."""
    text = Counter(column).most_common(1)[0][0]
    digits = all(piece.isdigit() for piece in column)
    order = sorted(devices[0].fields, key=lambda field: (field in ("index", "default"), field != "n"))
    for field in order:
        values = [device.fields.get(field, "") for device in devices]
        if digits and all(isinstance(value, int) for value in values):
            if len(set(column)) > 1 and _follows_field([int(piece) for piece in column], values):
                widths = {len(piece) for piece in column}
                padded = any(piece.startswith("0") for piece in column)
                return f"{{{field}:0{min(widths)}}}" if padded and min(widths) > 1 else f"{{{field}}}"
        elif field in _WORDS and not digits and text and _follows_field(column, values):
            return f"{{{field}}}"
    return text


def _follows_field(column: Sequence[object], values: Sequence[object]) -> bool:
    """Whether all but a few pieces are the values of a field."""
    return sum(a == b for a, b in zip(column, values, strict=True)) >= 0.8 * len(column)

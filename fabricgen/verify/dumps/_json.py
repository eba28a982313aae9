"""JSON of untrusted dumps: numbers stay text, so that none is too large, and a value can be located in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from json import JSONDecodeError, JSONDecoder
from typing import Any

_DECODER = JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)
_SPACE = re.compile(r"[ \t\n\r]*")
_SURROGATES = re.compile(
    r"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_LOOKS = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{"\]])')

MOST_VALUES = 12_000_000
"""The most values in a file: each takes about 70 bytes of memory, however short it is."""


class NotJsonError(Exception):
    """A text that is not JSON; `line` and `column` (from 1) are where it stops being JSON."""

    def __init__(self, line: int, column: int, why: str) -> None:
        super().__init__(why)
        self.line, self.column, self.why = line, column, why


def looks_like_json(text: str) -> bool:
    """Whether a text begins as JSON does; a bracket alone is not enough, since lines of logs begin with [ too."""
    return _LOOKS.match(text) is not None


def parse_json(text: str) -> Any:
    """Parse a JSON text; raises NotJsonError. Halves of characters (lone surrogates) become U+FFFD."""
    # counted before parsing: a small file may have very many values, and each takes far more memory than its text
    if text.count(",") + text.count("[") + text.count("{") > MOST_VALUES:
        raise NotJsonError(1, 1, f"it has more than {MOST_VALUES:,} values")
    if "\\ud" in text or "\\uD" in text:
        text = _SURROGATES.sub(lambda match: match[1] or "\\ufffd", text)
    try:
        return _DECODER.decode(text)
    except JSONDecodeError as error:
        raise NotJsonError(error.lineno, error.colno, error.msg[:1].lower() + error.msg[1:]) from None
    except RecursionError:
        raise NotJsonError(1, 1, "it is nested too deeply") from None


def describe_kind(value: Any) -> str:
    """Return what a value is, in words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value[:20]}'"
    if value is None:
        return "null"
    return "an object" if isinstance(value, dict) else "a list"


def find_path(value: Any, target: Any) -> list[str | int] | None:
    """Return the keys and indexes that lead from a value to an object or list in it; None if it is not in it."""
    if value is target:
        return []
    path: list[str | int] = []
    levels = [_list_children(value)]
    while levels:
        for key, child in levels[-1]:
            if child is target:
                return [*path, key]
            if isinstance(child, dict | list):
                # depth first without recursion, since untrusted JSON may be nested deeply
                path.append(key)
                levels.append(_list_children(child))
                break
        else:
            levels.pop()
            path = path[: len(levels) - 1]
    return None


def _list_children(value: Any) -> Iterator[tuple[str | int, Any]]:
    return iter(value.items()) if isinstance(value, dict) else iter(enumerate(value))


def locate_value(text: str, path: Sequence[str | int]) -> tuple[int, int]:
    """Return (line, column) of a value in a text that has been parsed, or of the nearest value around it; from 1."""
    position = _skip_space(text, 0)
    for step in path:
        child_position = _find_child(text, position, step)
        if child_position is None:
            break
        position = child_position
    # `rfind` gives -1 on the first line, so that columns count from 1 there, too
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def _find_child(text: str, position: int, step: str | int) -> int | None:
    """Return the position of the value of a key, or of an item of a list; None if there is no such child.

    `position` is that of the object or list, and `step` the key, or the index in the list. Of a key that is repeated,
    the last value counts.
    """
    if text[position] not in "{[":
        return None
    closing_bracket, child_position, child_index = ("}" if text[position] == "{" else "]"), None, 0
    position = _skip_space(text, position + 1)
    while text[position] != closing_bracket:
        child_key: str | int = child_index
        if closing_bracket == "}":
            child_key, position = _DECODER.raw_decode(text, position)
            position = _skip_space(text, _skip_space(text, position) + 1)
        if child_key == step:
            child_position = position
            if closing_bracket == "]":
                break
        # other values are decoded to find their ends
        _, position = _DECODER.raw_decode(text, position)
        position = _skip_space(text, position)
        if text[position] == ",":
            position = _skip_space(text, position + 1)
        child_index += 1
    return child_position


def _skip_space(text: str, position: int) -> int:
    blanks = _SPACE.match(text, position)
    return blanks.end() if blanks else position

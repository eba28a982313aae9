"""JSON of untrusted dumps: numbers stay text, so that none is too large, and a value can be found in its text again."""

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
"""The most values of a file: each takes some 70 bytes, however short it is."""


class NotJsonError(Exception):
    """A text that is not JSON, and where it ceases to be."""

    def __init__(self, line: int, column: int, why: str) -> None:
        super().__init__(why)
        self.line, self.column, self.why = line, column, why


def looks_like_json(text: str) -> bool:
    """Whether a text begins as JSON does; lines of a log begin with [ too."""
    return _LOOKS.match(text) is not None


def parse_json(text: str) -> Any:
    """The value of a JSON text; raises NotJsonError. Halves of characters (lone surrogates) become U+FFFD."""
    # counted before it is parsed: a small file may hold very many values, and each takes far more memory than its text
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
    """What a value is, in words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value[:20]}'"
    if value is None:
        return "null"
    return "an object" if isinstance(value, dict) else "a list"


def find_path(value: Any, target: Any) -> list[str | int] | None:
    """The keys that lead from a value to an object or list in it, None where it is not in it."""
    if value is target:
        return []
    path: list[str | int] = []
    levels = [_list_children(value)]
    while levels:
        for key, below in levels[-1]:
            if below is target:
                return [*path, key]
            if isinstance(below, dict | list):
                # depth first without recursion: JSON of others may be nested deeply
                path.append(key)
                levels.append(_list_children(below))
                break
        else:
            levels.pop()
            path = path[: len(levels) - 1]
    return None


def _list_children(value: Any) -> Iterator[tuple[str | int, Any]]:
    return iter(value.items()) if isinstance(value, dict) else iter(enumerate(value))


def locate_value(text: str, path: Sequence[str | int]) -> tuple[int, int]:
    """(line, column) of a value in a text that has been parsed, or of the nearest value around it."""
    at = _skip_space(text, 0)
    for step in path:
        child_at = _find_child(text, at, step)
        if child_at is None:
            break
        at = child_at
    # `rfind` gives -1 on the first line, so that columns count from 1 there, too
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _find_child(text: str, at: int, step: str | int) -> int | None:
    """Where the value of a key, or an item of a list, begins; of a key that occurs twice, the last, which counts."""
    if text[at] not in "{[":
        return None
    close, child_at, index = ("}" if text[at] == "{" else "]"), None, 0
    at = _skip_space(text, at + 1)
    while text[at] != close:
        key: str | int = index
        if close == "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip_space(text, _skip_space(text, at) + 1)
        if key == step:
            child_at = at
            if close == "]":
                break
        # a value that is not wanted is decoded to find its end
        _, at = _DECODER.raw_decode(text, at)
        at = _skip_space(text, at)
        if text[at] == ",":
            at = _skip_space(text, at + 1)
        index += 1
    return child_at


def _skip_space(text: str, at: int) -> int:
    blanks = _SPACE.match(text, at)
    return blanks.end() if blanks else at

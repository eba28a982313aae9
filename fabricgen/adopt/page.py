"""The text of a page, as a person would write it: blocks down to fabrics and tiers, and lines within them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SCHEMA = "# yaml-language-server: $schema=https://raw.githubusercontent.com/fabricgen/fabricgen/main/schemas/blueprint.schema.json"
WIDTH = 118
_PLAIN = re.compile(r"[A-Za-z][\w./*-]*|[1-9]\d*(?: x |x|G)[\w.-]*")
_WORDS = {"yes", "no", "on", "off", "true", "false", "null", "y", "n"}


def write_page(words: Mapping[str, Any], comments: Mapping[str, str] | None = None) -> str:
    """The text of a page; `comments` are lines above the words at the top, by word ("" for the head)."""
    comments = comments or {}
    lines = [f"# {line}" for line in comments.get("", "").splitlines()]
    for key, value in words.items():
        if key.startswith("_"):
            continue
        lines += [f"# {line}" for line in comments.get(key, "").splitlines()]
        lines += _write_entry(key, value, 0)
    return "\n".join(lines) + "\n"


def _write_entry(key: str, value: Any, depth: int) -> list[str]:
    """A key and its value: on a line where it fits and is not the way to a tier, else as a block."""
    indent = "  " * depth
    line = f"{indent}{_write_scalar(key)}: {write_flow(value)}"
    is_block = isinstance(value, Mapping) and bool(value) and (key == "fabrics" or _holds_tiers(value))
    if not is_block and (len(line) <= WIDTH or not isinstance(value, Mapping | list)):
        return [line]
    if isinstance(value, list):
        return [f"{indent}{_write_scalar(key)}:", *(f"{indent}  - {write_flow(item)}" for item in value)]
    inner = [text for name, part in value.items() for text in _write_entry(name, part, depth + 1)]
    return [f"{indent}{_write_scalar(key)}:", *inner]


def _holds_tiers(value: Mapping[str, Any]) -> bool:
    """Whether a mapping is a fabric with tiers, or its tiers."""
    return "tiers" in value or any(isinstance(part, Mapping) and "switch" in part for part in value.values())


def write_flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_write_scalar(key)}: {write_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(write_flow(part) for part in value) + "]"
    return _write_scalar(value)


def _write_scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    text = str(value)
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def count_words(words: Mapping[str, Any]) -> int:
    """The length of a page: its keys and single values, each one word."""
    total = 0
    for key, value in words.items():
        if not key.startswith("_"):
            total += 1 + _count(value)
    return total


def _count(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(1 + _count(part) for part in value.values())
    if isinstance(value, list | tuple):
        return sum(_count(part) for part in value)
    return 1

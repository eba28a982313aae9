"""Text that goes into configurations: what a value may not do is start a line or leave its place."""

from __future__ import annotations

import json
import re
from functools import lru_cache

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+-]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@lru_cache(maxsize=1 << 15)
def json_text(text: str) -> str:
    """The inside of a JSON string: quotes, backslashes and control characters escaped, ASCII only."""
    return json.dumps(text)[1:-1]


@lru_cache(maxsize=1 << 15)
def yaml_text(text: str) -> str:
    """The inside of a double-quoted scalar of YAML: as JSON has it, but that it takes no pairs of surrogates."""
    if text.isascii():
        return json_text(text)
    return "".join(f"\\U{ord(letter):08x}" if letter > "\uffff" else json_text(letter) for letter in text)


@lru_cache(maxsize=1 << 15)
def token(text: str) -> str:
    """A single word of a command line: a host name, port or model; printed as it is.

    Raises ValueError for anything that could end the word. The catalogue and the blueprint restrict such names, so
    this fails only where one of them has a hole.
    """
    if not _TOKEN.fullmatch(text):
        raise ValueError(f"{text!r} cannot be a word of a configuration line")
    return text


def one_line(text: str, limit: int = 240) -> str:
    """Free text for a `description`: one line of printable ASCII without control characters, cut at `limit`.

    EOS and FRR take the rest of the line as it is, quotes included; only a line break could begin a command. A question
    mark asks the EOS parser for help when a configuration is pasted, so it becomes a full stop.
    """
    if not text.isascii() or not text.isprintable():
        text = _CONTROL.sub(" ", text).encode("ascii", "replace").decode()
    flat = text.replace("?", ".")
    return " ".join(flat.split())[:limit] or "-"

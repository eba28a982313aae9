"""Escaping of values in configurations, so that no value can start a line or end the word or string that it is in."""

from __future__ import annotations

import json
import re
from functools import lru_cache

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+-]*")
_WORD = re.compile(r"[!->@-~]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@lru_cache(maxsize=1 << 15)
def escape_json(text: str) -> str:
    """Return text escaped for the inside of a JSON string: quotes, backslashes, control and non-ASCII characters."""
    return json.dumps(text)[1:-1]


@lru_cache(maxsize=1 << 15)
def escape_yaml(text: str) -> str:
    """Return text escaped for the inside of a double-quoted YAML scalar: as in JSON, but without surrogate pairs."""
    if text.isascii():
        return escape_json(text)
    return "".join(f"\\U{ord(letter):08x}" if letter > "\uffff" else escape_json(letter) for letter in text)


@lru_cache(maxsize=1 << 15)
def require_token(text: str) -> str:
    """Return a single word of a command line unchanged, such as a host name, port or model.

    Raises ValueError for characters that could end the word. Catalogue and blueprint already restrict such names; this
    is a second line of defence.
    """
    if not _TOKEN.fullmatch(text):
        raise ValueError(f"{text!r} cannot be a word of a configuration line")
    return text


@lru_cache(maxsize=1 << 10)
def require_word(text: str) -> str:
    """Return a single word that may have more characters than a name, such as a key or a hash, unchanged.

    Raises ValueError for anything but printable ASCII without blanks, and for a question mark, which asks the EOS
    parser for help. The error does not repeat the word, as it may be a secret.
    """
    if not _WORD.fullmatch(text):
        raise ValueError("a value cannot be a word of a configuration line")
    return text


def split_lines(text: str) -> list[str]:
    """Return the lines of a text such as a banner, in printable ASCII, split at any kind of line break."""
    return [_CONTROL.sub(" ", line).encode("ascii", "replace").decode().rstrip() for line in text.splitlines()]


def make_one_line(text: str, limit: int = 240) -> str:
    """Return free text for a `description`: one line of printable ASCII, cut at `limit` characters.

    EOS and FRR take the rest of the line literally, including quotes; only a line break could begin a command. A
    question mark asks the EOS parser for help when a configuration is pasted, so it becomes a full stop.
    """
    if not text.isascii() or not text.isprintable():
        text = _CONTROL.sub(" ", text).encode("ascii", "replace").decode()
    flat = text.replace("?", ".")
    return " ".join(flat.split())[:limit] or "-"

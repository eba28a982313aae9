"""A configuration of Junos as statements, whatever form it is shown in: braces, `set` lines or JSON.

A statement is what a line of `show configuration | display set` says behind `set`: words from the top down. A list in
brackets is a statement for each of its values. `words.yaml` has what of Junos's words is needed to make the forms one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import Any, TypeAlias

from ruamel.yaml import YAML

from fabricgen.running.tree import UnknownTextError

Words: TypeAlias = tuple[str, ...]

MOST_DEEP = 40
"""More levels than Junos has."""

_TOKEN = re.compile(r'/\*.*?\*/|##?[^\n]*|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"[^"]*")*\)|[{};\[\]]|[^\s{};\[\]"]+', re.S)
_SET = re.compile(r"^(?:set|deactivate|activate|protect|delete) ", re.M)
_PLAIN = re.compile(r'[^\s{};\[\]"#()]+')


@cache
def load_words() -> Mapping[str, Any]:
    """What `words.yaml` says."""
    content: Mapping[str, Any] = YAML(typ="safe").load(
        FilePath(__file__).parents[1].joinpath("words.yaml").read_bytes()
    )
    return content


def read_lines(text: str) -> list[Words]:
    """The statements of a configuration in their order; raises UnknownTextError for text that is none."""
    if text.lstrip()[:1] in ("{", "["):
        return list(_of_json(json.loads(text)))
    if _SET.search(text):
        text = "".join(f"{_as_statement(line)};\n" for line in text.splitlines() if _SET.match(line))
    return [line for found in _of_braces(text) for line in _split(found)]


def _as_statement(line: str) -> str:
    verb, _, rest = line.partition(" ")
    return rest if verb == "set" else f"{verb}: {rest}"


def _of_braces(text: str) -> Iterator[Words]:
    above: list[Words] = [()]
    filled: list[bool] = [True]  # whether each level has a statement: a stanza without one is one itself
    words: list[str] = []
    values: list[str] | None = None  # of a list in brackets
    for piece in _TOKEN.findall(text):
        if piece.startswith(("/*", "#")) or piece == "]":
            continue
        if piece == "[":
            values = []
        elif piece == "{":
            if len(above) > MOST_DEEP:
                raise UnknownTextError(f"more than {MOST_DEEP} levels of braces")
            filled[-1] = True
            above.append((*above[-1], *words))
            filled.append(False)
            words = []
        elif piece == ";":
            filled[-1] = True
            stem = (*above[-1], *words)
            yield from [stem] if values is None else [(*stem, value) for value in values]
            words, values = [], None
        elif piece == "}":
            if len(above) < 2 or words:
                raise UnknownTextError("a brace closes what none has opened, or a statement is not ended")
            if not filled.pop():
                yield above[-1]
            above.pop()
        else:
            (words if values is None else values).append(_unquoted(piece))
    if len(above) > 1 or words:
        raise UnknownTextError("a brace is not closed, or a statement not ended")


def _unquoted(piece: str) -> str:
    if piece.startswith('"'):
        return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], piece[1:-1])
    return " ".join(piece.split())


def quote(word: str) -> str:
    """A word as braces and `set` lines have it."""
    if _PLAIN.fullmatch(word) or re.fullmatch(r"\(.*\)", word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _split(words: Words) -> Iterator[Words]:
    """The statements that one line comes to: several where the leaves of a list stand in it."""
    for at, word in enumerate(words):
        if form := load_words()["oneliner"].get(word):
            start = at + 1 + form["names"]
            stem, rest = words[:start], list(words[start:])
            known = {*form["values"], *form["words"]}
            if len(rest) > 2 and rest[0] in known:
                while rest:
                    taken = 2 if rest[0] in form["values"] else 1
                    yield (*stem, *rest[:taken])
                    rest = rest[taken:]
                return
    yield words


def _of_json(data: Any) -> Iterator[Words]:
    """The statements of JSON as Junos shows it: each value of a leaf is a text, a number or, without one, [null]."""
    if isinstance(data, list):
        data = data[0] if data else {}
    whole = data.get("configuration", data) if isinstance(data, dict) else None
    if isinstance(whole, list):
        whole = whole[0] if whole else {}
    if not isinstance(whole, dict):
        raise UnknownTextError("JSON without a configuration")
    yield from _below(whole, (), "", 0)


def _below(row: Mapping[str, Any], above: Words, parent: str, depth: int) -> Iterator[Words]:
    if depth > MOST_DEEP:
        raise UnknownTextError(f"more than {MOST_DEEP} levels of JSON")
    # attributes, and the key of a list, which is among the words above, are no statements
    below = {n: v for n, v in row.items() if not n.startswith("@") and not (n == "name" and depth)}
    for name, value in below.items():
        words = (*above, *_said(parent, name))
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, dict):
                yield words if each is None or each is True else (*words, str(each))
            elif name in load_words()["flat"] and "name" not in each:
                yield (*words, *(word for field, one in each.items() for word in (*_said(name, field), *_leaf(one))))
            else:
                key = (str(each["name"]),) if "name" in each else ()
                yield from _below(each, (*words, *key), name, depth + 1)
    if not below:
        yield above


def _said(parent: str, name: str) -> Words:
    """A name of JSON as the command line has it: not at all, for some."""
    return () if [parent, name] in load_words()["unsaid"] else (name.removeprefix("ieee-") if name == LAG else name,)


def _leaf(value: Any) -> Words:
    """What a leaf says beside its name."""
    one = value[0] if isinstance(value, list) and value else value
    return () if one in (None, "", []) or one is True else (str(one),)


LAG = "ieee-802.3ad"
"""YANG and JSON begin no name with a digit; the command line has it without `ieee-`."""

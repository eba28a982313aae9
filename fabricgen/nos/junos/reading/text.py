"""A configuration of Junos as statements, whatever form it is shown in (braces, `set` lines or JSON), and as lines that
rules read.

A statement is what a line of `show configuration | display set` says behind `set`: words from the top down. A list in
brackets is a statement for each of its values. `words.yaml` has what of Junos's words is needed to make the forms one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from operator import attrgetter
from pathlib import Path as FilePath
from typing import Any, TypeAlias

from ruamel.yaml import YAML

from fabricgen.running.tree import Line, LineRules, Section, State, UnknownTextError

Words: TypeAlias = tuple[str, ...]

MOST_DEEP = 40
"""More levels than Junos has."""

_TOKEN = re.compile(r'/\*.*?\*/|##?[^\n]*|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"[^"]*")*\)|[{};\[\]]|[^\s{};\[\]"]+', re.S)
_SET = re.compile(r"^(?:set|deactivate|activate|protect|delete) ", re.M)
_PLAIN = re.compile(r'[^\s{};\[\]"#()]+')


@cache
def load_words() -> Mapping[str, Any]:
    """Return what `words.yaml` says, by its keys."""
    content: Mapping[str, Any] = YAML(typ="safe").load(
        FilePath(__file__).parents[1].joinpath("words.yaml").read_bytes()
    )
    return content


def read_lines(text: str) -> list[Words]:
    """Return the statements of a configuration in their order; raises UnknownTextError for text that has none."""
    if text.lstrip()[:1] in ("{", "["):
        return list(_parse_json(json.loads(text)))
    if _SET.search(text):
        text = "".join(f"{_as_statement(line)};\n" for line in text.splitlines() if _SET.match(line))
    return [line for statement in _parse_braces(text) for line in _split_oneliner(statement)]


def _as_statement(line: str) -> str:
    """Return a line of `display set` as a statement: without `set`, and with any other verb as its first word."""
    verb, _, rest = line.partition(" ")
    return rest if verb == "set" else f"{verb}: {rest}"


def _parse_braces(text: str) -> Iterator[Words]:
    """Yield the statements of a configuration in braces.

    Raises UnknownTextError for braces that do not match or lie too deep.
    """
    open_stanzas: list[Words] = [()]
    has_statements: list[bool] = [True]  # whether each level has a statement: a stanza without one is one itself
    line_words: list[str] = []
    values: list[str] | None = None  # of a list in brackets
    for piece in _TOKEN.findall(text):
        if piece.startswith(("/*", "#")) or piece == "]":
            continue
        if piece == "[":
            values = []
        elif piece == "{":
            if len(open_stanzas) > MOST_DEEP:
                raise UnknownTextError(f"more than {MOST_DEEP} levels of braces")
            has_statements[-1] = True
            open_stanzas.append((*open_stanzas[-1], *line_words))
            has_statements.append(False)
            line_words = []
        elif piece == ";":
            has_statements[-1] = True
            stem = (*open_stanzas[-1], *line_words)
            yield from [stem] if values is None else [(*stem, value) for value in values]
            line_words, values = [], None
        elif piece == "}":
            if len(open_stanzas) < 2 or line_words:
                raise UnknownTextError("a brace closes what none has opened, or a statement is not ended")
            if not has_statements.pop():
                yield open_stanzas[-1]
            open_stanzas.pop()
        else:
            (line_words if values is None else values).append(remove_quotes(piece))
    if len(open_stanzas) > 1 or line_words:
        raise UnknownTextError("a brace is not closed, or a statement not ended")


def remove_quotes(piece: str) -> str:
    """Return a word of braces or `set` lines without quotes and escapes; several blanks in a plain word become one."""
    if piece.startswith('"'):
        return re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], piece[1:-1])
    return " ".join(piece.split())


def quote_word(word: str) -> str:
    """Return a word as braces and `set` lines have it: in quotes if it has blanks or signs of the syntax."""
    if _PLAIN.fullmatch(word) or re.fullmatch(r"\(.*\)", word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _split_oneliner(words: Words) -> Iterator[Words]:
    """Yield the statements of one line: several, each with the words before the list, if the line has several leaves of
    a list (`oneliner` in words.yaml).
    """
    for position, word in enumerate(words):
        if form := load_words()["oneliner"].get(word):
            start = position + 1 + form["names"]
            stem, leaf_words = words[:start], list(words[start:])
            leaves = {*form["values"], *form["words"]}
            if form.get("begins") and len(leaf_words) > 1 and leaf_words[0] not in leaves:
                yield (*stem, leaf_words[0])
                yield from ((*stem, word) for word in leaf_words[1:])
                return
            # two words at most are one statement, and stay on one line
            if len(leaf_words) > 2 and leaf_words[0] in leaves:
                while leaf_words:
                    length = 2 if leaf_words[0] in form["values"] else 1
                    yield (*stem, *leaf_words[:length])
                    leaf_words = leaf_words[length:]
                return
    yield words


def _parse_json(data: Any) -> Iterator[Words]:
    """Yield the statements of JSON as Junos shows it: each leaf is a list of texts or numbers, or [null] without a
    value.

    Raises UnknownTextError for JSON without a configuration.
    """
    # Junos puts single values into lists
    if isinstance(data, list):
        data = data[0] if data else {}
    configuration = data.get("configuration", data) if isinstance(data, dict) else None
    if isinstance(configuration, list):
        configuration = configuration[0] if configuration else {}
    if not isinstance(configuration, dict):
        raise UnknownTextError("JSON without a configuration")
    yield from _parse_json_row(configuration, (), "", 0)


def _parse_json_row(row: Mapping[str, Any], path: Words, parent: str, depth: int) -> Iterator[Words]:
    """Yield the statements of one object of Junos's JSON as words; a list is a statement for each element.

    `path` are the words that lead to the object, `parent` the last name among them, and `depth` the number of objects
    above it. An object without settings is a statement itself. Raises UnknownTextError for more than MOST_DEEP objects
    in each other.
    """
    if depth > MOST_DEEP:
        raise UnknownTextError(f"more than {MOST_DEEP} levels of JSON")
    # attributes, and the key of a list, which is among the words above, are no statements
    settings = {n: v for n, v in row.items() if not n.startswith("@") and not (n == "name" and depth)}
    for name, value in settings.items():
        setting_path = (*path, *_spell_name(parent, name))
        for element in value if isinstance(value, list) else [value]:
            if not isinstance(element, dict):
                yield setting_path if element is None or element is True else (*setting_path, str(element))
            elif name in load_words()["flat"] and "name" not in element:
                yield (
                    *setting_path,
                    *(
                        word
                        for field, leaf in element.items()
                        for word in (*_spell_name(name, field), *_spell_leaf(leaf))
                    ),
                )
            else:
                element_key = (str(element["name"]),) if "name" in element else ()
                yield from _parse_json_row(element, (*setting_path, *element_key), name, depth + 1)
    if not settings:
        yield path


def _spell_name(parent: str, name: str) -> Words:
    """Return the words of the command line for a name of JSON below `parent`: none for names that it leaves out."""
    return () if [parent, name] in load_words()["unsaid"] else (name.removeprefix("ieee-") if name == LAG else name,)


def _spell_leaf(value: Any) -> Words:
    """Return the words that a leaf of JSON has behind its name."""
    text = value[0] if isinstance(value, list) and value else value
    return () if text in (None, "", []) or text is True else (str(text),)


LAG = "ieee-802.3ad"
"""YANG and JSON begin no name with a digit; the command line has it without `ieee-`."""


# Statements as lines without sections: each rule sees the words below those that led to it.

ROOT = Section("")


def make_lines(statements: Iterable[Words]) -> Iterator[Any]:
    """Yield a line, with no lines below it, for each statement; words with blanks are in quotes."""
    yield from (Section(" ".join(map(quote_word, words)), [], ROOT) for words in statements)


def pass_on(rules: LineRules, line: Any, last_words: str, *state: Any) -> None:
    """Have rules read the end of a line, `last_words`, as a line of its own below the words before it."""
    head = Section(line.text.removesuffix(last_words).rstrip(), [], line.above)
    tail: Any = Section(last_words, [], head)
    rules.read([tail], *state)


def pass_on_lines(rules: LineRules, stems: Mapping[str, tuple[LineRules, str]]) -> None:
    """Add patterns of lines whose last words are read by other rules: `stems` maps each pattern to (rules, path).

    The last group of the pattern is these words. The rules read them into the part of the state's first object that the
    path leads to, such as `routing.table`.
    """
    for pattern, (rules_below, path) in stems.items():
        rules.add_taker(pattern, partial(_pass_rest, rules_below, attrgetter(path)))


def _pass_rest(
    rules: LineRules, find_part: Callable[[Any], Any], state: State, line: Line, groups: tuple[Any, ...]
) -> None:
    """Have rules read the last group of a line, into the part of the state's first object that `find_part` returns."""
    pass_on(rules, line, groups[-1], find_part(state[0]))

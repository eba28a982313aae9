"""Commands in snippets, read as the CLI of a switch reads them: words may be abbreviated, and stand in a mode.

A pattern is a row of words, each matched against a word of the line; what follows in the line may be anything:

- `shut~down`: `shut`, `shutd`, ... `shutdown`; a word without `~` must be whole
- `no|default`: either; `!5|7`: any word but these
- `Loopback0*`: as in file names; `*` any word, `**` any words or none
- `et~hernet#`: the name of an interface, abbreviated or not, with its number in the word, the next word, or missing
- `<9000`: a number below; `$` the end of the line
- `int~erface et~hernet# > shut~down`: the second row, in the mode that the first opens

Trees are read the same way: the words are the keys and then the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from fabricgen.blueprint.sections.configuration import Snippet

_MODES = ("int~erface", "rou~ter", "ma~nagement", "add~ress-family", "vlan", "acl", "control~-plane")
"""First words that open a mode in EOS and FRR, with which a line need not be indented to stand in it."""
_LEAVE = frozenset({"exit", "end", "!"})


class Command(NamedTuple):
    """A line with the lines in whose mode it stands, outermost first; for a tree its keys and value, in no mode."""

    text: str
    words: tuple[str, ...]
    modes: tuple[tuple[str, ...], ...] = ()

    def matches(self, pattern: str) -> bool:
        """Whether a pattern (see the module) matches."""
        *modes, last = (part.split() for part in pattern.split(" > "))
        if not _matches(self.words, last):
            return False
        return all(any(_matches(mode, wanted) for mode in self.modes) for wanted in modes)


def commands(snippet: Snippet) -> Iterator[Command]:
    """The lines of a snippet, or the values of its tree."""
    if snippet.tree is None:
        return _lines((snippet.text or "").splitlines(), snippet.at or "")
    return _values(snippet.tree, ())


def _lines(lines: Iterable[str], place: str) -> Iterator[Command]:
    first: list[tuple[int, tuple[str, ...]]] = [(-1, ("router", "bgp"))] if place == "bgp" else []
    modes = list(first)
    for line in lines:
        words, indent = tuple(line.split()), len(line) - len(line.lstrip())
        if not words or words[0].startswith(("!", "#")) or words[0] in _LEAVE:
            modes = list(first) if words else modes
            continue
        opens = any(_fits(words[0], mode) for mode in _MODES)
        modes = [(depth, mode) for depth, mode in modes if depth < indent or (depth == indent and not opens)]
        yield Command(line.strip(), words, tuple(mode for _, mode in modes))
        if opens:
            modes.append((indent, words))


def _values(tree: Any, keys: tuple[str, ...]) -> Iterator[Command]:
    if isinstance(tree, Mapping) and tree:
        for key, value in tree.items():
            yield from _values(value, (*keys, str(key)))
    elif isinstance(tree, list):
        for value in tree:
            yield from _values(value, keys)
    else:
        value = "null" if tree is None else "{}" if tree == {} else str(tree)
        value = value.lower() if isinstance(tree, bool) else value
        yield Command("/".join(keys), (*keys, value))


def _matches(words: tuple[str, ...], pattern: list[str]) -> bool:
    """Whether words begin with what a pattern says."""
    if not pattern:
        return True
    if pattern[0] == "$":
        return not words
    if pattern[0] == "**":
        return any(_matches(words[skipped:], pattern[1:]) for skipped in range(len(words)))
    return bool(words) and _fits(words[0], pattern[0]) and _matches(words[1:], pattern[1:])


def _fits(word: str, wanted: str) -> bool:
    if wanted == "*":
        return True
    if wanted.startswith("!"):
        return not any(_fits(word, each) for each in wanted[1:].split("|"))
    if wanted.startswith("<"):
        return word.isdecimal() and int(word[:9]) < int(wanted[1:])
    return any(_is(word, each) for each in wanted.split("|"))


def _is(word: str, wanted: str) -> bool:
    if wanted.endswith("#"):
        word, wanted = re.split(r"\d", word, maxsplit=1)[0].lower(), wanted[:-1]
    shortest, tilde, rest = wanted.partition("~")
    if tilde:
        return word.startswith(shortest) and (shortest + rest).startswith(word)
    return fnmatchcase(word, wanted) if "*" in wanted else word == wanted

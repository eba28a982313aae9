"""Statements of Junos as lines that rules read, from the top down: each rule sees what stands below its own words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fabricgen.nos.junos.reading.text import Words, quote_word
from fabricgen.running.tree import LineRules, Section

ROOT = Section("")


def as_lines(statements: Iterable[Words]) -> Iterator[Any]:
    """A line without anything below it for each statement; words with blanks are in quotes."""
    yield from (Section(" ".join(map(quote_word, words)), [], ROOT) for words in statements)


def pass_on(rules: LineRules, line: Any, rest: str, *state: Any) -> None:
    """Have the rest of a line read by the rules of what is below its first words."""
    above = Section(line.text.removesuffix(rest).rstrip(), [], line.above)
    below: Any = Section(rest, [], above)
    rules.read([below], *state)


def remove_quotes(word: str) -> str:
    """A word without the quotes that `as_lines` gives it."""
    if not word.startswith('"'):
        return word
    return word[1:-1].replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")

"""A configuration of Junos as statements in one spelling, and as text again (`reading/text.py`, `words.yaml`).

The path of a statement are its words, and its value the last of them where that belongs to a leaf of one value. What
no table knows is a statement in its own words: nothing is passed over but comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from fabricgen.nos.junos.reading.text import Words, load_words, quote_word, read_lines
from fabricgen.running.statements import Path, Statements

FILE = "juniper.conf"

FILES = (FILE,)
ORDER = "order of "
"""The beginning of the single path step that states the order of statements that are tried in turn."""


def read_statements(files: Mapping[str, str]) -> Statements:
    """Return the statements of a switch's one file in the order of its lines, followed by those of order
    (`_list_orders`).

    If several lines have one path, their values are joined by "; ".
    """
    statements: Statements = {}
    lines = [_name_statement(words) for words in read_lines(files[FILE])]
    for path, value in lines:
        statements[path] = value if statements.get(path, value) == value else f"{statements[path]}; {value}"
    return statements | dict(_list_orders(path for path, _ in lines))


def _name_statement(words: Words) -> tuple[Path, str]:
    """Return the path of a statement and its value, "" for none."""
    words_known = load_words()
    leaf = words_known["becomes"].get(words[-2], words[-2]) if len(words) > 1 else ""
    return ((*words[:-2], leaf), words[-1]) if leaf in words_known["values"] else (words, "")


@cache
def _compile_ordered() -> re.Pattern[str]:
    return re.compile(f"({'|'.join(load_words()['ordered'])}) .*")


def _list_orders(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield (path, names joined by commas) for each list whose entries a switch tries in turn, such as the terms of a
    policy.

    Lists of one entry are left out.
    """
    names_of_stem: dict[str, dict[str, None]] = {}
    for path in paths:
        if match := _compile_ordered().match(" ".join(path)):
            names_of_stem.setdefault(match[1], {})[path[len(match[1].split())]] = None
    yield from (((ORDER + stem,), ", ".join(names)) for stem, names in names_of_stem.items() if len(names) > 1)


def files_of(statements: Statements) -> dict[str, str]:
    """Return the one file that says the same to Junos's reader: a statement a line."""
    lines = ((*path, value) if value else path for path, value in statements.items() if not path[0].startswith(ORDER))
    return {FILE: "".join(f"{' '.join(map(quote_word, line))};\n" for line in lines)}

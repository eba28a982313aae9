"""Read Juniper's validated designs of AI data centres: `python -m tools.juniper_designs FOLDER`.

FOLDER is a checkout of github.com/Juniper/jvd. Tells which of their statements neither the reader of Junos nor
docs/junos.md knows, which entries of that page none of them needs any more, and which configurations become other
statements from braces than from `set` lines. Ends with 1 where there is any.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import click

from fabricgen.nos.junos.reader import STANZAS, JunosBox
from fabricgen.nos.junos.reading.text import Words, make_lines, read_lines
from fabricgen.nos.junos.statements import FILE, files_of, read_statements
from fabricgen.running.tree import tolerate_unknown_text

PAGE = Path(__file__).resolve().parent.parent / "docs" / "junos.md"
DESIGNS = "data_center/aidc/*/configuration/conf/*.conf"


def list_known_patterns(page: str) -> list[str]:
    """The statements, with `*` for any words, that a page says the reader does not know."""
    return re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)


def is_unknown(words: Words) -> bool:
    """Whether no rule of the reader knows a statement."""
    if words[0] not in STANZAS:
        return True
    with tolerate_unknown_text() as notes:
        STANZAS[words[0]].read(list(make_lines([words[1:]])), JunosBox())
    return bool(notes.unknown)


def find_faults(texts: Iterable[str], patterns: Sequence[str]) -> Iterator[str]:
    """Yield each statement that nobody knows, each pattern that matches none, and each text that its lines change."""
    unknown: set[str] = set()
    for text in texts:
        unknown |= {" ".join(words) for words in read_lines(text) if is_unknown(words)}
        statements = read_statements({FILE: text})
        braces = files_of(statements)
        lines = "".join(f"set {line[:-1]}\n" for line in braces[FILE].splitlines())
        if not read_statements(braces) == statements == read_statements({FILE: lines}):
            yield f"braces and lines differ: {text[:60]!r}"
    for statement in sorted(unknown):
        if not any(fnmatchcase(statement, pattern) for pattern in patterns):
            yield f"not known: {statement}"
    for pattern in patterns:
        if not any(fnmatchcase(statement, pattern) for statement in unknown):
            yield f"nothing is: {pattern}"


def main() -> None:
    """Read all configurations of a folder."""
    parser = argparse.ArgumentParser(prog="python -m tools.juniper_designs", description=__doc__)
    parser.add_argument("folder", type=Path, help="a checkout of github.com/Juniper/jvd")
    files = sorted(parser.parse_args().folder.glob(DESIGNS))
    faults = list(find_faults((file.read_text() for file in files), list_known_patterns(PAGE.read_text())))
    for fault in faults:
        click.echo(fault)
    click.echo(f"{len(files)} configurations, {len(faults)} faults")
    raise SystemExit(1 if faults or not files else 0)


if __name__ == "__main__":
    main()

"""How the figures of a report came about, in short lines for people: formula, constants and source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap

WIDTH = 110
"""Columns of a line."""

Reckoning = tuple[str, tuple[str, ...]]
"""(heading: `formula`, `source` or what constants are of; what it says, an item a line)."""


def format_reckonings(rows: Iterable[Reckoning]) -> Iterator[str]:
    """Yield the lines of formulas, constants and sources, with the items of each below each other."""
    for kind, texts in rows:
        head = f"  {f'{kind}:':<11}"
        below = " " * len(head)
        for number, text in enumerate(texts):
            yield from wrap(
                text,
                WIDTH,
                initial_indent=below if number else head,
                subsequent_indent=f"{below}  ",
                break_long_words=False,
                break_on_hyphens=False,
            )


def cite_sources(sources: Mapping[str, str]) -> tuple[str, ...]:
    """Return a line for each source, with the names of all that is from it; a source ends at its first semicolon."""
    names_by_source: dict[str, list[str]] = {}
    for name, source in sources.items():
        names_by_source.setdefault(source.partition(";")[0], []).append(name)
    return tuple(f"{', '.join(names)}: {source}" for source, names in names_by_source.items())

"""How the figures of a report came about, in short lines for people: formula, constants and source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap

WIDTH = 110
"""Columns of a line."""

Reckoning = tuple[str, tuple[str, ...]]
"""(formula, constants or source; what it says, an item a line)."""


def reckoned(rows: Iterable[Reckoning]) -> Iterator[str]:
    """Lines of formulas, constants and sources, their items below each other."""
    for kind, items in rows:
        head = f"  {f'{kind}:':<11}"
        below = " " * len(head)
        for number, item in enumerate(items):
            yield from wrap(
                item,
                WIDTH,
                initial_indent=below if number else head,
                subsequent_indent=f"{below}  ",
                break_long_words=False,
                break_on_hyphens=False,
            )


def cited(sources: Mapping[str, str]) -> tuple[str, ...]:
    """Sources in short, each once with all that is from it: of a source, what stands before its first semicolon."""
    found: dict[str, list[str]] = {}
    for name, source in sources.items():
        found.setdefault(source.partition(";")[0], []).append(name)
    return tuple(f"{', '.join(names)}: {source}" for source, names in found.items())

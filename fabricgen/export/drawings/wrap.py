"""Wrap text in narrow cells: each group of words starts a line, and a word is broken only at hyphens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

Groups = tuple[tuple[str, ...], ...]
"""Words by group; each group starts a new line."""

_PIECE = re.compile(r"[^-]*-+|[^-]+")


def wrapped(groups: Groups, width: int) -> list[str]:
    """Lines of at most `width` characters; a longer piece of a word gets a line of its own."""
    return [line for words in groups for line in _lines(words, width)]


def _lines(words: tuple[str, ...], width: int) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = ""
        if len(word) <= width:
            line = f"{line} {word}" if line else word
            continue
        for piece in _PIECE.findall(word):
            if line and len(line) + len(piece) > width:
                yield line
                line = ""
            line += piece
    if line:
        yield line


def narrowest(texts: Iterable[Groups], lines: int) -> int:
    """The smallest width in characters with which each text fits in `lines` lines; 1 for no texts.

    Texts with pieces of equal lengths are measured once. `lines` must be at least the number of groups.
    """
    shapes = {
        tuple(tuple(tuple(map(len, _PIECE.findall(word))) for word in words) for words in groups): groups
        for groups in texts
    }
    width = 1
    for groups in shapes.values():
        while len(wrapped(groups, width)) > lines:
            width += 1
        width = max(width, *(len(line) for line in wrapped(groups, width)))
    return width

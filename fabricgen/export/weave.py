"""Rows of text from columns: neighbours with few texts become one before any row is written.

Blocks of rows are made one after the other, so that a table of any length takes the memory of one block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from fabricgen.allocate.cells import Keyed
from fabricgen.plan.tables import Ints, Wide

Piece: TypeAlias = Sequence[str] | str
"""Part of every row: a column of str, or what is the same in all."""

BLOCK = 1 << 12
"""Rows of a block: its texts fit the cache of a processor."""

_MOST_CROSSED = 1 << 12
"""Combinations of two vocabularies that are spelled out, whether they occur or not."""


def blocks(pieces: Iterable[Piece], rows: int) -> Iterator[str]:
    """The text of so many rows, a block at a time; every row has all pieces, in their order."""
    fused = _fused(pieces, rows)
    for start in range(0, rows, BLOCK):
        yield _woven(fused, start, min(start + BLOCK, rows))


def _woven(pieces: Sequence[Piece], start: int, stop: int) -> str:
    each, count = len(pieces), stop - start
    woven = [""] * (each * count)
    for i, piece in enumerate(pieces):
        woven[i::each] = [piece] * count if isinstance(piece, str) else piece[start:stop]
    return "".join(woven)


def _fused(pieces: Iterable[Piece], rows: int) -> list[Piece]:
    """The same in fewer pieces."""
    found: list[Piece] = []
    for piece in pieces:
        both = _both(found[-1], piece, rows) if found else None
        if both is None:
            found.append(piece)
        else:
            found[-1] = both
    return found


def _both(one: Piece, other: Piece, rows: int) -> Piece | None:
    """Two neighbours as one, where that takes no more texts than there are rows; else None."""
    if isinstance(one, str) and isinstance(other, str):
        return one + other
    if isinstance(one, Keyed) and isinstance(other, str):
        return Keyed(one.vocabulary + other, one.number) if len(one.vocabulary) <= rows else None
    if isinstance(one, str) and isinstance(other, Keyed):
        return Keyed(one + other.vocabulary, other.number) if len(other.vocabulary) <= rows else None
    if isinstance(one, Keyed) and isinstance(other, Keyed):
        if one.number is other.number:
            return Keyed(one.vocabulary + other.vocabulary, one.number)
        return _crossed(one, other, min(rows, _MOST_CROSSED))
    return None


def _crossed(one: Keyed, other: Keyed, most: int) -> Keyed | None:
    """Every text of one with every text of another, unless these are too many."""
    width = len(other.vocabulary)
    if len(one.vocabulary) * width > most:
        return None
    number: Ints | Wide = one.number * width + other.number
    return Keyed((one.vocabulary[:, None] + other.vocabulary).ravel(), number)

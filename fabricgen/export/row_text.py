"""Text of table rows from columns: neighbouring columns with few distinct texts are merged before rows are written.

Rows are written in blocks, so that a table of any length takes the memory of one block.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from fabricgen.numbering.cells import Keyed, Strings
from fabricgen.wiring.groups import numbered
from fabricgen.wiring.tables import Ints, Wide

Piece: TypeAlias = Sequence[str] | str
"""A part of every row: a column of str, or one str for all rows."""

BLOCK = 1 << 12
"""Rows of a block; its texts fit in a processor's cache."""

_MOST_PRODUCT = 1 << 12
"""Up to this many combinations, the texts of two columns are combined whether or not a combination occurs."""
_MOST_SEARCHED = 1 << 20
"""Up to this many combinations, those that occur are searched."""


def row_blocks(pieces: Iterable[Piece], rows: int) -> Iterator[str]:
    """The text of `rows` rows, a block at a time; a row is the concatenation of its pieces."""
    merged = _merged(pieces, rows)
    words = [_vocabulary(piece) for piece in merged]
    texts = np.concatenate([*words, np.empty(0, dtype=object)])
    first = np.cumsum([0, *map(len, words)], dtype=np.int32)[: len(merged)]
    for start in range(0, rows, BLOCK):
        yield _block_text(merged, texts, first, slice(start, min(start + BLOCK, rows)))


def _vocabulary(piece: Piece) -> Strings:
    """The distinct texts of a piece; [""] for a plain column, whose texts are read block by block."""
    if isinstance(piece, Keyed):
        return piece.vocabulary
    return np.array([piece if isinstance(piece, str) else ""], dtype=object)


def _block_text(pieces: Sequence[Piece], texts: Strings, first: Ints, rows: slice) -> str:
    """The text of some rows; `first` is where the texts of each piece begin in `texts`."""
    place = np.empty((rows.stop - rows.start, len(pieces)), dtype=np.int32)
    for i, piece in enumerate(pieces):
        place[:, i] = piece.number[rows] + first[i] if isinstance(piece, Keyed) else first[i]
    cells = texts.take(place)
    for i, piece in enumerate(pieces):
        if not isinstance(piece, Keyed | str):
            cells[:, i] = piece[rows]
    return "".join(cells.ravel().tolist())


def memoized(make: Callable[..., Strings]) -> Callable[..., Strings]:
    """A function of vocabularies and texts that computes each result once, however many columns ask for it."""
    known: dict[tuple[int | str, ...], tuple[tuple[Strings | str, ...], Strings]] = {}

    def made(*words: Strings | str) -> Strings:
        key = tuple(each if isinstance(each, str) else id(each) for each in words)
        if key not in known:
            known[key] = words, make(*words)  # with the words, or others could come to have their ids
        return known[key][1]

    return made


def _merged(pieces: Iterable[Piece], rows: int) -> list[Piece]:
    """The pieces with neighbours merged where possible."""
    plus = memoized(operator.add)
    found: list[Piece] = []
    for piece in pieces:
        both = _merged_pair(found[-1], piece, rows, plus) if found else None
        if both is None:
            found.append(piece)
        else:
            found[-1] = both
    return found


def _merged_pair(one: Piece, other: Piece, rows: int, plus: Callable[..., Strings]) -> Piece | None:
    """Two neighbouring pieces as one; None where that takes more texts than there are rows."""
    if isinstance(one, str) and isinstance(other, str):
        return one + other
    if isinstance(one, Keyed) and isinstance(other, str):
        return Keyed(plus(one.vocabulary, other), one.number) if len(one.vocabulary) <= rows else None
    if isinstance(one, str) and isinstance(other, Keyed):
        return Keyed(plus(one, other.vocabulary), other.number) if len(other.vocabulary) <= rows else None
    if isinstance(one, Keyed) and isinstance(other, Keyed):
        if one.number is other.number:
            return Keyed(plus(one.vocabulary, other.vocabulary), one.number)
        return _product(one, other, rows)
    return None


def _product(one: Keyed, other: Keyed, rows: int) -> Keyed | None:
    """Two columns as one, whose texts are all combinations or those that occur; None where these are too many."""
    height, width, most = len(one.vocabulary), len(other.vocabulary), min(rows, _MOST_PRODUCT)
    size = height * width
    if max(height, width) > most or size > _MOST_SEARCHED:
        return None
    number: Ints | Wide = one.number * width + other.number
    if size <= most:
        return Keyed((one.vocabulary[:, None] + other.vocabulary).ravel(), number)
    met, place = numbered(number, size)
    return Keyed(one.vocabulary[met // width] + other.vocabulary[met % width], place) if len(met) <= most else None

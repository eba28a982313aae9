"""Rows of text from columns: neighbours with few texts become one before any row is written.

Blocks of rows are made one after the other, so that a table of any length takes the memory of one block.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from fabricgen.numbering.lazy_columns import EncodedColumn, Strings
from fabricgen.wiring.groups import numbered
from fabricgen.wiring.tables import Ints, Ints64

Piece: TypeAlias = Sequence[str] | str
"""Part of every row: a column of str, or what is the same in all."""

BLOCK = 1 << 12
"""Rows of a block: its texts fit the cache of a processor."""

_MOST_CROSSED = 1 << 12
"""Combinations of two vocabularies that are spelled out, whether they occur or not."""
_MOST_MET = 1 << 20
"""Combinations of two vocabularies among which those are looked for that occur."""


def blocks(pieces: Iterable[Piece], rows: int) -> Iterator[str]:
    """The text of so many rows, a block at a time; every row has all pieces, in their order."""
    fused = _fused(pieces, rows)
    words = [_words(piece) for piece in fused]
    texts = np.concatenate([*words, np.empty(0, dtype=object)])
    first = np.cumsum([0, *map(len, words)], dtype=np.int32)[: len(fused)]
    for start in range(0, rows, BLOCK):
        yield _woven(fused, texts, first, slice(start, min(start + BLOCK, rows)))


def _words(piece: Piece) -> Strings:
    """The texts of a piece that stand in memory."""
    if isinstance(piece, EncodedColumn):
        return piece.vocabulary
    return np.array([piece if isinstance(piece, str) else ""], dtype=object)


def _woven(pieces: Sequence[Piece], texts: Strings, first: Ints, rows: slice) -> str:
    """Some rows; the words of each piece begin at `first` among all `texts`."""
    place = np.empty((rows.stop - rows.start, len(pieces)), dtype=np.int32)
    for i, piece in enumerate(pieces):
        place[:, i] = piece.codes[rows] + first[i] if isinstance(piece, EncodedColumn) else first[i]
    woven = texts.take(place)
    for i, piece in enumerate(pieces):
        if not isinstance(piece, EncodedColumn | str):
            woven[:, i] = piece[rows]
    return "".join(woven.ravel().tolist())


def once(make: Callable[..., Strings]) -> Callable[..., Strings]:
    """A function of vocabularies and texts that makes each result once, however many columns ask for it."""
    known: dict[tuple[int | str, ...], tuple[tuple[Strings | str, ...], Strings]] = {}

    def made(*words: Strings | str) -> Strings:
        key = tuple(each if isinstance(each, str) else id(each) for each in words)
        if key not in known:
            known[key] = words, make(*words)  # with the words, or others could come to have their ids
        return known[key][1]

    return made


def _fused(pieces: Iterable[Piece], rows: int) -> list[Piece]:
    """The same in fewer pieces."""
    plus = once(operator.add)
    found: list[Piece] = []
    for piece in pieces:
        both = _both(found[-1], piece, rows, plus) if found else None
        if both is None:
            found.append(piece)
        else:
            found[-1] = both
    return found


def _both(one: Piece, other: Piece, rows: int, plus: Callable[..., Strings]) -> Piece | None:
    """Two neighbours as one, where that takes no more texts than there are rows; else None."""
    if isinstance(one, str) and isinstance(other, str):
        return one + other
    if isinstance(one, EncodedColumn) and isinstance(other, str):
        return EncodedColumn(plus(one.vocabulary, other), one.codes) if len(one.vocabulary) <= rows else None
    if isinstance(one, str) and isinstance(other, EncodedColumn):
        return EncodedColumn(plus(one, other.vocabulary), other.codes) if len(other.vocabulary) <= rows else None
    if isinstance(one, EncodedColumn) and isinstance(other, EncodedColumn):
        if one.codes is other.codes:
            return EncodedColumn(plus(one.vocabulary, other.vocabulary), one.codes)
        return _crossed(one, other, rows)
    return None


def _crossed(one: EncodedColumn, other: EncodedColumn, rows: int) -> EncodedColumn | None:
    """Texts of one with texts of another: all of them or those that occur, unless these are too many."""
    height, width, most = len(one.vocabulary), len(other.vocabulary), min(rows, _MOST_CROSSED)
    size = height * width
    if max(height, width) > most or size > _MOST_MET:
        return None
    number: Ints | Ints64 = one.codes * width + other.codes
    if size <= most:
        return EncodedColumn((one.vocabulary[:, None] + other.vocabulary).ravel(), number)
    met, place = numbered(number, size)
    return (
        EncodedColumn(one.vocabulary[met // width] + other.vocabulary[met % width], place) if len(met) <= most else None
    )

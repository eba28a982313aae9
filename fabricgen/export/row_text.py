"""The text of table rows from columns, block by block, so that a table of any length takes the memory of one block.

Adjacent encoded columns with small vocabularies are merged into one first (the vocabulary of the merged column holds
the combinations), so that fewer pieces are joined in each row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from fabricgen.numbering.lazy_columns import EncodedColumn, Strings
from fabricgen.wiring.arrays import Ints, Ints64, unique_below

Piece: TypeAlias = Sequence[str] | str
"""A part of every row: a column of str, or a constant text."""

BLOCK = 1 << 12
"""Rows of a block; its texts fit the cache of a processor."""

_MOST_COMBINATIONS = 1 << 12
"""Up to so many combinations of two vocabularies are all written out, whether they occur or not."""
_MOST_SEARCHED = 1 << 20
"""Up to so many combinations of two vocabularies are searched for those that occur."""


def blocks(pieces: Iterable[Piece], rows: int) -> Iterator[str]:
    """The text of `rows` rows, one block at a time; each row is the concatenation of `pieces`."""
    merged = _merged(pieces, rows)
    vocabularies = [_vocabulary(piece) for piece in merged]
    texts = np.concatenate([*vocabularies, np.empty(0, dtype=object)])
    first = np.cumsum([0, *map(len, vocabularies)], dtype=np.int32)[: len(merged)]
    for start in range(0, rows, BLOCK):
        yield _block_text(merged, texts, first, slice(start, min(start + BLOCK, rows)))


def _vocabulary(piece: Piece) -> Strings:
    """The distinct texts of a piece: its vocabulary, the constant, or "" for a column that is read row by row."""
    if isinstance(piece, EncodedColumn):
        return piece.vocabulary
    return np.array([piece if isinstance(piece, str) else ""], dtype=object)


def _block_text(pieces: Sequence[Piece], texts: Strings, first: Ints, rows: slice) -> str:
    """The text of some rows; the vocabulary of piece i begins at `first[i]` in `texts`."""
    index = np.empty((rows.stop - rows.start, len(pieces)), dtype=np.int32)
    for i, piece in enumerate(pieces):
        index[:, i] = piece.codes[rows] + first[i] if isinstance(piece, EncodedColumn) else first[i]
    cells = texts.take(index)
    for i, piece in enumerate(pieces):
        if not isinstance(piece, EncodedColumn | str):
            cells[:, i] = piece[rows]
    return "".join(cells.ravel().tolist())


def memoized(make: Callable[..., Strings]) -> Callable[..., Strings]:
    """Memoize a function of vocabularies (by identity) and texts, for vocabularies that several columns share."""
    known: dict[tuple[int | str, ...], tuple[tuple[Strings | str, ...], Strings]] = {}

    def cached(*arguments: Strings | str) -> Strings:
        key = tuple(each if isinstance(each, str) else id(each) for each in arguments)
        if key not in known:
            known[key] = arguments, make(*arguments)  # kept alive, so that no other array gets one of these ids
        return known[key][1]

    return cached


def _merged(pieces: Iterable[Piece], rows: int) -> list[Piece]:
    """The pieces, with neighbours merged wherever possible."""
    plus = memoized(operator.add)
    found: list[Piece] = []
    for piece in pieces:
        pair = _merged_pair(found[-1], piece, rows, plus) if found else None
        if pair is None:
            found.append(piece)
        else:
            found[-1] = pair
    return found


def _merged_pair(one: Piece, other: Piece, rows: int, plus: Callable[..., Strings]) -> Piece | None:
    """Two adjacent pieces as one if its vocabulary is no longer than the table; else None."""
    if isinstance(one, str) and isinstance(other, str):
        return one + other
    if isinstance(one, EncodedColumn) and isinstance(other, str):
        return EncodedColumn(plus(one.vocabulary, other), one.codes) if len(one.vocabulary) <= rows else None
    if isinstance(one, str) and isinstance(other, EncodedColumn):
        return EncodedColumn(plus(one, other.vocabulary), other.codes) if len(other.vocabulary) <= rows else None
    if isinstance(one, EncodedColumn) and isinstance(other, EncodedColumn):
        if one.codes is other.codes:
            return EncodedColumn(plus(one.vocabulary, other.vocabulary), one.codes)
        return _combined(one, other, rows)
    return None


def _combined(one: EncodedColumn, other: EncodedColumn, rows: int) -> EncodedColumn | None:
    """A column over the combinations of two vocabularies: all or those that occur; None if these are too many."""
    height, width, most = len(one.vocabulary), len(other.vocabulary), min(rows, _MOST_COMBINATIONS)
    size = height * width
    if max(height, width) > most or size > _MOST_SEARCHED:
        return None
    codes: Ints | Ints64 = one.codes * width + other.codes
    if size <= most:
        return EncodedColumn((one.vocabulary[:, None] + other.vocabulary).ravel(), codes)
    occurring, codes = unique_below(codes, size)
    if len(occurring) > most:
        return None
    return EncodedColumn(one.vocabulary[occurring // width] + other.vocabulary[occurring % width], codes)

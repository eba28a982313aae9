"""Text of table rows from columns, block by block, so that a table of any length takes the memory of one block.

An encoded column has a vocabulary, its distinct texts, and codes: for each row the index of its text. Adjacent encoded
columns with small vocabularies are merged into one first (the vocabulary of the merged column holds the combinations),
so that fewer pieces are joined in each row.
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


def render_blocks(pieces: Iterable[Piece], rows: int) -> Iterator[str]:
    """Yield the text of `rows` rows, one block at a time; each row is the concatenation of `pieces`."""
    merged_pieces = _merge_pieces(pieces, rows)
    vocabularies = [_read_vocabulary(piece) for piece in merged_pieces]
    texts = np.concatenate([*vocabularies, np.empty(0, dtype=object)])
    first_indexes = np.cumsum([0, *map(len, vocabularies)], dtype=np.int32)[: len(merged_pieces)]
    for start in range(0, rows, BLOCK):
        yield _render_block(merged_pieces, texts, first_indexes, slice(start, min(start + BLOCK, rows)))


def _read_vocabulary(piece: Piece) -> Strings:
    """Return the distinct texts of a piece: its vocabulary, the constant, or "" for a column read row by row."""
    if isinstance(piece, EncodedColumn):
        return piece.vocabulary
    return np.array([piece if isinstance(piece, str) else ""], dtype=object)


def _render_block(pieces: Sequence[Piece], texts: Strings, first_indexes: Ints, rows: slice) -> str:
    """Return the text of the rows in a slice.

    `texts` has the vocabularies of all pieces, one after the other: that of piece i begins at `first_indexes[i]`.
    """
    text_index = np.empty((rows.stop - rows.start, len(pieces)), dtype=np.int32)
    for piece_number, piece in enumerate(pieces):
        text_index[:, piece_number] = (
            piece.codes[rows] + first_indexes[piece_number]
            if isinstance(piece, EncodedColumn)
            else first_indexes[piece_number]
        )
    cells = texts.take(text_index)
    for piece_number, piece in enumerate(pieces):
        if not isinstance(piece, EncodedColumn | str):
            cells[:, piece_number] = piece[rows]
    return "".join(cells.ravel().tolist())


def memoize(make: Callable[..., Strings]) -> Callable[..., Strings]:
    """Memoize a function of vocabularies (by identity) and texts, for vocabularies that several columns share."""
    results: dict[tuple[int | str, ...], tuple[tuple[Strings | str, ...], Strings]] = {}

    def cached(*arguments: Strings | str) -> Strings:
        key = tuple(argument if isinstance(argument, str) else id(argument) for argument in arguments)
        if key not in results:
            results[key] = arguments, make(*arguments)  # kept alive, so that no other array gets one of these ids
        return results[key][1]

    return cached


def _merge_pieces(pieces: Iterable[Piece], rows: int) -> list[Piece]:
    """Return the pieces of each of `rows` rows, with neighbours merged wherever possible."""
    add_texts = memoize(operator.add)
    merged: list[Piece] = []
    for piece in pieces:
        pair = _merge_pair(merged[-1], piece, rows, add_texts) if merged else None
        if pair is None:
            merged.append(piece)
        else:
            merged[-1] = pair
    return merged


def _merge_pair(first: Piece, second: Piece, rows: int, add_texts: Callable[..., Strings]) -> Piece | None:
    """Return two adjacent pieces as one if its vocabulary is at most as long as the table of `rows` rows, else None."""
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    if isinstance(first, EncodedColumn) and isinstance(second, str):
        return (
            EncodedColumn(add_texts(first.vocabulary, second), first.codes) if len(first.vocabulary) <= rows else None
        )
    if isinstance(first, str) and isinstance(second, EncodedColumn):
        return (
            EncodedColumn(add_texts(first, second.vocabulary), second.codes) if len(second.vocabulary) <= rows else None
        )
    if isinstance(first, EncodedColumn) and isinstance(second, EncodedColumn):
        if first.codes is second.codes:
            return EncodedColumn(add_texts(first.vocabulary, second.vocabulary), first.codes)
        return _combine_vocabularies(first, second, rows)
    return None


def _combine_vocabularies(first: EncodedColumn, second: EncodedColumn, rows: int) -> EncodedColumn | None:
    """Return the column of the joined texts of two columns, row by row; None if its vocabulary would be too long.

    The vocabulary has all combinations of the texts of both columns if these are at most `rows` and _MOST_COMBINATIONS,
    else only the combinations that occur; for more than _MOST_SEARCHED combinations this is not tried.
    """
    first_size, second_size = len(first.vocabulary), len(second.vocabulary)
    longest_vocabulary = min(rows, _MOST_COMBINATIONS)
    combinations = first_size * second_size
    if max(first_size, second_size) > longest_vocabulary or combinations > _MOST_SEARCHED:
        return None
    # a combination as one number
    codes: Ints | Ints64 = first.codes * second_size + second.codes
    if combinations <= longest_vocabulary:
        return EncodedColumn((first.vocabulary[:, None] + second.vocabulary).ravel(), codes)
    occurring, codes = unique_below(codes, combinations)
    if len(occurring) > longest_vocabulary:
        return None
    return EncodedColumn(first.vocabulary[occurring // second_size] + second.vocabulary[occurring % second_size], codes)

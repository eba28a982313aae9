"""Columns of text by number: they read as their texts, and two are compared without making these."""

from __future__ import annotations

import numpy as np
import pytest

from fabricgen.diff.listing import find_among, find_rows, make_column
from fabricgen.diff.matching import find_differing, list_comparables, match_rows
from fabricgen.diff.texts import Texts, split_column
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, StackedColumn, encode_column

NUMBER = np.array([1, 0, 1, 2], dtype=np.int32)
NAMES = encode_column(["leaf-1", "leaf-2", "spine"], NUMBER)
PORTS = encode_column(["1", "2", ""], NUMBER[::-1])
ENDS = ConcatenatedColumn((NAMES, ":", PORTS))
WORDS = ["leaf-2:", "leaf-1:2", "leaf-2:1", "spine:2"]


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (NAMES, ["leaf-2", "leaf-1", "leaf-2", "spine"]),
        (ENDS, WORDS),
        (ConcatenatedColumn(("to ", ENDS)), [f"to {word}" for word in WORDS]),
        (StackedColumn((ENDS, ("x", "y"), (), NAMES)), [*WORDS, "x", "y", "leaf-2", "leaf-1", "leaf-2", "spine"]),
        (["x", ("a", "tuple")], ["x", ("a", "tuple")]),
        (StackedColumn(((), ())), []),
    ],
)
def test_a_column_reads_as_its_texts(cells: object, texts: list[object]) -> None:
    column = split_column(cells)  # type: ignore[arg-type] # as tables have them
    assert (len(column), column.tolist()) == (len(texts), texts)
    assert column[:].tolist() == texts
    assert [column[row] for row in range(len(texts))] == texts
    assert column[np.arange(len(texts))[::-1]].tolist() == texts[::-1]


@pytest.mark.parametrize("wanted", [(), ("leaf-1:2", "spine"), ("spine:2", "leaf-2:"), ("leaf-1:21",), ("",)])
def test_rows_among_texts_are_found_in_parts_and_as_a_whole(wanted: tuple[str, ...]) -> None:
    expected = [word in wanted for word in WORDS]
    assert find_among(wanted, split_column(ENDS)).tolist() == expected
    assert find_among(wanted, split_column(ConcatenatedColumn(("", ENDS)))).tolist() == expected
    assert find_among(wanted, make_column(WORDS)).tolist() == expected


def test_rows_are_looked_up_in_parts_and_as_a_whole() -> None:
    known = {"leaf-2:": 5, "leaf-2": 4, "spine:2": 0}
    assert (
        find_rows(known, split_column(ENDS)).tolist() == find_rows(known, make_column(WORDS)).tolist() == [5, -1, -1, 0]
    )
    assert find_rows(known, split_column(NAMES)).tolist() == [4, -1, 4, -1]


def test_texts_that_are_put_together_otherwise_are_still_the_same() -> None:
    halves = split_column(
        ConcatenatedColumn(
            (encode_column(["leaf-", "spine:2"], NUMBER // 2), encode_column(["2:", "1:2", "2:1", ""], np.arange(4)))
        )
    )
    assert halves.tolist() == WORDS
    rows = np.arange(4)
    for other in (split_column(ENDS), make_column(WORDS)):
        assert not find_differing(halves, other, rows, rows).any()
        gone, come, was, now = match_rows([(halves, other)])
        assert not len(gone)
        assert not len(come)
        assert sorted(zip(was.tolist(), now.tolist(), strict=True)) == [(row, row) for row in rows]


def test_parts_that_columns_share_are_compared_once() -> None:
    assert isinstance(split_column(ENDS), Texts)
    assert (
        len(list_comparables([(split_column(NAMES), split_column(NAMES)), (split_column(ENDS), split_column(ENDS))]))
        == 2
    )
    shifted = split_column(
        ConcatenatedColumn((encode_column(["spine", "leaf-1", "leaf-2"], (NUMBER + 1) % 3), ":", PORTS))
    )
    rows = np.array([0, 2])
    assert find_differing(split_column(ENDS), shifted, rows, rows).tolist() == [False, False]
    assert find_differing(split_column(ENDS), shifted, rows, rows[::-1]).tolist() == [True, True]

"""Rows by what they have in common: the same as Python's own sets and dictionaries say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fabricgen.wiring.arrays import unique_below, unique_combinations

ROWS = np.arange(60, dtype=np.int32)
COLUMNS: dict[str, Any] = {
    "few": ROWS * 7 % 5,
    "holes": ROWS * 11 % 3 * 1000,
    "flags": ROWS % 4 == 1,
    "below": ROWS * 3 % 4 - 2,
    "lengths": np.array([0.5, 15.0, 2.25])[ROWS * 5 % 3],
    "large": (ROWS.astype(np.int64) % 6) << 40,
}


@pytest.mark.parametrize(
    "names", [("few",), ("below",), ("few", "lengths"), ("large", "flags", "holes"), tuple(COLUMNS)]
)
def test_combinations_ascend_and_each_names_its_first_row(names: tuple[str, ...]) -> None:
    columns = [COLUMNS[name] for name in names]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    first, number = unique_combinations(*columns)
    assert [rows[i] for i in first] == sorted(set(rows))
    assert first.tolist() == [rows.index(row) for row in sorted(set(rows))]
    assert [rows[first[i]] for i in number] == rows


@pytest.mark.parametrize("numbers", [[], [3], [5, 0, 5, 2, 9, 0]])
def test_numbers_that_occur_are_numbered_without_gaps(numbers: list[int]) -> None:
    met, place = unique_below(np.array(numbers, dtype=np.int64), 10)
    assert met.tolist() == sorted(set(numbers))
    assert met[place].tolist() == numbers

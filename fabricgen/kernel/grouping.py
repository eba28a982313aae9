"""Values by key: as lists, or added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def group_pairs(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the values of each key of (key, value) pairs, in their order; keys come in the order of their first
    values.
    """
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def sum_pairs(pairs: Iterable[tuple[Key, int]]) -> Counter[Key]:
    """Return the sum of the numbers of each key of (key, number) pairs; keys come in the order of their first
    numbers.
    """
    sums: Counter[Key] = Counter()
    for key, number in pairs:
        sums[key] += number
    return sums

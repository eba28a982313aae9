"""Sets that keep the order of their values for writers, but are equal whatever their order is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import TypeVar

T = TypeVar("T")


class OrderedSet(Set[T]):
    """Values, each once, in the order in which they were given; equal to any set of the same values."""

    __slots__ = ("_values",)

    def __init__(self, values: Iterable[T] = ()) -> None:
        self._values = tuple(dict.fromkeys(values))

    def __contains__(self, value: object) -> bool:
        return value in self._values

    def __iter__(self) -> Iterator[T]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values))

    def __repr__(self) -> str:
        return f"OrderedSet({self._values!r})"

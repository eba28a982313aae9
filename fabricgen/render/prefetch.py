"""What is made for many switches at a time and asked for one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

Made = TypeVar("Made")

AT_A_TIME = 64
"""Switches that are looked at together, since columns cost little more for many than for one."""


class Prefetch(Generic[Made]):
    """Makes something of each switch, for some of those to come too. Ask for them in the order of `rows`."""

    def __init__(
        self, rows: Sequence[int], make: Callable[[Sequence[int]], Iterable[Made]], at_a_time: int = AT_A_TIME
    ) -> None:
        """`rows` are those of the device table that will be asked for, `make` gives what is made of each."""
        self._rows, self._make, self._at_a_time = rows, make, at_a_time
        self._place = {row: place for place, row in enumerate(rows)}
        self._made: dict[int, Made] = {}

    def of(self, row: int) -> Made:
        """What is made of a switch, by its row."""
        if row not in self._made:
            start = self._place[row]
            rows = self._rows[start : start + self._at_a_time]
            self._made = dict(zip(rows, self._make(rows), strict=True))
        return self._made.pop(row)

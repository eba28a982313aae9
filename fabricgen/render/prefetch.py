"""Batch prefetch: values that are requested one switch at a time, computed for many switches at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

Made = TypeVar("Made")

AT_A_TIME = 64
"""Switches of a batch, since array operations cost little more for many than for one."""


class Prefetch(Generic[Made]):
    """Computes values of switches in batches. They must be requested in the order of `rows`, each once."""

    def __init__(
        self, rows: Sequence[int], make: Callable[[Sequence[int]], Iterable[Made]], at_a_time: int = AT_A_TIME
    ) -> None:
        """`rows` are the rows of the device table that will be requested; `make` computes the values of some rows."""
        self._rows, self._make, self._at_a_time = rows, make, at_a_time
        self._place = {row: place for place, row in enumerate(rows)}
        self._made: dict[int, Made] = {}

    def of(self, row: int) -> Made:
        """The value of a switch, by its row."""
        if row not in self._made:
            start = self._place[row]
            rows = self._rows[start : start + self._at_a_time]
            self._made = dict(zip(rows, self._make(rows), strict=True))
        return self._made.pop(row)

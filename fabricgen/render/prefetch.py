"""Batch prefetch: results that are computed for a batch of switches at a time, and asked for one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

Result = TypeVar("Result")

BATCH = 64
"""Switches of a batch; operations on columns cost little more for many switches than for one."""


class Prefetcher(Generic[Result]):
    """Computes results in batches. Ask for rows in the order in which they were given: only one batch is kept."""

    def __init__(
        self, rows: Sequence[int], compute: Callable[[Sequence[int]], Iterable[Result]], batch: int = BATCH
    ) -> None:
        """`rows` are all rows of the device table that will be asked for; `compute` returns one result for each row of
        a batch, in order."""
        self._rows, self._compute, self._batch = rows, compute, batch
        self._index = {row: index for index, row in enumerate(rows)}
        self._ready: dict[int, Result] = {}

    def get(self, row: int) -> Result:
        """The result for a row; it is handed out once."""
        if row not in self._ready:
            start = self._index[row]
            rows = self._rows[start : start + self._batch]
            self._ready = dict(zip(rows, self._compute(rows), strict=True))
        return self._ready.pop(row)

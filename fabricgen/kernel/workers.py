"""Tasks, done here or by several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Result = TypeVar("Result")


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    work: Callable[[int], Result], count: int, jobs: int, *, first: Sequence[int] = (), ahead: int | None = 64
) -> Iterator[Result]:
    """Yield work(0) ... work(count - 1), made by `jobs` processes, or by this one.

    The tasks `first` are started before all others; of these at most `ahead` are made beyond the result that is waited
    for. With None for `ahead` results may all be held, and half of the processes begin with the last tasks: neighbours,
    which have much in common, then go to one process. An error of a task is raised where its result would be. Raises
    InputError FG023 when a worker is killed.
    """
    jobs = min(jobs, count)
    if jobs <= 1:
        yield from map(work, range(count))
        return
    from fabricgen.kernel.worker_crew import by_crew  # what it needs is only loaded where there are several

    yield from by_crew(work, count, jobs, first, ahead)

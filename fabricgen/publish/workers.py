"""Tasks, done here or by several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    work: Callable[[int], Result], count: int, jobs: int, *, first: Sequence[int] = (), ahead: int = 64
) -> Iterator[Result]:
    """Yield work(0) ... work(count - 1), made by `jobs` processes, or by this one.

    The tasks `first` are started before all others; of these at most `ahead` are made beyond the result that is waited
    for. An error of a task is raised where its result would be. Raises InputError FG023 when a worker is killed.
    """
    jobs = min(jobs, count)
    if jobs <= 1:
        yield from map(work, range(count))
        return
    from fabricgen.publish.worker_crew import by_crew_in_order  # what it needs is only loaded where there are several

    yield from by_crew_in_order(work, count, jobs, first, ahead)


def as_given(
    work: Callable[[Task], Result], ready: Sequence[Task], later: Iterable[Task | None], jobs: int
) -> Generator[Result]:
    """Yield the results of tasks in order, those of `ready` first, made by `jobs` processes, or by this one.

    `later` may be an iterator that takes its time: what it has given is worked on meanwhile. Where it finds no task for
    long it gives None now and then, so that workers get what waits. Results may all be held, and half of the processes
    take the last of the tasks that wait: neighbours, which have much in common, then go to one process. Errors are as
    with `in_order`. Who leaves early closes it, which ends the workers.
    """
    if jobs <= 1:
        yield from (work(task) for task in chain(ready, later) if task is not None)
        return
    from fabricgen.publish.worker_crew import by_crew_as_given

    yield from by_crew_as_given(work, ready, later, jobs)

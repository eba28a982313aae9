"""Work in several processes: numbered tasks go out, results come back in order.

Where the system can, workers are forked: they share the memory of their parent, and nothing is copied to them. Where
it cannot, or where threads are alive, whose locks a fork would copy as they stand, they are spawned, and the work is
pickled once for each. Results are pickled: bulk belongs in files.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from fabricgen.kernel.diagnostics import InputError, fault

Result = TypeVar("Result")

_QUEUED = 2
"""Tasks that a worker has at a time, so that it need not wait for its parent between them."""
_PARENT_DEATH = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


def by_crew(
    work: Callable[[int], Result], count: int, jobs: int, first: Sequence[int], ahead: int | None
) -> Iterator[Result]:
    """Yield results in order, made by `jobs` processes; see `workers.in_order`."""
    crew = _hire(work, jobs, apart=ahead is None)
    try:
        yield from _results(crew, count, first, count if ahead is None else ahead)
    except BaseException:
        for worker in crew:
            worker.process.kill()
        raise
    finally:
        for worker in crew:
            worker.connection.close()
        for worker in crew:
            worker.process.join()


@dataclass(slots=True)
class _Worker(Generic[Result]):
    process: BaseProcess
    connection: Connection[int, tuple[Result | None, BaseException | None]]
    from_end: bool
    """Whether it takes the last of the tasks that wait, not the first."""
    tasks: deque[int] = field(default_factory=deque)


def _hire(work: Callable[[int], Result], jobs: int, *, apart: bool) -> list[_Worker[Result]]:
    forks = _may_fork()
    context: ForkContext | SpawnContext = (
        multiprocessing.get_context("fork") if forks else multiprocessing.get_context("spawn")
    )
    crew: list[_Worker[Result]] = []
    gc.freeze()  # or the first collection in a worker would touch, and so copy, all that is shared
    try:
        for number in range(jobs):
            ours, theirs = context.Pipe()
            inherited = [*(worker.connection for worker in crew), ours] if forks else []
            process = context.Process(target=_serve, args=(work, theirs, inherited), daemon=True)
            process.start()
            theirs.close()
            crew.append(_Worker(process, ours, from_end=apart and number % 2 == 1))
    finally:
        gc.unfreeze()
    return crew


def _may_fork() -> bool:
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError):
        return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 - counted, not walked
    return False


def _serve(work: Callable[[int], Result], connection: Connection, inherited: Sequence[Connection]) -> None:
    """Do tasks until the parent closes the connection, or is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and ends its workers
    _die_with_parent()
    for other in inherited:
        other.close()  # held open here, they would hide the end of the parent from the other workers
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            connection.send(_outcome(work, connection.recv()))


def _die_with_parent() -> None:
    """Ask the system to end this process with its parent, which holds what both write."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(AttributeError):
            ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL)


def _outcome(work: Callable[[int], Result], task: int) -> tuple[Result | None, BaseException | None]:
    try:
        return work(task), None
    except InputError as error:
        return None, error
    except Exception as error:  # noqa: BLE001 - raised again in the parent
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301 - what was pickled here
        except Exception:  # noqa: BLE001 - whatever an error's own pickling raises
            return None, RuntimeError("".join(traceback.format_exception(error)))
        return None, error


def _results(crew: list[_Worker[Result]], count: int, first: Sequence[int], ahead: int) -> Iterator[Result]:
    early = set(first)
    waiting = deque((*first, *(task for task in range(count) if task not in early)))
    done: dict[int, tuple[Result | None, BaseException | None]] = {}
    for task in range(count):
        while task not in done:
            _deal(crew, waiting, early, task + ahead)
            _collect(crew, done)
        result, error = done.pop(task)
        if error is not None:
            raise error
        yield result  # type: ignore[misc] # a result, since there is no error


def _deal(crew: list[_Worker[Result]], waiting: deque[int], early: set[int], end: int) -> None:
    """Give tasks to those who have fewest."""
    while waiting and (waiting[0] in early or waiting[0] < end):
        worker = min(crew, key=lambda each: len(each.tasks))
        if len(worker.tasks) >= _QUEUED:
            return
        worker.tasks.append(waiting.pop() if worker.from_end else waiting.popleft())
        with contextlib.suppress(BrokenPipeError):  # it is gone, as the next look for results will tell
            worker.connection.send(worker.tasks[-1])


def _collect(crew: list[_Worker[Result]], done: dict[int, tuple[Result | None, BaseException | None]]) -> None:
    """Take the results that are there, or wait for one."""
    busy = {worker.connection: worker for worker in crew if worker.tasks}
    for connection in wait(list(busy)):
        worker = busy[connection]  # type: ignore[index] # `wait` gives back what it was given
        try:
            done[worker.tasks[0]] = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            worker.process.join()
            raise fault(
                "FG023",
                f"a worker process ended before its work was done (exit code {worker.process.exitcode})",
                hint="it may have run out of memory: build with fewer --jobs",
            ) from None
        worker.tasks.popleft()

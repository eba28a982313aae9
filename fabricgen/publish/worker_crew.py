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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from fabricgen.kernel.diagnostics import InputError, fault

Task = TypeVar("Task")
Result = TypeVar("Result")

_QUEUED = 2
"""Tasks that a worker has at a time, so that it need not wait for its parent between them."""
_BEHIND = 2
"""How much nicer workers are than their parent: what they will get to do, and what has been done, waits for it."""
_PARENT_DEATH = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


def by_crew_in_order(
    work: Callable[[int], Result], count: int, jobs: int, first: Sequence[int], ahead: int
) -> Iterator[Result]:
    """Yield results in order, made by `jobs` processes; see `workers.in_order`."""
    with _hired(work, jobs, apart=False) as crew:
        crew.take(range(count))
        crew.put_first(first)
        for number in range(count):
            yield crew.result(number, number + ahead)


def by_crew_as_given(
    work: Callable[[Task], Result], ready: Sequence[Task], later: Iterable[Task | None], jobs: int
) -> Iterator[Result]:
    """Yield results in order, made by `jobs` processes; see `workers.as_given`."""
    with _hired(work, jobs, apart=True) as crew:
        crew.take(ready)
        crew.put_first(range(len(ready)))
        crew.look()
        for task in later:
            if task is not None:
                crew.take([task])
            crew.look()
        for number in range(crew.taken):
            yield crew.result(number, crew.taken)


@contextlib.contextmanager
def _hired(work: Callable[[Task], Result], jobs: int, *, apart: bool) -> Iterator[_Crew[Task, Result]]:
    """Workers, which end with the block; at once, if it fails."""
    workers = _hire(work, jobs, apart=apart)
    try:
        yield _Crew(workers)
    except BaseException:
        for worker in workers:
            worker.process.kill()
        raise
    finally:
        for worker in workers:
            worker.connection.close()
        for worker in workers:
            worker.process.join()


@dataclass(slots=True)
class _Worker(Generic[Task, Result]):
    process: BaseProcess
    connection: Connection[Task, tuple[Result | None, BaseException | None]]
    from_end: bool
    """Whether it takes the last of the tasks that wait, not the first."""
    tasks: deque[int] = field(default_factory=deque)
    """Numbers of those that it has."""


def _hire(work: Callable[[Task], Result], jobs: int, *, apart: bool) -> list[_Worker[Task, Result]]:
    forks = _may_fork()
    context: ForkContext | SpawnContext = (
        multiprocessing.get_context("fork") if forks else multiprocessing.get_context("spawn")
    )
    crew: list[_Worker[Task, Result]] = []
    gc.freeze()  # or the first collection in a worker would touch, and so copy, all that is shared
    try:
        for number in range(jobs):
            ours, theirs = context.Pipe()
            inherited = [*(worker.connection for worker in crew), ours] if forks else []
            process = context.Process(target=_serve, args=(work, theirs, inherited), daemon=True)
            with _undisturbed():
                process.start()
            theirs.close()
            crew.append(_Worker(process, ours, from_end=apart and number % 2 == 1))
    finally:
        gc.unfreeze()
    return crew


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold control-C back, also from processes that start meanwhile: it is for their parent, which ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _may_fork() -> bool:
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError):
        return len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 - counted, not walked
    return False


def _serve(work: Callable[[Task], Result], connection: Connection, inherited: Sequence[Connection]) -> None:
    """Do tasks until the parent closes the connection, or is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems where it could not be held back
    _die_with_parent()
    os.nice(_BEHIND)
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


def _outcome(work: Callable[[Task], Result], task: Task) -> tuple[Result | None, BaseException | None]:
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


class _Crew(Generic[Task, Result]):
    """Deals numbered tasks to workers, and gathers what comes of them."""

    def __init__(self, workers: Sequence[_Worker[Task, Result]]) -> None:
        self._workers = workers
        self._tasks: list[Task] = []
        self._waiting: deque[int] = deque()
        self._early: frozenset[int] = frozenset()
        self._done: dict[int, tuple[Result | None, BaseException | None]] = {}

    @property
    def taken(self) -> int:
        """How many tasks it was given; their numbers lie below."""
        return len(self._tasks)

    def take(self, tasks: Sequence[Task]) -> None:
        """Number further tasks, for workers to be given."""
        self._waiting.extend(range(self.taken, self.taken + len(tasks)))
        self._tasks += tasks

    def put_first(self, numbers: Sequence[int]) -> None:
        """Let some tasks begin before all others, whatever result is waited for."""
        self._early = frozenset(numbers)
        self._waiting = deque((*numbers, *(number for number in self._waiting if number not in self._early)))

    def look(self) -> None:
        """Keep workers busy, without waiting for them; none gets a task to come, unless it is one of the first, since
        longer ones may be found."""
        self._collect(patience_s=0)
        self._deal(self.taken, each=1)

    def result(self, number: int, end: int) -> Result:
        """Wait for the result of a task, while those numbered below `end` may begin; raises its error."""
        while number not in self._done:
            self._deal(end, _QUEUED)
            self._collect(patience_s=None)
        result, error = self._done.pop(number)
        if error is not None:
            raise error
        return result  # type: ignore[return-value] # a result, since there is no error

    def _deal(self, end: int, each: int) -> None:
        """Give tasks to those who have fewest, until each has as many as are stated."""
        while self._waiting and ((early := self._waiting[0] in self._early) or self._waiting[0] < end):
            worker = min(self._workers, key=lambda one: len(one.tasks))
            if len(worker.tasks) >= (_QUEUED if early else each):
                return
            worker.tasks.append(self._waiting.pop() if worker.from_end and not early else self._waiting.popleft())
            with contextlib.suppress(BrokenPipeError):  # it is gone, as the next look for results will tell
                worker.connection.send(self._tasks[worker.tasks[-1]])

    def _collect(self, patience_s: float | None) -> None:
        """Take the results that are there, or wait for one, however long it takes where no patience is stated."""
        busy = {worker.connection: worker for worker in self._workers if worker.tasks}
        for connection in wait(list(busy), patience_s):
            worker = busy[connection]  # type: ignore[index] # `wait` gives back what it was given
            try:
                self._done[worker.tasks[0]] = worker.connection.recv()
            except (EOFError, OSError):
                worker.process.join()
                raise fault(
                    "FG023",
                    f"a worker process ended before its work was done (exit code {worker.process.exitcode})",
                    hint="it may have run out of memory: build with fewer --jobs",
                ) from None
            worker.tasks.popleft()

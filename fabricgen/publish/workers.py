"""Numbered tasks, done in this process or by several processes of `concurrent.futures`.

If the system can, workers are forked: they share the memory of their parent, and nothing is copied to them. If it
cannot, or if threads are alive, whose locks a fork would copy as they are, workers are spawned, and the work is pickled
once for each. Results are pickled: bulk belongs in files.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from fabricgen.kernel.diagnostics import fault

Result = TypeVar("Result")

_LEFT_TO_PARENT = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
"""The signals that ask a process to end, which the parent answers."""

_WORK: list[Callable[[int], Any]] = []
"""In a worker: the function that it calls with the number of a task."""


def count_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_in_order(
    work: Callable[[int], Result], count: int, jobs: int, *, first: Sequence[int] = (), ahead: int = 16
) -> Iterator[Result]:
    """Yield work(0) ... work(count - 1), in this order, made by `jobs` processes, or by this one.

    The tasks `first` are started before all others. Of the others, none is started before the result of the task
    `ahead` places before it is waited for. An error of a task is raised in place of its result. Raises InputError
    (FG023) if a worker is killed.
    """
    jobs = min(jobs, count)
    if jobs <= 1:
        yield from map(work, range(count))
        return
    with _open_pool(work, jobs) as pool:
        started: dict[int, Future[Result]] = {number: _submit(pool, number) for number in first}
        later = deque(number for number in range(count) if number not in started)
        for number in range(count):
            # so that finished results do not pile up in memory behind one that takes long
            while later and later[0] <= number + ahead:
                following = later.popleft()
                started[following] = _submit(pool, following)
            yield started.pop(number).result()


@contextlib.contextmanager
def _open_pool(work: Callable[[int], Any], jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Within this context, have a pool of `jobs` processes that do `work`; they are killed if the block fails.

    Raises InputError (FG023) if a process ends before its work is done.
    """
    # processes that others in this program started are not to be killed
    other_processes = multiprocessing.active_children()
    context = multiprocessing.get_context("fork" if _may_fork() else "spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_prepare_worker, initargs=(work,))
    gc.freeze()  # or the first collection in a worker would touch, and so copy, all that is shared
    try:
        yield pool
    except BrokenProcessPool as error:
        hint = "it may have run out of memory: build with fewer --jobs"
        raise fault("FG023", "a worker process ended before its work was done", hint=hint) from error
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in other_processes:
                process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        gc.unfreeze()


def _submit(pool: ProcessPoolExecutor, number: int) -> Future[Any]:
    """Submit a task. Signals that ask to end are blocked meanwhile, also in processes that start: they are for the
    parent.
    """
    if not hasattr(signal, "pthread_sigmask"):
        return pool.submit(_run_task, number)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _LEFT_TO_PARENT)
    try:
        return pool.submit(_run_task, number)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _may_fork() -> bool:
    """Whether no other thread is alive; threads of an earlier pool are listed for a moment after they have ended."""
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError):
        for _ in range(20):
            if len(os.listdir("/proc/self/task")) == 1:  # noqa: PTH208 - counted, not walked
                return True
            if threading.active_count() > 1:
                return False
            time.sleep(0.001)
    return False


def _prepare_worker(work: Callable[[int], Any]) -> None:
    """Prepare a worker, which leaves Ctrl-C and requests to end to its parent, and ends with it."""
    for number in _LEFT_TO_PARENT:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _WORK[:] = [work]


def _end_with_parent() -> None:
    """Wait, in a thread of a worker, for the main process to end, and then end the worker."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run_task(number: int) -> Any:
    """Do one task by its number in a worker process."""
    return _WORK[0](number)

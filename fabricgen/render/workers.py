"""Rendering in several processes: chunks of switches go out, files come back in order.

Workers are spawned, not forked: the cluster goes over once a worker, which costs no more than forking, and a forked
child of a process with threads may hang. At most two chunks a worker are under way, so memory stays flat.
"""

from __future__ import annotations

import multiprocessing
import pickle
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TYPE_CHECKING, TypeAlias

from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Diagnostic, InputError

if TYPE_CHECKING:
    from fabricgen.render.engine import RenderOptions, Subject

CHUNK = 256
"""Switches that a worker renders at a time."""

_Files: TypeAlias = list[tuple[str, bytes]]
_Outcome: TypeAlias = tuple[_Files, tuple[Diagnostic, ...]]

_task: tuple[Cluster, RenderOptions] | None = None
"""In a worker: what it renders from."""


def render_in_workers(
    cluster: Cluster, rows: list[Subject], jobs: int, options: RenderOptions
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of switches and whole fabrics in their order, rendered by `jobs` processes."""
    chunks = deque(rows[i : i + CHUNK] for i in range(0, len(rows), CHUNK))
    context = multiprocessing.get_context("spawn")
    # Fills what a cluster computes once, so that no worker has to.
    cluster.switch(next(row for row in rows if isinstance(row, int)))
    with ProcessPoolExecutor(
        max_workers=min(jobs, len(chunks)),
        mp_context=context,
        initializer=_receive,
        initargs=(pickle.dumps((cluster, options), protocol=5),),
    ) as pool:
        under_way: deque[Future[_Outcome]] = deque()
        try:
            while chunks or under_way:
                while chunks and len(under_way) < 2 * jobs:
                    under_way.append(pool.submit(_render_chunk, chunks.popleft()))
                files, faults = under_way.popleft().result()
                yield from files
                if faults:
                    raise InputError(faults)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _receive(task: bytes) -> None:
    global _task  # noqa: PLW0603 - set once, when a worker starts
    _task = pickle.loads(task)  # noqa: S301 - from our own parent process


def _render_chunk(rows: list[Subject]) -> _Outcome:
    """Files of a chunk; faults come back as values, since an InputError does not survive pickling."""
    from fabricgen.render.engine import render_rows

    assert _task is not None  # noqa: S101 - the initializer has run
    cluster, options = _task
    files: _Files = []
    try:
        files.extend(render_rows(cluster, rows, options))
    except InputError as error:
        return files, error.diagnostics
    return files, ()

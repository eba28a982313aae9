"""Workers: results in order whatever they take, faults where results would be, and no process left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import fabricgen.publish.stage as bundles
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.publish import FileBundle, publish_folder, workers
from fabricgen.publish.archive import publish_archive
from fabricgen.publish.workers import count_processors, run_in_order
from tests.conftest import require
from tests.publish.publishing import HEADER, A, B, bundles_of, expected, only_entry, tree

# Threads of the test runner hold no locks that these workers need.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")]


@pytest.fixture(autouse=True)
def crew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers for the smallest builds, forked although the test runner has threads."""
    monkeypatch.setattr(workers, "_may_fork", lambda: sys.platform == "linux")
    monkeypatch.setattr(bundles, "WORKERS_FROM", 1)
    monkeypatch.setattr(bundles, "TASK", 1)


def uneven(task: int) -> tuple[int, int]:
    time.sleep(0.01 * (task % 3 == 0))
    return task, os.getpid()


def fails(task: int, error: BaseException) -> int:
    if task == 2:
        raise error
    return task


def dies(task: int) -> int:
    if task == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def test_results_come_in_order_from_other_processes() -> None:
    results = list(run_in_order(uneven, 12, 2, first=(7, 3), ahead=2))
    assert [task for task, _ in results] == list(range(12))
    assert os.getpid() not in {process for _, process in results}
    assert not multiprocessing.active_children()


def test_more_tasks_may_be_first_than_are_made_ahead() -> None:
    results = list(run_in_order(uneven, 12, 2, first=tuple(range(11, 3, -1)), ahead=1))
    assert [task for task, _ in results] == list(range(12))


def test_one_job_is_this_process() -> None:
    assert list(run_in_order(uneven, 2, 1)) == [(0, os.getpid()), (1, os.getpid())]


def test_errors_come_where_their_results_would() -> None:
    results = run_in_order(partial(fails, error=ZeroDivisionError("by nought")), 9, 2, first=(2,))
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ZeroDivisionError, match="by nought") as caught:
        next(results)
    assert "in fails" in str(caught.value.__cause__)
    assert not multiprocessing.active_children()


def test_faults_come_back_as_they_were() -> None:
    error = fault("FG033", "a template fails", path=("nos", 1), hint="mend it")
    with pytest.raises(InputError) as caught:
        list(run_in_order(partial(fails, error=error), 4, 2))
    assert caught.value.diagnostics == error.diagnostics


def test_a_worker_that_is_killed_is_a_fault() -> None:
    with pytest.raises(InputError, match=r"FG023.*ended before its work was done"):
        list(run_in_order(dies, 4, 2))
    assert not multiprocessing.active_children()


def test_workers_end_with_a_parent_that_is_killed() -> None:
    """Those at work, and those that wait for work."""
    require(
        "" if sys.platform == "linux" else "workers of a killed parent are looked for in /proc: run on Linux",
        marked=False,
    )
    ours, theirs = multiprocessing.Pipe()
    parent = multiprocessing.get_context("fork").Process(target=_tells_and_sleeps, args=(theirs,))
    parent.start()
    theirs.close()
    workers = {ours.recv() for _ in range(2)}
    os.kill(parent.pid or 0, signal.SIGKILL)
    parent.join()
    assert len(workers) == 2
    assert ours.poll(300), "a worker is left"
    with pytest.raises(EOFError):  # no process is left that could tell more
        ours.recv()


def _tells_and_sleeps(connection: Connection) -> None:
    def work(task: int) -> int:
        connection.send(os.getpid())
        time.sleep(900 if task else 0.5)
        return task

    list(run_in_order(work, 2, 2))


def test_leaving_early_ends_the_workers() -> None:
    results = run_in_order(uneven, 50, 2)
    next(results)
    results.close()
    assert not multiprocessing.active_children()


def test_processors_are_those_that_may_be_used() -> None:
    assert 1 <= count_processors() <= (os.cpu_count() or 1)


@pytest.mark.slow
def test_workers_are_spawned_where_threads_are_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(bundles, "WORKERS_FROM", 1)
    monkeypatch.setattr(bundles, "TASK", 1)
    asleep = threading.Event()
    thread = threading.Thread(target=asleep.wait)
    thread.start()
    try:
        publish_folder(tmp_path / "out", bundles_of(A), header=HEADER, jobs=2)
        assert not workers._may_fork()
    finally:
        asleep.set()
        thread.join()
    assert tree(tmp_path / "out") == expected(A)


@pytest.mark.slow
def test_a_folder_is_the_same_whoever_makes_it(target: Path) -> None:
    for files in (A, B):
        publish_folder(target, bundles_of(files), header=HEADER, jobs=2)
        assert tree(target) == expected(files)
    again = publish_folder(target, bundles_of(B), header=HEADER, jobs=2)
    assert (again.written, again.unchanged, again.removed) == (0, len(B), 0)
    assert only_entry(target.parent, "out")


@pytest.mark.parametrize("kind", [".tar", ".tar.zst", ".zip"])
def test_an_archive_is_the_same_whoever_makes_it(tmp_path: Path, kind: str) -> None:
    told: list[str] = []
    for jobs, files in ((1, [*A, *B[2:3]]), (2, [*A, *B[2:3]])):
        made = bundles_of(files)
        publish_archive(tmp_path / f"{jobs}{kind}", made, header=HEADER, jobs=jobs, tell=lambda b: told.append(b.key))
    assert (tmp_path / f"1{kind}").read_bytes() == (tmp_path / f"2{kind}").read_bytes()
    assert told[:6] == told[6:] == [path for _, path, _ in [*A, *B[2:3]]]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("name", ["out", "out.tar", "out.zip"])
def test_faults_of_producers_leave_nothing(tmp_path: Path, name: str) -> None:
    made = [*bundles_of(A), FileBundle("x", "y", partial(fails, 2, OSError("of theirs")))]  # type: ignore[arg-type]
    publish = publish_archive if "." in name else publish_folder
    with pytest.raises(OSError, match="of theirs"):
        publish(tmp_path / name, made, header=HEADER, jobs=2)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", ["out", "out.tar"])
def test_of_several_faults_the_first_is_told_whoever_began_first(tmp_path: Path, name: str, jobs: int) -> None:
    """The largest bundles begin first."""
    made = [*bundles_of(A)]
    for number, cost in enumerate((1, 999, 1, 1000)):
        made.append(FileBundle("x", str(number), partial(fails, 2, fault("FG033", f"number {number}")), cost=cost))  # type: ignore[arg-type]
    publish = publish_archive if "." in name else publish_folder
    with pytest.raises(InputError, match=r"FG033.*number 0"):
        publish(tmp_path / name, made, header=HEADER, jobs=jobs)
    assert not any(tmp_path.iterdir())


def test_small_builds_stay_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "WORKERS_FROM", 512)
    monkeypatch.setattr(workers, "_open_pool", None)
    publish_folder(tmp_path / "out", bundles_of(A), header=HEADER, jobs=2)

"""Run a command as a process of its own: wall time, processor time and peak memory of it and all that it starts."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

BYTES_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024
"""getrusage(2) has KiB on Linux and bytes on macOS."""

_FIRST_SAMPLE_S, _SAMPLES_S = 0.02, 0.1
_REST_PER_SAMPLE = 30
"""The kernel walks all pages of a process to tell its memory: time between samples, in multiples of what one takes."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command.

    `user_s` and `system_s` are of the whole tree of processes. `tree_mb` is the largest sum of proportional set sizes
    of the tree that was seen at one time (0 where the system does not tell them), `process_mb` the largest resident
    set of any one process; a process counts as at least what this one, which started it, takes. `problem` is empty
    where it ended as expected.
    """

    wall_s: float
    user_s: float
    system_s: float
    tree_mb: float
    process_mb: float
    problem: str = ""

    @property
    def cpu_s(self) -> float:
        """Processor seconds of the whole tree."""
        return self.user_s + self.system_s

    @property
    def peak_mb(self) -> float:
        """The larger of the two: sampling misses short peaks, and one process is not all of them."""
        return max(self.tree_mb, self.process_mb)

    def as_json(self) -> dict[str, object]:
        """Figures, rounded to what they are good for."""
        return {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(self).items()}


def run(
    command: Sequence[str],
    *,
    codes: Sequence[int] = (0,),
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    timeout_s: float = 900,
) -> tuple[Run, str]:
    """Run a command to its end in a folder, and return what it took and what it wrote to its standard output.

    One that ends with another code than expected, or not in time, is a run with a problem.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - commands are our own
            list(command), stdout=out, stderr=err, env=environment, cwd=folder, start_new_session=True
        )
        sampler = _Sampler(process.pid, start + timeout_s)
        sampler.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        sampler.end()
        problem = ""
        if sampler.timed_out:
            problem = f"took longer than {timeout_s:g} s"
        elif process.returncode not in codes:
            problem = f"ended with {process.returncode}: {_last_line(_text(err))}"
        process_mb = usage.ru_maxrss * BYTES_OF_MAXRSS / 1e6
        found = Run(wall_s, usage.ru_utime, usage.ru_stime, sampler.peak_bytes / 1e6, process_mb, problem)
        return found, _text(out)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _last_line(text: str) -> str:
    return next((line.strip()[:200] for line in reversed(text.splitlines()) if line.strip()), "")


class _Sampler(threading.Thread):
    """Adds up the memory of a tree of processes now and then, and ends the tree when its time is up."""

    def __init__(self, pid: int, deadline: float) -> None:
        super().__init__(daemon=True)
        self._pid, self._deadline = pid, deadline
        self._done = threading.Event()
        self.peak_bytes = 0
        self.timed_out = False

    def run(self) -> None:
        """Sample until told to end."""
        pause = _FIRST_SAMPLE_S
        while not self._done.wait(pause):
            began = time.thread_time()
            self.peak_bytes = max(self.peak_bytes, sum(map(_proportional_bytes, _tree(self._pid))))
            pause = max(min(2 * pause, _SAMPLES_S), _REST_PER_SAMPLE * (time.thread_time() - began))
            if not self.timed_out and time.perf_counter() > self._deadline:
                self.timed_out = True
                with contextlib.suppress(OSError):
                    os.killpg(self._pid, signal.SIGKILL)

    def end(self) -> None:
        """Stop sampling."""
        self._done.set()
        self.join()


def _tree(pid: int) -> Iterator[int]:
    """A process and all below it; those that end meanwhile may be missing."""
    yield pid
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))


def _proportional_bytes(pid: int) -> int:
    """Memory of a process, what it shares divided by those who share it; 0 where that cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0

"""Run a command as a process of its own, several times: wall time, processor time and peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

KIB_OF_MAXRSS = 1 / 1024 if sys.platform == "darwin" else 1
"""getrusage(2) has KiB on Linux and bytes on macOS."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: wall and processor seconds, peak memory in MiB."""

    wall_s: float
    cpu_s: float
    peak_mib: float


@dataclass(frozen=True, slots=True)
class Measured:
    """Some runs of one command."""

    name: str
    runs: tuple[Run, ...]

    def least(self, figure: str) -> float:
        """The smallest of a figure: what the command costs when nothing disturbs it."""
        return float(min(getattr(run, figure) for run in self.runs))

    def middle(self, figure: str) -> float:
        """The median of a figure."""
        return float(median(getattr(run, figure) for run in self.runs))

    @property
    def peak_mib(self) -> float:
        """The largest memory of any run, MiB."""
        return max(run.peak_mib for run in self.runs)


def run_once(arguments: Sequence[str], *, codes: Sequence[int] = (0,)) -> Run:
    """Run Python with some arguments; raises RuntimeError where it ends with another code than is expected."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - arguments are our own
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        raise RuntimeError(f"{' '.join(arguments)} ended with {process.returncode}")
    return Run(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * KIB_OF_MAXRSS / 1024)


def measure(cases: Sequence[tuple[str, Sequence[str]]], runs: int) -> list[Measured]:
    """Measure commands in turn, so that a disturbance meets all of them; a first round writes bytecode."""
    rounds = [[run_once(arguments) for _, arguments in cases] for _ in range(runs + 1)][1:]
    return [Measured(name, tuple(each[i] for each in rounds)) for i, (name, _) in enumerate(cases)]

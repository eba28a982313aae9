"""The lab of the package as tests run it: up and down again in one process, with names that no other run has."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from fabricgen.lab.check import check_lab
from fabricgen.lab.fabric import Lab
from fabricgen.lab.files import Build
from fabricgen.lab.start import bring_lab_up
from fabricgen.lab.stop import take_down


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """A folder with a short name: the daemons' sockets lie in it, and a socket's path ends at 107 characters."""
    with tempfile.TemporaryDirectory(prefix="lab") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextlib.contextmanager
def lab(build: Build, folder: Path) -> Iterator[Lab]:
    """Start the switches of a build and its hosts, and take them down at the end."""
    devices = [*build.switches, *build.hosts]
    assert len(devices) <= 40, "a namespace and three daemons each: this is for small fabrics"
    running = Lab(folder, {name: f"fg{os.getpid()}-{i}" for i, name in enumerate(devices)}, build)
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        daemons += bring_lab_up(running)
        yield running
    finally:
        running.close()
        ended(running, daemons, running.spaces.values())


def ended(running: Lab, daemons: list[subprocess.Popen[bytes]], spaces: Iterable[str]) -> None:
    """Take a lab down with its namespaces, and await the processes that are this one's own."""
    for daemon in daemons:
        daemon.kill()
    for daemon in daemons:
        daemon.wait()
    take_down(running.folder, spaces)


def settled(lab: Lab, right: Build, done: Callable[[list[str]], bool], seconds: float = 300) -> list[str]:
    """The findings once they are as wanted, or after some time."""
    deadline = time.monotonic() + seconds
    while True:
        found = [str(each) for each in check_lab(lab, right)]
        if done(found) or time.monotonic() > deadline:
            return found
        time.sleep(0.5)

"""How a lab goes down, whatever is left of it: its daemons by the folder in their command, its namespaces by name."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from fabricgen.lab.fabric import explain_failure

NAMESPACES = Path("/run/netns")
"""The folder in which `ip netns` keeps the names of namespaces (ip-netns(8))."""

PATIENCE_S = 30
"""Seconds after which a killed process that still exists is reported."""


def take_down(folder: Path, spaces: Iterable[str]) -> None:
    """Kill the daemons whose sockets lie in a lab's folder, and delete namespaces, as far as they exist.

    A daemon that was about to start in a namespace no longer finds it; one that did start is killed the second time.
    Raises InputError (FG175) for a process or a namespace that does not go.
    """
    kill_daemons(folder)
    existing = [space for space in spaces if (NAMESPACES / space).exists()]
    text = "".join(f"netns del {space}\n" for space in existing)
    command = ["ip", "-force", "-batch", "-"]  # goes on after what fails
    subprocess.run(command, input=text, text=True, check=False, capture_output=True)  # noqa: S603 - no shell
    kill_daemons(folder)
    if remaining := [space for space in existing if (NAMESPACES / space).exists()]:
        raise explain_failure(f"namespaces that cannot be deleted: {', '.join(remaining)}")


def kill_daemons(folder: Path) -> None:
    """Kill the daemons whose sockets lie in a folder, and wait until they are gone; raises InputError (FG175)."""
    deadline = time.monotonic() + PATIENCE_S
    while processes := find_daemons(folder):
        if time.monotonic() > deadline:
            raise explain_failure(f"processes {', '.join(map(str, processes))} do not end")
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.01)


def find_daemons(folder: Path) -> list[int]:
    """Return the ids of processes whose sockets lie in a folder: `--vty_socket FOLDER/DEVICE`.

    Dead processes have no command any more.
    """
    mark = b"\0--vty_socket\0" + os.fsencode(folder) + b"/"
    processes = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with contextlib.suppress(OSError):  # it has ended meanwhile
                if mark in (process / "cmdline").read_bytes():
                    processes.append(int(process.name))
    return processes

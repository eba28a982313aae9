"""FRR's daemons in a namespace of their own, which take a configuration and print it again."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from fabricgen.lab.fabric import DAEMONS

NAMES = ("zebra", "staticd", "bfdd", "bgpd")
FORWARDING = ("net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")
PATIENCE_S = 300


class Daemons:
    """Daemons of a switch, whose sockets lie in a folder."""

    def __init__(self, folder: Path, space: str, hostname: str) -> None:
        self._folder = folder
        named = ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', hostname]
        self._inside = ["ip", "netns", "exec", space, *named]

    def start(self) -> None:
        """Start them empty, zebra first, and wait until each has its socket; they run until their files of ids end."""
        shutil.chown(self._folder, "frr", "frr")
        self._run("sysctl", "-qw", *FORWARDING)
        for name in NAMES:
            own = ["--bfdctl", f"{self._folder}/bfdd.sock"] if name == "bfdd" else ["-A", "127.0.0.1"]
            paths = ["--vty_socket", f"{self._folder}", "-z", f"{self._folder}/zserv.api"]
            self._run(str(DAEMONS / name), "-d", "-i", f"{self._folder}/{name}.pid", *paths, *own)
            deadline = time.monotonic() + PATIENCE_S
            while not (self._folder / f"{name}.vty").exists():
                assert time.monotonic() < deadline, f"{name} does not start"
                time.sleep(0.05)

    def stop(self) -> None:
        for name in NAMES:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError):
                os.kill(int((self._folder / f"{name}.pid").read_text()), signal.SIGKILL)

    def load(self, text: str) -> str:
        """Give them a configuration as SONiC's container does, and return what they say of it."""
        file = self._folder / "frr.conf"
        file.write_text(text)
        return self._run("vtysh", "--vty_socket", f"{self._folder}", "-f", f"{file}", check=False)

    def show(self) -> str:
        """What they run, as vtysh prints it."""
        return self._run("vtysh", "--vty_socket", f"{self._folder}", "-c", "show running-config")

    def _run(self, *command: str, check: bool = True) -> str:
        done = subprocess.run(
            [*self._inside, *command], check=False, capture_output=True, text=True, timeout=PATIENCE_S
        )
        assert not (check and done.returncode), f"{command}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr


@contextlib.contextmanager
def frr_daemons(folder: Path, hostname: str) -> Iterator[Daemons]:
    """Daemons in a new namespace; both are gone at the end."""
    space = f"frr{os.getpid()}-{folder.name[-8:]}"
    subprocess.run(["ip", "netns", "add", space], check=True)
    daemons = Daemons(folder, space, hostname)
    try:
        daemons.start()
        yield daemons
    finally:
        daemons.stop()
        subprocess.run(["ip", "netns", "del", space], check=True)

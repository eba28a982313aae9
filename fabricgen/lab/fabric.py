"""A running lab: a network namespace each device, in which its commands run, and what its ports and daemons say."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.lab.files import Build, End, kernel

FAILED = "FG175"
"""The code of a lab in which a command fails, or that does not come up in time."""

PLACES = (Path("/usr/lib/frr"), Path("/usr/libexec/frr"))
"""Where packages of FRR have its daemons: Debian's and FRR's own, and Fedora's (frr.spec, `frr_libdir`)."""

DAEMONS = next((place for place in PLACES if place.exists()), PLACES[0])
"""Where they are on this machine."""

DAEMON_NAMES = ("zebra", "staticd", "bgpd")
"""FRR's daemons of a switch, the first before the others."""

LLDP = 0x88CC
"""EtherType of what ports say of themselves."""

PATIENCE_S = 300
"""A command that takes longer has failed."""


def failed(what: str) -> InputError:
    """What is raised where a lab does not do what it should."""
    return fault(FAILED, what, hint="`fabricgen lab down` takes away what is left of it")


def batch(commands: Iterable[str], *options: str, holding: int | None = None) -> None:
    """Run commands of `ip` in one process, which keeps the file descriptor `holding` open until it ends.

    Raises InputError (FG175) with what `ip` says where one of them fails.
    """
    text, held = "\n".join(commands), () if holding is None else (holding,)
    if not text:
        return
    done = subprocess.run(  # noqa: S603 - no shell
        ["ip", *options, "-batch", "-"],  # noqa: S607 - where it is differs between distributions
        input=text,
        check=False,
        capture_output=True,
        text=True,
        pass_fds=held,
    )
    if done.returncode:
        raise failed(f"`ip {' '.join(options)}`: {done.stderr.strip()}")


def until(done: Callable[[], object], what: str, seconds: float = 300) -> None:
    """Wait for something; raises InputError (FG175), with `what` was wanted, after some seconds."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise failed(f"after {seconds:.0f} s still not so: {what}")
        time.sleep(0.1)


@dataclass
class Lab:
    """Namespaces of devices by name, and a folder with the sockets of their daemons, one each switch.

    `build` is what it was made of. `sockets` hear what ports say, by device, from the first time that it is asked for:
    closing one takes long.
    """

    folder: Path
    spaces: Mapping[str, str]
    build: Build
    sockets: dict[str, socket.socket] = field(default_factory=dict)

    def inside(self, device: str, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the namespace of a device."""
        whole = ["ip", "netns", "exec", self.spaces[device], *command]
        return subprocess.run(whole, check=False, capture_output=True, text=True, timeout=PATIENCE_S)  # noqa: S603 - no shell

    def run(self, device: str, *command: str) -> str:
        """The output of a command in the namespace of a device; raises InputError (FG175) where it fails."""
        done = self.inside(device, *command)
        if done.returncode:
            said = f"{done.stdout}{done.stderr}".strip()
            raise failed(f"{device}: `{' '.join(command)[:200]}` ends with {done.returncode}: {said}")
        return done.stdout

    def vtysh(self, device: str, *commands: str) -> str:
        """What FRR says on a switch; raises InputError (FG175) where it does not answer."""
        words = [word for command in commands for word in ("-c", command)]
        return self.run(device, "vtysh", "--vty_socket", str(self.folder / device), *words)

    def json(self, device: str, *commands: str) -> list[dict[str, Any]]:
        """What FRR says on a switch to each of some commands, as data; raises InputError (FG175) as `vtysh` does."""
        text, found = self.vtysh(device, *(f"{command} json" for command in commands)), []
        while text.strip():
            said, end = json.JSONDecoder().raw_decode(text := text.lstrip())
            found.append(said)
            text = text[end:]
        if len(found) != len(commands):
            raise failed(f"{device}: {len(found)} answers to {len(commands)} commands of vtysh")
        return found

    def pings(self, device: str, port: str, address: str, seconds: float = 1) -> bool:
        """Whether an address answers a port's ping in some time."""
        return self.inside(device, "ping", "-c1", f"-W{seconds}", "-I", kernel(port), address).returncode == 0

    def daemon(self, device: str, name: str) -> list[str]:
        """The command that runs one of FRR's daemons on a switch, with its sockets in the switch's folder."""
        folder = self.folder / device
        where = ["--vty_socket", str(folder), "-z", str(folder / "zserv.api"), "-i", str(folder / f"{name}.pid")]
        return ["ip", "netns", "exec", self.spaces[device], str(DAEMONS / name), *where, "-P", "0", "-f", "/dev/null"]

    def far_ends(self) -> dict[End, End]:
        """What is plugged in at each port: every port that is up tells its name over its cable, as LLDP would."""
        ports = sorted({end for link in self.build.links for end in (link.a, link.b)}, key=str)
        if not self.sockets:
            self.sockets |= {device: _socket_in(space) for device, space in self.spaces.items()}
        for end in ports:
            try:
                self.sockets[end.device].sendto(f"{end.device} {end.port}".encode(), (kernel(end.port), LLDP))
            except OSError:  # the port is down
                continue
        names = {End(end.device, kernel(end.port)): end for end in ports}
        return {names[at]: far for device, heard in self.sockets.items() for at, far in _heard(device, heard)}

    def close(self) -> None:
        """Close the sockets that hear what ports say; the lab goes on."""
        for each in self.sockets.values():
            each.close()
        self.sockets.clear()


def _heard(device: str, heard: socket.socket) -> Iterator[tuple[End, End]]:
    """(own port as the kernel has it, far end) of everything that has come in."""
    while True:
        try:
            text, (port, _, kind, *_) = heard.recvfrom(256)
        except BlockingIOError:
            return
        if kind != socket.PACKET_OUTGOING:  # type: ignore[attr-defined, unused-ignore]
            far, _, far_port = text.decode().partition(" ")
            yield End(device, port), End(far, far_port)


def _socket_in(space: str) -> socket.socket:
    """A socket in another namespace that hears what ports say; it stays there when this thread comes back."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open() as home, Path("/run/netns", space).open() as there:
        _enter(libc, there.fileno())
        try:
            found = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(LLDP))
        finally:
            _enter(libc, home.fileno())
    found.setblocking(False)
    return found


def _enter(libc: ctypes.CDLL, namespace: int) -> None:
    if libc.setns(namespace, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

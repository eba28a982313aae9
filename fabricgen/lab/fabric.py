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
from fabricgen.lab.files import Build, BuiltEnd, kernel_name

FAILED = "FG175"
"""The code of a lab in which a command fails, or that does not come up in time."""

PLACES = (Path("/usr/lib/frr"), Path("/usr/libexec/frr"))
"""The folders of the daemons in packages of FRR: Debian's and FRR's own, and Fedora's (frr.spec, `frr_libdir`)."""

DAEMONS = next((place for place in PLACES if place.exists()), PLACES[0])
"""The folder of the daemons on this machine."""

DAEMON_NAMES = ("zebra", "staticd", "bgpd")
"""FRR's daemons of a switch, the first before the others."""

LLDP = 0x88CC
"""The EtherType of LLDP, by which ports announce themselves."""

PATIENCE_S = 300
"""A command that takes longer has failed."""


def explain_failure(message: str) -> InputError:
    """Return the error of a lab that does not do what it should."""
    return fault(FAILED, message, hint="`fabricgen lab down` takes away what is left of it")


def run_ip_batch(commands: Iterable[str], *options: str, holding: int | None = None) -> None:
    """Run commands of `ip` in one process, which keeps the file descriptor `holding` open until it ends.

    Raises InputError (FG175), with what `ip` says, if a command fails.
    """
    text, descriptors = "\n".join(commands), () if holding is None else (holding,)
    if not text:
        return
    done = subprocess.run(  # noqa: S603 - no shell
        ["ip", *options, "-batch", "-"],  # noqa: S607 - where it is differs between distributions
        input=text,
        check=False,
        capture_output=True,
        text=True,
        pass_fds=descriptors,
    )
    if done.returncode:
        raise explain_failure(f"`ip {' '.join(options)}`: {done.stderr.strip()}")


def wait_until(done: Callable[[], object], wish: str, seconds: float = 300) -> None:
    """Wait until `done` returns something true; raises InputError (FG175), which names `wish`, after some seconds."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise explain_failure(f"after {seconds:.0f} s still not so: {wish}")
        time.sleep(0.1)


@dataclass
class Lab:
    """A running lab: the namespace of each device by name, and a folder with the sockets of the daemons of each switch.

    `build` is what the lab was made of. `sockets`, by device, hear what ports say; they are opened when that is first
    asked for, and kept, since closing one takes long.
    """

    folder: Path
    spaces: Mapping[str, str]
    build: Build
    sockets: dict[str, socket.socket] = field(default_factory=dict)

    def run_in_namespace(self, device: str, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the namespace of a device."""
        full_command = ["ip", "netns", "exec", self.spaces[device], *command]
        return subprocess.run(full_command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)  # noqa: S603 - no shell

    def run(self, device: str, *command: str) -> str:
        """Return the output of a command in the namespace of a device; raises InputError (FG175) if it fails."""
        done = self.run_in_namespace(device, *command)
        if done.returncode:
            output = f"{done.stdout}{done.stderr}".strip()
            raise explain_failure(f"{device}: `{' '.join(command)[:200]}` ends with {done.returncode}: {output}")
        return done.stdout

    def ask_frr(self, device: str, *commands: str) -> str:
        """Return what FRR says on a switch; raises InputError (FG175) if it does not answer."""
        words = [word for command in commands for word in ("-c", command)]
        return self.run(device, "vtysh", "--vty_socket", str(self.folder / device), *words)

    def json(self, device: str, *commands: str) -> list[dict[str, Any]]:
        """Return what FRR on a switch answers to each of some commands, parsed; raises InputError (FG175) as `ask_frr`
        does.
        """
        text, answers = self.ask_frr(device, *(f"{command} json" for command in commands)), []
        while text.strip():
            # vtysh prints the answers one behind another, which is no JSON as a whole
            answer, end = json.JSONDecoder().raw_decode(text := text.lstrip())
            answers.append(answer)
            text = text[end:]
        if len(answers) != len(commands):
            raise explain_failure(f"{device}: {len(answers)} answers to {len(commands)} commands of vtysh")
        return answers

    def answers_ping(self, device: str, port: str, address: str, seconds: float = 1) -> bool:
        """Whether an address answers a ping from a port within some seconds."""
        return (
            self.run_in_namespace(device, "ping", "-c1", f"-W{seconds}", "-I", kernel_name(port), address).returncode
            == 0
        )

    def make_daemon_command(self, device: str, name: str) -> list[str]:
        """Return the command that runs one of FRR's daemons on a switch, with its sockets in the switch's folder."""
        folder = self.folder / device
        socket_options = [
            "--vty_socket",
            str(folder),
            "-z",
            str(folder / "zserv.api"),
            "-i",
            str(folder / f"{name}.pid"),
        ]
        return [
            "ip",
            "netns",
            "exec",
            self.spaces[device],
            str(DAEMONS / name),
            *socket_options,
            "-P",
            "0",
            "-f",
            "/dev/null",
        ]

    def far_ends(self) -> dict[BuiltEnd, BuiltEnd]:
        """Return the far end of each port that hears one: every port that is up tells its name over its cable, as LLDP
        would. Ports that hear nothing are left out.
        """
        ports = sorted({end for link in self.build.links for end in (link.a, link.b)}, key=str)
        if not self.sockets:
            self.sockets |= {device: _open_socket(space) for device, space in self.spaces.items()}
        for end in ports:
            try:
                self.sockets[end.device].sendto(f"{end.device} {end.port}".encode(), (kernel_name(end.port), LLDP))
            except OSError:  # the port is down
                continue
        planned_ends = {BuiltEnd(end.device, kernel_name(end.port)): end for end in ports}
        return {
            planned_ends[near]: far
            for device, listener in self.sockets.items()
            for near, far in _read_heard_ends(device, listener)
        }

    def close(self) -> None:
        """Close the sockets that hear what ports say; the lab goes on."""
        for listener in self.sockets.values():
            listener.close()
        self.sockets.clear()


def _read_heard_ends(device: str, listener: socket.socket) -> Iterator[tuple[BuiltEnd, BuiltEnd]]:
    """Yield (own port as the kernel names it, far end) of everything that a socket has heard."""
    while True:
        try:
            # a raw socket also hears what its own side has sent
            text, (port, _, kind, *_) = listener.recvfrom(256)
        except BlockingIOError:
            return
        if kind != socket.PACKET_OUTGOING:  # type: ignore[attr-defined, unused-ignore]
            far, _, far_port = text.decode().partition(" ")
            yield BuiltEnd(device, port), BuiltEnd(far, far_port)


def _open_socket(space: str) -> socket.socket:
    """Return a socket in another namespace that hears what ports say; it stays there when this thread comes back."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open() as home, Path("/run/netns", space).open() as namespace:
        _enter_namespace(libc, namespace.fileno())
        try:
            listener = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(LLDP))
        finally:
            _enter_namespace(libc, home.fileno())
    listener.setblocking(False)
    return listener


def _enter_namespace(libc: ctypes.CDLL, namespace: int) -> None:
    if libc.setns(namespace, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

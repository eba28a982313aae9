"""A fabric of real FRR daemons, made of a build's files: a namespace a device, a veth pair a row of links.csv."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.render.lab_files import Build, End, kernel

DAEMONS = Path("/usr/lib/frr")
DAEMON_NAMES = ("zebra", "staticd", "bgpd")
PROBE = f"fabricgen-probe-{os.getpid()}"
LLDP = 0x88CC
"""EtherType of what ports say of themselves."""


def missing() -> str:
    """What this machine lacks for a lab; "" for nothing."""
    needs = {name: DAEMONS / name for name in DAEMON_NAMES}
    lacking = [name for name, file in needs.items() if not file.exists()]
    lacking += [tool for tool in ("vtysh", "ip", "ping") if not shutil.which(tool)]
    if not lacking and subprocess.run(["ip", "netns", "add", PROBE], check=False, capture_output=True).returncode:
        return "the right to make network namespaces (root)"
    subprocess.run(["ip", "netns", "del", PROBE], check=False, capture_output=True)
    return ", ".join(lacking)


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """A folder with a short name: the daemons' sockets lie in it, and a socket's path ends at 107 characters."""
    with tempfile.TemporaryDirectory(prefix="lab") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def until(done: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Wait for something; fails with `what` was wanted."""
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


@dataclass
class Lab:
    """Running daemons; commands are run in a device's namespace. `build` is what it was made of.

    `sockets` hear what ports say, by device, from the first time that it is asked for: closing one takes long.
    """

    folder: Path
    spaces: dict[str, str]
    build: Build
    sockets: dict[str, socket.socket] = field(default_factory=dict)
    vrfs: dict[str, dict[str, str]] = field(default_factory=dict)
    """The namespace of each VRF of a device, by its name in FRR."""

    def run(self, device: str, *command: str) -> str:
        """The output of a command; fails where it does."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.spaces[device], *command],
            check=False,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"{device}: {' '.join(command)}\n{done.stdout}{done.stderr}"
        return done.stdout

    def vtysh(self, device: str, *commands: str) -> str:
        """What FRR says on a device."""
        words = [word for command in commands for word in ("-c", command)]
        return self.run(device, "vtysh", "--vty_socket", str(self.folder / device), *words)

    def json(self, device: str, *commands: str) -> list[dict[str, Any]]:
        """What FRR says on a device to each of some commands, as data."""
        text, found = self.vtysh(device, *(f"{command} json" for command in commands)), []
        while text.strip():
            said, end = json.JSONDecoder().raw_decode(text := text.lstrip())
            found.append(said)
            text = text[end:]
        assert len(found) == len(commands)
        return found

    def pings(self, device: str, port: str, address: str, seconds: float = 1) -> bool:
        """Whether an address answers a port's ping in some time."""
        sent = ["ping", "-c1", f"-W{seconds}", "-I", kernel(port), address]
        command = ["ip", "netns", "exec", self.spaces[device], *sent]
        return subprocess.run(command, check=False, capture_output=True, timeout=300).returncode == 0

    def far_ends(self) -> dict[End, End]:
        """What is plugged in at each port: every port tells its name over its cable, as LLDP would."""
        ports = {end for link in self.build.links for end in (link.a, link.b)}
        if not self.sockets:
            self.sockets |= {device: _socket_in(space) for device, space in self.spaces.items()}
        for end in sorted(ports, key=str):
            self.sockets[end.device].sendto(f"{end.device} {end.port}".encode(), (kernel(end.port), LLDP))
        names = {End(end.device, kernel(end.port)): end for end in ports}
        return {names[at]: far for device, heard in self.sockets.items() for at, far in _heard(device, heard)}


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
        assert libc.setns(there.fileno(), 0) == 0, os.strerror(ctypes.get_errno())
        try:
            found = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(LLDP))
        finally:
            assert libc.setns(home.fileno(), 0) == 0, os.strerror(ctypes.get_errno())
    found.setblocking(False)
    return found


IN_VRFS = """
set -e
keep=$1; shift; mkdir -p "$keep"; mount --rbind /run/netns "$keep"; mount -t tmpfs none /run/netns
while [ "$1" != -- ]; do : > "/run/netns/${1#*=}"; mount --bind "$keep/${1%%=*}" "/run/netns/${1#*=}"; shift; done
shift; exec "$@"
"""
"""Starts a daemon that sees the namespaces of one switch's VRFs alone, each by the name of the VRF: `zebra -n` takes
every namespace that has a name for a VRF (docs.frrouting.org, zebra: `--vrfwnetns`)."""


@contextlib.contextmanager
def lab(build: Build, folder: Path) -> Iterator[Lab]:
    """Start the switches of a build and its hosts, cabled as its links.csv says, each with its configuration."""
    devices = [*build.switches, *build.hosts]
    assert len(devices) <= 40, "a namespace and three daemons each: this is for small fabrics"
    running = Lab(folder, {name: f"fg{os.getpid()}-{i}" for i, name in enumerate(devices)}, build)
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        batch([f"netns add {space}" for space in running.spaces.values()])
        for space in running.spaces.values():
            settings = ("net.ipv4.ip_forward=1", "net.ipv4.fib_multipath_hash_policy=1")
            more = ("net.ipv6.conf.all.forwarding=1", "net.ipv6.fib_multipath_hash_policy=1")
            _exec(space, "sysctl", "-qw", *settings, *more, "net.ipv6.conf.default.accept_dad=0")
        batch(_cables(running))
        for device, space in running.spaces.items():
            batch(_interfaces(build, device), "-n", space)
        daemons += start(running, build.switches)
        configure(running, {name: build.frr(name) for name in build.switches})
        yield running
    finally:
        for each in running.sockets.values():
            each.close()
        for daemon in daemons:
            daemon.kill()
        for daemon in daemons:
            daemon.wait()
        for space in running.spaces.values():
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def batch(commands: Iterable[str], *options: str) -> None:
    """Run commands of `ip` in one process."""
    text = "\n".join(commands)
    done = subprocess.run(["ip", *options, "-batch", "-"], input=text, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stderr}\n{text}"


def _exec(space: str, *command: str) -> None:
    subprocess.run(["ip", "netns", "exec", space, *command], check=False, capture_output=True)


def _cables(running: Lab) -> Iterator[str]:
    for link in running.build.links:
        a, b = (f"{kernel(end.port)} netns {running.spaces[end.device]}" for end in (link.a, link.b))
        yield f"link add name {a} type veth peer name {b}"


def _interfaces(build: Build, device: str) -> Iterator[str]:
    """Ports up; a switch's addresses as its configuration has them, a host's as addresses.csv has them."""
    own = [(near, far) for link in build.links for near, far in _both_ways(link.a, link.b) if near.device == device]
    yield "link set lo up"
    yield from (f"link set {kernel(near.port)} up" for near, _ in own)
    if device in build.forms:
        form = build.forms[device]
        yield from (f"address add {address} dev lo" for address in sorted(form.loopbacks))
        for name, port in sorted(form.interfaces.items()):
            yield from (_address(address, name) for address in sorted(port.addresses))
        return
    for near, far in own:
        gateways = {":" in address: address.partition("/")[0] for address in build.addresses[far]}
        for address in build.addresses[near]:
            v6, source = ":" in address, address.partition("/")[0]
            yield _address(address, near.port)
            everywhere, port = "::/0" if v6 else "0.0.0.0/0", kernel(near.port)
            yield f"route append {everywhere} via {gateways[v6]} dev {port} metric 100 src {source}"


def _both_ways(a: End, b: End) -> tuple[tuple[End, End], ...]:
    return (a, b), (b, a)


def _address(address: str, port: str) -> str:
    # Without `nodad` an IPv6 address is tentative for a moment, and no route may have it as its source.
    return f"address add {address} dev {kernel(port)}" + (" nodad" if ":" in address else "")


def start(running: Lab, names: Iterable[str]) -> list[subprocess.Popen[bytes]]:
    """Start the daemons of switches empty, and wait until each has met zebra; their sockets lie in a device's folder.

    zebra comes first: a daemon that does not find it tries again after ten seconds.
    """
    found, switches = [], tuple(names)
    for name in switches:
        (running.folder / name).mkdir(parents=True)
        shutil.chown(running.folder / name, "frr", "frr")
    for daemons in (DAEMON_NAMES[:1], DAEMON_NAMES[1:]):
        found += [_daemon(running, name, daemon) for name in switches for daemon in daemons]
        for name in switches:
            sockets = [running.folder / name / file for file in ("zserv.api", *(f"{daemon}.vty" for daemon in daemons))]
            until(lambda s=sockets: all(file.exists() for file in s), f"{name}: daemons did not start", 300)
    for name in switches:  # a route given to staticd before it has met zebra may be lost
        until(lambda n=name: _met(running, n), f"{name}: daemons did not meet zebra", 300)
    return found


def _daemon(running: Lab, name: str, daemon: str) -> subprocess.Popen[bytes]:
    folder = running.folder / name
    where = ["--vty_socket", str(folder), "-z", str(folder / "zserv.api"), "-i", str(folder / f"{daemon}.pid")]
    command = [str(DAEMONS / daemon), *where, "-P", "0", "-f", "/dev/null"]
    within = ["ip", "netns", "exec", running.spaces[name]]
    if running.vrfs.get(name):
        within += ["unshare", "--mount", "sh", "-c", IN_VRFS, "sh", str(folder / "spaces")]
        within += [*(f"{space}={vrf}" for vrf, space in sorted(running.vrfs[name].items())), "--"]
        command += ["-n"] * (daemon == "zebra")
    return subprocess.Popen([*within, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _met(running: Lab, name: str) -> bool:
    told = running.vtysh(name, "show zebra client summary")
    return all(client in told for client in ("static", "bgp"))


def configure(running: Lab, texts: Mapping[str, str]) -> None:
    """Give switches their configurations, by name, all at once, and start their sessions again.

    FRR waits ever longer before it calls a neighbour that was not there, or whose configuration has changed; and bgpd
    waits four seconds after a file of `vtysh -f`, so the lines are given as if they were typed.
    """

    def one(name: str) -> None:
        lines = (line for line in texts[name].splitlines() if line.strip() not in ("", "!"))
        out = running.vtysh(name, "configure terminal", *lines)
        assert "%" not in out, out

    with ThreadPoolExecutor() as pool:
        list(pool.map(one, texts))
        list(pool.map(lambda name: running.vtysh(name, "clear bgp *"), texts))

"""A fabric of real FRR daemons: a network namespace a device, a veth pair a link, the files that were rendered."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fabricgen.cluster import Cluster
from fabricgen.switch_view import SwitchView

DAEMONS = Path("/usr/lib/frr")
DAEMON_NAMES = ("zebra", "staticd", "bgpd")
PROBE = f"fabricgen-probe-{os.getpid()}"


def missing() -> str:
    """What this machine lacks for a lab; "" for nothing."""
    needs = {name: DAEMONS / name for name in DAEMON_NAMES}
    lacking = [name for name, file in needs.items() if not file.exists()]
    lacking += [tool for tool in ("vtysh", "ip", "ping") if not shutil.which(tool)]
    if not lacking and subprocess.run(["ip", "netns", "add", PROBE], check=False, capture_output=True).returncode:
        return "the right to make network namespaces (root)"
    subprocess.run(["ip", "netns", "del", PROBE], check=False, capture_output=True)
    return ", ".join(lacking)


@dataclass
class Lab:
    """Running daemons; commands are run in a device's namespace."""

    folder: Path
    spaces: dict[str, str]

    def run(self, device: str, *command: str) -> str:
        done = subprocess.run(
            ["ip", "netns", "exec", self.spaces[device], *command],
            check=False,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == 0, f"{device}: {' '.join(command)}\n{done.stdout}{done.stderr}"
        return done.stdout

    def vtysh(self, device: str, command: str) -> str:
        return self.run(device, "vtysh", "--vty_socket", str(self.folder / device), "-c", command)

    def established(self, device: str) -> int:
        """Sessions that are up, each counted once for every family that it carries."""
        count = 0
        for family in ("ipv4", "ipv6"):
            summary = json.loads(self.vtysh(device, f"show bgp {family} unicast summary json"))
            count += sum(peer["state"] == "Established" for peer in summary.get("peers", {}).values())
        return count

    def wait(self, sessions: Mapping[str, int], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        found: dict[str, int] = {}
        while time.monotonic() < deadline:
            found = {device: self.established(device) for device in sessions}
            if found == sessions:
                return
            time.sleep(1)
        raise AssertionError(f"sessions up: {found}, wanted {dict(sessions)}")


@contextlib.contextmanager
def lab(cluster: Cluster, configs: Mapping[str, str], folder: Path) -> Iterator[Lab]:
    """Start a cluster's Ethernet switches, each with its FRR configuration, and its hosts."""
    switches = {s.name: s for s in cluster.switches()}
    hosts = {p.peer for s in switches.values() for p in s.ports if p.role == "host"}
    spaces = {name: f"fg{os.getpid()}-{i}" for i, name in enumerate([*switches, *sorted(hosts)])}
    running = Lab(folder, spaces)
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        for space in spaces.values():
            _ip("netns", "add", space)
            _ip("-n", space, "link", "set", "lo", "up")
            for key in ("ip_forward", "fib_multipath_hash_policy"):
                _exec(space, "sysctl", "-qw", f"net.ipv4.{key}=1")
            for setting in ("conf.all.forwarding=1", "fib_multipath_hash_policy=1", "conf.default.accept_dad=0"):
                _exec(space, "sysctl", "-qw", f"net.ipv6.{setting}")
        for switch in switches.values():
            _wire(switch, switches, spaces)
        for name in switches:
            daemons += _start(spaces[name], folder / name)
        for name in switches:
            _configure(running, name, configs[name])
        yield running
    finally:
        for daemon in daemons:
            daemon.kill()
        for daemon in daemons:
            daemon.wait()
        for space in spaces.values():
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def _exec(space: str, *command: str) -> None:
    subprocess.run(["ip", "netns", "exec", space, *command], check=False, capture_output=True)


def _wire(switch: SwitchView, switches: Mapping[str, SwitchView], spaces: Mapping[str, str]) -> None:
    own = spaces[switch.name]
    for address, length in ((switch.loopback, 32), (switch.loopback6, 128)):
        if address:
            _ip("-n", own, "address", "add", f"{address}/{length}", "dev", "lo")
    for port in switch.ports:
        far = spaces[port.peer]
        if port.role != "down":
            _ip("link", "add", port.name, "netns", own, "type", "veth", "peer", "name", port.peer_port, "netns", far)
            _ip("-n", own, "link", "set", port.name, "up")
            _ip("-n", far, "link", "set", port.peer_port, "up")
    for port in switch.ports:
        if port.role == "down":
            continue
        for own_address, far_address in ((port.address, port.peer_address), (port.address6, port.peer_address6)):
            if not own_address:
                continue
            # Without `nodad` an IPv6 address is tentative for a moment, and no route may have it as its source.
            usable = ["nodad"] if ":" in own_address else []
            _ip("-n", own, "address", "add", own_address, "dev", port.name, *usable)
            _ip("-n", far := spaces[port.peer], "address", "add", far_address, "dev", port.peer_port, *usable)
            if port.role == "host":
                gateway, source = (address.partition("/")[0] for address in (own_address, far_address))
                family = "-6" if ":" in gateway else "-4"
                via = ["via", gateway, "dev", port.peer_port, "metric", "100", "src", source]
                _ip(family, "-n", far, "route", "append", "default", *via)


def _start(space: str, folder: Path) -> list[subprocess.Popen[bytes]]:
    """Start the daemons empty; their sockets lie in the device's folder."""
    folder.mkdir(parents=True)
    shutil.chown(folder, "frr", "frr")
    common = ["--vty_socket", str(folder), "-z", str(folder / "zserv.api"), "-P", "0", "-f", "/dev/null"]
    found = []
    for daemon in DAEMON_NAMES:
        command = [str(DAEMONS / daemon), *common, "-i", str(folder / f"{daemon}.pid")]
        found.append(
            subprocess.Popen(
                ["ip", "netns", "exec", space, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        )
    return found


def _configure(running: Lab, name: str, text: str) -> None:
    file = running.folder / f"{name}.conf"
    file.write_text(text)
    sockets = [running.folder / name / f"{daemon}.vty" for daemon in DAEMON_NAMES]
    deadline = time.monotonic() + 60
    while not all(s.exists() for s in sockets):
        assert time.monotonic() < deadline, f"{name}: daemons did not start"
        time.sleep(0.05)
    # A route given to staticd before it has met zebra may be lost.
    while not all(client in running.vtysh(name, "show zebra client summary") for client in ("static", "bgp")):
        assert time.monotonic() < deadline, f"{name}: daemons did not meet zebra"
        time.sleep(0.05)
    out = running.run(name, "vtysh", "--vty_socket", str(running.folder / name), "-f", str(file))
    assert "%" not in out, out

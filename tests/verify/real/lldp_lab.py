"""lldpd on every device of a plan: a network namespace a device, a veth pair a cable, and the dumps that it makes.

Hosts run it as it comes: a port's MAC is its id, and its name the description. Switches run it as SONiC does, whose
lldpmgrd gives each port `portidsubtype local ALIAS` (sonic-buildimage, dockers/docker-lldp/lldpmgrd).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fabricgen.lab.fabric import run_ip_batch
from fabricgen.lab.files import kernel_name
from fabricgen.lab.machine import can_make_namespaces

End: TypeAlias = tuple[str, str]
"""(device, port)"""

SECONDS = 300
"""After so long without all neighbours the lab gives up."""


def missing() -> str:
    """What this machine lacks for a lab; "" for nothing."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
    lacking = [tool for tool in ("lldpd", "lldpctl", "ip") if not shutil.which(tool, path=path)]
    if not lacking and not can_make_namespaces():
        return "the right to make network namespaces (root)"
    return ", ".join(lacking)


@dataclass(frozen=True)
class Lab:
    """Running agents. `spaces` are the namespaces of devices, `ports` how many ports of each see somebody."""

    folder: Path
    spaces: Mapping[str, str]
    ports: Mapping[str, int]

    def lldpctl(self, device: str, form: str) -> str:
        """What a device says of its neighbours: `json` or `json0`."""
        command = ["lldpctl", "-u", str(self.folder / f"{self.spaces[device]}.sock"), "-f", form]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300).stdout

    def settle(self) -> None:
        """Wait until every device sees all its neighbours."""
        deadline = time.monotonic() + SECONDS
        for device, count in self.ports.items():
            while self.lldpctl(device, "json0").count('"rid"') < count:
                assert time.monotonic() < deadline, f"{device} does not see {count} neighbours"
                time.sleep(0.1)

    def dump(self, folder: Path, form: str, devices: Sequence[str]) -> None:
        """Write the dumps of devices into a folder, called after them."""
        folder.mkdir()
        for device in devices:
            (folder / f"{device}.json").write_text(self.lldpctl(device, form))


@contextlib.contextmanager
def lab(
    links: Sequence[tuple[End, End]],
    cut: Sequence[End],
    names: Mapping[str, str],
    aliases: Mapping[End, str],
    folder: Path,
) -> Iterator[Lab]:
    """Start the devices of some links. `cut` ports have a plug in them that leads nowhere, `names` are host names."""
    ends = [end for link in links for end in link]
    devices = list(dict.fromkeys(device for device, _ in (*ends, *cut)))
    assert len(devices) <= 40, "a namespace and a daemon each: this is for small fabrics"
    spaces = {device: f"{folder.name}-{i}" for i, device in enumerate(devices)}
    seeing = [device for device, _ in ends]
    running = Lab(folder, spaces, {device: seeing.count(device) for device in devices})
    folder.chmod(0o755)  # what configures the daemon has lost its rights by then
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        run_ip_batch([f"netns add {space}" for space in spaces.values()])
        run_ip_batch(_cables(links, cut, spaces))
        for device, space in spaces.items():
            own = [port for owner, port in (*ends, *cut) if owner == device]
            run_ip_batch([f"link set {kernel_name(port)} up" for port in own], "-n", space)
            text = [f"configure system hostname {names[device]}", "configure lldp tx-interval 300ms"]
            for port in own:
                if (device, port) in aliases:
                    text.append(f"configure ports {kernel_name(port)} lldp portidsubtype local {aliases[device, port]}")
            (folder / f"{space}.conf").write_text("\n".join([*text, ""]))
            daemons.append(_started(space, folder))
        running.settle()
        yield running
    finally:
        for daemon in daemons:
            daemon.terminate()
        for daemon in daemons:
            daemon.wait()
        for space in spaces.values():
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def _cables(links: Sequence[tuple[End, End]], cut: Sequence[End], spaces: Mapping[str, str]) -> Iterator[str]:
    for link in links:
        a, b = (f"{kernel_name(port)} netns {spaces[device]}" for device, port in link)
        yield f"link add name {a} type veth peer name {b}"
    for number, (device, port) in enumerate(cut):
        space = spaces[device]
        yield f"link add name {kernel_name(port)} netns {space} type veth peer name cut{number} netns {space}"


def _started(space: str, folder: Path) -> subprocess.Popen[bytes]:
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
    daemon = shutil.which("lldpd", path=path)
    assert daemon
    own = folder / space
    command = [daemon, "-d", "-I", "*,!cut*", "-u", f"{own}.sock", "-O", f"{own}.conf"]
    return subprocess.Popen(
        ["ip", "netns", "exec", space, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )

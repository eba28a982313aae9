"""`rdma-setup` run on a host that is not there: a folder with its sysfs, and programs that say how they are called."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

TOOLS = ("ethtool", "mlnx_qos", "mlxconfig", "nicctl", "rdma", "setpci")
ECN = ("roce_np/enable/{c}", "roce_rp/enable/{c}", "roce_np/cnp_dscp", "roce_np/cnp_802p_prio")


class Run(NamedTuple):
    """What a run printed, line by line, and which programs it called, as lines; its exit code and errors."""

    printed: list[str]
    called: list[str]
    code: int
    errors: str


def ports_of(script: str) -> list[tuple[str, str]]:
    """(interface, RDMA device) of each port, in the script's order."""
    return re.findall(r'^named (\S+) "(\S*)"$', script, re.MULTILINE)


def host(folder: Path, script: str) -> None:
    """Make the sysfs of a host whose RDMA devices are called as the kernel calls them."""
    for number, (interface, device) in enumerate(ports_of(script)):
        address = folder / "sys" / "devices" / f"0000:{0x10 + number // 2:02x}:00.{number % 2}"
        (address / "infiniband" / f"mlx5_{number}").mkdir(parents=True)
        net = folder / "sys" / "class" / "net" / interface
        net.mkdir(parents=True)
        (net / "device").symlink_to(address)
        files = [f"class/net/{interface}/ecn/{name.format(c=c)}" for name in ECN for c in range(8)]
        if device:
            files.append(f"class/infiniband/{device}/tc/1/traffic_class")
            files += [f"kernel/config/rdma_cm/{device}/ports/1/default_roce_{name}" for name in ("mode", "tos")]
        for file in files:
            path = folder / "sys" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")


def run(folder: Path, script: str, *options: str, failing: str = "") -> Run:
    """Run a script with the root of a host; programs named `failing` fail."""
    programs, log, file = folder / "bin", folder / "log", folder / "rdma-setup"
    programs.mkdir(exist_ok=True)
    for tool in TOOLS:
        program = programs / tool
        end = "exit 1" if tool == failing else ""
        program.write_text(f'#!/bin/sh\necho "{tool} $*" >> "{log}"\n{end}\n')
        program.chmod(0o755)
    file.write_text(script)
    log.write_text("")
    environment = {"PATH": f"{programs}:{os.defpath}", "RDMA_SETUP_ROOT": str(folder)}
    done = subprocess.run(["bash", str(file), *options], capture_output=True, text=True, check=False, env=environment)
    printed = done.stdout.replace(str(folder), "").splitlines()
    return Run(printed, log.read_text().splitlines(), done.returncode, done.stderr)

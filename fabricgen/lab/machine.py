"""What a lab asks of this machine: Linux, root, the programs that it runs, and memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from fabricgen.kernel.diagnostics import fault
from fabricgen.lab.fabric import DAEMON_NAMES, DAEMONS

CODE = "FG172"
"""The code of a machine that cannot run a lab."""

PACKAGES = {"ip": "iproute2", "ping": "iputils-ping", "sysctl": "procps", "vtysh": "frr"}
"""Debian's packages by program; FRR's daemons are in `frr`."""


RIGHTS = "a lab needs the right to make network namespaces, which root has: `sudo fabricgen lab ...`"


def explain_lack() -> str:
    """Return what this machine lacks for a lab, and how to get it; "" for nothing."""
    if sys.platform != "linux":
        return f"a lab needs Linux, for its network namespaces, and this is {sys.platform}: take a virtual machine"
    programs = [name for name in PACKAGES if not shutil.which(name)]
    packages = {PACKAGES[name] for name in programs}
    daemons = [name for name in DAEMON_NAMES if not (DAEMONS / name).exists()]
    if programs or daemons:
        install = " ".join(sorted(packages | ({"frr"} if daemons else set())))
        return f"a lab needs {', '.join([*programs, *daemons])}: `apt-get install {install}`, by Debian's names"
    return "" if can_make_namespaces() else RIGHTS


def can_make_namespaces() -> bool:
    """Whether this process may make a network namespace; the one that is made is deleted."""
    probe = f"fabricgen-probe-{os.getpid()}"
    added = subprocess.run(["ip", "netns", "add", probe], check=False, capture_output=True)  # noqa: S603, S607
    subprocess.run(["ip", "netns", "del", probe], check=False, capture_output=True)  # noqa: S603, S607
    return added.returncode == 0


def require_rights() -> None:
    """Raise InputError (FG172) if this process may not change network namespaces."""
    if not shutil.which("ip"):
        _refuse_machine(f"a lab needs ip: `apt-get install {PACKAGES['ip']}`")
    if not can_make_namespaces():
        _refuse_machine(RIGHTS)


def require_machine() -> None:
    """Raise InputError (FG172), with how to get it, if this machine lacks something for a lab."""
    if lack := explain_lack():
        _refuse_machine(lack)


def _refuse_machine(lack: str) -> NoReturn:
    reason, _, remedy = lack.partition(": ")
    raise fault(CODE, reason, hint=remedy)


SWITCH_MB, HOST_MB, LINK_MB = 30, 1, 1
"""Memory of each, measured with FRR 8.4 on superpod-b300: 18 switches with 128 links took 0.6 GB; 96 switches and 256
hosts with 8,192 links 10.3 GB. Of a link, the sessions and routes at both ends are the larger part."""

SHARE = 0.8
"""The share of the available memory that a lab may take."""

NEIGHBOURS = ("net.ipv4.neigh.default.gc_thresh3", "net.ipv6.neigh.default.gc_thresh3")
"""How many neighbours the kernel keeps for all namespaces together (Linux, Documentation/networking/ip-sysctl.rst)."""

FEWER = "less of it: `--lab 1su,4n,2spine` is one unit with four nodes and two spines a group"


def require_room(switches: int, hosts: int, links: int) -> None:
    """Raise InputError (FG172) if a lab has no switches, or takes more than `SHARE` of the memory that this
    machine has available.
    """
    if not switches:
        raise fault(
            CODE,
            "no switch of it runs in a lab",
            hint="it has switches that route Ethernet and that nodes are cabled to, and neither InfiniBand nor NVLink",
        )
    size = f"a lab of {switches:,} switches, {hosts:,} hosts and {links:,} links"
    needed_gb, available_gb = (switches * SWITCH_MB + hosts * HOST_MB + links * LINK_MB) / 1000, _free_gb()
    if needed_gb > SHARE * available_gb:
        limit = f"{SHARE:.0%} of the {available_gb:,.1f} GB available"
        raise fault(CODE, f"{size} takes about {needed_gb:,.1f} GB of memory, and may have {limit}", hint=FEWER)


def require_neighbours(number: int) -> None:
    """Raise InputError (FG172) if the kernel keeps fewer neighbours, of all namespaces, than a lab has."""
    most = min(int(Path("/proc/sys", name.replace(".", "/")).read_text(encoding="ascii")) for name in NEIGHBOURS)
    if number > most:
        enough = f"`sysctl -w {' '.join(f'{name}={2 * number}' for name in NEIGHBOURS)}` for the whole machine"
        message = f"a lab with {number:,} neighbours, where the kernel keeps {most:,}: sessions beyond these stay down"
        raise fault(CODE, message, hint=f"{FEWER}; or {enough}")


def _free_gb() -> float:
    """Return the memory that programs can have without swapping, in GB (proc(5), MemAvailable)."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) * 1024 / 1e9

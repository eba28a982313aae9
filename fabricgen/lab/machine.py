"""What a lab asks of this machine: Linux, root, the programs that it runs, and memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from fabricgen.kernel.diagnostics import fault
from fabricgen.lab.fabric import DAEMONS
from fabricgen.lab.files import Build
from fabricgen.lab.start import DAEMON_NAMES

CODE = "FG172"
"""The code of a machine that cannot run a lab."""

PACKAGES = {"ip": "iproute2", "ping": "iputils-ping", "sysctl": "procps", "vtysh": "frr"}
"""Debian's packages by program; FRR's daemons are in `frr`."""


def lacking() -> str:
    """What this machine lacks for a lab, and how to get it; "" for nothing. Nothing stays of the try."""
    if sys.platform != "linux":
        return f"a lab needs Linux, for its network namespaces, and this is {sys.platform}: take a virtual machine"
    programs = [name for name in PACKAGES if not shutil.which(name)]
    packages = {PACKAGES[name] for name in programs}
    daemons = [name for name in DAEMON_NAMES if not (DAEMONS / name).exists()]
    if programs or daemons:
        install = " ".join(sorted(packages | ({"frr"} if daemons else set())))
        return f"a lab needs {', '.join([*programs, *daemons])}: `apt-get install {install}` (dnf calls them alike)"
    if not can_make_namespaces():
        return "a lab needs the right to make network namespaces, which root has: `sudo fabricgen lab ...`"
    return ""


def can_make_namespaces() -> bool:
    """Whether this process may make a network namespace; the one that is made is deleted."""
    probe = f"fabricgen-probe-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", probe], check=False, capture_output=True)  # noqa: S603, S607
    subprocess.run(["ip", "netns", "del", probe], check=False, capture_output=True)  # noqa: S603, S607
    return made.returncode == 0


def require_machine() -> None:
    """Raise InputError (FG172) where this machine lacks something, with how to get it."""
    if found := lacking():
        reason, _, way = found.partition(": ")
        raise fault(CODE, reason, hint=way)


def require_room(build: Build) -> None:
    """Raise InputError (FG172) where a lab would need more memory than is free, or processes than there may be."""

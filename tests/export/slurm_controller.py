"""A real slurmctld on loopback with a munged of its own, that reads a topology and is asked for it; stopped after."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tests.conftest import require

Found = TypeVar("Found")

SETTINGS = """
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldPort={port}
SelectType=select/cons_tres
SchedulerType=sched/builtin
ProctrackType=proctrack/linuxproc
TopologyPlugin=topology/tree
MailProg=/bin/true
SlurmdTimeout=0
NodeName={nodes} State=CLOUD
PartitionName=all Nodes=ALL Default=YES
"""
"""Nodes are of State=CLOUD, so that the controller neither looks their names up nor calls them."""


@dataclass(frozen=True)
class Answer:
    """What `scontrol show topology` prints, and what the controller complains of in the topology."""

    switches: Mapping[str, Mapping[str, str]]
    complaints: list[str]


def show_topology(folder: Path, nodes: str, topology: bytes) -> Answer:
    """Start a controller with some nodes and a topology.conf, ask it, and stop it."""
    lacking = [tool for tool in ("slurmctld", "scontrol", "munged") if not shutil.which(tool, path=_path())]
    root = "" if os.geteuid() == 0 else "root"
    install = "`apt-get install --no-install-recommends slurmctld slurm-client munge`, run as root"
    require(f"Slurm's controller lacks {', '.join(lacking) or root}: {install}" if lacking or root else "")
    (folder / "state").mkdir()
    (folder / "munge.key").write_bytes(os.urandom(128))
    (folder / "munge.key").chmod(0o400)
    (folder / "topology.conf").write_bytes(topology)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "slurm.conf").write_text(SETTINGS.format(folder=folder, port=port, nodes=nodes), encoding="utf-8")
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": _path()}
    places = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid"}
    places |= {"log-file": "munged.log", "seed-file": "munged.seed"}
    munged = ["munged", "-F", "--force", *(f"--{name}={folder / at}" for name, at in places.items())]
    running: list[subprocess.Popen[bytes]] = []
    with (folder / "output").open("wb") as output:
        try:
            running.append(subprocess.Popen(munged, stdout=output, stderr=output, env=environment))
            _wait((folder / "munge.socket").is_socket)
            running.append(subprocess.Popen(["slurmctld", "-D", "-c"], stdout=output, stderr=output, env=environment))
            told = _wait(lambda: _asked(environment))
        finally:
            for process in reversed(running):
                process.kill()
                process.wait()
    heard = (folder / "output").read_text(encoding="utf-8", errors="replace").splitlines()
    about = re.compile(r"warning|topolog|switch", re.IGNORECASE)
    complaints = [line for line in heard if "error" in line and about.search(line)]
    rows = (dict(word.split("=", 1) for word in line.split()) for line in told.splitlines() if "SwitchName=" in line)
    return Answer({row["SwitchName"]: row for row in rows}, complaints)


def _path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/sbin"


def _asked(environment: Mapping[str, str]) -> str:
    command = ["scontrol", "-o", "show", "topology"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    return ran.stdout if ran.returncode == 0 else ""


def _wait(look: Callable[[], Found]) -> Found:
    """What is found within five minutes, else a failure."""
    deadline = time.monotonic() + 300
    while not (found := look()):
        assert time.monotonic() < deadline, "Slurm did not answer within 300 s"
        time.sleep(0.2)
    return found

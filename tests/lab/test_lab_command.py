"""`fabricgen lab` as its users run it: each command a process of its own, FRR in network namespaces.

Needs root, FRR and network namespaces; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.lab import machine
from fabricgen.lab.state import NAMESPACES
from fabricgen.lab.stop import daemons_of
from tests.conftest import BLUEPRINTS, require

pytestmark = pytest.mark.daemon

LAB = [sys.executable, "-m", "fabricgen", "lab"]
SMALL = ("--set", "pods.p1.su=1", "--set", "fabrics.compute.tiers.spine.count=1")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for a lab, with a name that no other lab has."""
    require(machine.lacking())
    with tempfile.TemporaryDirectory(prefix="lab", dir="/run" if os.access("/run", os.W_OK) else None) as outer:
        Path(outer).chmod(0o755)
        lab = Path(outer, f"lab{os.getpid()}")
        yield lab
        if lab.exists():
            subprocess.run([*LAB, "down", "--state", str(lab)], check=False, capture_output=True)


def run(folder: Path, *words: str | Path, code: int = 0) -> str:
    """The standard output of a command on a lab, which ends with a code."""
    command = [*LAB, *map(str, words), "--state", str(folder)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def found(folder: Path, code: int) -> dict[str, list[str]]:
    """What `lab check` finds: `device:port`, or the device, by kind."""
    said = json.loads(run(folder, "check", "--format", "json", code=code))
    kinds: dict[str, list[str]] = {}
    for each in said["findings"]:
        place = each["device"] + (f":{each['port']}" if each["port"] else "")
        kinds.setdefault(each["kind"], []).append(place)
    return kinds


def damaged(folder: Path) -> dict[str, list[str]]:
    """What is found once a user has changed a lab by hand: an address, a route, a daemon, one end."""
    leaf = f"{folder.name}-compute-leaf-p1-su02-r1-01"
    for words in (
        f"-n {folder.name}-p1-su01-n001 addr flush dev eth1",
        f"-n {leaf} route add 172.16.0.0/12 dev Ethernet0",
        f"-n {folder.name}-compute-leaf-p1-su01-r1-01 link set Ethernet4 down",
    ):
        subprocess.run(["ip", *words.split()], check=True)
    os.kill(int((folder / "frr" / "compute-spine-04" / "staticd.pid").read_text()), signal.SIGKILL)
    return found(folder, 1)


def nothing_is_left(folder: Path) -> bool:
    """Whether a lab has no namespace, no process and no folder."""
    assert not [space.name for space in NAMESPACES.glob(f"{folder.name}-*")]
    assert not daemons_of(folder / "frr")
    return not folder.exists()


def test_a_lab_comes_up_and_tells_of_a_broken_link(folder: Path) -> None:
    """Leaf and spine are a process each, and go on between commands; a link is lost alone, and comes back."""
    out = run(folder, "up", BLUEPRINTS / "leaf-spine.yaml")
    assert out.startswith(f"{folder.name}: 8 switches, 8 hosts, 32 links, 16 of 16 sessions up, in ")
    assert len(daemons_of(folder / "frr")) == 24
    assert found(folder, 0) == {}
    port, far = "compute-leaf-p1-su01-r1-01:Ethernet224", "compute-spine-01:Ethernet0"
    assert run(folder, "break", port) == f"broken: {port} to {far}\n"
    lost = {"cable": [port], "session": [port.partition(":")[0], far.partition(":")[0]]}
    assert found(folder, 1) == lost, "all else goes by the other spines"
    assert run(folder, "mend", far) == f"mended: {port} to {far}\n"
    assert found(folder, 0) == {}
    assert damaged(folder) == {
        "cable": ["p1-su01-n002:eth1"],
        "address": ["p1-su01-n001:eth1"],
        "leak": ["compute-leaf-p1-su02-r1-01"],
        "daemon": ["compute-spine-04"],
    }
    assert run(folder, "mend", "p1-su01-n002:eth1").startswith("mended: ")
    link = folder.with_name("link")
    link.symlink_to(folder)
    run(link, "down")
    assert nothing_is_left(folder)


def test_a_part_of_a_superpod_comes_up(folder: Path) -> None:
    """Two planes, unnumbered, SONiC below EOS: every session is up, and each plane reaches all of its own."""
    out = run(folder, "up", BLUEPRINTS / "superpod-b300.yaml", "--lab", "1su,2n,1spine")
    assert " 18 switches, 2 hosts, " in out
    up, _, planned, *_ = out.partition(" sessions up")[0].rpartition("links, ")[2].split()
    assert up == planned
    assert "left out: 20 links of management ports and BMCs" in out
    assert found(folder, 0) == {}
    run(folder, "down")
    assert nothing_is_left(folder)


@pytest.mark.parametrize(("told", "how"), [("daemons", signal.SIGKILL), ("configurations", signal.SIGINT)])
def test_what_is_interrupted_leaves_nothing(folder: Path, told: str, how: signal.Signals) -> None:
    """Killed while it comes up, a lab is gone after `down`; interrupted, it takes itself down."""
    command = [*LAB, "up", str(BLUEPRINTS / "leaf-spine.yaml"), *SMALL, "--state", str(folder)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        assert any(told in line for line in process.stderr)
        process.send_signal(how)
        process.stderr.read()
    if how == signal.SIGKILL:
        assert list(NAMESPACES.glob(f"{folder.name}-*"))
        run(folder, "check", code=2)
        run(folder, "down")
    else:
        assert process.returncode == 130
    assert nothing_is_left(folder)

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
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.lab import machine
from fabricgen.lab.state import NAMESPACES
from fabricgen.lab.stop import find_daemons
from tests.conftest import BLUEPRINTS, require

pytestmark = pytest.mark.daemon

LAB = [sys.executable, "-m", "fabricgen", "lab"]
HANGS_S = 1800
"""A command that takes so long hangs; it waits for its own states up to five minutes."""

SMALL = ("--set", "pods.p1.su=1", "--set", "fabrics.compute.tiers.spine.count=1")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for a lab, with a name that no other lab has."""
    require(machine.explain_lack())
    with tempfile.TemporaryDirectory(prefix="lab", dir="/run" if os.access("/run", os.W_OK) else None) as outer:
        Path(outer).chmod(0o755)
        lab = Path(outer, f"lab{os.getpid()}")
        yield lab
        if lab.exists():
            subprocess.run([*LAB, "down", "--state", str(lab)], check=False, capture_output=True)


def run(folder: Path, *words: str | Path, code: int = 0) -> str:
    """The standard output of a command on a lab, which ends with a code."""
    command = [*LAB, *map(str, words), "--state", str(folder)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=HANGS_S)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def places_found(folder: Path) -> dict[str, list[str]]:
    """What `lab check` finds: `device:port`, or the device, by kind."""
    command = [*LAB, "check", "--format", "json", "--state", str(folder)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=HANGS_S)
    findings = json.loads(done.stdout)["findings"]
    assert done.returncode == bool(findings), done.stdout + done.stderr
    places: dict[str, list[str]] = {}
    for finding in findings:
        place = finding["device"] + (f":{finding['port']}" if finding["port"] else "")
        places.setdefault(finding["kind"], []).append(place)
    return places


def expect_findings(folder: Path, wanted: dict[str, list[str]], why: str = "") -> None:
    """Check a lab again and again until it finds what is wanted and nothing else, up to five minutes."""
    deadline = time.monotonic() + 300
    while (places := places_found(folder)) != wanted and time.monotonic() < deadline:
        time.sleep(0.5)
    assert places == wanted, why


def damage(folder: Path) -> None:
    """Change a lab by hand, as its user may: an address, a route, a daemon, one end."""
    leaf = f"{folder.name}-compute-leaf-p1-su02-r1-01"
    for words in (
        f"-n {folder.name}-p1-su01-n001 addr flush dev eth1",
        f"-n {leaf} route add 172.16.0.0/12 dev Ethernet0",
        f"-n {folder.name}-compute-leaf-p1-su01-r1-01 link set Ethernet4 down",
    ):
        subprocess.run(["ip", *words.split()], check=True)
    os.kill(int((folder / "frr" / "compute-spine-04" / "staticd.pid").read_text()), signal.SIGKILL)


def nothing_is_left(folder: Path) -> bool:
    """Whether a lab has no namespace, no process and no folder."""
    assert not [space.name for space in NAMESPACES.glob(f"{folder.name}-*")]
    assert not find_daemons(folder / "frr")
    return not folder.exists()


def test_a_lab_comes_up_and_tells_of_a_broken_link(folder: Path) -> None:
    """Leaf and spine are a process each, and go on between commands; a link is lost alone, and comes back."""
    out = run(folder, "up", BLUEPRINTS / "leaf-spine.yaml")
    assert out.startswith(f"{folder.name}: 8 switches, 8 hosts, 32 links, 16 of 16 sessions up, in ")
    assert len(find_daemons(folder / "frr")) == 24
    expect_findings(folder, {})
    port, far = "compute-leaf-p1-su01-r1-01:Ethernet224", "compute-spine-01:Ethernet0"
    assert run(folder, "break", port) == f"broken: {port} to {far}\n"
    lost = {"cable": [port], "session": [port.partition(":")[0], far.partition(":")[0]]}
    expect_findings(folder, lost, "all else goes by the other spines")
    assert run(folder, "mend", far) == f"mended: {port} to {far}\n"
    expect_findings(folder, {})
    damage(folder)
    wanted = {
        "cable": ["p1-su01-n002:eth1"],
        "address": ["p1-su01-n001:eth1"],
        "leak": ["compute-leaf-p1-su02-r1-01"],
        "daemon": ["compute-spine-04"],
    }
    expect_findings(folder, wanted)
    assert run(folder, "mend", "p1-su01-n002:eth1").startswith("mended: ")
    link = folder.with_name("link")
    link.symlink_to(folder)
    (folder / "lab.json").write_bytes(b'{"fabricgen": "lab", "namespaces": {')
    run(folder, "check", code=2)
    run(link, "down")
    assert nothing_is_left(folder)


def test_a_part_of_a_superpod_comes_up(folder: Path) -> None:
    """Two planes, unnumbered, SONiC below EOS: every session is up, and each plane reaches all of its own."""
    out = run(folder, "up", BLUEPRINTS / "superpod-b300.yaml", "--lab", "1su,2n,1spine")
    assert " 18 switches, 2 hosts, " in out
    up, _, planned, *_ = out.partition(" sessions up")[0].rpartition("links, ")[2].split()
    assert up == planned
    assert "left out: 20 links of management ports and BMCs" in out
    expect_findings(folder, {})
    run(folder, "down")
    assert nothing_is_left(folder)


HELD = """
import signal, sys
from fabricgen.cli.main import main
from fabricgen.lab import start

def hold(*_):
    print("held", file=sys.stderr, flush=True)
    while True:
        signal.pause()

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts pytest with `&` has it ignored
start.configure_switches = hold
main()
"""
"""`fabricgen` with labs that stay as they are before they are configured, whatever the machine's speed."""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_what_is_interrupted_leaves_nothing(folder: Path, how: signal.Signals) -> None:
    """Killed while it comes up, a lab is gone after `down`; interrupted, it takes itself down."""
    up = ["lab", "up", str(BLUEPRINTS / "leaf-spine.yaml"), *SMALL, "--state", str(folder)]
    with subprocess.Popen([sys.executable, "-c", HELD, *up], stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr
            assert "held\n" in iter(process.stderr.readline, "")
            assert list(NAMESPACES.glob(f"{folder.name}-*"))
            assert find_daemons(folder / "frr")
            process.send_signal(how)
            process.communicate(timeout=HANGS_S)
        finally:
            process.kill()
    if how == signal.SIGKILL:
        run(folder, "check", code=2)
        run(folder, "down")
    else:
        assert process.returncode == 130
    assert nothing_is_left(folder)


def test_a_fabric_of_junos_with_split_ports_runs(folder: Path) -> None:
    """Their names have a colon, which those of Linux have not."""
    example = BLUEPRINTS.parent / "tests" / "golden" / "junos-stripe" / "blueprint.yaml"
    assert "16 of 16 sessions up" in run(folder, "up", example)
    expect_findings(folder, {})

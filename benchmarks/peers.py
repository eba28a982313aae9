"""Peers on the same leaf-spine, side by side: Arista AVD (pyavd) and netlab, from the package index.

Each is a whole process, in a temporary environment, and writes the eBGP configuration of every switch. fabricgen builds
a blueprint of as many leaves, spines and links between them, and writes its configurations alone, or all usual parts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.cases import FABRICGEN
from benchmarks.measure import Run
from benchmarks.rounds import Lab
from benchmarks.sizes import OWN
from benchmarks.targets import Peer

_PACKAGES = {"pyavd": "pyavd", "netlab": "networklab"}
"""What each peer is called in the package index."""

_SIZES = ((128, 32), (1024, 16))
_NETLAB_UP_TO = 160
"""Devices that netlab is asked for at most: it would take a quarter of an hour and more for a thousand."""

_WRITES = {"configs": ("--only", "configs"), "all parts": ()}
"""What fabricgen writes, with the options for it."""

_SESSION = re.compile(r"^ *neighbor \S+ remote-as \d", re.MULTILINE)


def measure_peers(lab: Lab, runs: int) -> list[Peer]:
    """Measure fabricgen, install peers and measure them; of fabricgen the run counts that took most, of `runs`.

    It comes first, since installers delete files, after which a file system is slow at creating others.
    """
    folder = lab.scratch / "peers"
    folder.mkdir()
    ours = {sum(size): {writes: _ours(lab, sum(size), writes, folder, runs) for writes in _WRITES} for size in _SIZES}
    python = folder / "venv" / "bin" / "python"
    for command in ([sys.executable, "-m", "venv", str(folder / "venv")], [str(python), "-m", "pip", "install", "-q"]):
        made, _ = lab.run([*command, *(_PACKAGES.values() if "pip" in command else ())])
        if made.problem:
            raise SystemExit(f"peers cannot be installed: {made.problem}")
    versions = {name: _version(lab, python, package) for name, package in _PACKAGES.items()}
    found = []
    for leaves, spines in _SIZES:
        devices = leaves + spines
        for name, measured in _theirs(lab, python, leaves, spines, folder):
            told = ", ".join(f"{writes} {own.cpu_s:.2f} s" for writes, own in ours[devices].items())
            lab.say(f"{name} {devices}: CPU {measured.cpu_s:.1f} s, ours: {told} {measured.problem}")
            found += [
                Peer(name, versions[name], devices, leaves * spines, measured, writes, own)
                for writes, own in ours[devices].items()
            ]
    lab.remove(folder)
    return found


def _version(lab: Lab, python: Path, package: str) -> str:
    _, text = lab.run([str(python), "-c", f"from importlib.metadata import version; print(version({package!r}))"])
    return text.strip()


def _ours(lab: Lab, devices: int, writes: str, folder: Path, runs: int) -> Run:
    command = [*FABRICGEN, "build", str(OWN / f"leaf-spine-{devices}.yaml"), *_WRITES[writes], "-o"]
    found = [lab.run([*command, str(folder / f"{writes}-{devices}-{n}")])[0] for n in range(runs)]
    return max(found, key=lambda run: run.cpu_s)


def _theirs(lab: Lab, python: Path, leaves: int, spines: int, folder: Path) -> Iterator[tuple[str, Run]]:
    devices, sessions = leaves + spines, 2 * leaves * spines
    target = folder / f"avd-{devices}"
    target.mkdir()
    script = str(Path(__file__).resolve().parent / "peer_avd.py")
    found, _ = lab.run([str(python), script, str(leaves), str(spines), str(target)])
    yield "pyavd", _checked(found, target, sessions)
    if devices <= _NETLAB_UP_TO:
        target = folder / f"netlab-{devices}"
        target.mkdir()
        (target / "topology.yml").write_text(_topology(leaves, spines), encoding="utf-8")
        found, _ = lab.run([str(python.with_name("netlab")), "create", "--quiet", "topology.yml"], folder=target)
        yield "netlab", _checked(found, target, sessions)


def _checked(found: Run, folder: Path, sessions: int) -> Run:
    """A run that is a problem if what it wrote does not have both ends of a session on every link."""
    texts = (path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file() and _is_text(path))
    count = sum(len(_SESSION.findall(text)) for text in texts)
    if found.problem or count == sessions:
        return found
    return replace(found, problem=f"wrote {count} ends of sessions, not {sessions}")


def _is_text(path: Path) -> bool:
    return path.suffix == ".cfg" or path.name == "bgp"


def _topology(leaves: int, spines: int) -> str:
    """A leaf-spine in netlab's words."""
    names = [*(f"s{n}" for n in range(1, spines + 1)), *(f"l{n}" for n in range(1, leaves + 1))]
    nodes = [f"  {name}: {{bgp.as: {4_200_000_000 + n}}}" for n, name in enumerate(names)]
    links = [f"- s{spine}-l{leaf}" for leaf in range(1, leaves + 1) for spine in range(1, spines + 1)]
    head = ["provider: external", "defaults.device: eos", "addressing.p2p.ipv4: 10.0.0.0/12"]
    head += ["addressing.loopback.ipv4: 10.255.0.0/20", "addressing.mgmt.ipv4: 10.254.0.0/20"]
    head += ["defaults.const.MAX_NODE_ID: 4000", "module: [bgp]", "nodes:"]
    return "\n".join([*head, *nodes, "links:", *links]) + "\n"

"""An InfiniBand subnet of simulated devices (ibsim), routed by a real opensm and read back by ibnetdiscover.

Sockets of the simulator are abstract names of its own process, so that runs do not meet.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

TOOLS = ("ibsim", "opensm", "ibnetdiscover", "ibtracert")
LARGEST = ("-N", "20000", "-S", "2000", "-P", "200000")
"""Nodes, switches and ports that the simulator makes room for; its own limits are 2048, 256 and some 13,000."""

End: TypeAlias = tuple[str, int]
"""(device, port) or, in routes, (node GUID, port)"""


def missing() -> str:
    """What this machine lacks; "" for nothing."""
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))
    lacking = [tool for tool in TOOLS if shutil.which(tool, path=path) is None]
    return ", ".join(lacking + ([] if _preload() else ["libumad2sim.so"]))


def _preload() -> str:
    """The library that leads programs to the simulator."""
    return next((str(file) for file in sorted(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))), "")


@dataclass
class Subnet:
    """A running simulator; commands are run as if on one of its devices."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, *command: str, seconds: float = 300) -> str:
        done = subprocess.run(
            command,
            env=self.environment | {"LD_PRELOAD": _preload()},
            cwd=self.folder,
            check=False,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout

    def route(self) -> str:
        """Let opensm configure the subnet once with the generated options; return its log."""
        options = (self.folder / "opensm.conf").read_text().replace("/etc/opensm/", f"{self.folder}/")
        (self.folder / "lab.conf").write_text(options)
        self.run("opensm", "-F", "lab.conf", "-o", "-f", str(self.folder / "opensm.log"), "-D", "0x47")
        return (self.folder / "opensm.log").read_text()

    def discover(self) -> str:
        """What ibnetdiscover prints."""
        return self.run("ibnetdiscover")

    def routes(self) -> dict[str, dict[int, int]]:
        """Forwarding tables that opensm wrote: out port by LID, by node GUID of the switch."""
        found: dict[str, dict[int, int]] = {}
        for block in (self.folder / "opensm-lfts.dump").read_text().split("Unicast lids")[1:]:
            guid = re.search(r"guid 0x([0-9a-f]{16})", block)
            assert guid, block[:200]
            rows = re.findall(r"^0x([0-9a-f]{4}) (\d{3}) ", block, re.M)
            found[guid[1]] = {int(lid, 16): int(port) for lid, port in rows}
        return found


@contextlib.contextmanager
def simulated(files: Mapping[str, str], folder: Path, host: str = "") -> Iterator[Subnet]:
    """Start the simulator on the files of a fabric; `host` is the id of the device that programs run on."""
    for name, text in files.items():
        (folder / name).write_text(text)
    environment = os.environ | {
        "PATH": os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")),
        "IBSIM_SOCKNAME": f"fabricgen-{os.getpid()}-{folder.name}",
        "OSM_TMP_DIR": f"{folder}/",
        "OSM_CACHE_DIR": f"{folder}/",
        "SIM_HOST": host,
    }
    with (folder / "ibsim.log").open("wb") as log:
        process = subprocess.Popen(
            ["ibsim", "-s", "-n", *LARGEST, "topology.net"], cwd=folder, env=environment, stdout=log, stderr=log
        )
    try:
        deadline = time.monotonic() + 300
        while "Network simulator ready" not in (folder / "ibsim.log").read_text():
            assert process.poll() is None, (folder / "ibsim.log").read_text()[-2000:]
            assert time.monotonic() < deadline, "the simulator did not start"
            time.sleep(0.05)
        yield Subnet(folder, environment)
    finally:
        process.kill()
        process.wait()


@dataclass(frozen=True)
class Graph:
    """A topology file, parsed: names, LIDs and kinds of devices by id, and links as pairs of (id, port) both ways."""

    names: dict[str, str]
    lids: dict[str, int]
    guids: dict[str, tuple[str, str]]
    """(node GUID, port GUID) by id, without leading zeros."""
    links: dict[End, End]

    def named(self) -> set[frozenset[End]]:
        """Every link as the pair of its ends' names and ports."""
        return {
            frozenset(((self.names[a], a_port), (self.names[b], b_port)))
            for (a, a_port), (b, b_port) in self.links.items()
        }


def parse(text: str) -> Graph:
    """Read the format of ibnetdiscover, whoever wrote it."""
    names: dict[str, str] = {}
    lids: dict[str, int] = defaultdict(int)
    guids: dict[str, tuple[str, str]] = {}
    links: dict[End, End] = {}
    node = node_guid = switch_port = ""
    for line in text.splitlines():
        if head := re.match(r"(?:switchguid|caguid)=0x([0-9a-f]+)(?:\(([0-9a-f]+)\))?", line):
            node_guid, switch_port = head[1], head[2] or ""
        elif head := re.match(r'(?:Switch|Ca)\s+\d+ "([^"]+)"\s+# "([^"]*)"(?:.* lid (\d+))?', line):
            node = head[1]
            assert node not in names
            names[node], lids[node] = head[2], int(head[3] or 0)
            guids[node] = (node_guid.lstrip("0"), switch_port.lstrip("0"))
        elif row := re.match(r'\[(\d+)\](?:\(([0-9a-f]+)\))?\s+"([^"]+)"\[(\d+)\].*?# (?:lid (\d+))?', line):
            assert (node, int(row[1])) not in links
            links[node, int(row[1])] = (row[3], int(row[4]))
            if row[2]:
                guids[node] = (guids[node][0], row[2].lstrip("0"))
                lids[node] = int(row[5] or 0)
    return Graph(names, dict(lids), guids, links)

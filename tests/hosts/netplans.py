"""The part `hosts` of example blueprints, read, and what netplan makes of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from fabricgen.cluster import Cluster
from fabricgen.export.files import addresses, hosts, links
from fabricgen.export.table import ExportContext
from tests.conftest import example_cluster, require


class Row(NamedTuple):
    """A row of a table, by the columns that are asked for."""

    cells: dict[str, str]

    def __getattr__(self, name: str) -> str:
        return self.cells[name]


def rows(table: Any) -> list[Row]:
    return [Row(dict(zip(table.columns, map(str, row), strict=True))) for row in table.rows()]


def files(cluster: Cluster) -> dict[str, str]:
    return {path: content.decode() for path, content in hosts.files(cluster, ExportContext())}


@cache
def files_of(name: str, *sets: str) -> dict[str, str]:
    return files(example_cluster(name, *sets))


def ethernets(text: str) -> dict[str, Any]:
    """The interfaces of a netplan file."""
    network = YAML(typ="safe").load(text)["network"]
    found: dict[str, Any] = network["ethernets"] | network.get("bonds", {}) | network.get("vlans", {})
    return found


def plans(written: dict[str, str], most: int = 8) -> dict[str, dict[str, Any]]:
    """Interfaces by node; of so many nodes at most, from the first to the last."""
    paths = [path for path in written if path.endswith(".yaml")]
    step = max(1, -(-len(paths) // most))
    return {path.split("/")[1]: ethernets(written[path]) for path in dict.fromkeys([*paths[::step], *paths[-1:]])}


def said_addresses(written: dict[str, str]) -> list[tuple[str, str, str]]:
    """(node, interface, address) of all nodes, in order, read line by line."""
    found = []
    for path, text in written.items():
        name = ""
        for line in text.splitlines() if path.endswith(".yaml") else []:
            if interface := re.fullmatch(r' {4}"(.+)":', line):
                name = interface[1]
            elif address := re.fullmatch(r' {8}- "(.+/\d+)"', line):
                found.append((path.split("/")[1], name, address[1]))
    return sorted(found)


def listed_addresses(cluster: Cluster) -> list[tuple[str, str, str]]:
    """(node, interface, address) in order, as addresses.csv has them: of devices of this cluster, and not of BMCs."""
    classes = [cls for cls in cluster.plan.devices.classes if getattr(cls.profile, "external", False)]
    external = {name for cls in classes for name in cluster.names[cls.rows]}
    ends = {(row.a_device, row.a_port) for row in rows(links.make_table(cluster)) if row.a_device not in external}
    hosts_of = [row for row in rows(addresses.make_table(cluster)) if row.kind == "host"]
    ends |= {(row.device, row.port.split(".")[0]) for row in hosts_of if row.port.startswith("bond-")}
    listed = [row for row in hosts_of if (row.device, row.port.split(".")[0]) in ends]
    return sorted((row.device, row.port.replace("/", "-"), row.prefix) for row in listed)


class Section(NamedTuple):
    """A section of a file of systemd: its name, and values by key."""

    name: str
    values: dict[str, list[str]]


COMMAND = ("netplan", "generate")


def networkd(folder: Path, text: str, *more: str, generator: tuple[str, ...] | None = None) -> dict[str, list[Section]]:
    """The .network and .link files that netplan makes of netplan files, by name; fails where it does not take them."""
    etc = folder / "etc" / "netplan"
    etc.mkdir(parents=True)
    for number, content in enumerate((text, *more)):
        file = etc / f"6{number}.yaml"
        file.write_text(content)
        file.chmod(0o600)
    command = [*(generator or _generator()), "--root-dir", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    made = sorted((folder / "run" / "systemd" / "network").iterdir())
    return {file.name.removeprefix("10-netplan-"): _sections(file.read_text()) for file in made}


@cache
def _generator() -> tuple[str, ...]:
    """netplan's generator, which COMMAND and the boot of a host run, without starting Python; COMMAND elsewhere."""
    own = Path("/usr/libexec/netplan/generate")
    return (str(own),) if own.exists() else COMMAND


def _sections(text: str) -> list[Section]:
    found: list[Section] = []
    for line in filter(None, text.splitlines()):
        if line.startswith("["):
            found.append(Section(line.strip("[]"), defaultdict(list)))
        else:
            key, _, value = line.partition("=")
            found[-1].values[key].append(value)
    return found


def needs(*tools: str, root: bool = False) -> None:
    """Skip where tools are missing, and fail in CI."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    reason = f"install {', '.join(missing)}: apt-get install netplan.io iproute2" if missing else ""
    if not reason and root and os.geteuid() != 0:
        reason = "run as root: routes are set in a network namespace"
    require(reason)

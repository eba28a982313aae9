"""Tenants on InfiniBand at work: opensm reads the partitions, and the P_Key tables of all ports tell who reaches whom.

Needs opensm, ibsim and smpquery, and takes some seconds; elsewhere it is skipped, in CI it must run.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import ib_lab
import pytest
from ib_lab import Graph, Subnet, parse, simulated

from tests.conftest import require
from tests.render.rendered import files_of

pytestmark = pytest.mark.daemon

BLUE = {"p1-su01-n001", "p1-su01-n002", "p1-su02-n001"}
RED = {"p1-su02-n002", "p1-su02-n003"}
REST = {"p1-su01-n003", "p1-su01-n004"}
MOVED = (
    "tenants.blue.nodes=[p1/su-1/node-1,p1/su-2/node-1]",
    "tenants.red.nodes=[p1/su-2/node-2,p1/su-2/node-3,p1/su-1/node-2]",
)
"""The second node of the first unit, from blue to red."""
FULL = 0x8000


@pytest.fixture(autouse=True)
def tools() -> None:
    """What the lab starts."""
    lacking = ib_lab.missing()
    require(f"{lacking}: apt-get install opensm ibsim-utils infiniband-diags" if lacking else "")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: sockets are called after it."""
    with tempfile.TemporaryDirectory(prefix="ib") as name:
        yield Path(name)


def files(*sets: str) -> dict[str, str]:
    prefix = "configs/compute/"
    return {p.removeprefix(prefix): t for p, t in files_of("pkeys", *sets).items() if p.startswith(prefix)}


def tables(subnet: Subnet, graph: Graph, ports: str = "", at_switch: bool = False) -> dict[str, list[int]]:
    """The P_Keys of every port of a node, or those whose names match, in the order of its table; or of the switch port
    that it is plugged into.
    """
    lids = {node: lid for node, lid in parse(subnet.discover()).lids.items() if lid}
    found: dict[str, list[int]] = {}
    for node, name in graph.names.items():
        if node.startswith("H-") and re.search(ports, name):
            end = graph.links[node, 1] if at_switch else (node, 1)
            text = subnet.run("smpquery", "pkeys", str(lids[end[0]]), str(end[1]))
            keys = [int(key, 16) for key in re.findall(r" (0x[0-9a-f]{4})\b", text)]
            found[name] = [key for key in keys if key & ~FULL]
    return found


def host_of(graph: Graph) -> str:
    """The port that the subnet manager runs on."""
    return next(node for node, name in graph.names.items() if name.startswith("ufm-1 "))


def meets(ours: list[int], theirs: list[int]) -> bool:
    """Whether two ports take each other's packets: of one partition, and not both limited members."""
    return any((a ^ b) & ~FULL == 0 and (a | b) & FULL for a in ours for b in theirs)


def matrix(keys: dict[str, list[int]]) -> set[frozenset[str]]:
    """Pairs of devices that reach each other; all ports of a device have the same partitions."""
    devices: dict[str, list[int]] = {}
    for port, mine in keys.items():
        assert devices.setdefault(port.split()[0], mine) == mine
    return {frozenset(pair) for pair in combinations(devices, 2) if meets(*(devices[name] for name in pair))}


def wanted(*groups: set[str]) -> set[frozenset[str]]:
    """Pairs of a group, with the storage in each, and what reaches the subnet manager: all."""
    inside = {frozenset(pair) for group in groups for pair in combinations({*group, "array"}, 2)}
    return inside | {frozenset({"ufm-1", name}) for name in {*set().union(*groups), "array", "ufm-2"}}


def test_who_reaches_whom_is_what_tenants_say(folder: Path) -> None:
    """Every port of every node: 60 of nodes and storage, two of appliances; then a node moves and nothing else does."""
    before, after = files(), files(*MOVED)
    graph = parse(before["topology.net"])
    with simulated(before, folder, host_of(graph)) as subnet:
        log = subnet.route()
        keys, at_switch = tables(subnet, graph), tables(subnet, graph, at_switch=True)
        assert matrix(keys) == wanted(BLUE, RED, REST)
        assert len(keys) == 7 * 8 + 4 + 2
        assert {port: set(mine) for port, mine in at_switch.items()} == {port: set(mine) for port, mine in keys.items()}
        assert not re.search(r"ERR [0-9A-F]{4}|PARSE", log)
        of_nodes = {port: mine for port, mine in keys.items() if port.startswith("p1-")}
        assert {tuple(mine) for mine in of_nodes.values()} == {(key | FULL, 0x7FFF) for key in (1, 2, 0x7FFE)}

        (folder / "partitions.conf").write_text(after["partitions.conf"])
        subnet.route()
        moved = tables(subnet, graph)
        assert matrix(moved) == wanted(BLUE - {"p1-su01-n002"}, RED | {"p1-su01-n002"}, REST)
        assert {port.split()[0] for port in keys if keys[port] != moved[port]} == {"p1-su01-n002"}


def test_a_node_that_moves_is_a_line_of_the_partitions() -> None:
    before, after = files(), files(*MOVED)
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == {"partitions.conf"}
    lines = [set(side["partitions.conf"].splitlines()) for side in (before, after)]
    (gone,), (come,) = lines[0] - lines[1], lines[1] - lines[0]
    assert gone.replace("blue=0x0001", "red=0x0002") == come
    assert "p1-su01-n002" in come


def test_full_members_of_the_default_partition_are_not_apart(folder: Path) -> None:
    """What FG825 is about."""
    text = files("fabrics.compute.default_partition=full", "lint.waive=[{rule: FG825, why: to see it}]")
    graph = parse(text["topology.net"])
    with simulated(text, folder, host_of(graph)) as subnet:
        subnet.route()
        found = matrix(tables(subnet, graph, "p1-su01-n001 OSFP1P1|p1-su02-n002 OSFP1P1"))
    assert frozenset({"p1-su01-n001", "p1-su02-n002"}) in found

"""Every pair of an InfiniBand fabric has a path or is told, and the channels of all paths wait in no circle.

Fabrics of one to three tiers with devices on any of them are drawn, routed by opensm in a simulated subnet with the
options that a build writes, and its forwarding tables are walked from every adapter to every other. Some have uneven
links, cores grouped by spine, leaves that skip a tier, or pairs, on which opensm finds no roots by itself. opensm
says SUBNET UP also of tables that join only some. A circle of channels that wait for each other is a deadlock (W. J.
Dally and C. L. Seitz, IEEE Transactions on Computers, May 1987).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import ib_lab
import networkx as nx
import pytest
from ib_lab import End, Graph, parse, simulated

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.plan.topology.fg317_roots_never_meet import RootsNeverMeet, find_roots_above
from fabricgen.render.engine import render_configs
from fabricgen.views.fabric import FabricView
from tests.conftest import sites_of
from tests.laws import law_cases
from tests.needs import require

pytestmark = pytest.mark.daemon

FABRICS = 200
TOOLS = "apt-get install opensm ibsim-utils infiniband-diags"
BORDERS = 0.4
"""The share of fabrics with a leaf for devices alone, below any tier."""
LEAVES = ("su, count: 2", "[su, rail]", "su, count: 1", "[su, rail], count: 1")


def drawn(number: int, attempt: int) -> str:
    """A blueprint: its tiers, their counts and the devices on them by a seed; other attempts draw others."""
    random = Random(number + FABRICS * attempt)
    tiers = random.choice((1, 2, 2, 3, 3, 3))
    pods = random.randint(2, 3) if tiers == 3 else 1
    lines = [f"      leaf: {{switch: qm9700, per: {random.choice(LEAVES) if tiers > 1 else 'rail'}}}"]
    names = ["leaf", "spine", "core"][:tiers]
    shaped = random.choice(("", "", ", spread: uneven", ", peer: 4 x 400G"))
    if tiers > 1:
        per = "per: pod, " if tiers == 3 else ""
        lines.append(
            f"      spine: {{switch: qm9700, {per}count: {random.randint(1, 4)}{shaped if tiers == 2 else ''}}}"
        )
    if tiers > 2:
        per = random.choice(("", "", "per: spine, "))
        lines.append(f"      core: {{switch: qm9700, {per}count: {random.randint(1, 4)}{shaped}}}")
    if tiers > 1 and random.random() < BORDERS:
        lines.append(f"      border: {{switch: qm9700, below: {random.choice(names[1:])}, uplinks: 4 x 400G}}")
        names.append("border")
    extras = []
    for device in ("ufm", "storage-array"):
        if tier := random.choice(("", *names)):
            attach = ", attach: storage" if device == "storage-array" else ", ports: 1"
            extras.append(f"{device}-x: {{device: {device}, count: {random.randint(1, 3)}{attach}, to: {tier}}}")
    manager = random.choice(("opensm", "opensm", "ufm"))
    return "\n".join(
        [
            "fabricgen: 1",
            f"name: drawn-{number}",
            "scalable_unit: {nodes: 2 x dgx-h100}",
            f"pods: {{p: {{count: {pods}, su: {random.randint(1, 2)}}}}}",
            "fabrics:",
            "  compute:",
            "    protocol: infiniband",
            f"    subnet_manager: {manager}",
            "    tiers:",
            *lines,
            f"    extra: {{{', '.join(extras)}}}",
            "",
        ]
    )


def wired(text: str, design_of: Callable[[str], Design]) -> Cluster | None:
    """The cluster of a blueprint; None where its switches have too few ports."""
    try:
        return build_cluster(design_of(text))
    except InputError:
        return None


def for_opensm(options: str) -> str:
    """Options as opensm 3.3 takes them: UFM chooses among the ways that up/down has, and knows the roots."""
    if "ar_updn" not in options:
        return options
    options = options.replace("ar_updn", "updn").replace("/opt/ufm/files/conf/opensm", "/etc/opensm")
    return options.replace("\n# root_guid_file ", "\nroot_guid_file ").replace("root_guid.conf", "root-guids.conf")


def without_a_root_above(graph: Graph, view: FabricView) -> set[tuple[str, str]]:
    """Pairs of adapters of a subnet, by id, that no switch is above both of, as the rule sees them."""
    switches = [f"S-{switch.guid:016x}" for switch in view.switches]
    above = dict(zip(switches, find_roots_above(view), strict=True))
    roots = {node: above[graph.links[node, 1][0]] for node in graph.names if node.startswith("H-")}
    return {(one, other) for one in roots for other in roots if not roots[one] & roots[other]}


def walk(graph: Graph, tables: dict[str, dict[int, int]]) -> tuple[int, set[tuple[str, str]], nx.DiGraph]:
    """(pairs that are joined, those that are not, by id, which channel each channel of a path waits for)."""
    adapters = {node: lid for node, lid in graph.lids.items() if node.startswith("H-")}
    first = {node: graph.links[node, 1] for node in adapters}
    waits: nx.DiGraph = nx.DiGraph()
    joined, lost = 0, set[tuple[str, str]]()
    for source in adapters:
        for target, lid in adapters.items():
            if source == target:
                continue
            path = _path(graph, tables, first[source][0], target, lid)
            if path is None:
                lost.add((source, target))
            else:
                joined += 1
                nx.add_path(waits, path)
    return joined, lost, waits


def _path(graph: Graph, tables: dict[str, dict[int, int]], at: str, target: str, lid: int) -> list[End] | None:
    """The channels, (switch, port), on the way from a switch to an adapter; None where the tables do not lead there."""
    path: list[End] = []
    while at != target:
        port = tables.get(at.removeprefix("S-"), {}).get(lid, 0)
        if (at, port) in path or (at, port) not in graph.links or at.startswith("H-"):
            return None
        path.append((at, port))
        at = graph.links[at, port][0]
    return path


def _route(cluster: Cluster, folder: Path) -> tuple[str, Graph, dict[str, dict[int, int]]]:
    """(log, what is there, tables) of a fabric that opensm routes with the options of a build."""
    files = {path.rpartition("/")[2]: text.decode() for path, text in render_configs(cluster)}
    files["opensm.conf"] = for_opensm(files["opensm.conf"])
    planned = parse(files["topology.net"])
    with simulated(files, folder, next(node for node in planned.names if node.startswith("H-"))) as subnet:
        log = subnet.route()
        return log, parse(subnet.discover()), subnet.routes()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: sockets are called after it."""
    with tempfile.TemporaryDirectory(prefix="ib") as name:
        yield Path(name)


@pytest.mark.law
@pytest.mark.parametrize("number", law_cases("InfiniBand routes", range(FABRICS)))
def test_all_pairs_of_a_drawn_fabric_are_joined_without_loops(number: int, folder: Path, design_of) -> None:
    lacking = ib_lab.missing()
    require(f"{lacking}: {TOOLS}" if lacking else "")
    cluster = next(filter(None, (wired(drawn(number, attempt), design_of) for attempt in range(20))))
    log, found, tables = _route(cluster, folder)
    assert "minhop tables configured" not in log
    joined, lost, waits = walk(found, tables)
    assert joined
    assert nx.is_directed_acyclic_graph(waits), nx.find_cycle(waits)
    (view,) = (cluster.whole_fabric(name) for name in cluster.whole_fabrics())
    assert lost == (without_a_root_above(found, view) if view.subnet_manager == "ufm" else set())
    device = {node: name.partition(" ")[0] for node, name in found.names.items()}
    apart = any(device[one] != device[other] for one, other in lost)
    told = {finding.code for finding in RootsNeverMeet().check(cluster)}
    assert told >= ({"FG317"} if apart else set())
    assert told <= ({"FG317"} if apart or view.subnets > 1 else set())


@pytest.mark.parametrize(("manager", "stands_still"), [("ufm", True), ("opensm", False)])
def test_five_sites_in_a_ring_wait_for_each_other(
    manager: str, stands_still: bool, folder: Path, design_of: Callable[[str], Design]
) -> None:
    """Of four, opensm deals the equal ways so that there is no circle; UFM's adaptive routing takes both."""
    lacking = ib_lab.missing()
    require(f"{lacking}: {TOOLS}" if lacking else "")
    cluster = build_cluster(design_of(sites_of(5, "ab bc cd de ea", manager)))
    _, found, tables = _route(cluster, folder)
    _, lost, waits = walk(found, tables)
    assert not lost
    assert nx.is_directed_acyclic_graph(waits) != stands_still
    assert [finding.code for finding in RootsNeverMeet().check(cluster)] == ["FG317"] * stands_still

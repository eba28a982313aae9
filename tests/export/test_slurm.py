"""Slurm is told where nodes are: by a real controller, and by readers written after its sources."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.cluster import Cluster
from fabricgen.export.integrations import slurm
from fabricgen.export.locality.hostlists import hostlist
from fabricgen.export.locality.model import common_name
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import built_files, example_cluster
from tests.export.hostlist_reader import expanded, lines
from tests.export.slurm_controller import show_topology

NO_ROOT = "no switch can reach all nodes through its descendants"


def leaf_sets(cluster: Cluster) -> dict[frozenset[str], set[str]]:
    """Nodes by the set of leaves that they are on, as endpoints.csv has them."""
    leaves = defaultdict[str, set[str]](set)
    for row in csv.DictReader(built_files(cluster, "endpoints")["endpoints.csv"].decode().splitlines()):
        leaves[row["node"]].add(row["leaf"])
    found = defaultdict[frozenset[str], set[str]](set)
    for node, of in leaves.items():
        found[frozenset(of)].add(node)
    return found


@pytest.mark.parametrize("name", ["superpod-b200", "nvl72-gb200", "two-generations"])
def test_a_controller_places_every_node_as_planned(name: str, tmp_path: Path) -> None:
    """One switch for each set of leaves, one that reaches all where the fabric does, and no complaint."""
    cluster = example_cluster(name)
    planned = leaf_sets(cluster)
    topology = built_files(cluster, "slurm")["slurm/topology.conf"]
    answer = show_topology(tmp_path, hostlist(sorted(set().union(*planned.values()))), topology)
    leaves = [expanded(row["Nodes"]) for row in answer.switches.values() if row["Level"] == "0"]
    assert sorted(map(sorted, leaves)) == sorted(map(sorted, planned.values()))
    joined = name != "two-generations"
    assert (len(planned), len(answer.switches)) == {
        "superpod-b200": (4, 5),
        "nvl72-gb200": (6, 7),
        "two-generations": (2, 2),
    }[name]
    assert [line for line in answer.complaints if joined or NO_ROOT not in line] == []
    roots = [row for row in answer.switches.values() if len(expanded(row["Nodes"])) == sum(map(len, planned.values()))]
    assert len(roots) == int(joined)


def tree_of(cluster: Cluster) -> networkx.DiGraph[str]:
    """topology.conf as a graph from switches to what is below them; a name that Slurm would not find fails."""
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    rows = lines(built_files(cluster, "slurm")["slurm/topology.conf"], "SwitchName")
    switches = [row["SwitchName"] for row in rows]
    assert len(set(switches)) == len(switches)
    assert max(map(len, switches)) <= 64
    for row in rows:
        assert ("Nodes" in row) != ("Switches" in row)
        below = expanded(row.get("Nodes") or row["Switches"])
        assert "Nodes" in row or set(below) <= set(switches)
        graph.add_edges_from((row["SwitchName"], name) for name in below)
    return graph


@pytest.mark.parametrize(
    "name", ["two-site", "mixed-generations", "two-generations", "pkeys", "dual-tor", "top-of-rack"]
)
def test_only_what_links_join_has_a_switch_in_common(name: str) -> None:
    """Every node is below one leaf only; two are in one tree where links of their fabric join them, and only there."""
    cluster = example_cluster(name)
    tree, planned = tree_of(cluster), leaf_sets(cluster)
    assert max(degree for _, degree in tree.in_degree()) == 1
    nodes = {name for name, degree in tree.out_degree() if not degree}
    assert nodes == set().union(*planned.values())
    groups = defaultdict[str, set[str]](set)
    for switch, node in tree.edges:
        if node in nodes:
            groups[switch].add(node)
    assert sorted(map(sorted, groups.values())) == sorted(map(sorted, planned.values()))
    fabrics = {"compute", "across", "xdr", "ndr"}
    wired: networkx.Graph[str] = networkx.Graph()
    for row in csv.DictReader(built_files(cluster, "links")["links.csv"].decode().splitlines()):
        if row["fabric"] in fabrics:
            wired.add_edge(row["a_device"], row["b_device"])
    together = {frozenset(part & nodes) for part in map(set, networkx.connected_components(wired)) if part & nodes}
    assert {frozenset(set(part) & nodes) for part in networkx.weakly_connected_components(tree)} == together


NAMES = st.from_regex(r"[a-z][a-z0-9]{0,3}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)


@settings(max_examples=40)
@given(st.lists(NAMES | st.from_regex(r"n[0-9]{1,12}", fullmatch=True), unique=True, min_size=1))
def test_a_hostlist_is_the_names(names: list[str]) -> None:
    assert sorted(expanded(hostlist(names))) == sorted(names)


def test_a_group_is_called_by_what_its_switches_share() -> None:
    assert common_name(["leaf-su01-r1-01", "leaf-su01-r2-01"]) == "leaf-su01-01"
    assert common_name(["leaf-su01-r1", "leaf-su01"]) == "leaf-su01"
    assert common_name(["a-1", "b-2"]) == ""


def test_more_nodes_than_slurm_can_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm, "MOST_NODES", 7)
    with pytest.raises(InputError) as caught:
        built_files(example_cluster("leaf-spine"), "slurm")
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("FG155", "Slurm has at most 7 nodes, and 8 are on the network")
    assert found.span is not None

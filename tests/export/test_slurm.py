"""Slurm is told where nodes are: by a real controller, and by readers written after its sources."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabricgen.addons import slurm
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.export.locality import find_common_name, join_hostlist
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import built_files, example_cluster
from tests.export.hostlist_reader import aggregated, expanded, lines, topologies
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


@pytest.mark.daemon
@pytest.mark.parametrize("name", ["superpod-b200", "nvl72-gb200", "two-generations"])
def test_a_controller_places_every_node_as_planned(name: str, tmp_path: Path) -> None:
    """One switch for each set of leaves, one that reaches all where the fabric does, and no complaint."""
    cluster = example_cluster(name)
    planned = leaf_sets(cluster)
    topology = built_files(cluster, "slurm")["slurm/topology.conf"]
    answer = show_topology(tmp_path, join_hostlist(sorted(set().union(*planned.values()))), topology)
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


@pytest.mark.tenth
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


BLOCKS = {
    "superpod-b200": [31, 124],
    "superpod-b200-3tier": [32, 128, 512],
    "nvl72-gb200": [18, 144],
    "mixed-generations": [16],
    "top-of-rack": [8, 128],
    "two-generations": [],
}
"""Sizes of blocks, by hand: nodes of the least block, then of what a tier joins if that is a power of two of blocks."""


@pytest.mark.tenth
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_that_slurm_joins_are_what_a_tier_joins(name: str) -> None:
    cluster = example_cluster(name)
    files, tree = built_files(cluster, "slurm"), tree_of(cluster)
    told = topologies(files["slurm/topology.yaml"])
    rows = lines(files["slurm/topology.conf"], "SwitchName")
    assert told.pop("tree")["switches"] == [
        {"switch": row["SwitchName"], **({"nodes": row["Nodes"]} if "Nodes" in row else {"children": row["Switches"]})}
        for row in rows
    ]
    nodes = {node for node, degree in tree.out_degree() if not degree}
    below = [networkx.descendants(tree, row["SwitchName"]) & nodes for row in rows]
    placed: list[str] = []
    for inside in told.values():
        blocks = {row["block"]: expanded(row["nodes"]) for row in inside["blocks"]}
        assert len(blocks) == len(inside["blocks"])
        for joined in aggregated(blocks, inside["block_sizes"]):
            assert joined in below
        placed += [node for nodes in blocks.values() for node in nodes]
    assert sorted(placed) == sorted(set().union(*leaf_sets(cluster).values()))
    conf = files.get("slurm/topology-block.conf")
    assert (conf is None) == (len(told) > 1)
    if conf:
        (sizes,) = lines(conf, "BlockSizes")
        assert sizes == {"BlockSizes": ",".join(map(str, inside["block_sizes"]))}
        assert [(row["BlockName"], row["Nodes"]) for row in lines(conf, "BlockName")] == [
            (row["block"], row["nodes"]) for row in inside["blocks"]
        ]
        assert inside["block_sizes"] == BLOCKS[name]


MIXED_RAILS = """
fabricgen: 1
name: mixed-rails
scalable_unit: {nodes: {big: 4 x dgx-b200, small: 4 x gb200-tray}, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 1}}
fabrics:
  compute: {protocol: infiniband, tiers: {leaf: {switch: qm9700, per: rail}}}
"""


def test_nodes_with_some_leaves_in_common_are_in_one_tree(design_of: Callable[..., Design]) -> None:
    """Nodes of four rails are on four of the eight leaves of others: apart at the leaf, together above it."""
    tree = tree_of(build_cluster(design_of(MIXED_RAILS)))
    (root,) = (name for name, degree in tree.in_degree() if not degree)
    apart = {frozenset(name.split("-")[2] for name in tree.successors(leaf)) for leaf in tree.successors(root)}
    assert apart == {frozenset({"big"}), frozenset({"small"})}


APART = """
fabricgen: 1
name: apart
scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 2}, p2: {su: 3}}
fabrics:
  compute:
    protocol: infiniband
    tiers: {leaf: {switch: qm9700, per: [su, rail]}, spine: {switch: qm9700, per: [pod, rail]}}
"""


def test_pods_that_no_tier_joins_have_no_root_over_them(design_of: Callable[..., Design]) -> None:
    """Each pod is a tree, and blocks of its own: the block plugin would place a job over all that it is given."""
    cluster = build_cluster(design_of(APART))
    tree = tree_of(cluster)
    roots = [name for name, degree in tree.in_degree() if not degree]
    below = [{name[:2] for name in networkx.descendants(tree, root) if not tree.out_degree(name)} for root in roots]
    assert below == [{"p1"}, {"p2"}]
    files = built_files(cluster, "slurm")
    told = topologies(files["slurm/topology.yaml"])
    assert list(told) == ["tree", *(f"block-{root}" for root in roots)]
    held = [told[f"block-{root}"] for root in roots]
    assert [{row["nodes"][:2] for row in inside["blocks"]} for inside in held] == below
    assert [inside["block_sizes"] for inside in held] == [[4, 8], [4]]
    assert "slurm/topology-block.conf" not in files


def test_a_domain_of_several_nodes_is_a_block() -> None:
    cluster = example_cluster("nvl72-gb200")
    files = built_files(cluster, "slurm", "endpoints")
    domains = defaultdict[str, set[str]](set)
    for row in csv.DictReader(files["endpoints.csv"].decode().splitlines()):
        domains[row["domain"]].add(row["node"])
    rows = lines(files["slurm/topology-block.conf"], "BlockName")
    assert {row["BlockName"]: set(expanded(row["Nodes"])) for row in rows} == domains


NAMES = st.from_regex(r"[a-z][a-z0-9]{0,3}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.lists(NAMES | st.from_regex(r"n[0-9]{1,12}", fullmatch=True), unique=True, min_size=1))
def test_a_hostlist_is_the_names(names: list[str]) -> None:
    assert sorted(expanded(join_hostlist(names))) == sorted(names)


def test_a_group_is_called_by_what_its_switches_share() -> None:
    assert find_common_name(["leaf-su01-r1-01", "leaf-su01-r2-01"]) == "leaf-su01-01"
    assert find_common_name(["leaf-su01-r1", "leaf-su01"]) == "leaf-su01"
    assert find_common_name(["a-1", "b-2"]) == ""


def test_more_nodes_than_slurm_can_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm, "MOST_NODES", 7)
    with pytest.raises(InputError) as caught:
        built_files(example_cluster("leaf-spine"), "slurm")
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("FG155", "Slurm has at most 7 nodes, and 8 are on the network")
    assert found.span is not None

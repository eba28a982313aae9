"""Slurm 26.05 is told of tori and rings, by readers written after its sources: no Slurm of that version has run."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable

import networkx
import pytest

from fabricgen.addons.slurm_torus import list_placements
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import built_files, example_cluster
from tests.export.hostlist_reader import anchored, cells, topologies, xyz

RINGS = """
fabricgen: 1
name: rings
scalable_unit: {{nodes: {nodes} x hpc-node, racks: {{nodes_per_rack: 10}}}}
pods: {{p1: {{su: {units}}}}}
fabrics:
  compute:
    protocol: infiniband
    tiers: {{router: {{switch: qm8790, {tier}}}}}
"""
RING = "per: [su, rail], count: {}, mesh: {{router: {{links: 2, reach: 1}}}}"


def built(cluster: Cluster) -> str:
    return built_files(cluster, "slurm-torus")["slurm-torus/topology.yaml"].decode()


def rings(design_of: Callable[..., Design], nodes: int, units: int, tier: str) -> Cluster:
    return build_cluster(design_of(RINGS.format(nodes=nodes, units=units, tier=tier)))


@pytest.mark.slow
def test_gordon_is_cuboids_of_switches_that_are_neighbours() -> None:
    """4 x 4 x 4 switches of 17 nodes: each cuboid of whole switches is as many steps wide on the wired graph."""
    cluster = example_cluster("torus-gordon")
    told = topologies(built(cluster).encode())
    assert list(told) == ["tree", "block", "torus3d"]
    (torus,) = told["torus3d"]["toruses"]
    assert (torus["name"], xyz(torus["dims"])) == ("compute-router-p1", (68, 4, 4))
    assert len(cells(torus)) == 1088
    graph: networkx.Graph[str] = networkx.Graph()
    leaf = {}
    for row in csv.DictReader(built_files(cluster, "links")["links.csv"].decode().splitlines()):
        if "-r1-" in row["b_device"]:
            graph.add_edge(row["a_device"], row["b_device"])
            if "-r1-" not in row["a_device"]:
                leaf[row["a_device"]] = row["b_device"]
    steps = dict(networkx.all_pairs_shortest_path_length(graph.subgraph(set(leaf.values()))))
    spans = defaultdict[int, set[tuple[int, int]]](set)
    for placement in torus["placements"]:
        taken = anchored(torus, placement)
        assert sorted(node for nodes in taken for node in nodes) == sorted(leaf)
        for nodes in taken:
            switches = {leaf[node] for node in nodes}
            spans[len(nodes)].add((len(switches), max(steps[a][b] for a in switches for b in switches)))
    sizes = (1, 17, 34, 68, 136, 272, 544, 1088)
    widths = (1, 0), (1, 0), (2, 1), (4, 2), (8, 3), (16, 4), (32, 5), (64, 6)
    assert dict(spans) == {size: {width} for size, width in zip(sizes, widths, strict=True)}


def test_a_ring_has_its_nodes_in_order(design_of: Callable[..., Design]) -> None:
    text = built(rings(design_of, 6, 2, RING.format(3)))
    assert text.partition("- topology: ring\n")[2] == (
        """\
  cluster_default: false
  ring:
    rings:
      - ring: "compute-router-p1-su01"
        nodes: "p1-su01-n001,p1-su01-n002,p1-su01-n003,p1-su01-n004,p1-su01-n005,p1-su01-n006"
      - ring: "compute-router-p1-su02"
        nodes: "p1-su02-n001,p1-su02-n002,p1-su02-n003,p1-su02-n004,p1-su02-n005,p1-su02-n006"
"""
    )
    first, second = topologies(text.encode())["ring"]["rings"]
    assert set(first) == set(second) == {"ring", "nodes"}


def test_more_than_sixteen_nodes_are_a_torus_of_one_dimension(design_of: Callable[..., Design]) -> None:
    """Switches of 5, 5, 5 and 3 nodes: two cells are empty, and no job gets a cuboid with them."""
    text = built(rings(design_of, 18, 1, RING.format(4)))
    assert text.partition("- topology: torus3d\n")[2] == (
        """\
  cluster_default: false
  torus3d:
    toruses:
      - name: "compute-router-p1-su01"
        dims: {x: 20, y: 1, z: 1}
        regions:
          - anchor: {x: 0, y: 0, z: 0}
            dims: {x: 5, y: 1, z: 1}
            nodes: "p1-su01-n[001-005]"
          - anchor: {x: 5, y: 0, z: 0}
            dims: {x: 5, y: 1, z: 1}
            nodes: "p1-su01-n[006-010]"
          - anchor: {x: 10, y: 0, z: 0}
            dims: {x: 5, y: 1, z: 1}
            nodes: "p1-su01-n[011-015]"
          - anchor: {x: 15, y: 0, z: 0}
            dims: {x: 3, y: 1, z: 1}
            nodes: "p1-su01-n[016-018]"
        placements:
          - dims: {x: 1, y: 1, z: 1}
          - dims: {x: 5, y: 1, z: 1}
          - dims: {x: 10, y: 1, z: 1}
          - dims: {x: 20, y: 1, z: 1}
"""
    )
    (torus,) = topologies(text.encode())["torus3d"]["toruses"]
    assert [len(anchored(torus, placement)) for placement in torus["placements"]] == [18, 3, 1, 0]


FOUR = """per: [su, rail], count: 24, grid: {row: 2, column: 3, layer: 4}, mesh: {row: {links: 1, reach: 1},
  column: {links: 1, reach: 1}, layer: {links: 1, reach: 1}, su: {links: 1, reach: 1}}"""


@pytest.mark.parametrize(
    ("tier", "problem"),
    [
        ("per: [su, rail], count: 4, mesh: {router: 1}", "p1-su01-n001 is on no switch that is in rings"),
        (FOUR, "p1-su01-n001 is in rings of 4 dimensions"),
        (RING.format(4).replace("[su, rail]", "su"), "p1-su01-n007 is at 2 places of rings"),
    ],
)
def test_what_is_no_torus_of_three_dimensions_is_refused(
    tier: str, problem: str, design_of: Callable[..., Design]
) -> None:
    with pytest.raises(InputError) as caught:
        built(rings(design_of, 26, 3, tier))
    (found,) = caught.value.diagnostics
    assert (found.code, found.span is None) == ("FG155", False)
    assert problem in found.message


def test_cuboids_are_one_a_size_and_near_to_cubes() -> None:
    assert list_placements((4, 6, 2), 1) == [
        *[(1, 1, 1), (2, 1, 1), (1, 3, 1), (2, 2, 1), (2, 3, 1)],
        *[(2, 2, 2), (2, 3, 2), (4, 2, 2), (4, 3, 2), (4, 6, 2)],
    ]


def test_instances_of_an_ultraserver_are_a_ring() -> None:
    """Four Trn2 instances whose chips of equal coordinates meet in rings (AWS Neuron, Trn2 Architecture)."""
    told = topologies(built(example_cluster("trn2-ultraserver")).encode())
    rows = told["ring"]["rings"]
    assert len(rows) == 8
    assert rows[1] == {
        "ring": "neuronlink-p1-su01-rk03-rk04",
        "nodes": "p1-su01-n005,p1-su01-n006,p1-su01-n007,p1-su01-n008",
    }
    wired: networkx.Graph[str] = networkx.Graph()
    scale_up = built_files(example_cluster("trn2-ultraserver"), "scale-up")["scale-up.csv"].decode().splitlines()
    wired.add_edges_from((row["a_device"], row["b_device"]) for row in csv.DictReader(scale_up))
    for row in rows:
        nodes = row["nodes"].split(",")
        assert {frozenset(edge) for edge in wired.subgraph(nodes).edges if edge[0] != edge[1]} == {
            frozenset(pair) for pair in zip(nodes, [*nodes[1:], nodes[0]], strict=True)
        }

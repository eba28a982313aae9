"""Networks whose switches meet within a tier, held to networkx on the wired graph."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest

from fabricgen.analyze.analysis import analyze_cluster, describe_first_screen
from fabricgen.analyze.asked import Question, read_job
from fabricgen.analyze.meshed.graph import SwitchGraph, make_graph
from fabricgen.analyze.network import list_networks
from fabricgen.analyze.side_by_side import compare_analyses
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.lint.engine import lint
from tests.conftest import BLUEPRINTS, Ran, example_cluster
from tests.wiring.test_meshes import make_page

CASES = {
    "dragonfly": make_page("mesh: {router: 1, su: {links: 1, spread: true}}", pods="{p1: {su: 9}}"),
    "hyperx": make_page("grid: {row: 2, column: 3}, mesh: {row: 1, column: 2, su: 1}", count=6),
    "torus": make_page(
        "grid: {row: 4, column: 3}, mesh: {row: {links: 1, reach: 1}, column: {links: 1, reach: 1}, su: 2}", count=12
    ),
}

UNEQUAL = """
fabricgen: 1
name: unequal
scalable_unit: {nodes: 3 x generic-server}
pods: {p1: {su: 4}}
fabrics:
  compute:
    protocol: ethernet
    hosts: routed
    tiers:
      router: {switch: sn4700, per: su, count: 3, spread: stripe, mesh: {router: 1, su: {links: 4, spread: true}}}
nos: sonic
"""
"""Groups of three routers, of which one has two of four links to another group."""


def make_cluster(design_of: Callable[..., Design], case: str) -> Cluster:
    """The cluster of a case, with eight nodes a unit."""
    return build_cluster(design_of(CASES[case].replace("2 x dgx-h100", "6 x dgx-h100")))


def to_networkx(graph: SwitchGraph) -> nx.MultiGraph[int]:
    """The same switches and links."""
    wired: nx.MultiGraph[int] = nx.MultiGraph()
    wired.add_nodes_from(range(graph.size))
    wired.add_edges_from(zip(graph.a.tolist(), graph.b.tolist(), strict=True))
    return wired


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_distances_degrees_and_paths_are_those_of_networkx(design_of: Callable[..., Design], case: str) -> None:
    """Diameter, the mean distance of pairs of accelerators, and how many shortest paths there are."""
    cluster = make_cluster(design_of, case)
    figures = analyze(cluster)["structure"]["compute"]
    (network,) = list_networks(cluster, meshed=True)
    graph = make_graph(network)
    wired = to_networkx(graph)
    simple = nx.Graph(wired)
    degrees = [degree for _, degree in wired.degree()]
    assert figures["degree"] == {"least": min(degrees), "most": max(degrees)}
    lengths = dict(nx.all_pairs_shortest_path_length(simple))
    pairs = [(a, b) for a in wired for b in wired]
    weight = {(a, b): float(graph.ranks[a] * graph.ranks[b]) for a, b in pairs}
    assert figures["diameter"] == max(lengths[a][b] for (a, b), number in weight.items() if number)
    mean = sum(lengths[a][b] * number for (a, b), number in weight.items()) / sum(weight.values())
    assert figures["mean_distance"] == pytest.approx(mean, abs=1e-4)
    for row in figures["pairs"]:
        if row.get("distance"):
            here = [(a, b) for (a, b), number in weight.items() if number and lengths[a][b] == row["distance"]]
            counts = [count_paths(wired, simple, a, b) for a, b in here]
            assert (row["paths"], row["most_paths"]) == (min(counts), max(counts))


def count_paths(wired: nx.MultiGraph[int], simple: nx.Graph[int], a: int, b: int) -> int:
    """Shortest paths between two switches, parallel links apart."""
    return sum(
        int(np.prod([wired.number_of_edges(*hop) for hop in pairwise(path)]))
        for path in nx.all_shortest_paths(simple, a, b)
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_what_crosses_links_is_that_of_walks_over_all_paths(design_of: Callable[..., Design], case: str) -> None:
    """Every rank sends as much to every other; each path of a pair carries as much as its others."""
    (network,) = list_networks(make_cluster(design_of, case), meshed=True)
    graph = make_graph(network)
    assert graph.weighted, "InfiniBand"
    wired = to_networkx(graph)
    simple = nx.Graph(wired)
    share = graph.port_gbps / graph.port_gbps.sum()
    load: dict[frozenset[int], float] = {}
    for a in wired:
        for b in wired:
            demand = float(graph.port_gbps[a] * share[b])
            if a == b or not demand:
                continue
            paths = list(nx.all_shortest_paths(simple, a, b))
            weights = [float(np.prod([wired.number_of_edges(*hop) for hop in pairwise(path)])) for path in paths]
            for path, number in zip(paths, weights, strict=True):
                for hop in pairwise(path):
                    carried = demand * number / sum(weights) / wired.number_of_edges(*hop)
                    load[frozenset(hop)] = load.get(frozenset(hop), 0.0) + carried
    ends = zip(graph.a.tolist(), graph.b.tolist(), strict=True)
    assert graph.load_links(share) == pytest.approx([load.get(frozenset(pair), 0.0) for pair in ends])


@pytest.mark.parametrize("weights", ["none", "link-bandwidth"])
def test_what_bgp_sends_over_next_hops_is_that_of_walks(design_of: Callable[..., Design], weights: str) -> None:
    """Each switch deals what it has over its next hops alike, or where paths are weighed by how many lead on."""
    page = UNEQUAL + f"routing: {{weights: {weights}}}\n"
    (network,) = list_networks(build_cluster(design_of(page)), meshed=True)
    graph = make_graph(network)
    wired = to_networkx(graph)
    simple = nx.Graph(wired)
    share = graph.port_gbps / graph.port_gbps.sum()
    load: dict[frozenset[int], float] = {}
    for target in wired:
        near = nx.single_source_shortest_path_length(simple, target)
        carried = {a: float(graph.port_gbps[a] * share[target]) for a in wired if a != target}
        for a in sorted(carried, key=lambda a: -near[a]):
            hops = [b for b in simple[a] if near[b] == near[a] - 1]
            behind = {
                b: count_paths(wired, simple, b, target) if weights != "none" and b != target else 1 for b in hops
            }
            width = sum(wired.number_of_edges(a, b) * behind[b] for b in hops)
            for b in hops:
                on_link = carried[a] * behind[b] / width
                load[frozenset((a, b))] = load.get(frozenset((a, b)), 0.0) + on_link
                if b != target:
                    carried[b] += on_link * wired.number_of_edges(a, b)
    ends = zip(graph.a.tolist(), graph.b.tolist(), strict=True)
    assert graph.load_links(share) == pytest.approx([load.get(frozenset(pair), 0.0) for pair in ends])


@pytest.mark.parametrize("case", CASES)
def test_the_bisection_is_what_crosses_the_middle_of_a_dimension(design_of: Callable[..., Design], case: str) -> None:
    """Counted on the wired graph; the least over dimensions."""
    cluster = make_cluster(design_of, case)
    (network,) = list_networks(cluster, meshed=True)
    graph, tier = make_graph(network), cluster.design.tiers[0]
    places = np.arange(graph.size).reshape(tier.places, *tier.grid.values())
    sums = []
    for axis, size in enumerate(places.shape):
        in_first_half = np.zeros(graph.size, dtype=bool)
        in_first_half[np.take(places, range(size // 2), axis=axis).ravel()] = True
        halves = in_first_half[network.leaf - graph.devices[0]]
        nodes = network.ranks.device
        if any(len(set(halves[nodes == node].ravel())) > 1 for node in set(nodes)):
            continue  # a node has ports on both sides: no cut of nodes
        sums.append(float(graph.gbps[in_first_half[graph.a] != in_first_half[graph.b]].sum()))
    expected = min(*sums, float(network.gbps.sum()) / 2)
    assert analyze(cluster)["structure"]["compute"]["bisection_gbps"] == expected


def test_a_lost_switch_that_alone_joins_groups_parts_them(design_of: Callable[..., Design]) -> None:
    """Two groups with one link between them: a bridge, and each of its switches is a single point of failure."""
    page = make_page("mesh: {router: 1, su: {links: 1, spread: true}}", pods="{p1: {su: 2}}", count=2)
    rows = analyze(build_cluster(design_of(page)))["failures"]["compute"]["one_lost"]
    parts = {row["lost"]: row["parts"] for row in rows}
    assert parts == {"switch": 2, "link: router along router": 2, "link: router along su": 2}


def test_collectives_are_told_as_not_reckoned(design_of: Callable[..., Design]) -> None:
    """On the first screen, and with a reason."""
    text = "\n".join(describe_first_screen(analyze(make_cluster(design_of, "dragonfly"))))
    assert "is reckoned for trees of tiers alone" in text
    assert "all to the next along su" in text


ISLANDS = make_page("grid: {row: 2, column: 2}, mesh: {row: 1, su: 1}").replace("2 x dgx-h100", "6 x dgx-h100")
"""Switches in two pieces: no mesh joins the columns."""


def test_pairs_without_a_path_are_told_and_make_no_network_look_closer(design_of: Callable[..., Design]) -> None:
    """The mean distance is over pairs that have a path; the others are a row of their own."""
    cluster = build_cluster(design_of(ISLANDS))
    structure = analyze(cluster)["structure"]["compute"]
    (network,) = list_networks(cluster, meshed=True)
    graph = make_graph(network)
    lengths = dict(nx.all_pairs_shortest_path_length(nx.Graph(to_networkx(graph))))
    pairs = [(a, b) for a in lengths for b in lengths]
    weight = {(a, b): float(graph.ranks[a] * graph.ranks[b]) for a, b in pairs}
    joined = {(a, b): number for (a, b), number in weight.items() if b in lengths[a]}
    mean = sum(lengths[a][b] * number for (a, b), number in joined.items()) / sum(joined.values())
    assert sum(joined.values()) == sum(weight.values()) / 2, "two pieces"
    assert structure["mean_distance"] == pytest.approx(mean, abs=1e-4)
    (apart,) = [row for row in structure["pairs"] if row.get("distance", 0) is None]
    (domain,) = [row for row in structure["pairs"] if row.get("place") == "domain"]
    assert apart["share"] == pytest.approx((1 - domain["share"]) / 2)
    text = "\n".join(describe_first_screen(analyze(cluster)))
    assert f"{mean:.3g} on average of those joined" in text
    assert "joined by nothing" in text
    assert {row["parts"] for row in analyze(cluster)["failures"]["compute"]["one_lost"]} == {2}, "no loss adds a part"


def test_clusters_are_compared_side_by_side(design_of: Callable[..., Design]) -> None:
    """Pairs by their distance, what shortest paths allow, and losses; "-" for what a cluster has no figure of."""
    pages = (make_page("mesh: {router: 1, su: {links: 1, spread: true}}"), ISLANDS)
    analyses = [analyze(build_cluster(design_of(page))) for page in pages]
    text = "\n".join(compare_analyses([*analyses, analyze(example_cluster("leaf-spine"))]))
    rows = {name: cells for name, *cells in (re.split(" {2,}", line.strip()) for line in text.splitlines())}
    apart = analyses[1]["structure"]["compute"]["pairs"][-1]["share"]
    assert rows["pairs joined by nothing"] == ["-", f"{apart:.1%}", "-"]
    assert rows["pairs 3 links apart"][1:] == ["-", "-"]
    assert rows["one lost switch"] == ["4 cut off; parts: 1", "12 cut off; parts: 2", "-"]
    rates = [f"{results['load_balance']['compute']['all_to_all']['rate']:.2f}" for results in analyses]
    assert rows["all to all over shortest paths"] == [*rates, "-"]


def test_dimensions_that_nothing_joins_are_islands(design_of: Callable[..., Design]) -> None:
    """FG315 names them."""
    page = make_page("grid: {row: 2, column: 2}, mesh: {row: 1, su: 1}")
    (finding,) = [d for d in lint(design_of(page)).findings if d.code == "FG315"]
    assert "those that differ in column have no path" in finding.message


def analyze(cluster: Cluster) -> dict[str, Any]:
    """All sections."""
    question = Question(cluster.design.catalog.constants())
    return analyze_cluster(cluster, question, read_job)


def test_figures_are_written_as_json(fabricgen: Callable[..., Ran]) -> None:
    ran = fabricgen("analyze", BLUEPRINTS / "hyperx.yaml", "--format", "json")
    assert ran.code == 0, ran.err
    structure = json.loads(ran.out)["structure"]["compute"]
    assert structure["counted_from"] == {"switches": structure["switches"], "all": True}

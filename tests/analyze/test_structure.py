"""Structure: what networkx finds on the wired graph, over drawn designs, and the rows of known clusters."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.analyze.asked import Question, read_job
from fabricgen.analyze.bisection import bisection_gbps, count_bisection_gbps
from fabricgen.analyze.latency import count_switches_crossed
from fabricgen.analyze.network import Network, list_networks
from fabricgen.analyze.sections import failures, structure
from fabricgen.analyze.sections.structure import PathCounter
from fabricgen.cluster import Cluster
from fabricgen.phases.tables import build_at_phase
from fabricgen.pipeline import compile_cluster, compile_design
from tests.analyze.wired import Wired
from tests.conftest import example_cluster
from tests.cuts import least_cut
from tests.design.test_failure import PLANES, PODS
from tests.properties.blueprints import clos, dual_ported, planes, rail_grouped
from tests.properties.compiling import cases, compiled_or_dropped

DRAWN = st.one_of(clos(), planes(), dual_ported(), rail_grouped())


def _pick_network(cluster: Cluster, most: int = 96) -> Network:
    networks = list(list_networks(cluster))
    assume(networks and 2 <= len(networks[0].ranks) <= most)
    return networks[0]


@pytest.mark.law
@cases(60)
@given(DRAWN, st.data())
def test_pairs_are_as_far_apart_as_on_the_wired_graph(tree, data) -> None:
    network = _pick_network(compiled_or_dropped(tree))
    wired, paths = Wired(network), PathCounter(network)
    ranks = st.integers(0, len(network.ranks) - 1)
    for _ in range(6):
        a, b = data.draw(ranks), data.draw(ranks)
        if a == b:
            continue
        level = int(network.find_joining_level(np.array([a]), np.array([b]))[0])
        switches = count_switches_crossed(network, level) if level < len(network.levels) else None
        assert (switches, paths.count_paths(a, b)) == wired.between(a, b)


@pytest.mark.law
@cases(40)
@given(DRAWN)
def test_every_pair_is_in_one_class(tree) -> None:
    network = _pick_network(compiled_or_dropped(tree), 40)
    ranks, number = network.ranks, len(network.ranks)
    counted: Counter[tuple[str, str | None, int | None]] = Counter()
    rails = int(ranks.rail.max()) > 1
    wired = Wired(network)
    for a in range(number):
        for b in range(number):
            if a == b:
                continue
            if ranks.domain[a] == ranks.domain[b]:
                counted["domain", None, None] += 1
                continue
            alike = [getattr(ranks, name)[a] == getattr(ranks, name)[b] for name in ("unit", "pod", "site")]
            place = next((name for name, is_same in zip(structure.PLACES, alike, strict=False) if is_same), "cluster")
            rail = ("same" if ranks.rail[a] == ranks.rail[b] else "other") if rails else None
            counted[place, rail, wired.between(a, b)[0]] += 1
    reported: Counter[tuple[str, str | None, int | None]] = Counter()
    for row in structure.figures(network, None, Question(network.cluster.design.catalog.constants()))["pairs"]:
        reported[row["place"], row.get("rail"), row.get("switches")] += round(row["share"] * number * (number - 1))
    assert reported == counted


@pytest.mark.law
@cases(40)
@given(DRAWN)
def test_what_leaves_a_component_is_the_greatest_flow_out_of_it(tree) -> None:
    network = _pick_network(compiled_or_dropped(tree))
    wired = Wired(network)
    ports = [
        (int(leaf), float(gbps))
        for leaf, gbps in zip(network.leaf.ravel(), network.gbps.ravel(), strict=True)
        if leaf >= 0
    ]
    even = True
    for level, step in zip(
        network.levels,
        structure.figures(network, None, Question(network.cluster.design.catalog.constants()))["out_of"],
        strict=True,
    ):
        shares = []
        for component in sorted({int(level.component[leaf]) for leaf, _ in ports}):
            inside = [port for port in ports if level.component[port[0]] == component]
            switches = {switch for switch in wired.graph if level.component[switch] == component}
            shares.append(wired.out_of(switches, inside) / sum(gbps for _, gbps in inside))
        even = even and max(shares) - min(shares) < 1e-9
        share = step["gbps_per_rank"] / network.rank_gbps
        assert share <= min(1.0, *shares) + 1e-9
        if even:
            assert share == pytest.approx(min(1.0, *shares))


# (switches, paths) by place and rail; superpod-b200: 8 leaves of 32 ports up to 16 spines by 2 links each
KNOWN = {
    "superpod-b200": {("unit", "same"): (1, 1), ("unit", "other"): (3, 64), ("pod", "same"): (3, 64)},
    "superpod-b300": {("unit", "same"): (1, 2), ("unit", "other"): (3, 512), ("pod", "other"): (3, 512)},
    "rail-only": {("unit", "same"): (1, 1), ("pod", "same"): (1, 1), ("pod", "other"): (None, None)},
    "two-site": {("unit", "same"): (1, 1), ("cluster", "same"): (6, 262144)},
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_clusters(name: str) -> None:
    cluster = compile_cluster(compile_design(f"blueprints/{name}.yaml"))
    (network,) = list_networks(cluster)
    results = structure.figures(network, None, Question(cluster.design.catalog.constants()))
    rows = {(row["place"], row.get("rail")): (row.get("switches"), row.get("paths")) for row in results["pairs"]}
    assert {key: rows[key] for key in KNOWN[name]} == KNOWN[name]
    assert sum(row["share"] for row in results["pairs"]) == pytest.approx(1)


def test_latency_is_of_switches_and_cables() -> None:
    """Three QM9700 at 130 ns, and 39.8 m of cable at 4.9 ns."""
    cluster = compile_cluster(compile_design("blueprints/superpod-b200.yaml"))
    (network,) = list_networks(cluster)
    results = structure.figures(network, None, Question(cluster.design.catalog.constants()))
    row = next(row for row in results["pairs"] if row["place"] == "pod")
    catalog = cluster.design.catalog
    ns = catalog.constants().latency.switch_ns(catalog.switch("qm9700"))
    assert row["latency_us"] == pytest.approx((3 * ns + row["cable_m"] * 4.9) / 1000, abs=2e-3)


@pytest.mark.parametrize(
    ("text", "now"),
    [
        (PLANES.replace("su: 2", "su: 4"), "{units: {p1: 2}, planes: [1]}"),
        (PODS.replace("su: 2", "su: 6", 1), "{units: {p1: 2, p2: 2}}"),
    ],
    ids=["planes", "pods"],
)
def test_a_phase_has_the_bisection_of_what_is_there(design_of, text: str, now: str) -> None:
    design = design_of(text + f"phases: {{now: {now}, end: {{}}}}\n")
    network = next(list_networks(build_at_phase(design, "now")))
    question = Question(network.cluster.design.catalog.constants())
    results = structure.figures(network, read_job(network), question)
    assert results["bisection_gbps"] == least_cut(network.cluster.plan)
    assert results["bisection_gbps_per_rank"] == 2 * results["bisection_gbps"] / len(network.ranks)
    assert failures.figures(network, read_job(network), question)["bisection_gbps"] == results["bisection_gbps"]


@pytest.mark.parametrize("name", ["mixed-breakouts", "two-generations", "leaf-spine", "four-tier", "spare-nodes"])
def test_the_bisection_of_a_whole_cluster_is_the_same_counted_on_links(name: str) -> None:
    for network in list_networks(example_cluster(name)):
        assert count_bisection_gbps(network) == bisection_gbps(network)

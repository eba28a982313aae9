"""Load balance: routes against the wired graph, the Monte Carlo against closed forms, and the figures of a trial."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.flow_routes import (
    Flows,
    Rates,
    Routes,
    draw_rates,
    list_flows,
    pair_in_rings,
    permute_ranks,
    rate_sprayed,
)
from fabricgen.analyze.hash_shares import Formula, list_binomial_chances
from fabricgen.analyze.network import Network, list_networks
from fabricgen.analyze.sections import load_balance
from fabricgen.analyze.sections.load_balance import list_polarised
from fabricgen.analyze.traffic import measure_crowding
from fabricgen.pipeline import compile_cluster, compile_design
from tests.analyze.wired import Wired
from tests.properties.blueprints import clos, dual_ported, planes, rail_grouped
from tests.properties.compiling import cases, compiled_or_dropped

TREES = st.one_of(clos(), planes(), dual_ported(), rail_grouped())
QUEUE_PAIRS = (1, 4, 16)
TRIAL = """
fabricgen: 1
name: trial
scalable_unit: {nodes: 64 x dgx-h100}
pods: {p1: {su: 4}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 64}}
pools: {loopback: 10.0.0.0/14, fabric: 10.64.0.0/10, hosts: 172.16.0.0/12, management: 10.8.0.0/13}
nos: sonic
"""
"""32 leaves of 64 accelerators, 64 spines with a link to each."""


@lru_cache
def load_routes(blueprint: str) -> Routes:
    cluster = compile_cluster(compile_design(f"blueprints/{blueprint}.yaml"))
    return Routes(next(iter(list_networks(cluster))))


@pytest.fixture(scope="module")
def trial(tmp_path_factory) -> Routes:
    path = tmp_path_factory.mktemp("trial") / "trial.yaml"
    path.write_text(TRIAL)
    return Routes(next(iter(list_networks(compile_cluster(compile_design(str(path)))))))


def test_all_ways_of_a_pair_are_as_probable_where_paths_are_weighed() -> None:
    """Of five spines, four links to four and five to one: flows of two leaves take each in proportion to both."""
    design = compile_design("blueprints/uneven-spread.yaml", ("routing.weights=link-bandwidth",))
    routes = Routes(next(iter(list_networks(compile_cluster(design)))))
    uplinks, (a, b) = routes.network.uplinks, np.unique(routes.network.leaf[:, 0])[[0, 2]]
    number = 40_000
    ends = (np.full(number, end, dtype=np.int64) for end in (a, b))
    flows = Flows(np.arange(number), *ends, np.ones(number, dtype=np.int64), np.full(number, 400.0))
    links, arrived = routes.draw_routes(flows, make_rng())
    assert arrived.all()
    spines = np.unique(uplinks.upper)
    counts = np.array([[((uplinks.lower == leaf) & (uplinks.upper == s)).sum() for s in spines] for leaf in (a, b)])
    ways = counts[0] * counts[1]
    assert len(set(ways.tolist())) > 1
    taken = np.array([(uplinks.upper[links[0]] == spine).mean() for spine in spines])
    assert taken == pytest.approx(ways / ways.sum(), abs=0.01)


def make_rng(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def list_rank_rows(network: Network) -> np.ndarray:
    return np.arange(len(network.ranks))


def permute_flows(routes: Routes, seed: int = 1) -> Flows:
    network = routes.network
    return list_flows(network, routes, *permute_ranks(network, routes, list_rank_rows(network), make_rng(seed)))


def run_monte_carlo(routes: Routes, balancing: str, trials: int) -> list[Rates]:
    """By number of queue pairs, the mean rates of some trials, each of a permutation of its own."""
    rates_by_trial = [
        list(draw_rates(routes, permute_flows(routes, t), QUEUE_PAIRS, make_rng(t), balancing)) for t in range(trials)
    ]
    means = np.array([[(rates.mean, rates.worst, rates.slowest) for rates in row] for row in rates_by_trial]).mean(
        axis=0
    )
    return [Rates(*row) for row in means.tolist()]


@pytest.mark.slow
@pytest.mark.law
@cases(10)
@given(TREES, st.integers(0, 3))
def test_routes_are_the_shortest_paths_of_the_wired_graph(tree, seed) -> None:
    network = next(iter(list_networks(compiled_or_dropped(tree))), None)
    assume(network is not None and 2 <= len(network.ranks) <= 96)
    routes, wired, uplinks = Routes(network), Wired(network), network.uplinks
    flows = permute_flows(routes, seed)
    assume(len(flows))
    links, arrived = routes.draw_routes(flows, make_rng(seed))
    for number in range(min(len(flows), 6)):
        a, b = int(flows.a[number]), int(flows.b[number])
        if not arrived[number]:
            assert wired.distances(b).get(a, 99) > 2 * flows.level[number]
            continue
        at = a
        for link in links[:, number][links[:, number] < 2 * routes.links].tolist():
            ends = (uplinks.lower, uplinks.upper) if link < routes.links else (uplinks.upper, uplinks.lower)
            assert int(ends[0][link % routes.links]) == at
            at = int(ends[1][link % routes.links])
        assert at == b
        assert (links[:, number] < 2 * routes.links).sum() == wired.distances(b)[a]


def test_all_paths_are_drawn_alike() -> None:
    routes = load_routes("superpod-b300")
    network = routes.network
    source, target = np.array([0]), np.array([1500])
    flow = list_flows(network, routes, source, target).select_rows(slice(0, 1))
    copies = Flows(*(np.repeat(getattr(flow, name), 40_000) for name in Flows.__slots__))
    links, arrived = routes.draw_routes(copies, make_rng())
    assert arrived.all()
    counts = np.array(list(Counter(map(tuple, links.T.tolist())).values()))
    assert len(counts) == Wired(network).between(0, 1500)[1] // 2
    assert counts.std() == pytest.approx(counts.mean() ** 0.5, rel=0.2)


def test_a_permutation_over_32_leaves_of_64_uplinks_gets_the_rates_of_the_trial(trial: Routes) -> None:
    """A trial made apart had means of .49, .72 and .86 of the rate, and worst pairs of .18, .42 and .75."""
    for rates, mean, worst in zip(
        run_monte_carlo(trial, "hash", 8), (0.49, 0.72, 0.86), (0.18, 0.42, 0.75), strict=True
    ):
        assert rates.mean == pytest.approx(mean, abs=0.01)
        assert rates.worst == pytest.approx(worst, abs=0.03)


def test_balls_into_bins() -> None:
    """E[1 / (1 + X)] of X = Binomial(n, p) is (1 - (1 - p)^(n + 1)) / ((n + 1) p)."""
    for number, bins in ((63, 64), (1023, 16), (200_000, 512), (3, 2)):
        chance = list_binomial_chances(number, 1 / bins)
        mean = float((chance / (1 + np.arange(len(chance)))).sum())
        assert chance.sum() == pytest.approx(1, abs=1e-9)
        assert mean == pytest.approx((1 - (1 - 1 / bins) ** (number + 1)) * bins / (number + 1), rel=1e-9)


@pytest.mark.tenth
@pytest.mark.parametrize("way", ["hash", "dynamic"])
@pytest.mark.parametrize("name", ["trial", "superpod-b200-3tier", "mixed-generations", "superpod-b300"])
def test_the_monte_carlo_agrees_with_the_formula(name: str, way: str, trial: Routes) -> None:
    routes = trial if name == "trial" else load_routes(name)
    formulas = [Formula(routes, permute_flows(routes, seed)) for seed in range(5)]
    for number, drawn_rates in zip(QUEUE_PAIRS, run_monte_carlo(routes, way, 5), strict=True):
        rates = [expected.compute_rates(number, dealt=way == "dynamic") for expected in formulas]
        assert drawn_rates.mean == pytest.approx(np.mean([expected.mean for expected in rates]), rel=0.015)
        assert drawn_rates.slowest == pytest.approx(np.mean([expected.slowest for expected in rates]), rel=0.12)
        assert drawn_rates.worst == pytest.approx(np.mean([expected.worst for expected in rates]), rel=0.15)


def test_dynamic_leaves_deal_flows_evenly(trial: Routes) -> None:
    flows = permute_flows(trial)
    leaf_flows = flows.select_rows(flows.a == flows.a[0])
    positions = np.arange(len(leaf_flows) * 3)
    turns = trial.deal_uplinks(np.tile(leaf_flows.a, 3), positions, make_rng())
    uplinks = trial.draw_routes(
        Flows(*(np.tile(getattr(leaf_flows, n), 3) for n in Flows.__slots__)), make_rng(), turns=turns
    )[0][0]
    counts = np.bincount(uplinks)
    assert set(counts[counts > 0].tolist()) <= {len(positions) // 64, len(positions) // 64 + 1}
    assert np.count_nonzero(counts) == 64


@pytest.mark.parametrize("name", ["multi-plane", "superpod-b200-3tier", "uneven-spread"])
def test_spraying_is_the_crowding_of_the_network_and_what_many_queue_pairs_come_to(name: str) -> None:
    routes = load_routes(name)
    network = routes.network
    source, target = permute_ranks(network, routes, list_rank_rows(network), make_rng())
    flows = list_flows(network, routes, source, target)
    assert 1 / rate_sprayed(network, flows).worst == pytest.approx(measure_crowding(network, source, target).slowdown)
    few = flows.select_rows(flows.pair < 200)
    *_, rates = draw_rates(routes, few, [512], make_rng(), "hash")
    assert rates.mean == pytest.approx(rate_sprayed(network, few).mean, abs=0.03)


@pytest.mark.parametrize("name", ["multi-plane", "superpod-b200-3tier", "superpod-b300"])
def test_tiers_that_hash_alike_use_the_links_that_polarisation_says(name: str) -> None:
    """Counted from routes with every value of one hash, of switches of the lowest tier above the leaves."""
    routes = load_routes(name)
    uplinks, flows, tier = routes.network.uplinks, permute_flows(routes), routes.network.levels[1].tiers[0]
    for tier_use in (tier_use for tier_use in list_polarised(routes) if tier_use.tier == tier):
        tier_flows = flows.select_rows((flows.level > 1) == (tier_use.way == "up"))
        tier_flows = tier_flows.select_rows(np.unique(tier_flows.a, return_index=True)[1])
        copies = Flows(*(np.repeat(getattr(tier_flows, column), 512) for column in Flows.__slots__))
        links = routes.draw_routes(copies, make_rng(), hashes=np.tile(np.arange(512), len(tier_flows)))[0]
        via, chosen = uplinks.upper[links[0]], links[1 if tier_use.way == "up" else -1] % routes.links
        switch_keys = via * len(routes.labels[0]) + (copies.b if tier_use.way == "down" else 0)
        members = np.unique(np.stack([switch_keys, chosen]), axis=1)[0]
        used = np.unique(members, return_counts=True)[1]
        assert used.max() == used.min() == tier_use.share * tier_use.links


def test_figures_are_the_same_each_time_and_say_what_was_drawn(trial: Routes) -> None:
    network, job = trial.network, Job("all", list_rank_rows(trial.network))
    constants = network.cluster.design.catalog.constants()
    results = load_balance.figures(network, job, Question(constants, trials=2))
    assert json.dumps(results) == json.dumps(load_balance.figures(network, job, Question(constants, trials=2)))
    random, around = results["patterns"]
    assert [row["drawn"]["trials"] for row in random["rows"]] == [2] * 9
    assert around["sprayed"]["mean_share"] == 1.0
    text = "\n".join(load_balance.lines(results))
    assert "hash, one seed for all" in text
    assert "all of its rate for every pair" in text
    without = load_balance.figures(network, job, Question(constants))
    assert {row["drawn"] for row in without["patterns"][0]["rows"]} == {None}
    assert "drawn" not in "\n".join(load_balance.lines(without))


def test_rails_that_nothing_joins_use_no_uplinks() -> None:
    network = load_routes("rail-only").network
    results = load_balance.figures(
        network, Job("all", list_rank_rows(network)), Question(network.cluster.design.catalog.constants())
    )
    assert [(pattern["crossing_share"], pattern["rows"]) for pattern in results["patterns"]] == [(0.0, [])] * 2
    assert results["polarisation"] == []


def test_a_ring_goes_to_the_place_in_the_next_domain() -> None:
    network = load_routes("nvl72-gb200").network
    source, target = pair_in_rings(network, list_rank_rows(network))
    domain = network.ranks.domain
    assert (target == (source + 72) % 576).all()
    assert ((domain[target] - domain[source]) % 8 == 1).all()

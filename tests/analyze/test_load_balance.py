"""Load balance: routes against the wired graph, the Monte Carlo against closed forms, and the figures of a trial."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.analyze.asked import Asked, Job
from fabricgen.analyze.flow_routes import Flows, Rates, Routes, drawn, flows_of, permutation, ring, sprayed
from fabricgen.analyze.network import Network, networks_of
from fabricgen.analyze.sections import load_balance
from fabricgen.analyze.sections.load_balance import Formula, binomial, polarised
from fabricgen.analyze.traffic import crowding
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
def routes_of(blueprint: str) -> Routes:
    cluster = compile_cluster(compile_design(f"blueprints/{blueprint}.yaml"))
    return Routes(next(iter(networks_of(cluster))))


@pytest.fixture(scope="module")
def trial(tmp_path_factory) -> Routes:
    path = tmp_path_factory.mktemp("trial") / "trial.yaml"
    path.write_text(TRIAL)
    return Routes(next(iter(networks_of(compile_cluster(compile_design(str(path)))))))


def rng_of(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def every(network: Network) -> np.ndarray:
    return np.arange(len(network.ranks))


def permuted(routes: Routes, seed: int = 1) -> Flows:
    network = routes.network
    return flows_of(network, routes, *permutation(network, routes, every(network), rng_of(seed)))


def monte_carlo(routes: Routes, way: str, trials: int) -> list[Rates]:
    """By number of queue pairs, the mean rates of some trials, each of a permutation of its own."""
    found = [list(drawn(routes, permuted(routes, t), QUEUE_PAIRS, rng_of(t), way)) for t in range(trials)]
    means = np.array([[(each.mean, each.worst, each.slowest) for each in row] for row in found]).mean(axis=0)
    return [Rates(*row) for row in means.tolist()]


@pytest.mark.law
@cases(10)
@given(TREES, st.integers(0, 3))
def test_routes_are_the_shortest_paths_of_the_wired_graph(tree, seed) -> None:
    network = next(iter(networks_of(compiled_or_dropped(tree))), None)
    assume(network is not None and 2 <= len(network.ranks) <= 96)
    routes, wired, uplinks = Routes(network), Wired(network), network.uplinks
    flows = permuted(routes, seed)
    assume(len(flows))
    links, arrived = routes.draw(flows, rng_of(seed))
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
    routes = routes_of("superpod-b300")
    network = routes.network
    source, target = np.array([0]), np.array([1500])
    flow = flows_of(network, routes, source, target).part(slice(0, 1))
    many = Flows(*(np.repeat(getattr(flow, name), 40_000) for name in Flows.__slots__))
    links, arrived = routes.draw(many, rng_of())
    assert arrived.all()
    counts = np.array(list(Counter(map(tuple, links.T.tolist())).values()))
    assert len(counts) == Wired(network).between(0, 1500)[1] // 2
    assert counts.std() == pytest.approx(counts.mean() ** 0.5, rel=0.2)


def test_a_permutation_over_32_leaves_of_64_uplinks_gets_the_rates_of_the_trial(trial: Routes) -> None:
    """A trial made apart had means of .49, .72 and .86 of the rate, and worst pairs of .18, .42 and .75."""
    for rates, mean, worst in zip(monte_carlo(trial, "hash", 8), (0.49, 0.72, 0.86), (0.18, 0.42, 0.75), strict=True):
        assert rates.mean == pytest.approx(mean, abs=0.01)
        assert rates.worst == pytest.approx(worst, abs=0.03)


def test_balls_into_bins() -> None:
    """E[1 / (1 + X)] of X = Binomial(n, p) is (1 - (1 - p)^(n + 1)) / ((n + 1) p)."""
    for number, bins in ((63, 64), (1023, 16), (200_000, 512), (3, 2)):
        chance = binomial(number, 1 / bins)
        mean = float((chance / (1 + np.arange(len(chance)))).sum())
        assert chance.sum() == pytest.approx(1, abs=1e-9)
        assert mean == pytest.approx((1 - (1 - 1 / bins) ** (number + 1)) * bins / (number + 1), rel=1e-9)


@pytest.mark.tenth
@pytest.mark.parametrize("way", ["hash", "dynamic"])
@pytest.mark.parametrize("name", ["trial", "superpod-b200-3tier", "mixed-generations", "superpod-b300"])
def test_the_monte_carlo_agrees_with_the_formula(name: str, way: str, trial: Routes) -> None:
    routes = trial if name == "trial" else routes_of(name)
    formulas = [Formula(routes, permuted(routes, seed)) for seed in range(5)]
    for number, found in zip(QUEUE_PAIRS, monte_carlo(routes, way, 5), strict=True):
        rates = [each.rates(number, dealt=way == "dynamic") for each in formulas]
        assert found.mean == pytest.approx(np.mean([each.mean for each in rates]), rel=0.015)
        assert found.slowest == pytest.approx(np.mean([each.slowest for each in rates]), rel=0.12)
        assert found.worst == pytest.approx(np.mean([each.worst for each in rates]), rel=0.15)


def test_dynamic_leaves_deal_flows_evenly(trial: Routes) -> None:
    flows = permuted(trial)
    one = flows.part(flows.a == flows.a[0])
    place = np.arange(len(one) * 3)
    turns = trial.dealt(np.tile(one.a, 3), place, rng_of())
    taken = trial.draw(Flows(*(np.tile(getattr(one, n), 3) for n in Flows.__slots__)), rng_of(), turns=turns)[0][0]
    counts = np.bincount(taken)
    assert set(counts[counts > 0].tolist()) <= {len(place) // 64, len(place) // 64 + 1}
    assert np.count_nonzero(counts) == 64


@pytest.mark.parametrize("name", ["multi-plane", "superpod-b200-3tier", "uneven-spread"])
def test_spraying_is_the_crowding_of_the_network_and_what_many_queue_pairs_come_to(name: str) -> None:
    routes = routes_of(name)
    network = routes.network
    source, target = permutation(network, routes, every(network), rng_of())
    flows = flows_of(network, routes, source, target)
    assert 1 / sprayed(network, flows).worst == pytest.approx(crowding(network, source, target).slowdown)
    few = flows.part(flows.pair < 200)
    *_, many = drawn(routes, few, [512], rng_of(), "hash")
    assert many.mean == pytest.approx(sprayed(network, few).mean, abs=0.03)


@pytest.mark.parametrize("name", ["multi-plane", "superpod-b200-3tier", "superpod-b300"])
def test_tiers_that_hash_alike_use_the_links_that_polarisation_says(name: str) -> None:
    """Counted from routes with every value of one hash, of switches of the lowest tier above the leaves."""
    routes = routes_of(name)
    uplinks, flows, tier = routes.network.uplinks, permuted(routes), routes.network.levels[1].tiers[0]
    for each in (each for each in polarised(routes) if each.tier == tier):
        mine = flows.part((flows.level > 1) == (each.way == "up"))
        mine = mine.part(np.unique(mine.a, return_index=True)[1])
        many = Flows(*(np.repeat(getattr(mine, column), 512) for column in Flows.__slots__))
        links = routes.draw(many, rng_of(), hashes=np.tile(np.arange(512), len(mine)))[0]
        via, chosen = uplinks.upper[links[0]], links[1 if each.way == "up" else -1] % routes.links
        place = via * len(routes.labels[0]) + (many.b if each.way == "down" else 0)
        members = np.unique(np.stack([place, chosen]), axis=1)[0]
        used = np.unique(members, return_counts=True)[1]
        assert used.max() == used.min() == each.share * each.links


def test_figures_are_the_same_each_time_and_say_what_was_drawn(trial: Routes) -> None:
    network, job = trial.network, Job("all", every(trial.network))
    constants = network.cluster.design.catalog.constants()
    found = load_balance.figures(network, job, Asked(constants, trials=2))
    assert json.dumps(found) == json.dumps(load_balance.figures(network, job, Asked(constants, trials=2)))
    random, around = found["patterns"]
    assert [row["drawn"]["trials"] for row in random["rows"]] == [2] * 9
    assert around["sprayed"]["mean_share"] == 1.0
    text = "\n".join(load_balance.lines(found))
    assert "hash, one seed for all" in text
    assert "all of its rate for every pair" in text
    without = load_balance.figures(network, job, Asked(constants))
    assert {row["drawn"] for row in without["patterns"][0]["rows"]} == {None}
    assert "drawn" not in "\n".join(load_balance.lines(without))


def test_rails_that_nothing_joins_use_no_uplinks() -> None:
    network = routes_of("rail-only").network
    found = load_balance.figures(network, Job("all", every(network)), Asked(network.cluster.design.catalog.constants()))
    assert [(each["crossing_share"], each["rows"]) for each in found["patterns"]] == [(0.0, [])] * 2
    assert found["polarisation"] == []


def test_a_ring_goes_to_the_place_in_the_next_domain() -> None:
    network = routes_of("nvl72-gb200").network
    source, target = ring(network, every(network))
    domain = network.ranks.domain
    assert (target == (source + 72) % 576).all()
    assert ((domain[target] - domain[source]) % 8 == 1).all()

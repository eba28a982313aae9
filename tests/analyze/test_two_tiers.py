"""Collectives in scale-up domains of two tiers, by hand: the first tier's rate, and what leaves it over its links."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from fabricgen.analyze.analysis import analyze_cluster
from fabricgen.analyze.asked import Job, Question, read_job
from fabricgen.analyze.collectives.model import BYTES_PER_US, Team, find_scale_up_efficiency, make_team
from fabricgen.analyze.network import Network, list_networks
from fabricgen.analyze.sections.collectives import figures, time_algorithm
from tests.conftest import example_cluster

LARGE = 2**50
"""Bytes of a message beside which no latency counts."""


@cache
def load_network(name: str) -> Network:
    return next(list_networks(example_cluster(name)))


def make_job_team(name: str, job: str | list[int] = "all") -> tuple[Team, float, float]:
    """(team of a job, what it reaches of its domain's links, and of these in its switches)."""
    network = load_network(name)
    constants = network.cluster.design.catalog.constants()
    chosen = read_job(network, job) if isinstance(job, str) else Job("some", np.array(job, dtype=np.int64))
    reached = find_scale_up_efficiency(network, chosen, constants)
    return make_team(network, chosen, constants), reached.reached, reached.in_switch or 0.0


def measure_gbps(team: Team, algorithm: str, collective: str) -> float:
    """Message bytes over time, Gb/s, with the protocol that has the whole bandwidth."""
    timed = time_algorithm(team, algorithm, collective, LARGE)
    assert timed is not None
    return LARGE / timed.us / BYTES_PER_US


def test_a_ring_over_nvl256_is_as_fast_as_in_a_node() -> None:
    """NVIDIA at Hot Chips 34: 450 GB/s of a reduction by 8 and by 256 H100, 57.6 TB/s both ways across the middle.

    A lap has one hop out of each node, which has 72 links of its eight GPUs' 144: of a rank's bytes 1/8 at 1,800 Gb/s.
    """
    whole, reached, _ = make_job_team("nvl256")
    node, *_ = make_job_team("nvl256", "8")
    for team, ranks in ((whole, 256), (node, 8)):
        expected = 3600 * reached * ranks / (ranks - 1)
        assert measure_gbps(team, "ring", "all-gather") == pytest.approx(expected, rel=1e-4)
        assert measure_gbps(team, "ring", "all-reduce") == pytest.approx(expected / 2, rel=1e-4)
    assert 3600 / 8 == 450
    rows = analyze_structure("nvl256")
    assert [(row["place"], row["gbps"]) for row in rows] == [("first_tier", 3600.0), ("domain", 1800.0)]
    assert 128 * rows[1]["gbps"] * 2 / 8 == 57_600
    # of 255 others 7 are in the node
    assert rows[0]["share"] == pytest.approx(7 / 255)


def analyze_structure(name: str) -> list[dict[str, float]]:
    """The rows of pairs within scale-up domains."""
    cluster = example_cluster(name)
    found = analyze_cluster(cluster, Question(cluster.design.catalog.constants()), read_job, ("structure",))
    return [row for row in found["structure"]["compute"]["pairs"] if row["place"] in ("first_tier", "domain")]


def test_an_all_to_all_over_nvl256_has_the_links_out_of_nodes() -> None:
    """248 of 256 parts leave a node at 1,800 Gb/s each; within a node all go at 3,600."""
    whole, reached, _ = make_job_team("nvl256")
    node, *_ = make_job_team("nvl256", "8")
    assert measure_gbps(whole, "direct", "all-to-all") == pytest.approx(1800 * reached * 256 / 248, rel=1e-4)
    assert measure_gbps(node, "direct", "all-to-all") == pytest.approx(3600 * reached * 8 / 7, rel=1e-4)


def test_switches_of_a_node_pass_on_one_sum() -> None:
    """A message of each GPU at 3,600 Gb/s, and an eighth of that at 1,800."""
    whole, _, in_switch = make_job_team("nvl256")
    node, *_ = make_job_team("nvl256", "8")
    for team in (whole, node):
        assert measure_gbps(team, "in_switch", "all-reduce") == pytest.approx(3600 * in_switch, rel=1e-4)


@pytest.mark.parametrize(("per_node", "gbps"), [(1, 3600), (2, 3600), (4, 1800 * 8 / 4)])
def test_few_ranks_of_a_node_share_all_links_out_of_it(per_node: int, gbps: float) -> None:
    """One rank a node has 14,400 Gb/s out of it, and 3,600 of its own; four have 3,600 each just so."""
    ranks = [node * 8 + number for node in range(32) for number in range(per_node)]
    team, reached, _ = make_job_team("nvl256", ranks)
    number = len(ranks)
    # the longer of both: (n - 1)/n at its own rate, (n - per_node)/n over the links of the node
    seconds = max((number - 1) / number / 3600, (number - per_node) / number / gbps)
    assert measure_gbps(team, "direct", "all-to-all") == pytest.approx(reached / seconds, rel=1e-4)
    assert measure_gbps(team, "ring", "all-gather") == pytest.approx(3600 * reached * number / (number - 1), rel=1e-4)


def test_cloudmatrix_has_the_same_rate_in_both_tiers() -> None:
    """arXiv 2506.12708: fourteen links of 200 Gb/s of an Ascend 910C, and as many out of its node: 2,800 Gb/s."""
    team, reached, _ = make_job_team("cloudmatrix-384")
    assert (team.domain_gbps, team.tiers.beyond_gbps) == pytest.approx((2800 * reached, 2800 * reached))
    assert measure_gbps(team, "direct", "all-to-all") == pytest.approx(2800 * reached * 384 / 383, rel=1e-4)
    assert measure_gbps(team, "ring", "all-gather") == pytest.approx(2800 * reached * 384 / 383, rel=1e-4)


def test_trn3_has_racks_within_its_ultraserver() -> None:
    """AWS Neuron: five links of 512 Gb/s of a chip in its rack of 72, two to the other rack. A ring over an UltraServer
    goes at 2,560 Gb/s; of an all-to-all 72 of 144 parts go over two links.
    """
    ring, reached, _ = make_job_team("trn3-ultraserver", "144")
    assert measure_gbps(ring, "ring", "all-gather") == pytest.approx(2560 * reached * 144 / 143, rel=1e-4)
    assert measure_gbps(ring, "direct", "all-to-all") == pytest.approx(1024 * reached * 144 / 72, rel=1e-4)
    assert ring.tiers.first_tiers == 2


def test_two_tiers_are_told_and_one_is_not() -> None:
    """`first_tiers` and the rate out of them where a job is in several of a domain."""
    network = load_network("nvl256")
    question = Question(network.cluster.design.catalog.constants())
    whole, node = (figures(network, read_job(network, job), question) for job in ("all", "8"))
    reached = whole["constants"]["scale_up_reached"]
    assert (whole["first_tiers"], whole["scale_up_gbps_per_rank"]) == (32, pytest.approx(3600 * reached))
    assert whole["beyond_first_tier_gbps_per_rank"] == pytest.approx(1800 * reached)
    assert "first_tiers" not in node
    plain = load_network("leaf-spine")
    assert set(plain.ranks.first_tier.tolist()) == set(plain.ranks.domain.tolist())

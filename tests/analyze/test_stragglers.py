"""Stragglers: the formulas against steps drawn one by one."""

from __future__ import annotations

import numpy as np
import pytest

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.network import list_networks
from fabricgen.analyze.sections import stragglers
from tests.conftest import example_cluster


@pytest.fixture
def draws() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(1))


def run_ring(draws: np.random.Generator, late: np.ndarray, axis: int, steps: int) -> np.ndarray:
    """When each rank has done some steps, each of which waits for its last one and for the rank before it."""
    for _ in range(steps):
        late = np.maximum(late, np.roll(late, 1, axis=axis)) + draws.exponential(1, late.shape)
    return late


@pytest.mark.parametrize("ranks", [2, 4, 16, 64])
def test_a_ring_waits_as_steps_drawn_one_by_one(draws, ranks: int) -> None:
    steps = 2 * (ranks - 1)
    drawn = run_ring(draws, np.zeros((1000, ranks)), 1, steps).max(axis=1).mean()
    assert drawn == pytest.approx(stragglers.count_ring_waits(ranks, steps), rel=0.05)


@pytest.mark.parametrize("levels", [1, 3, 7])
def test_a_tree_waits_as_hops_drawn_one_by_one(draws, levels: int) -> None:
    late = np.zeros((2000, 2**levels))
    for _ in range(levels):
        late = (late + draws.exponential(1, late.shape)).reshape(2000, -1, 2).max(axis=2)
    assert late.mean() == pytest.approx(stragglers.count_tree_waits(levels), rel=0.03)


def test_the_last_of_many_at_a_barrier(draws) -> None:
    assert stragglers.sum_harmonic(2) == 1.5
    assert stragglers.sum_harmonic(1001) == pytest.approx(stragglers.sum_harmonic(1000) + 1 / 1001, rel=1e-12)
    drawn = draws.exponential(1, (4000, 50)).max(axis=1).mean()
    assert drawn == pytest.approx(stragglers.sum_harmonic(50), rel=0.03)


def test_20_us_on_one_of_many_is_summed_over_all() -> None:
    """On one of 1,000: 0.02 s of accelerator time; 0.2 s of 10,000."""
    network = next(list_networks(example_cluster("superpod-b300")))
    constants = network.cluster.design.catalog.constants()
    results = stragglers.figures(network, Job("1,000", np.arange(1000)), Question(constants))
    assert results["one_late"]["delay_us"] == constants.stragglers.jitter_us == 20
    assert results["one_late"]["summed_s"] == 0.02
    assert results["one_late"]["share_of_step_ms"]["1000"] == 2e-5
    assert results["all_late"]["delay_us"] == pytest.approx(20 * 7.4855, rel=1e-4)
    steps = {row["collective"]: row["steps"] for row in results["collectives"]}
    assert steps["all-reduce, ring"] == 1998
    assert steps["all-reduce, tree"] == 20
    assert steps["all-reduce, hierarchical"] == 2 * 7 + 2 * 124
    assert len(list(stragglers.lines(results))) == 5 + len(steps)


def test_a_hierarchical_all_reduce_waits_no_less_than_its_rings(draws) -> None:
    per_domain, domains = 8, 16
    late = run_ring(draws, np.zeros((300, domains, per_domain)), 2, per_domain - 1)
    late = run_ring(draws, run_ring(draws, late, 1, 2 * (domains - 1)), 2, per_domain - 1)
    rings = stragglers.count_ring_waits(per_domain, 2 * (per_domain - 1)) + stragglers.count_ring_waits(
        domains, 2 * (domains - 1)
    )
    assert rings < late.max(axis=(1, 2)).mean() < 1.2 * rings

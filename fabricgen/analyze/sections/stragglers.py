"""Stragglers: what lateness of one rank, or of all at random, costs a job that goes in lockstep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from math import ceil, exp, log, log2
from typing import Any

import numpy as np

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.network import Network
from fabricgen.analyze.reckoned import Reckoning, cite_sources

ORDER = 5
STEPS_MS = (100, 1_000, 10_000)
"""Lengths of a step of training, ms, of each of which the lateness is told as a share: the analysis knows no length."""

FORMULA = (
    "one_late: every collective ends jitter_us later, and ranks x jitter_us of accelerator time are lost. all_late, in "
    "a step that ends in one barrier: jitter_us x (1 + 1/2 + ... + 1/ranks), the mean of the greatest of so many "
    "exponential times. all_late, in each dependent step of a collective: ring: steps x jitter_us x (2 - 1/n), for a "
    "rank waits for itself and the one before it; tree: twice the mean of T(k) = max of two of T(k - 1) + one jitter, "
    "T(0) = 0, over its k levels; hierarchical: its rings one after the other"
)
SOURCES = {
    "barrier": "Renyi, On the theory of order statistics, 1953; the greatest of exponential times",
    "ring": "Derrida, Physics Reports 301, 1998; each step is a jump of the totally asymmetric exclusion process, n "
    "particles on 2n places of a circle, whose particles move at n/(2n - 1) of their rate",
}


def figures(network: Network, job: Job, question: Question) -> dict[str, Any]:
    """Return what lateness costs a job: of one rank, of all at a barrier, and of all in each step of a collective.

    The mean lateness is `jitter_us` of the constants.
    """
    jitter_us, ranks = question.constants.stragglers.jitter_us, len(job)
    ranks_by_domain = np.bincount(network.ranks.domain[job.ranks])
    domains, most_per_domain = int((ranks_by_domain > 0).sum()), int(ranks_by_domain.max(initial=0))
    barrier_us = jitter_us * sum_harmonic(ranks)
    return {
        "ranks": ranks,
        "one_late": _describe_delay(jitter_us, ranks),
        "all_late": _describe_delay(barrier_us, ranks),
        "collectives": [
            {"collective": name, "steps": steps, "one_late_us": jitter_us, "all_late_us": round(jitter_us * waits, 3)}
            for name, steps, waits in _list_collectives(ranks, domains, most_per_domain)
        ],
        "formula": FORMULA,
        "constants": {"jitter_us": jitter_us, "steps_ms": list(STEPS_MS)},
        "source": {"jitter_us": question.constants.stragglers.source, **SOURCES},
    }


def _describe_delay(delay_us: float, ranks: int) -> dict[str, Any]:
    """Return a delay, the accelerator time that all ranks lose to it, s, and its share of steps of `STEPS_MS`."""
    shares = {str(length): round(delay_us / 1000 / length, 8) for length in STEPS_MS}
    return {"delay_us": round(delay_us, 3), "summed_s": round(ranks * delay_us / 1e6, 6), "share_of_step_ms": shares}


def sum_harmonic(number: int) -> float:
    """Return 1 + 1/2 + ... + 1/number; beyond 1,000 by Euler's expansion, which is then right to 12 digits."""
    if number <= 1000:
        return sum(1 / n for n in range(1, number + 1))
    # euler's constant, and the first terms of his expansion
    return log(number) + 0.57721566490153286 + 1 / (2 * number) - 1 / (12 * number**2)


def _list_collectives(ranks: int, domains: int, per_domain: int) -> Iterator[tuple[str, int, float]]:
    """Yield (collective and algorithm, its dependent steps, the mean jitters that it waits for).

    A hierarchical all-reduce is included if the job has several domains, of several ranks each; a job of one rank has
    no collectives.
    """
    if ranks < 2:
        return
    # rings reduce in n - 1 steps and gather in n - 1 more; trees go up and come down
    levels = ceil(log2(ranks))
    yield "all-reduce, ring", 2 * (ranks - 1), count_ring_waits(ranks, 2 * (ranks - 1))
    yield "all-reduce, tree", 2 * levels, 2 * count_tree_waits(levels)
    if domains > 1 and per_domain > 1:
        steps = 2 * (per_domain - 1) + 2 * (domains - 1)
        waits = count_ring_waits(per_domain, 2 * (per_domain - 1)) + count_ring_waits(domains, 2 * (domains - 1))
        yield "all-reduce, hierarchical", steps, waits
    yield "all-gather, reduce-scatter, ring", ranks - 1, count_ring_waits(ranks, ranks - 1)
    yield "broadcast, tree", levels, count_tree_waits(levels)


def count_ring_waits(ranks: int, steps: int) -> float:
    """Return by how many mean jitters some steps of a ring are delayed: 2 - 1/ranks for each step in the long run.

    In each step each rank is late by an exponential time, and waits for the rank before it.
    """
    return steps * (2 - 1 / ranks)


def count_tree_waits(levels: int, step: float = 0.002) -> float:
    """Return by how many mean jitters a binary tree of some levels is delayed on the way up, or on the way down.

    Each hop is late by an exponential time, and the latest of all paths counts. Its mean is computed from distribution
    functions on a grid of times; `step` is the distance of these, in mean jitters.
    """
    times = np.arange(0, 10 + 5 * levels, step)
    # by time, the probability that a tree of no levels, and after each round of one more level, is done
    growth, done = np.exp(times), np.ones(len(times))
    for _ in range(levels):
        # the convolution with an exponential, as a running sum: weights that grow by e^t are taken out again
        one_subtree_done = np.cumsum(done * growth) * (1 - exp(-step)) / growth
        # both subtrees have to be done; rounding must not make that more than certain
        done = np.minimum(one_subtree_done, 1.0) ** 2
    # the mean of a positive time is the integral of the probability that it is not over yet
    return float((1 - done).sum() * step)


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of what lateness costs: of one rank, of all at a barrier, and of all in each collective."""
    jitter_us, ranks = results["constants"]["jitter_us"], results["ranks"]
    yield f"  {f'jitter {jitter_us:g} us, {ranks:,} accelerators':<44}{'wait us':>12}{'summed s':>12}" + "".join(
        f"{_format_length(length):>12}" for length in results["constants"]["steps_ms"]
    )
    for title, key in (("one of them late, once", "one_late"), ("all late at random, one barrier", "all_late")):
        cost = results[key]
        share_cells = "".join(f"{share:>12.3%}" for share in cost["share_of_step_ms"].values())
        yield f"  {title:<44}{cost['delay_us']:>12,.1f}{cost['summed_s']:>12,.3f}{share_cells}"
    yield ""
    yield f"  {'all late at random in every step of':<44}{'steps':>12}{'wait ms':>12}"
    for row in results["collectives"]:
        yield f"  {row['collective']:<44}{row['steps']:>12,}{row['all_late_us'] / 1000:>12,.2f}"


def _format_length(length_ms: int) -> str:
    return f"of {length_ms / 1000:g} s" if length_ms >= 1000 else f"of {length_ms} ms"


def headlines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the most important lines: how long all ranks wait for one late rank, and at a barrier for all."""
    yield from islice(lines(results), 3)  # the head and the two rows of the first table


def reckoning(results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """Yield how waits were computed, by collective, with the mean jitter and the sources."""
    yield (
        "formula",
        (
            "one late = jitter; one barrier = jitter x (1 + 1/2 + ... + 1/n) of n; summed = n x wait",
            "ring = steps x jitter x (2 - 1/n); hierarchical = its rings one after the other",
            "tree = T(k) up and T(k) down k levels: T(k) = the greater of two of T(k-1) + jitter, T(0) = 0",
        ),
    )
    jitter = f"jitter: {results['constants']['jitter_us']:g} us, the mean of exponential times where all are late"
    yield "constants", (jitter,)
    yield "source", cite_sources({name.removesuffix("_us"): source for name, source in results["source"].items()})

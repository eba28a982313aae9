"""Flows of a pattern of traffic, and what share of their rate each gets where routes are chosen without their load.

A flow gets 1 / n of its rate where the most crowded link of its route is asked for n times what it carries: what slow
flows leave free elsewhere is not counted. A pair of ranks gets the mean of its queue pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fabricgen.analyze.balance.routes import Flows, Routes
from fabricgen.analyze.network import NONE, Network
from fabricgen.wiring.tables import Floats, Ints64


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of their rate that pairs get: the mean, the worst, and the mean of the slowest flow of each pair."""

    mean: float
    worst: float
    slowest: float


def flows_of(network: Network, routes: Routes, source: Ints64, target: Ints64) -> Flows:
    """The flows of pairs of ranks that use uplinks: one a port, between ports of one number, so that planes stay apart.

    Ports that only links between sites join have none.
    """
    found = []
    for port in range(network.leaf.shape[1]):
        a, b = network.leaf[source, port], network.leaf[target, port]
        pair = np.flatnonzero((a != NONE) & (b != NONE) & (a != b))
        a, b = a[pair], b[pair]
        level = np.full(len(pair), NONE, dtype=np.int64)
        for number in range(len(routes.labels) - 1, -1, -1):
            level[routes.labels[number][a] == routes.labels[number][b]] = number
        gbps = np.minimum(network.gbps[source[pair], port], network.gbps[target[pair], port])
        found.append(Flows(pair, a, b, level, gbps).part(level != NONE))
    return Flows(*(np.concatenate([getattr(each, name) for each in found]) for name in Flows.__slots__))


def permutation(network: Network, routes: Routes, ranks: Ints64, rng: np.random.Generator) -> tuple[Ints64, Ints64]:
    """(source, target) of a random permutation of ranks, within what uplinks join at their first port."""
    leaf = network.leaf[ranks]
    leaf = leaf[np.arange(len(ranks)), (leaf != NONE).argmax(axis=1)]
    ranks, joined = ranks[leaf != NONE], routes.labels[-1][leaf[leaf != NONE]]
    order = np.argsort(joined, kind="stable")
    bounds = np.flatnonzero(np.diff(joined[order])) + 1
    mixed = [rng.permutation(part) for part in np.split(order, bounds)]
    return ranks[order], ranks[np.concatenate(mixed)]


def ring(network: Network, ranks: Ints64) -> tuple[Ints64, Ints64]:
    """(source, target) of a ring on each rail of a job: ranks send to that of their place in the next domain.

    Places are those that all domains of the job have; ranks of a domain are side by side in the job.
    """
    domain = network.ranks.domain[ranks]
    starts = np.flatnonzero(np.r_[True, domain[1:] != domain[:-1]])
    places = int(np.diff(np.r_[starts, len(ranks)]).min(initial=len(ranks)))
    grid = ranks[starts[:, None] + np.arange(places)]
    return grid.ravel(), np.roll(grid, -1, axis=0).ravel()


def sprayed(network: Network, flows: Flows) -> Rates:
    """Rates where each packet takes any of the equal paths: what leaves a component shares all of its uplinks alike."""
    crowded = np.ones(len(flows))
    for number, level in enumerate(network.levels):
        for end in (flows.a, flows.b):
            crossing, inside = flows.level > number, level.component[end]
            load = np.bincount(inside[crossing], flows.gbps[crossing], len(level.component))
            ratio = load / np.where(level.out_gbps > 0, level.out_gbps, np.inf)
            crowded[crossing] = np.maximum(crowded[crossing], ratio[inside[crossing]])
    return _rates(1 / crowded[None, :], flows)


def drawn(
    routes: Routes, flows: Flows, queue_pairs: Sequence[int], rng: np.random.Generator, way: str
) -> Iterator[Rates]:
    """For each number of queue pairs, ascending, the rates of one trial.

    Of the ways, `hash` is every switch for itself, `shared` all with one hash, and `dynamic` leaves that take the least
    loaded uplink for each flow, which deals flows over them in turn, and hash above them.
    """
    most = queue_pairs[-1]
    routed = _routed(routes, flows, rng, way, most)
    load, done = np.zeros(len(routes.gbps)), 0
    for number in queue_pairs:
        for links in routed[done:number]:
            for hop in links:
                load += np.bincount(hop, flows.gbps, len(load))
        done = number
        left = 1 / np.maximum(load / number / routes.gbps, 1)
        yield _rates(np.stack([left[links].min(axis=0) for links in routed[:number]]), flows)


def _routed(routes: Routes, flows: Flows, rng: np.random.Generator, way: str, number: int) -> list[Ints64]:
    """The links of each flow, for one queue pair after the other."""
    many = range(number)
    if way == "shared":
        return [routes.draw(flows, rng, hashes=rng.integers(0, 2**31, len(flows)))[0] for _ in many]
    if way == "hash":
        return [routes.draw(flows, rng)[0] for _ in many]
    place = np.concatenate([_places(flows.a, rng, start) for start in many])
    turns = routes.dealt(np.tile(flows.a, number), place, rng).reshape(number, len(flows))
    return [routes.draw(flows, rng, turns=turn)[0] for turn in turns]


def _places(leaf: Ints64, rng: np.random.Generator, start: int) -> Ints64:
    """Numbers of flows among those of their leaf in a random order, after as many for each queue pair before."""
    order = np.argsort(leaf + rng.random(len(leaf)))
    place, count = np.empty(len(leaf), dtype=np.int64), np.bincount(leaf)
    place[order] = np.arange(len(leaf)) - (np.cumsum(count) - count)[leaf[order]]
    return place + start * count[leaf]


def _rates(left: Floats, flows: Flows) -> Rates:
    """Rates of pairs from the shares of their flows, [queue pairs, flows]; flows weigh as their ports are fast."""
    weight = np.bincount(flows.pair, flows.gbps)
    there = weight > 0
    mean = np.bincount(flows.pair, left.mean(axis=0) * flows.gbps)[there] / weight[there]
    slowest = np.ones(len(weight))
    np.minimum.at(slowest, flows.pair, left.min(axis=0))
    return Rates(float(mean.mean()), float(mean.min()), float(slowest[there].mean()))

"""Equal shortest paths between accelerators, counted on the wired graph."""

from __future__ import annotations

import numpy as np

from fabricgen.analyze.network import NONE, Network
from fabricgen.wiring.tables import Floats, Ints64, unique_inverse, unique_values

_NOTHING = np.zeros(0, dtype=np.int64), np.zeros(0)


class Paths:
    """Counts shortest paths of a network; parallel links of two switches are paths of their own, as ECMP has it."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._order = np.argsort(network.uplinks.lower, kind="stable")
        self._lower = network.uplinks.lower[self._order]

    def count(self, source: int, target: int) -> int:
        """Shortest paths between two ranks over all of their ports; 0 where no network joins them."""
        network = self._network
        level = int(network.meets(np.array([source]), np.array([target]))[0])
        if level == len(network.levels):
            return 0
        return sum(self._of_port(source, target, port, level) for port in range(network.leaf.shape[1]))

    def between(self, ranks: Ints64, level: int) -> Floats:
        """Shortest paths between any two of some ranks that turn at a level, over all of their ports: float64 [n, n].

        The level has tiers: none of links between sites.
        """
        total = np.zeros((len(ranks), len(ranks)))
        for leaf in self._network.leaf[ranks].T:
            leaves, of = unique_inverse(leaf)
            reached = [self._reached(each, level) if each != NONE else _NOTHING for each in leaves]
            tops = np.array(unique_values(np.concatenate([rows for rows, _ in reached])), dtype=np.int64)
            ways = np.zeros((len(leaves), len(tops)))
            for number, (rows, count) in enumerate(reached):
                ways[number, np.searchsorted(tops, rows)] = count
            total += (ways @ ways.T)[np.ix_(of, of)]
        return total

    def _of_port(self, source: int, target: int, port: int, level: int) -> int:
        network = self._network
        a, b = (int(network.leaf[rank, port]) for rank in (source, target))
        component = network.levels[level].component
        if NONE in (a, b) or component[a] != component[b]:
            return 0
        if network.levels[level].tiers:
            (up, of_a), (too, of_b) = self._reached(a, level), self._reached(b, level)
            _, here, there = np.intersect1d(up, too, assume_unique=True, return_indices=True)
            return int((of_a[here] * of_b[there]).sum())
        (up, of_a), (too, of_b) = self._reached(a, level - 1), self._reached(b, level - 1)
        size = len(component)
        ways_a, ways_b = np.zeros(size), np.zeros(size)
        ways_a[up], ways_b[too] = of_a, of_b
        ends = network.spans
        return int((ways_a[ends[0]] * ways_b[ends[1]] + ways_a[ends[1]] * ways_b[ends[0]]).sum())

    def _reached(self, leaf: int, level: int) -> tuple[Ints64, Floats]:
        """(switches so many tiers above a leaf, ascending; in how many ways it reaches each)."""
        rows: Ints64 = np.array([leaf], dtype=np.int64)
        ways: Floats = np.ones(1)
        uplinks = self._network.uplinks
        for _ in range(level):
            start, stop = np.searchsorted(self._lower, rows), np.searchsorted(self._lower, rows, side="right")
            count = stop - start
            link = self._order[np.repeat(start - np.r_[0, np.cumsum(count)[:-1]], count) + np.arange(count.sum())]
            above, at = unique_inverse(uplinks.upper[link])
            rows = np.array(above, dtype=np.int64)
            ways = np.bincount(at, np.repeat(ways, count), len(above)).astype(np.float64)
        return rows, ways

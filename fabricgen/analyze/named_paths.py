"""Paths that NICs name (SRv6): how many name what is lost, and what share of those of a leaf is left."""

from __future__ import annotations

import numpy as np

from fabricgen.analyze.network import Network
from fabricgen.wiring.arrays import Flags, Floats, Ints64


class NamedPaths:
    """The paths between the ports of different leaves of a network, counted as `paths` writes them (docs/srv6.md).

    A path goes up to a switch that both leaves are below, of the lowest tier that has one, and down. A step is from a
    switch to one above: a link, or all links of the two where paths name switches alone. Figures are in pairs: of all
    steps, and of those that are left.
    """

    def __init__(self, network: Network, lower: Ints64, upper: Ints64, level: Ints64) -> None:
        self._size, self._has = len(network.cluster.plan.devices), network.leaf >= 0
        # ranks may share a port: each counts once
        self._first = np.unique(network.port_link[self._has], return_index=True)[1]
        self._leaf = network.leaf[self._has][self._first]
        self._levels: list[tuple[Ints64, ...]] = []
        for number, step in enumerate(network.levels):
            rows = np.flatnonzero(level == number)
            # a pair of ports turns in a switch that they reach from different components: by step, which of both it is
            sides, side = np.unique(upper[rows] * self._size + step.component[lower[rows]], return_inverse=True)
            self._levels.append((step.component, rows, lower[rows], upper[rows], side, *np.divmod(sides, self._size)))

    def count_lost(self, port: Flags, left: Flags) -> int:
        """How many paths, each way, name a port or a step that is not left; `port` by rank and port, `left` by step."""
        ways = _sum_both(self._leaf, np.stack([np.ones(len(self._leaf)), port[self._has][self._first]]), self._size)
        ports, paths = ways[0], np.zeros(2)
        for component, rows, lower, upper, side, turn, below in self._levels:
            here = ways[:, lower] * np.stack([np.ones(len(rows)), left[rows]])
            up = _sum_both(side, here, len(turn))
            # there are as many ways down to each port as up from it, and as many of these are left
            down = up * np.bincount(component, ports, self._size)[below] / np.maximum(up[0], 1)
            both = _sum_both(turn, up, self._size) * _sum_both(turn, down, self._size)
            paths += both.sum(axis=1) - (up * down).sum(axis=1)
            ways = ways + _sum_both(upper, here, self._size)
        return round(float(paths[0] - paths[1]))

    def find_share_left(self, left: Flags) -> Floats:
        """By switch row, the share of its ways up to the highest tier that is left; 1 for those of that tier."""
        ways = np.ones((2, self._size))
        for _, rows, lower, upper, *_ in reversed(self._levels):
            above = ways[:, upper] * np.stack([np.ones(len(rows)), left[rows]])
            ways[:, lower] = _sum_both(lower, above, self._size)[:, lower]
        return np.asarray(ways[1] / ways[0])


def _sum_both(index: Ints64, pair: Floats, size: int) -> Floats:
    return np.stack([np.bincount(index, figures, size) for figures in pair])

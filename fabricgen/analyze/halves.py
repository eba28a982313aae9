"""Bandwidth between halves of the nodes, counted on the wired graph: what a fault takes of the bisection.

The bisection of a design takes places to be alike (`fabricgen.design.capacity.bisection`). Single faults make them
unlike, and then halves are tried: whole places of a level in order, those with faults all in one half, dealt over both,
and at random. A switch is on whichever side it has more bandwidth to, one tier after the other, as long as that lessens
the cut (iterated conditional modes: Besag, On the Statistical Analysis of Dirty Pictures, 1986). Each figure is that of
a real cut, so that the least cut of all is never above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fabricgen.analyze.losses import SwitchLinks
from fabricgen.analyze.network import NONE, Network
from fabricgen.wiring.arrays import Flags, Floats, Ints64
from fabricgen.wiring.tables import SWITCH

RANDOM = 6
"""How many of the halves that are tried have the places with faults at random."""
SWEEPS = 2
"""How often all switches look again on which side they cost less."""


def find_lost_gbps(planned: Network, actual: Network) -> float:
    """Return what the bisection loses from a planned network to the one found in the hall, Gb/s.

    It is the least cut of the tried halves in the planned network less the least cut in the actual one; negative if the
    actual network has more bandwidth.
    """
    cuts = [_Cut(planned), _Cut(actual)]
    halves = list(_list_halves(planned, _find_changed_devices(planned, actual)))
    least_planned, least_actual = (min(map(cut.find_least_cut, halves), default=np.inf) for cut in cuts)
    return float(least_planned - least_actual)


def _find_changed_devices(planned: Network, actual: Network) -> Flags:
    """Return for each device row whether a link that ends there is not as planned; bool."""
    size = len(planned.cluster.plan.devices)
    edges = []
    for network in (planned, actual):
        links, (node, leaf, _) = SwitchLinks.list_links(network), network.list_ports()
        edges.append(np.r_[links.a, node] * size + np.r_[links.b, leaf])
    edge, number = np.unique(np.concatenate(edges), return_inverse=True)
    # links that both networks have cancel out
    sign = np.repeat((1, -1), list(map(len, edges)))
    changed_edges = edge[np.bincount(number, sign, len(edge)) != 0]
    is_changed = np.zeros(size, dtype=np.bool_)
    is_changed[np.r_[changed_edges // size, changed_edges % size]] = True
    return is_changed


def _list_halves(network: Network, changed: Flags) -> Iterator[Flags]:
    """Yield halves of the nodes, each as a bool for each device row that says whether it is in the half.

    Halves of single nodes come first, then halves of whole components of each level. Components with faults, which
    `changed` flags by device row, are all in one half or dealt over both halves.
    """
    nodes, first_rank = np.unique(network.ranks.device, return_index=True)
    leaf = network.leaf[first_rank, 0]
    yield from _halve_places(nodes, np.arange(len(nodes)), changed[nodes])
    port_nodes, port_leaves, _ = network.list_ports()
    for level in network.levels:
        place_of_node = np.unique(np.where(leaf == NONE, NONE, level.component[leaf]), return_inverse=True)[1]
        place_of_device, owner = np.zeros(len(changed), dtype=np.int64), np.full(len(changed), NONE, dtype=np.int64)
        place_of_device[nodes] = place_of_node
        # By component of the level: the place of the nodes on its leaves, NONE for a component without nodes.
        owner[level.component[port_leaves]] = place_of_device[port_nodes]
        with_faults = owner[level.component[changed]]
        in_faulty_place = np.isin(place_of_node, with_faults[with_faults != NONE])
        in_faulty_place |= np.isin(place_of_node, place_of_node[changed[nodes]])
        yield from _halve_places(nodes, place_of_node, in_faulty_place)


def _halve_places(nodes: Ints64, place_of_node: Ints64, in_faulty_place: Flags) -> Iterator[Flags]:
    """Yield halves of whole places, each as a bool for each device row; one place at most is cut.

    `nodes` are device rows, and the other two have an entry for each of them: `place_of_node` the number of its place,
    `in_faulty_place` whether that place has faults.
    """
    _, first_node, place_index = np.unique(place_of_node, return_index=True, return_inverse=True)
    # places in the order in which they first occur
    places = np.argsort(first_node)
    is_faulty = in_faulty_place[first_node][places]
    for order in _order_places(places[is_faulty].tolist(), places[~is_faulty].tolist()):
        position_of_place = np.empty(len(places), dtype=np.int64)
        position_of_place[order] = np.arange(len(places))
        half = np.zeros(int(nodes.max()) + 1, dtype=np.bool_)
        # whole places in that order until half of the nodes are in; the sort is stable, so that only the last may be
        # cut
        half[nodes[np.argsort(position_of_place[place_index], kind="stable")[: len(nodes) // 2]]] = True
        yield half


def _order_places(faulty: Sequence[int], faultless: Sequence[int]) -> Iterator[list[int]]:
    """Yield orders of places, which are to be cut in the middle.

    Places with faults come first, all in one half; if there are several, they are also dealt over both halves, in
    order and `RANDOM` times at random.
    """
    yield [*faulty, *faultless]
    if len(faulty) > 1:
        # half of the places with faults are before the middle of the order, and half are behind it
        yield [*faulty[::2], *faultless, *faulty[1::2]]
        rng = np.random.Generator(np.random.PCG64(len(faulty)))
        for _ in range(RANDOM):
            mixed = rng.permutation(faulty).tolist()
            yield [*mixed[::2], *faultless, *mixed[1::2]]


class _Cut:
    """Finds cuts of the wired graph of a network between halves of its nodes."""

    def __init__(self, network: Network) -> None:
        self._size = size = len(network.cluster.plan.devices)
        links = SwitchLinks.list_links(network)
        self._node, self._leaf, self._gbps = network.list_ports()
        # all links between two switches are one edge: a cut goes through all of them or none
        pair, number = np.unique(links.a * size + links.b, return_inverse=True)
        self._a, self._b = pair // size, pair % size
        self._links = np.bincount(number, links.gbps, len(pair)).astype(np.float64)
        height = np.zeros(size, dtype=np.int64)
        switches = [cls for cls in network.cluster.plan.devices.classes if cls.kind == SWITCH]
        for number, level in enumerate(network.levels):
            for cls in (cls for cls in switches if cls.key in level.tiers):
                height[cls.rows] = number
        self._levels = network.levels
        self._tiers = [np.flatnonzero(height == number) for number in range(len(network.levels))]

    def find_least_cut(self, half: Flags) -> float:
        """Return the least cut that is found between a half of the nodes and the other nodes, Gb/s."""
        size = self._size
        # by switch, Gb/s of its nodes in the half less Gb/s of those outside; `sides` are 1 in the half and -1 outside
        pull = np.bincount(self._leaf, np.where(half[self._node], self._gbps, -self._gbps), size).astype(np.float64)
        sides = np.ones(size)
        for level, rows in zip(self._levels, self._tiers, strict=True):
            sides[rows] = np.sign(np.bincount(level.component, pull, size)[level.component[rows]])
        sides[sides == 0] = 1.0  # with as much on either side a switch is in the half
        # three starts: switches with most of the nodes of their component, all in the half, and all outside
        return min(self._settle_sides(half, pull, start) for start in (sides, np.ones(size), -np.ones(size)))

    def _settle_sides(self, half: Flags, pull: Floats, sides: Floats) -> float:
        """Return the least cut met while switches move, from given sides, to the side where they cost least; Gb/s.

        `pull` and `sides` are by switch: Gb/s of its nodes in the half less Gb/s of its other nodes; 1 if the switch is
        in the half, else -1. `sides` is changed in place.
        """
        least_cut = self._sum_across(half, sides)
        for _ in range(SWEEPS):
            # from the top down and up again, so that a change reaches all tiers in one sweep
            for rows in (*self._tiers[::-1], *self._tiers[1:]):
                sides[rows] = self._find_better_sides(pull, sides)[rows]
            least_cut = min(least_cut, self._sum_across(half, sides))
        return least_cut

    def _find_better_sides(self, pull: Floats, sides: Floats) -> Floats:
        """Return the side of each switch, 1 or -1, on which it costs least while all others stay.

        `pull` and `sides` are as for `_settle_sides`.
        """
        size = len(sides)
        towards = pull + np.bincount(self._a, self._links * sides[self._b], size)
        towards += np.bincount(self._b, self._links * sides[self._a], size)
        return np.where(towards == 0, sides, np.sign(towards))

    def _sum_across(self, half: Flags, sides: Floats) -> float:
        nodes = half[self._node] != (sides[self._leaf] > 0)
        return float(self._gbps[nodes].sum() + self._links[sides[self._a] != sides[self._b]].sum())

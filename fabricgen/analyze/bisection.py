"""The bisection of a network: by its design, or for a phase of a cluster of the links and nodes that exist then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest

import numpy as np

from fabricgen.analyze.network import Network
from fabricgen.design.capacity import bisection
from fabricgen.design.capacity.bisection import Number, StrandPlace
from fabricgen.wiring.arrays import Floats, Ints64, join_components, unique_values


def bisection_gbps(network: Network) -> float:
    """Return the bandwidth across the worst cut of a network's nodes into halves, Gb/s each way."""
    if network.cluster.phase is None:
        return float(bisection.compute_bisection(network.cluster.design, network.fabric))
    return count_bisection_gbps(network)


def count_bisection_gbps(network: Network) -> float:
    """Return the bisection counted on the links that exist, Gb/s each way.

    Networks that share nodes, as rails and planes do, are cut in the same way and their bisections add up. Networks
    that share no nodes are joined by nothing: the first networks of all groups that share nodes are cut together, then
    the second ones, and so on.
    """
    node, leaf, gbps = network.list_ports()
    steps = _list_steps(network)
    # the component of the last level that each port is in, and by device row the group of networks that share nodes
    network_of_port = steps[-1][0][leaf]
    group = join_components(np.arange(len(network.cluster.plan.devices), dtype=np.int64), network_of_port, node)
    places_by_group: dict[int, list[StrandPlace]] = {}
    for number in unique_values(network_of_port):
        in_network = network_of_port == number
        place = _join_places(steps, node[in_network], leaf[in_network], gbps[in_network])
        places_by_group.setdefault(int(group[number]), []).append(place)
    total = Fraction(0)
    for places in zip_longest(*places_by_group.values()):
        cut_together = [place for place in places if place]  # None for a group with fewer networks
        total += _make_place(sum(place.size for place in cut_together), 0.0, Counter(cut_together)).find_bisection()
    return float(total)


def _list_steps(network: Network) -> list[tuple[Ints64, Floats]]:
    """Return for each level (components by device row, bandwidth that leaves each, Gb/s).

    Links between the two switches of a pair at the top make a level of their own, which comes last.
    """
    plan, steps = network.cluster.plan, [(level.component, level.out_gbps) for level in network.levels]
    pairs = [s.tier in network.top.tiers and s.mesh and not s.km for s in plan.links.segments]
    rows = np.flatnonzero(np.array(pairs, dtype=np.bool_)[plan.links.segment])
    if len(rows):
        speed = np.array([float(s.speed_gbps) for s in plan.links.segments])[plan.links.segment[rows]]
        (top, out), (a, b) = steps[-1], (plan.links.a_device[rows], plan.links.b_device[rows])
        out = out + sum(np.bincount(top[end], speed, len(top)) for end in (a, b))
        # the links of pairs leave their switch, and then join the two: a level of its own above the top one
        steps = [
            *steps[:-1],
            (top, out),
            (join_components(top, a.astype(np.int64), b.astype(np.int64)), np.zeros(len(top))),
        ]
    return steps


def _join_places(steps: Sequence[tuple[Ints64, Floats]], node: Ints64, leaf: Ints64, gbps: Floats) -> StrandPlace:
    """Return the root of a tree of places, each of which has narrower ones as its parts; the root holds all ports.

    A place is what the tiers up to a level join; leaves that share nodes are one place. `steps` is what `_list_steps`
    returns. `node`, `leaf` and `gbps` have an entry for each port of a node: two device rows, and Gb/s. All ports must
    be in one place at the last level.
    """
    size, places = len(steps[0][0]), dict[int, StrandPlace]()  # places by the number of their component
    for component, leaving in steps:
        label = join_components(component, node, leaf)
        port_gbps, out_gbps = np.bincount(label[leaf], gbps, size), np.bincount(label, leaving, size)
        inner_places: dict[int, Counter[StrandPlace]] = {}
        for number, place in places.items():
            inner_places.setdefault(int(label[number]), Counter())[place] += 1
        places = {
            number: _make_place(
                Fraction(float(port_gbps[number])), float(out_gbps[number]), inner_places.get(number, Counter())
            )
            for number in unique_values(label[leaf])
        }
    (root,) = places.values()
    return root


def _make_place(size: Number, out_gbps: float, inner_places: Counter[StrandPlace]) -> StrandPlace:
    return StrandPlace(size, size, (Fraction(out_gbps),), tuple(inner_places.items()))

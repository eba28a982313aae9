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
    apart = steps[-1][0][leaf]
    joined = join_components(np.arange(len(network.cluster.plan.devices), dtype=np.int64), apart, node)
    places_by_network: dict[int, list[StrandPlace]] = {}
    for number in unique_values(apart):
        in_part = apart == number
        place = _join_places(steps, node[in_part], leaf[in_part], gbps[in_part])
        places_by_network.setdefault(int(joined[number]), []).append(place)
    total = Fraction(0)
    for places in zip_longest(*places_by_network.values()):
        present = [place for place in places if place]
        total += _make_place(sum(place.size for place in present), 0.0, Counter(present)).find_bisection()
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
    """Return the nested places of the bisection for some ports of nodes at leaves; all ports must be joined.

    `node`, `leaf` and `gbps` are columns of ports. Leaves that share nodes are one place.
    """
    size, below = len(steps[0][0]), dict[int, StrandPlace]()
    for component, leaving in steps:
        label = join_components(component, node, leaf)
        inside, out = np.bincount(label[leaf], gbps, size), np.bincount(label, leaving, size)
        parts: dict[int, Counter[StrandPlace]] = {}
        for part, place in below.items():
            parts.setdefault(int(label[part]), Counter())[place] += 1
        below = {
            part: _make_place(Fraction(float(inside[part])), float(out[part]), parts.get(part, Counter()))
            for part in unique_values(label[leaf])
        }
    (root,) = below.values()
    return root


def _make_place(size: Number, out_gbps: float, parts: Counter[StrandPlace]) -> StrandPlace:
    return StrandPlace(size, size, (Fraction(out_gbps),), tuple(parts.items()))

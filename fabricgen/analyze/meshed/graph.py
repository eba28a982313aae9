"""The switches of a network as a graph: shortest paths between those that have ranks, and what crosses each link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabricgen.analyze.network import NONE, Network
from fabricgen.design.capacity.bisection import list_chain
from fabricgen.design.linked import weighs_paths
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.wiring.arrays import Floats, Ints, Ints64

MOST_SOURCES = 256
"""Paths are counted from at most about so many switches, evenly spaced: all of a regular fabric are alike."""

CHUNK = 16
"""The number of switches from which paths are counted at once: arrays have a row for each, a column for each arc."""


class LinkGroup(NamedTuple):
    """Links of one kind: along a dimension of a tier, or between two tiers; rows of the graph's links, int64."""

    name: str
    rows: Ints64


class PathCounts(NamedTuple):
    """Shortest paths from some switches to all, as arrays [sources, switches].

    `distance` is the number of links on them, int32, -1 if there is no path. `paths` is how many shortest paths there
    are, float64; parallel links are paths of their own.
    """

    distance: Ints
    paths: Floats


@dataclass(frozen=True)
class SwitchGraph:
    """Switches, numbered from 0 in the order of devices, and links between them.

    `a` and `b` are the ends of each link, int64; `gbps` and `length_m` are its speed and length, float64. `ranks` is
    the number of ranks at each switch (float64: a rank with ports on two switches is half on each), and `port_gbps` is
    the bandwidth of the ranks' ports there, Gb/s. `joints` are the links by kind.
    """

    devices: Ints64
    a: Ints64
    b: Ints64
    gbps: Floats
    length_m: Floats
    joints: tuple[LinkGroup, ...]
    ranks: Floats
    port_gbps: Floats
    weighted: bool
    """Whether all shortest paths are used equally; otherwise each switch uses its next hops equally."""

    @property
    def size(self) -> int:
        """Return the number of switches."""
        return len(self.devices)

    @cached_property
    def degrees(self) -> Ints64:
        """Return the number of links of each switch to other switches, int64."""
        degrees: Ints64 = np.bincount(np.concatenate([self.a, self.b]), minlength=self.size).astype(np.int64)
        return degrees

    @cached_property
    def _arcs(self) -> tuple[Ints64, Ints64, Ints64]:
        """Return (tail switch, head switch, link) of the arcs, two for each link, sorted by head switch; int64 each."""
        tails, heads = np.concatenate([self.a, self.b]), np.concatenate([self.b, self.a])
        order = np.argsort(heads, kind="stable")  # sums over the arcs of a switch take neighbouring ones
        return tails[order], heads[order], order % max(1, len(self.a))

    @cached_property
    def sources(self) -> Ints64:
        """Return the switches from which paths are counted: those with ranks, at most about `MOST_SOURCES`; int64.

        If more switches have ranks, every n-th of them is returned.
        """
        with_ranks = np.flatnonzero(self.port_gbps)
        step = -(-len(with_ranks) // MOST_SOURCES) or 1  # rounded up; 1 if no switch has ranks
        return with_ranks[::step]

    @property
    def counts_all(self) -> bool:
        """Whether paths are counted from every switch that has ranks."""
        return len(self.sources) == int(np.count_nonzero(self.port_gbps))

    def list_path_counts(self) -> Iterator[tuple[Ints64, PathCounts]]:
        """Yield (sources, shortest paths from them) for `CHUNK` of the sources at a time."""
        for start in range(0, len(self.sources), CHUNK):
            chunk_sources = self.sources[start : start + CHUNK]
            yield chunk_sources, self._count_paths(chunk_sources)

    def _sum_over_arcs(self, values: Floats) -> Floats:
        """Return the sums of the values of arcs, [rows, arcs], by the switch that they lead to, [rows, switches]."""
        heads = self._arcs[1]
        total = np.zeros((len(values), self.size))
        if len(heads):
            starts = np.flatnonzero(np.diff(heads, prepend=-1))
            total[:, heads[starts]] = np.add.reduceat(values, starts, axis=1)
        return total

    def _count_paths(self, sources: Ints64) -> PathCounts:
        """Return the shortest paths from some switches to all, counted ring by ring around each of them."""
        tails = self._arcs[0]
        distance = np.full((len(sources), self.size), -1, dtype=np.int32)
        paths = np.zeros((len(sources), self.size))
        rows = np.arange(len(sources))
        distance[rows, sources], paths[rows, sources] = 0, 1.0
        ring, steps = paths.copy(), 0
        while ring.any():
            steps += 1
            ring = np.where(distance < 0, self._sum_over_arcs(ring[:, tails]), 0.0)
            distance[ring > 0] = steps
            paths += ring
        return PathCounts(distance, paths)

    def measure_diameter(self) -> int:
        """Return the number of links on the longest of the shortest paths from `sources` to switches that have ranks.

        Switches that no path joins are left out.
        """
        tails, heads, _ = self._arcs
        starts = np.flatnonzero(np.diff(heads, prepend=-1))
        # a bit for each source, in words of 64: by switch, the sources that reach it so far
        reached = np.zeros((self.size, -(-len(self.sources) // 64)), dtype=np.uint64)
        number = np.arange(len(self.sources))
        reached[self.sources, number // 64] = np.left_shift(np.uint64(1), (number % 64).astype(np.uint64))
        with_ranks = np.flatnonzero(self.port_gbps)
        steps = diameter = 0
        while len(starts):
            further = reached.copy()
            further[heads[starts]] |= np.bitwise_or.reduceat(reached[tails], starts, axis=0)
            if np.array_equal(further, reached):
                break
            steps += 1
            diameter = steps if (further != reached)[with_ranks].any() else diameter
            reached = further
        return diameter

    def load_links(self, weights: Floats) -> Floats:
        """Return the load of each link, Gb/s of both directions together, float64.

        A source sends to each switch the bandwidth of its own ports, times that switch's entry in `weights` (float64).
        If the graph is `weighted`, traffic is spread equally over all shortest paths (betweenness of edges: Brandes,
        Journal of Mathematical Sociology 25, 2001), otherwise at each switch equally over its next hops. If not all
        switches with ranks are sources, loads are scaled up as if they were.
        """
        tails, heads, link = self._arcs
        load = np.zeros(len(self.a))
        for sources, counts in self.list_path_counts():
            demand = np.where(counts.distance > 0, self.port_gbps[sources][:, None] * weights, 0.0)
            beyond = np.zeros_like(demand)  # by source and switch, Gb/s that the switch hands on to others
            links_to_source = self._sum_over_arcs(
                (counts.distance[:, heads] == counts.distance[:, tails] + 1).astype(np.float64)
            )
            # what a head receives is divided among its arcs, by the paths of each tail if weighted
            divisor = np.maximum(counts.paths if self.weighted else links_to_source, 1.0)
            tail_weights = counts.paths[:, tails] if self.weighted else 1.0
            for steps in range(int(counts.distance.max(initial=0)), 0, -1):
                # for arcs whose head is `steps` links away: what their tail hands on to the head
                inward = (counts.distance[:, heads] == steps) & (counts.distance[:, tails] == steps - 1)
                passed = np.where(inward, ((demand + beyond) / divisor)[:, heads] * tail_weights, 0.0)
                load += np.bincount(link, passed.sum(axis=0), len(load))
                for row in range(len(sources)):
                    beyond[row] += np.bincount(tails, passed[row], self.size)
        if not self.counts_all:
            load *= np.count_nonzero(self.port_gbps) / len(self.sources)
        return load


def make_graph(network: Network) -> SwitchGraph:
    """Return the graph of the switches of a network's tiers and of all links between them that are not dark.

    Links are grouped by the segment of the plan that they are of. A rank counts in equal parts at the switches of its
    ports that have a link.
    """
    plan = network.cluster.plan
    chain = list_chain(network.cluster.design, network.fabric)
    tiers = {tier.key: tier for tier in chain}
    devices = np.concatenate([np.arange(*plan.devices.find_tier(key).rows.indices(len(plan.devices))) for key in tiers])
    devices.sort()
    switch_of_device = np.full(len(plan.devices), NONE, dtype=np.int64)
    switch_of_device[devices] = np.arange(len(devices))
    lit = np.ones(len(plan.links), dtype=bool)
    if network.dark is not None:
        lit[network.dark] = False
    joints: list[LinkGroup] = []
    link_rows_by_joint: list[Ints64] = []
    for segment_number, segment in enumerate(plan.links.segments):
        if segment.lower_tier and segment.tier and {segment.lower_tier, segment.tier} <= set(tiers):
            span = plan.links.find_rows(segment_number)
            lit_rows = span.start + np.flatnonzero(lit[span])
            lower, upper = segment.lower_tier.name, segment.tier.name
            name = f"{lower} along {segment.path[-1]}" if segment.mesh else f"{lower}-{upper}"
            # Links of the graph are numbered as they are listed, joint after joint.
            first_link = sum(map(len, link_rows_by_joint))
            joints.append(LinkGroup(name, np.arange(first_link, first_link + len(lit_rows))))
            link_rows_by_joint.append(lit_rows)
    link_rows = np.concatenate(link_rows_by_joint) if link_rows_by_joint else np.zeros(0, dtype=np.int64)
    speeds = np.array([float(segment.speed_gbps) for segment in plan.links.segments])
    wired = network.leaf != NONE
    switch_of_port = switch_of_device[network.leaf[wired]]
    rank_part_per_port = 1 / np.maximum(1, wired.sum(axis=1))
    return SwitchGraph(
        devices=devices.astype(np.int64),
        a=switch_of_device[plan.links.a_device[link_rows]],
        b=switch_of_device[plan.links.b_device[link_rows]],
        gbps=speeds[plan.links.segment[link_rows]] if len(link_rows) else np.zeros(0),
        length_m=plan.cables.length_m[plan.links.cable[link_rows]].astype(np.float64),
        joints=tuple(joints),
        ranks=_sum_by_switch(
            switch_of_port, np.broadcast_to(rank_part_per_port[:, None], wired.shape)[wired], len(devices)
        ),
        port_gbps=_sum_by_switch(switch_of_port, network.gbps[wired], len(devices)),
        weighted=not runs_bgp(network.cluster.design, network.fabric)
        or weighs_paths(network.cluster.design.loaded.blueprint, network.fabric.name),
    )


def _sum_by_switch(switch: Ints64, values: Floats, size: int) -> Floats:
    return np.bincount(switch, values, size).astype(np.float64)


def find_narrowest(graph: SwitchGraph, load: Floats) -> tuple[float, Sequence[tuple[str, float]]]:
    """Return (the fraction of its ports' rate that every rank gets, the loads of the fullest links).

    The loads are a (name, load) for each kind of links: the load of its fullest link, as a fraction of the link's speed
    in both directions. `load` is that of both directions, as `load_links` returns it.
    """
    used = load / np.maximum(1e-9, 2 * graph.gbps)
    by_kind = [(joint.name, float(used[joint.rows].max(initial=0.0))) for joint in graph.joints]
    return min(1.0, 1 / max(1e-9, max((share for _, share in by_kind), default=0.0))), by_kind

"""What networkx says of a network's wired graph: distances, paths, flows and loads, apart from the analysis."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import networkx

from fabricgen.analyze.network import Network
from fabricgen.wiring.tables import SWITCH

Edge = tuple[int, int]


class Wired:
    """The graph of the switches above a fabric's nodes: parallel links of two switches are one edge with a number."""

    def __init__(self, network: Network) -> None:
        plan = network.cluster.plan
        kinds = [plan.devices.classes[int(c)].kind for c in plan.devices.device_class]
        tiers = {key for level in network.levels for key in level.tiers}
        self.network = network
        self.links: Counter[Edge] = Counter()
        self.gbps: dict[Edge, float] = defaultdict(float)
        for row in range(len(plan.links)):
            segment = plan.links.segments[int(plan.links.segment[row])]
            a, b = int(plan.links.a_device[row]), int(plan.links.b_device[row])
            same_tier = segment.tier == segment.lower_tier
            if kinds[a] != SWITCH or kinds[b] != SWITCH or (same_tier and not segment.km):
                continue
            if not {segment.tier, segment.lower_tier} <= tiers:
                continue
            for edge in ((a, b), (b, a)):
                self.links[edge] += 1
                self.gbps[edge] += segment.speed_gbps
        self.graph: networkx.DiGraph[int] = networkx.DiGraph()
        self.graph.add_nodes_from(int(leaf) for leaf in network.leaf.ravel() if leaf >= 0)
        self.graph.add_edges_from(self.links)
        self.distances = lru_cache(maxsize=None)(self._distances)

    def _distances(self, target: int) -> dict[int, int]:
        return dict(networkx.single_source_shortest_path_length(self.graph, target))

    def between(self, a: int, b: int) -> tuple[int | None, int]:
        """(switches on a shortest path between two ranks, how many paths there are); ports of one number meet."""
        best, path_count = None, 0
        for leaf_a, leaf_b in zip(self.network.leaf[a].tolist(), self.network.leaf[b].tolist(), strict=True):
            if min(leaf_a, leaf_b) < 0 or leaf_a not in self.distances(leaf_b):
                continue
            length = self.distances(leaf_b)[leaf_a] + 1
            if best is None or length < best:
                best, path_count = length, 0
            if length == best:
                path_count += sum(
                    self._count_parallel(path) for path in networkx.all_shortest_paths(self.graph, leaf_a, leaf_b)
                )
        return best, path_count

    def _count_parallel(self, path: list[int]) -> int:
        path_count = 1
        for edge in pairwise(path):
            path_count *= self.links[edge]
        return path_count

    def spread(self, leaf: int, target: int, gbps: float) -> Iterator[tuple[Edge, float]]:
        """What each edge carries of a flow that every switch spreads evenly over its links on shortest paths."""
        near, gbps_at = self.distances(target), {leaf: gbps}
        while gbps_at and set(gbps_at) != {target}:
            onward: dict[int, float] = defaultdict(float)
            for switch, share in gbps_at.items():
                nexts = [n for n in self.graph.successors(switch) if near.get(n, -1) == near[switch] - 1]
                width = sum(self.links[switch, n] for n in nexts)
                for n in nexts:
                    part = share * self.links[switch, n] / width
                    yield (switch, n), part
                    onward[n] += part
            gbps_at = onward

    def slowdown(self, flows: Iterable[tuple[int, int, float]]) -> float:
        """The highest load over capacity, at least 1, of NICs and links: of flows (rank, rank, share of its rate)."""
        loads: dict[Any, float] = defaultdict(float)
        for a, b, share in flows:
            for port, (leaf_a, leaf_b) in enumerate(zip(*(self.network.leaf[r].tolist() for r in (a, b)), strict=True)):
                if min(leaf_a, leaf_b) < 0 or leaf_a not in self.distances(leaf_b):
                    continue
                gbps = float(self.network.gbps[a, port]) * share
                loads["from", a, port] += share
                loads["to", b, port] += gbps / float(self.network.gbps[b, port])
                for edge, part in self.spread(leaf_a, leaf_b, gbps):
                    loads[edge] += part / self.gbps[edge]
        return max([1.0, *loads.values()])

    def out_of(self, switches: set[int], ports: list[tuple[int, float]]) -> float:
        """The greatest flow from ports (leaf, Gb/s) in a set of switches to all switches outside of it, Gb/s."""
        graph: networkx.DiGraph[Any] = networkx.DiGraph()
        graph.add_nodes_from(["from", "to"])
        for edge, gbps in self.gbps.items():
            graph.add_edge(*edge, capacity=gbps)
            if edge[0] in switches and edge[1] not in switches:
                graph.add_edge(edge[1], "to")
        for number, (leaf, gbps) in enumerate(ports):
            graph.add_edge("from", ("port", number), capacity=gbps)
            graph.add_edge(("port", number), leaf)
        return float(networkx.maximum_flow_value(graph, "from", "to"))

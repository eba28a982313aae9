"""The bisection of a plan, counted: the least maximum flow over all even cuts of its nodes, links summed by device."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from itertools import combinations

import networkx
import numpy as np

from fabricgen.wiring.tables import NODE, WiringPlan


def node_rows(plan: WiringPlan) -> list[int]:
    """The device rows of nodes of scalable units."""
    return [d for c in plan.devices.classes if c.kind == NODE for d in range(c.first, c.first + c.count)]


def least_cut(plan: WiringPlan, gone: Collection[int] = (), fabric: str = "compute") -> Fraction:
    """The least bandwidth across any even cut of the nodes that are left without some devices, Gb/s; few nodes only."""
    graph: networkx.DiGraph[object] = networkx.DiGraph()
    of_fabric = np.array([segment.fabric == fabric for segment in plan.links.segments])[plan.links.segment]
    joined = set(plan.links.a_device[of_fabric].tolist())  # not power shelves, whose links are others
    graph.add_nodes_from(nodes := [row for row in node_rows(plan) if row in joined and row not in gone])
    for segment, a, b in zip(plan.links.segment, plan.links.a_device, plan.links.b_device, strict=True):
        ends = (int(a), int(b))
        if plan.links.segments[segment].fabric == fabric and not set(ends) & set(gone):
            for one, other in (ends, ends[::-1]):
                had = graph.get_edge_data(one, other, {"capacity": 0})["capacity"]
                graph.add_edge(one, other, capacity=had + int(plan.links.segments[segment].speed_gbps))
    found = []
    for half in combinations(nodes[1:], len(nodes) // 2 - 1):
        one_side = {nodes[0], *half}
        graph.add_edges_from(("from", node) if node in one_side else (node, "to") for node in nodes)
        found.append(networkx.maximum_flow_value(graph, "from", "to"))
        graph.remove_nodes_from(["from", "to"])
    return Fraction(min(found))

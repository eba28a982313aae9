"""Which ports of an InfiniBand fabric routing that goes up and then down joins, and where it waits in a circle."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, islice, permutations, product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import networkx as nx

    from fabricgen.views.fabric import FabricAdapter, FabricSwitch, FabricView

Reach = tuple[int, int]
"""Of a port: its subnet, and the roots that it reaches by going up, as bits of a number."""


class Unjoined(NamedTuple):
    """Pairs without a path: how many, and a port of either end of the first, with the name of its switch."""

    pairs: int
    first: tuple[tuple[FabricAdapter, str], ...]


def find_roots_above(view: FabricView) -> list[int]:
    """For each switch the roots that it reaches by going up alone, as bits of a number.

    Up is nearer to a switch of the highest tier, at equal distance to the lower GUID; a link between two of these is up
    from both ends, so that linked roots are one (opensm, osm_ucast_updn.c).
    """
    import networkx as nx  # half a second that most commands do not need

    switches = view.switches
    graph, tops = _build_switch_graph(view)
    distance = nx.multi_source_dijkstra_path_length(graph, tops, weight=None)
    roots = [0] * len(switches)
    for linked in nx.connected_components(graph.subgraph(tops)):
        for root in linked:
            # one bit for roots that are linked: the number of the first of them
            roots[root] = 1 << min(linked)
    above = set(tops)
    # nearest first, so that all above a switch have their roots already
    for switch in sorted(distance.keys() - tops, key=lambda i: (distance[i], switches[i].guid)):
        for upper in above.intersection(graph[switch]):
            roots[switch] |= roots[upper]
        above.add(switch)
    return roots


def find_credit_loop(view: FabricView) -> list[FabricSwitch]:
    """Roots on a circle of links that may deadlock, the buffers of each link waiting for the next; empty without one.

    Links between roots are up from both ends, so that a packet from one part of the fabric passes a root of a second on
    its way to a third, unless the first and the third are linked themselves.
    """
    import networkx as nx

    graph, tops = _build_switch_graph(view)
    # links between roots; without these the fabric falls into parts, each called by its first switch
    between = list(graph.subgraph(tops).edges)
    graph.remove_edges_from(between)
    part_of = {switch: min(part) for part in nx.connected_components(graph) for switch in part}
    linked_parts: nx.Graph[int] = nx.Graph([(part_of[a], part_of[b]) for a, b in between])
    roots: nx.Graph[int] = nx.Graph(between)
    # by direction of a link between roots, those whose buffers it waits for
    waits: nx.DiGraph[tuple[int, int]] = nx.DiGraph(
        ((a, b), (b, c))
        for b in roots
        for a, c in permutations(roots[b], 2)
        if part_of[a] != part_of[c] and not linked_parts.has_edge(part_of[a], part_of[c])
    )
    try:
        return [view.switches[a] for (a, _), _ in nx.find_cycle(waits)]
    except nx.NetworkXNoCycle:
        return []


def _build_switch_graph(view: FabricView) -> tuple[nx.Graph[int], set[int]]:
    """The switches of a fabric by the links between them, and those of them with no tier above."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_edges_from((link.a, link.b) for link in view.links if max(link.a, link.b) < len(view.switches))
    tops = {i for i, switch in enumerate(view.switches) if switch.top}
    graph.add_nodes_from(tops)
    return graph, tops


def count_unjoined_pairs(view: FabricView, *, by_port: bool = False) -> Unjoined:
    """Pairs of devices of one subnet that up/down routing joins by none of their ports, or of ports of two devices."""
    first, roots = len(view.switches), find_roots_above(view)
    switch_of = {link.a - first: view.switches[link.b] for link in view.links if link.a >= first}
    root_of = dict(zip(view.switches, roots, strict=True))
    reached, ports = defaultdict[object, set[Reach]](set), dict[object, int]()
    for i, adapter in enumerate(view.adapters):
        end: object = (adapter.name, adapter.port) if by_port else adapter.name
        reached[end].add((switch_of[i].subnet, root_of[switch_of[i]]))
        ports.setdefault(end, i)
    alike = defaultdict[frozenset[Reach], list[int]](list)
    for end, reach in reached.items():
        alike[frozenset(reach)].append(ports[end])
    pairs, unjoined = 0, list[tuple[int, int]]()
    for (a_reach, a_ports), (b_reach, b_ports) in combinations(alike.items(), 2):
        shared = [(a, b) for (subnet, a), (other_subnet, b) in product(a_reach, b_reach) if subnet == other_subnet]
        if shared and not any(a & b for a, b in shared):
            names = Counter(view.adapters[i].name for i in a_ports)
            pairs += sum(len(a_ports) - names[view.adapters[i].name] for i in b_ports)  # no device talks to itself
            apart = ((i, j) for i, j in product(a_ports, b_ports) if view.adapters[i].name != view.adapters[j].name)
            unjoined += islice(apart, 1)
    return Unjoined(pairs, tuple((view.adapters[i], switch_of[i].name) for i in min(unjoined, default=())))

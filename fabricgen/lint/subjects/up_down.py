"""Up/down routing of an InfiniBand fabric, whose paths go up and then down: which ports it joins, and where it may
deadlock.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, islice, permutations, product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import networkx as nx

    from fabricgen.views.fabric import FabricAdapter, FabricSwitch, FabricView

Reach = tuple[int, int]
"""(subnet of a port, roots that it reaches by going up as the bits of a number)."""


class Unjoined(NamedTuple):
    """How many pairs of devices, or of ports, have no path; and for one of these pairs the two adapters, each with the
    name of its switch.
    """

    pairs: int
    first: tuple[tuple[FabricAdapter, str], ...]


def find_roots_above(view: FabricView) -> list[int]:
    """Return for each switch the roots that it reaches by going up alone, as the bits of a number.

    The roots are the switches of the highest tier. A link goes up to the switch that is nearer to a root or, at equal
    distance, has the lower GUID. A link between two roots goes up from both ends, so that linked roots share a bit
    (opensm, osm_ucast_updn.c).
    """
    import networkx as nx  # half a second that most commands do not need

    switches = view.switches
    graph, tops = _build_switch_graph(view)
    distance = nx.multi_source_dijkstra_path_length(graph, tops, weight=None)
    roots = [0] * len(switches)
    for linked in nx.connected_components(graph.subgraph(tops)):
        for root in linked:
            roots[root] = 1 << min(linked)
    visited = set(tops)
    # nearest first, so that all switches above one have their roots already
    for switch in sorted(distance.keys() - tops, key=lambda i: (distance[i], switches[i].guid)):
        for upper in visited.intersection(graph[switch]):
            roots[switch] |= roots[upper]
        visited.add(switch)
    return roots


def find_credit_loop(view: FabricView) -> list[FabricSwitch]:
    """Return the roots on a loop of links that may deadlock, since the buffers of each link wait for the next; [] if
    there is no such loop.

    Links between roots go up from both ends, so that a packet may pass from one part of the fabric over a root of a
    second part to a third part, unless the first and the third are linked themselves.
    """
    import networkx as nx

    graph, tops = _build_switch_graph(view)
    # without the links between roots the fabric falls into parts; a part is named by its first switch
    root_links = list(graph.subgraph(tops).edges)
    graph.remove_edges_from(root_links)
    part_of = {switch: min(part) for part in nx.connected_components(graph) for switch in part}
    linked_parts: nx.Graph[int] = nx.Graph([(part_of[a], part_of[b]) for a, b in root_links])
    roots: nx.Graph[int] = nx.Graph(root_links)
    # from each direction of a link between roots to the directions whose buffers it waits for
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
    """Return (the graph of links between switches, the roots), switches given by their indices in the view; the roots
    are the switches without a tier above.
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_edges_from((link.a, link.b) for link in view.links if max(link.a, link.b) < len(view.switches))
    tops = {i for i, switch in enumerate(view.switches) if switch.top}
    graph.add_nodes_from(tops)
    return graph, tops


def count_unjoined_pairs(view: FabricView, *, by_port: bool = False) -> Unjoined:
    """Return the pairs of devices of one subnet that up/down routing does not join by any of their ports.

    With `by_port` they are pairs of ports of two devices. Ends that reach the same roots are judged together.
    """
    first_adapter, roots = len(view.switches), find_roots_above(view)
    switch_of = {link.a - first_adapter: view.switches[link.b] for link in view.links if link.a >= first_adapter}
    roots_of = dict(zip(view.switches, roots, strict=True))
    reached, adapter_of_end = defaultdict[object, set[Reach]](set), dict[object, int]()
    for i, adapter in enumerate(view.adapters):
        end: object = (adapter.name, adapter.port) if by_port else adapter.name
        reached[end].add((switch_of[i].subnet, roots_of[switch_of[i]]))
        adapter_of_end.setdefault(end, i)
    ends_by_reach = defaultdict[frozenset[Reach], list[int]](list)
    for end, reach in reached.items():
        ends_by_reach[frozenset(reach)].append(adapter_of_end[end])
    pairs, unjoined = 0, list[tuple[int, int]]()
    for (a_reach, a_ends), (b_reach, b_ends) in combinations(ends_by_reach.items(), 2):
        shared = [(a, b) for (subnet, a), (other_subnet, b) in product(a_reach, b_reach) if subnet == other_subnet]
        if shared and not any(a & b for a, b in shared):
            names = Counter(view.adapters[i].name for i in a_ends)
            pairs += sum(len(a_ends) - names[view.adapters[i].name] for i in b_ends)  # no device talks to itself
            apart = ((i, j) for i, j in product(a_ends, b_ends) if view.adapters[i].name != view.adapters[j].name)
            unjoined += islice(apart, 1)
    return Unjoined(pairs, tuple((view.adapters[i], switch_of[i].name) for i in min(unjoined, default=())))

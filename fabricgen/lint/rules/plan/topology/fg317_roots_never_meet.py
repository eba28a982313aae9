"""FG317: no path goes up and down between nodes of an InfiniBand fabric, or paths wait in a circle."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, islice, permutations, product
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.design.linked import group_infiniband_fabrics
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    import networkx as nx

    from fabricgen.cluster import Cluster
    from fabricgen.views.fabric import FabricAdapter, FabricSwitch, FabricView

Reach = tuple[int, int]
"""(subnet of a port, roots that it reaches by going up as the bits of a number)."""

HINT = "attach them to leaves or to one switch, or state `subnet_manager: opensm`"


class RootsNeverMeet(PlanRule):
    """Nodes of a fabric that UFM manages have no path to each other, since no switch is above both of theirs.

    UFM's adaptive routing goes up, then down (`ar_updn`): from one root to another, or from a spine to one that meets
    other cores, the way would be down and up again, which it never takes, since such ways may make credits wait in a
    circle. Everybody else reaches these nodes, and the subnet manager says SUBNET UP. Where two devices have several
    ports, those of one pair of ports may have no path, and others have one.

    Linked roots are one to it: it goes from site to site. Four sites or more in a ring are all joined so, and the
    buffers of the ring may all wait for each other, whereupon it stands still (W. J. Dally and C. L. Seitz, IEEE
    Transactions on Computers, May 1987). A chain, a star and sites that are all linked with each other have no such
    circle.

    Attach them to leaves, or all to one switch; open the ring; or let opensm manage the fabric, whose engine `nue`
    joins all pairs of any topology without circles. Where these nodes have nothing to say to each other, as UFM
    appliances that share their files over Ethernet, waive it.
    """

    severity = Severity.ERROR
    bad = """
        fabrics:
          compute:
            protocol: infiniband
            subnet_manager: ufm
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700, count: 4}}
            extra: {array: {device: storage-array, attach: storage, count: 2, to: spine}}  # <-
    """
    good = """
        fabrics:
          compute:
            protocol: infiniband
            subnet_manager: ufm
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700, count: 4}}
            extra: {array: {device: storage-array, attach: storage, count: 2, to: leaf}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag fabrics that UFM manages if up/down routing does not join all devices, or all ports, or may deadlock in
        a ring.
        """
        fabrics = cluster.design.loaded.blueprint.fabrics
        for fabric in cluster.whole_fabrics():
            if fabrics[fabric].subnet_manager == "ufm":
                view = cluster.whole_fabric(fabric)
                devices, ports = (count_unjoined_pairs(view, by_port=by_port) for by_port in (False, True))
                if ports.pairs:
                    yield self.flag(self._find_path(cluster, fabric), _describe_pairs(fabric, devices, ports), HINT)
                if circle := find_credit_loop(view):
                    names = " - ".join(switch.name for switch in (*circle, circle[0]))
                    message = f"paths of UFM's up/down routing in {fabric} may wait for each other in a circle, {names}"
                    hint = "open the ring, link its sites with each other, or state `subnet_manager: opensm`"
                    members = group_infiniband_fabrics(cluster.design)[fabric]
                    name = next((name for name in members if fabrics[name].spans), fabric)
                    yield self.flag(("fabrics", name, "spans"), message, hint)

    @staticmethod
    def _find_path(cluster: Cluster, fabric: str) -> Path:
        """Return the path of the first extra devices above the lowest tier, in a fabric or one that shares its
        switches; if there are none, the path of its subnet manager.
        """
        design = cluster.design
        for name in group_infiniband_fabrics(design)[fabric]:
            for extra in design.fabric(name).extras:
                if design.levels[extra.tier]:
                    return extra.path
        return ("fabrics", fabric, "subnet_manager")


def _describe_pairs(fabric: str, devices: Unjoined, ports: Unjoined) -> str:
    """Return the message on devices without a path, or on ports if all devices have one: the first pair, and how many
    others.
    """
    unjoined = devices if devices.pairs else ports
    (a, above_a), (b, above_b) = unjoined.first
    kind, exception = ("devices", "") if devices.pairs else ("ports", "; by other ports these devices have paths")
    others = f", nor between {unjoined.pairs - 1:,} other pairs of {kind}" if unjoined.pairs > 1 else ""
    return (
        f"UFM's up/down routing finds no path in {fabric} between {a.name} {a.port} on {above_a} and {b.name} {b.port} "
        f"on {above_b}{others}: no switch is above both{exception}"
    )


# Up/down routing of an InfiniBand fabric, whose paths go up and then down: which ports it joins, where it may deadlock.


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
        # linked roots are one root to UFM: they share the bit of the first of them
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
    """Return (the graph of links between switches, the roots), switches given by their indices in the view.

    The roots are the switches without a tier above, `tops`.
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
        # two ends meet if they reach a common root in a subnet that both are in
        if shared and not any(a & b for a, b in shared):
            names = Counter(view.adapters[i].name for i in a_ends)
            pairs += sum(len(a_ends) - names[view.adapters[i].name] for i in b_ends)  # no device talks to itself
            apart = ((i, j) for i, j in product(a_ends, b_ends) if view.adapters[i].name != view.adapters[j].name)
            unjoined += islice(apart, 1)
    return Unjoined(pairs, tuple((view.adapters[i], switch_of[i].name) for i in min(unjoined, default=())))

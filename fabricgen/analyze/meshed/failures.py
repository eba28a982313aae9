"""Losses in networks whose switches meet within a tier: what a lost switch or link cuts off or parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.meshed.graph import SwitchGraph, make_graph
from fabricgen.analyze.network import NONE, Network
from fabricgen.analyze.reckoned import Reckoning

FORMULA = (
    "cut_off: accelerators all of whose ports are on the lost switch, of the worst one; parts: into how many parts the "
    "switches that have accelerators fall, after the worst loss"
)


def figures(network: Network, _job: Job, _question: Question) -> dict[str, Any]:
    """Return what the loss of one switch, and of one link of each kind, does at worst: ranks cut off, and parts.

    The parts are those into which the switches with ranks fall.
    """
    graph = make_graph(network)
    wired: nx.MultiGraph[int] = nx.MultiGraph()
    wired.add_nodes_from(range(graph.size))
    wired.add_edges_from(zip(graph.a.tolist(), graph.b.tolist(), strict=True))
    simple = nx.Graph(wired)  # without parallel links
    rows = [
        {
            "lost": "switch",
            "number": graph.size,
            "cut_off": _count_cut_off(network),
            "parts": _count_parts(graph, simple, sorted(nx.articulation_points(simple))),
        }
    ]
    pieces = _count_pieces(graph, simple)
    bridges = {frozenset(edge) for edge in _list_bridges(simple) if wired.number_of_edges(*edge) == 1}
    for joint in graph.joints:
        ends = zip(graph.a[joint.rows].tolist(), graph.b[joint.rows].tolist(), strict=True)
        has_bridge = any(frozenset(pair) in bridges for pair in ends)
        rows.append(
            {"lost": f"link: {joint.name}", "number": len(joint.rows), "cut_off": 0, "parts": pieces + has_bridge}
        )
    return {"within_tier": True, "one_lost": rows, "formula": FORMULA}


def _list_bridges(joined: nx.Graph[Any]) -> list[tuple[int, int]]:
    """Return the sorted pairs of switches whose links alone join two parts of a network."""
    return sorted(nx.bridges(joined))


def _count_cut_off(network: Network) -> int:
    """Return how many ranks have all of their ports on one switch, at the switch with most such ranks."""
    leaf = network.leaf
    # the greatest device row among the leaves of each rank: its only leaf if all of its other ports have none
    last_leaf = leaf.max(axis=1, initial=NONE)
    has_one_leaf = ((leaf == last_leaf[:, None]) | (leaf == NONE)).all(axis=1) & (last_leaf != NONE)
    return int(np.bincount(last_leaf[has_one_leaf]).max(initial=0)) if has_one_leaf.any() else 0


def _count_parts(graph: SwitchGraph, joined: nx.Graph[int], critical: list[int]) -> int:
    """Return the most parts into which the switches with ranks fall after the loss of one of the `critical` switches.

    It is not less than their number of parts without a loss. `joined` has an edge for every two joined switches.
    """
    worst = _count_pieces(graph, joined)
    for switch in critical:
        remaining = joined.copy()
        remaining.remove_node(switch)
        worst = max(worst, _count_pieces(graph, remaining))
    return worst


def _count_pieces(graph: SwitchGraph, joined: nx.Graph[int]) -> int:
    """Return in how many pieces the switches with ranks are; 1 if no switch has any."""
    pieces = sum(bool(graph.port_gbps[sorted(switches)].any()) for switches in nx.connected_components(joined))
    return max(1, pieces)


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the table of what one lost switch or link does; `results` is what this section measured."""
    yield f"{'one lost':<36}{'number':>10}{'cut off':>9}{'parts':>7}"
    for row in results["one_lost"]:
        yield f"  {row['lost']:<34}{row['number']:>10,}{row['cut_off']:>9,}{row['parts']:>7}"


def reckoning(results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """Yield how losses were judged."""
    yield "formula", tuple(results["formula"].split("; "))

"""Losses in networks whose switches meet within a tier: whom a lost switch or link cuts off or parts."""

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
    """What one lost switch, and one lost link of each kind, does at worst."""
    graph = make_graph(network)
    joined: nx.MultiGraph[int] = nx.MultiGraph()
    joined.add_nodes_from(range(graph.size))
    joined.add_edges_from(zip(graph.a.tolist(), graph.b.tolist(), strict=True))
    simple = nx.Graph(joined)
    rows = [
        {
            "lost": "switch",
            "number": graph.size,
            "cut_off": _count_cut_off(network),
            "parts": _count_parts(graph, simple, sorted(nx.articulation_points(simple))),
        }
    ]
    bridges = {frozenset(edge) for edge in _list_bridges(simple) if joined.number_of_edges(*edge) == 1}
    for joint in graph.joints:
        ends = zip(graph.a[joint.rows].tolist(), graph.b[joint.rows].tolist(), strict=True)
        parted = any(frozenset(pair) in bridges for pair in ends)
        rows.append(
            {"lost": f"link: {joint.name}", "number": len(joint.rows), "cut_off": 0, "parts": 2 if parted else 1}
        )
    return {"within_tier": True, "one_lost": rows, "formula": FORMULA}


def _list_bridges(joined: nx.Graph[Any]) -> list[tuple[int, int]]:
    """Pairs of switches whose links alone join two parts."""
    return sorted(nx.bridges(joined))


def _count_cut_off(network: Network) -> int:
    """The most accelerators that have no port but on one switch."""
    leaf = network.leaf
    first = leaf.max(axis=1, initial=NONE)
    alone = ((leaf == first[:, None]) | (leaf == NONE)).all(axis=1) & (first != NONE)
    return int(np.bincount(first[alone]).max(initial=0)) if alone.any() else 0


def _count_parts(graph: SwitchGraph, joined: nx.Graph[int], critical: list[int]) -> int:
    """Into how many parts switches with ranks fall at worst where one of some is lost; 1 where none matters."""
    worst = 1
    for switch in critical:
        rest = joined.copy()
        rest.remove_node(switch)
        parts = [part for part in nx.connected_components(rest) if graph.port_gbps[sorted(part)].any()]
        worst = max(worst, len(parts))
    return worst


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """The losses as a table."""
    yield f"{'one lost':<36}{'number':>10}{'cut off':>9}{'parts':>7}"
    for row in results["one_lost"]:
        yield f"  {row['lost']:<34}{row['number']:>10,}{row['cut_off']:>9,}{row['parts']:>7}"


def reckoning(results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """How losses were judged."""
    yield "formula", tuple(results["formula"].split("; "))

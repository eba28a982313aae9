"""Load of networks whose switches meet within a tier, where all traffic takes shortest paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.meshed.graph import SwitchGraph, find_narrowest, make_graph
from fabricgen.analyze.network import Network
from fabricgen.analyze.reckoned import Reckoning
from fabricgen.design.capacity.bisection import list_top_tiers
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.inside.links import Mesh
from fabricgen.design.inside.meshes import count_mesh_sets

OVER = {True: "over all shortest paths equally", False: "at each switch over its next hops equally"}
FORMULA = (
    "all_to_all: every rank sends as much to every other, {over}; rate: of a rank's ports, "
    "what the fullest link allows; neighbours: every switch, or with links between groups every group, sends all to "
    "the next along one dimension: direct links over the ports of its ranks"
)


def figures(network: Network, _job: Job, _question: Question) -> dict[str, Any]:
    """Return the rates that ranks get over shortest paths in an all-to-all, and to neighbours along each dimension.

    A rate is a fraction of that of a rank's ports.
    """
    graph = make_graph(network)
    total_gbps = graph.port_gbps.sum()
    load = graph.load_links(graph.port_gbps / total_gbps) if total_gbps else np.zeros(len(graph.a))
    rate, fullest = find_narrowest(graph, load)
    return {
        "within_tier": True,
        "all_to_all": {
            "rate": round(rate, 4),
            "fullest": [{"joined_by": name, "share_of_link": round(share, 4)} for name, share in fullest],
        },
        "neighbours": [
            {"along": mesh.dimension, "rate": round(_find_neighbour_rate(graph, tier, mesh), 4)}
            for tier in list_top_tiers(network.cluster.design, network.fabric)
            for mesh in tier.meshes
            if not mesh.pairs  # a table does not say that a switch meets the next
        ],
        "counted_from": {"switches": len(graph.sources), "all": graph.counts_all},
        "formula": FORMULA.format(over=OVER[graph.weighted]),
    }


def _find_neighbour_rate(graph: SwitchGraph, tier: TierDesign, mesh: Mesh) -> float:
    """Return the fraction of its rate that a rank gets if all ranks of a set send to the next set along a mesh.

    A set is a switch, or a group of switches if the mesh joins groups. The fraction is 1 if no rank has a port.
    """
    gbps_of_set = float(graph.port_gbps.sum()) / count_mesh_sets(tier, mesh)
    return min(1.0, mesh.links * mesh.run.speed_gbps / gbps_of_set) if gbps_of_set else 1.0


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rates as the lines of a table, with the kind of link that holds an all-to-all back."""
    yield "share of its rate that a rank gets over shortest paths alone"
    fullest = max(results["all_to_all"]["fullest"], key=lambda row: row["share_of_link"], default=None)
    bottleneck = f", held back by links {fullest['joined_by']}" if fullest and fullest["share_of_link"] > 1 else ""
    yield f"  {'all to all':<34}{results['all_to_all']['rate']:>8.1%}{bottleneck}"
    for row in results["neighbours"]:
        pattern = f"all to the next along {row['along']}"
        yield f"  {pattern:<34}{row['rate']:>8.1%}"


def reckoning(results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """Yield how rates were computed."""
    yield "formula", tuple(results["formula"].split("; "))

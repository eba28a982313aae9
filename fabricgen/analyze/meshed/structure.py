"""Structure of networks whose switches meet within a tier: degrees, distances, paths, latency and bisection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from fabricgen.analyze.asked import Job, Question
from fabricgen.analyze.latency import list_switch_sources, switch_ns
from fabricgen.analyze.meshed.graph import SwitchGraph, make_graph
from fabricgen.analyze.network import Network, find_median
from fabricgen.analyze.reckoned import Reckoning, cite_sources
from fabricgen.design.capacity.bisection import compute_bisection

FORMULA = (
    "distance: links between switches on a shortest path; paths: how many shortest ones two switches have, parallel "
    "links counted apart; latency_us: (distance + 1) x the latency of a switch + cable_m x fibre_ns_per_m, one way, "
    "without NICs and queues; bisection_gbps: the least that crosses the middle of a dimension, an upper bound of the "
    "worst cut into halves; bisection_gbps_per_rank: twice that over the ranks"
)


def figures(network: Network, _job: Job, question: Question) -> dict[str, Any]:
    """Return the structure of a network: its switches, their links by kind, and classes of pairs of ranks by distance.

    `mean_distance` is the mean over the pairs that have a path; a row of `pairs` has the share of the pairs that have
    none.
    """
    graph, ranks = make_graph(network), len(network.ranks)
    degrees = graph.degrees.tolist()
    bisection = float(compute_bisection(network.cluster.design, network.fabric))
    latency = question.constants.latency
    pairs = list(_list_pairs(network, graph, question))
    # rows of a scale-up domain have no distance, and that of the row of pairs without a path is None
    distances = [(row["distance"], row["share"]) for row in pairs if row.get("distance") is not None]
    share_with_path = sum(share for _, share in distances)
    return {
        "within_tier": True,
        "ranks": ranks,
        "what": network.what,
        "gbps_per_rank": network.rank_gbps,
        "scale_up_gbps_per_rank": find_median(network.ranks.domain_gbps) if ranks else 0.0,
        "bisection_gbps": bisection,
        "bisection_gbps_per_rank": 2 * bisection / ranks if ranks else 0.0,
        "switches": graph.size,
        "links": [
            {"joined_by": joint.name, "links": len(joint.rows), "gbps": float(graph.gbps[joint.rows].sum())}
            for joint in graph.joints
        ],
        "degree": {"least": min(degrees, default=0), "most": max(degrees, default=0)},
        "diameter": max((distance for distance, _ in distances), default=0),
        "mean_distance": (
            round(sum(distance * share for distance, share in distances) / share_with_path, 4) if distances else 0.0
        ),
        "counted_from": {"switches": len(graph.sources), "all": graph.counts_all},
        "pairs": pairs,
        "formula": FORMULA,
        "constants": {
            "fibre_ns_per_m": latency.medium.fibre_ns_per_m,
            "switch_ns": round(switch_ns(network, 0, question.constants), 3),
        },
        "source": {
            "fibre_ns_per_m": latency.medium.source,
            "switch_ns": list_switch_sources(network, question.constants),
        },
    }


def _list_pairs(network: Network, graph: SwitchGraph, question: Question) -> Iterator[dict[str, Any]]:
    """Yield a row for each class of pairs of ranks, with its share of all pairs, as the JSON of an analysis has it.

    The first row is of pairs in one scale-up domain, if there are any. The next ones are of the other pairs by the
    distance of their switches in links, ascending. The last is of pairs without a path, whose distance is None.
    """
    ranks = network.ranks
    rank_count = len(ranks)
    if rank_count < 2:
        return
    # ordered pairs within domains, less each rank with itself, over all ordered pairs
    share_in_domains = (int((np.bincount(ranks.domain) ** 2).sum()) - rank_count) / (rank_count * (rank_count - 1))
    if share_in_domains:
        yield {"place": "domain", "share": share_in_domains, "gbps": find_median(ranks.domain_gbps)}
    # by distance in links, -1 without a path: pairs of ranks, and the fewest and most shortest paths of two switches
    pairs_by_distance: dict[int, float] = {}
    fewest_paths: dict[int, float] = {}
    most_paths: dict[int, float] = {}
    for sources, counts in graph.list_path_counts():
        rank_pairs = graph.ranks[sources][:, None] * graph.ranks[None, :]
        for distance in np.unique(counts.distance[rank_pairs > 0]).tolist():
            is_so_far = (counts.distance == distance) & (rank_pairs > 0)
            pairs_by_distance[distance] = pairs_by_distance.get(distance, 0.0) + float(rank_pairs[is_so_far].sum())
            fewest_paths[distance] = min(fewest_paths.get(distance, np.inf), float(counts.paths[is_so_far].min()))
            most_paths[distance] = max(most_paths.get(distance, 0.0), float(counts.paths[is_so_far].max()))
    total = sum(pairs_by_distance.values())
    hop_m = float(graph.length_m.mean()) if len(graph.length_m) else 0.0
    # -1, no path, comes last
    for distance in sorted(pairs_by_distance, key=lambda links: (links < 0, links)):
        share = pairs_by_distance[distance] / total * (1 - share_in_domains)
        if distance < 0:
            yield {"distance": None, "share": share}
            continue
        cable = 2 * network.node_m + distance * hop_m
        nanoseconds = (distance + 1) * switch_ns(network, 0, question.constants)
        yield {
            "distance": distance,
            "share": share,
            "switches": distance + 1,
            "paths": int(fewest_paths[distance]),
            "most_paths": int(most_paths[distance]),
            "cable_m": round(cable, 2),
            "latency_us": round((nanoseconds + cable * question.constants.latency.medium.fibre_ns_per_m) / 1000, 3),
        }


def lines(results: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the structure: bisection, switches, links by kind, and a table of pairs by distance."""
    yield (
        f"{results['ranks']:,} {results['what']}, {results['gbps_per_rank']:,g} Gb/s each; bisection "
        f"{results['bisection_gbps_per_rank']:,.4g} Gb/s each"
    )
    degree = results["degree"]
    has_pairs_without_path = any("distance" in row and row["distance"] is None for row in results["pairs"])
    links = f"{degree['least']}" if degree["least"] == degree["most"] else f"{degree['least']} to {degree['most']}"
    yield (
        f"  {results['switches']:,} switches of {links} links to others; at most {results['diameter']} links apart, "
        f"{results['mean_distance']:.3g} on average" + (" of those joined" if has_pairs_without_path else "")
    )
    for joint in results["links"]:
        yield f"  {joint['joined_by']:<34}{joint['links']:>10,} links"
    yield ""
    yield f"  {'pairs':<34}{'share':>8}{'switches':>10}{'paths':>12}{'cable m':>9}{'us':>8}"
    for row in results["pairs"]:
        if "place" in row:
            yield f"  {'same scale-up domain':<34}{row['share']:>8.2%}"
        elif row["distance"] is None:
            yield f"  {'joined by nothing':<34}{row['share']:>8.2%}"
        else:
            words = (
                "on one switch"
                if not row["distance"]
                else f"{row['distance']} link{'s' * (row['distance'] != 1)} apart"
            )
            paths = f"{row['paths']:,}" + (f" to {row['most_paths']:,}" if row["most_paths"] != row["paths"] else "")
            yield (
                f"  {words:<34}{row['share']:>8.2%}{row['switches']:>10}{paths:>12}{row['cable_m']:>9.1f}"
                f"{row['latency_us']:>8.2f}"
            )
    if not results["counted_from"]["all"]:
        yield f"  counted from {results['counted_from']['switches']} switches, evenly spaced"


def reckoning(results: Mapping[str, Any]) -> Iterator[Reckoning]:
    """Yield how distances, latency and bisection were computed, with the constants and their sources."""
    constants, source = results["constants"], results["source"]
    yield "formula", tuple(results["formula"].split("; "))
    yield (
        "constants",
        (f"switches: {constants['switch_ns']:,.4g} ns; cable: {constants['fibre_ns_per_m']:g} ns/m",),
    )
    yield "source", cite_sources({**source["switch_ns"], "cable": source["fibre_ns_per_m"]})

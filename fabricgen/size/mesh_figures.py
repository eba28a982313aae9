"""Figures of candidates whose switches meet within their tier: links, hops, what one lost link leaves, and routing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.inside.links import Mesh
from fabricgen.design.inside.meshes import count_mesh_links
from fabricgen.design.model import Design

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.arrays import Floats

BY_OPENSM = "opensm routes it by nue, which joins all pairs of any shape without loops of credits; UFM's up/down cannot"
BY_BGP = (
    "BGP takes shortest paths alone (FG322); sending by a third switch or group (Valiant, adaptive) and keeping such "
    "ways free of deadlock is the device's"
)


def list_mesh_links(fabric: FabricDesign) -> Iterator[tuple[TierDesign, Mesh, int]]:
    """Yield (tier, mesh, links) for each mesh of a fabric that joins two switches or more."""
    for tier in fabric.tiers:
        for mesh in tier.meshes:
            if links := count_mesh_links(tier, mesh):
                yield tier, mesh, links


def count_least_hops(fabric: FabricDesign) -> int:
    """Return a lower bound of the switches on the longest shortest path: a link along each dimension of the meshes.

    In a dragonfly with fewer links between two groups than switches in a group, most wirings have one switch more,
    which `measure_hops` counts.
    """
    return 1 + sum(1 for _ in list_mesh_links(fabric))


def measure_hops(cluster: Cluster) -> int:
    """Return the switches on the longest of the shortest paths between switches with nodes, on the wired graph.

    Paths are searched from 256 switches at most.
    """
    from fabricgen.analyze.meshed.graph import make_graph
    from fabricgen.analyze.network import list_networks

    network = next(iter(list_networks(cluster, meshed=True)))
    return 1 + make_graph(network).measure_diameter()


def measure_longest_m(cluster: Cluster) -> Floats:
    """Return the length of the longest cable of each link segment of the plan, m, float64; 0 for one without cables."""
    import numpy as np

    links, cables = cluster.plan.links, cluster.plan.cables
    longest = np.zeros(len(links.segments))
    np.maximum.at(longest, links.segment[cables.end_link[cables.find_first_rows()]], cables.length_m)
    return longest


def sum_longest_path_m(cluster: Cluster, hops: int) -> float:
    """Return the length of a path of `hops` switches with the longest cables, m.

    It has the cables of both nodes, one cable along each dimension, and further cables within the group of either end.
    """
    longest = list(zip(measure_longest_m(cluster).tolist(), cluster.plan.links.segments, strict=True))
    node_m = max((length_m for length_m, segment in longest if segment.lower == "node"), default=0.0)
    along_m = [length_m for length_m, segment in longest if segment.mesh and length_m]
    # the first dimension is that within groups: meshes of units come last
    further_m = max(0, hops - 1 - len(along_m)) * (along_m[0] if along_m else 0.0)
    return float(2 * node_m + sum(along_m) + further_m)


def find_mesh_link_losses(fabric: FabricDesign, whole: float) -> dict[str, float]:
    """Return, by lower end (`node` or a mesh's dimension), the fraction of the bisection that one lost link leaves.

    `whole` is the bisection, Gb/s. The fraction is a lower bound: each link counts as if it crossed the narrowest cut,
    and as if all of its bandwidth were missed there.
    """
    (leaf, *_) = fabric.tiers
    losses = {"node": leaf.downs[0].speed_gbps}
    losses |= {mesh.dimension: mesh.run.speed_gbps for _, mesh, _ in list_mesh_links(fabric)}
    return {name: round(max(0.0, 1 - gbps / whole), 6) if whole else 0.0 for name, gbps in losses.items()}


def describe_routing(design: Design) -> tuple[str, ...]:
    """Return how a fabric is routed whose switches meet within a tier, a text for each line; empty for any other.

    Further lines tell what shortest paths leave idle (FG322), and where a dragonfly is narrower than balanced (FG325).
    """
    fabric = design.fabrics[0]
    if not any(tier.meshes for tier in fabric.tiers):
        return ()
    from fabricgen.lint.rules.design.topology.fg322_shortest_paths_alone import ShortestPathsAlone
    from fabricgen.lint.rules.design.topology.fg325_unbalanced_dragonfly import UnbalancedDragonfly

    engine = BY_OPENSM if fabric.protocol == "infiniband" else BY_BGP
    findings = (*ShortestPathsAlone().check(design), *UnbalancedDragonfly().check(design))
    return (engine, *(finding.message for finding in findings))

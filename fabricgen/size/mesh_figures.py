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

BY_OPENSM = "opensm routes it by nue, which joins all pairs of any shape without loops of credits; UFM's up/down cannot"
BY_BGP = (
    "BGP takes shortest paths alone (FG322); sending by a third switch or group (Valiant, adaptive) and keeping such "
    "ways free of deadlock is the device's"
)


def list_mesh_links(fabric: FabricDesign) -> Iterator[tuple[TierDesign, Mesh, int]]:
    """(tier, mesh, links) of each mesh of a fabric that joins two switches or more."""
    for tier in fabric.tiers:
        for mesh in tier.meshes:
            if links := count_mesh_links(tier, mesh):
                yield tier, mesh, links


def count_least_hops(fabric: FabricDesign) -> int:
    """The fewest switches that the longest shortest path may have: a link along each dimension where switches meet.

    Of a dragonfly with fewer links between two groups than switches it is one more on most wirings, which is counted
    where it is wired.
    """
    return 1 + sum(1 for _ in list_mesh_links(fabric))


def measure_hops(cluster: Cluster) -> int:
    """Switches on the longest of all shortest paths between switches with nodes, counted on the wired graph from 256
    switches at most.
    """
    from fabricgen.analyze.meshed.graph import make_graph
    from fabricgen.analyze.network import list_networks

    network = next(iter(list_networks(cluster, meshed=True)))
    return 1 + make_graph(network).measure_diameter()


def sum_longest_path_m(cluster: Cluster, hops: int) -> float:
    """The longest cables on a path of so many switches, m: of both nodes, one along each dimension, and further ones
    within the group of either end.
    """
    import numpy as np

    links, cables = cluster.plan.links, cluster.plan.cables
    longest = np.zeros(len(links.segments))
    np.maximum.at(longest, links.segment[cables.end_link[cables.find_first_rows()]], cables.length_m)
    nodes = max((m for m, s in zip(longest.tolist(), links.segments, strict=True) if s.lower == "node"), default=0.0)
    along = [m for m, s in zip(longest.tolist(), links.segments, strict=True) if s.mesh and m]
    # the first dimension is that within groups: meshes of units come last
    further = max(0, hops - 1 - len(along)) * (along[0] if along else 0.0)
    return float(2 * nodes + sum(along) + further)


def find_mesh_link_losses(fabric: FabricDesign, whole: float) -> dict[str, float]:
    """By lower end, `node` or the dimension of a mesh: what one lost link leaves of a bisection of `whole` Gb/s, of 1.

    As if each crossed what is narrowest, and were missed there in full: never too high.
    """
    (leaf, *_) = fabric.tiers
    losses = {"node": leaf.downs[0].speed_gbps}
    losses |= {mesh.dimension: mesh.run.speed_gbps for _, mesh, _ in list_mesh_links(fabric)}
    return {name: round(max(0.0, 1 - gbps / whole), 6) if whole else 0.0 for name, gbps in losses.items()}


def describe_routing(design: Design) -> tuple[str, ...]:
    """What routes a fabric whose switches meet within a tier, what shortest paths leave idle (FG322), and where a
    dragonfly is narrower than balanced (FG325), a line each; empty for one of tiers.
    """
    fabric = design.fabrics[0]
    if not any(tier.meshes for tier in fabric.tiers):
        return ()
    from fabricgen.lint.rules.design.topology.fg322_shortest_paths_alone import ShortestPathsAlone
    from fabricgen.lint.rules.design.topology.fg325_unbalanced_dragonfly import UnbalancedDragonfly

    engine = BY_OPENSM if fabric.protocol == "infiniband" else BY_BGP
    findings = (*ShortestPathsAlone().check(design), *UnbalancedDragonfly().check(design))
    return (engine, *(finding.message for finding in findings))

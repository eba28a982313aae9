"""FG322: shortest paths alone leave most of a mesh idle."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fabricgen.design.capacity.bisection import list_top_tiers, sum_node_bandwidth
from fabricgen.design.inside.meshes import count_mesh_sets
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule

ENOUGH = Fraction(1, 2)
"""The share of the rate of its nodes that direct links to a neighbour should carry."""


class ShortestPathsAlone(DesignRule):
    """Switches meet within a tier, BGP takes shortest paths alone, and those between neighbours are few.

    All nodes of a group of a dragonfly, or of a switch of a HyperX, that send to the next one share the direct links to
    it, while most others are idle. Machines of such fabrics send part of the traffic by a third group, at random
    (Valiant) or by load, and tell the two halves of such a way apart by virtual channels, lest packets wait for each
    other in a circle (Kim et al., Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA 2008). No configuration
    that is written here does that: it is the device's, where it can.

    Place jobs within groups or over all of them evenly, add links between neighbours, or take a NIC or switch that
    chooses ways by itself. `analyze --section load_balance` has the figures of every dimension.
    """

    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su},
          spine: {switch: sn5600, per: su, count: 4, mesh: {su: 1}}}}}  # <-
    """
    good = """
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su},
          spine: {switch: sn5600, per: su, count: 4, mesh: {su: 20}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the direct links between neighbours along each dimension with the ports of the nodes behind them."""
        for fabric in design.fabrics:
            nodes_gbps = sum_node_bandwidth(design, fabric)
            if not nodes_gbps or fabric.protocol == "infiniband":
                continue
            for tier in list_top_tiers(design, fabric):
                for mesh in tier.meshes:
                    # links to the next neighbour in all sets of switches that meet, over the rate of all nodes: each
                    # set has the same part of both
                    share = Fraction(mesh.links * mesh.run.speed_gbps * count_mesh_sets(tier, mesh), nodes_gbps)
                    # where a table states which switches meet, a switch need not meet the next one
                    if share < ENOUGH and not mesh.pairs:
                        yield self.flag(
                            mesh.path,
                            f"all {fabric.name} nodes that send to the next {mesh.dimension} get "
                            f"{float(share):.1%} of their rate: shortest paths have {mesh.links} x "
                            f"{mesh.run.speed_gbps}G each",
                            "add `links`, place jobs so that few do, or let NICs or switches choose other ways",
                        )

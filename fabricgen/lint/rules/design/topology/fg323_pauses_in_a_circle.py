"""FG323: pauses of a lossless network may wait for each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.inside.meshes import has_indirect_paths
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import list_lossless_fabrics


class PausesInACircle(DesignRule):
    """RoCE is paused by PFC in a network whose switches meet within a tier along several dimensions, or in a ring.

    A packet then holds the buffer of one link while it waits for the next one of the same tier, and ways that do so in
    a circle wait for ever (Dally and Seitz, Deadlock-Free Message Routing, IEEE Transactions on Computers 36, 1987; Hu
    et al., Deadlocks in Datacenter Networks, HotNets 2016, of PFC). In a tree, and where all switches of a tier meet
    along one dimension, no way has two such links.

    Let RoCE be lossy, `qos: {profile: roce-lossy}`, with NICs that retransmit, or keep to one dimension.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su},
          spine: {switch: sn5600, per: su, count: 4, mesh: {su: 8, spine: 8}}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su},
          spine: {switch: sn5600, per: su, count: 4, mesh: {su: 8}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers of lossless fabrics within which shortest paths have several links."""
        for fabric, _ in list_lossless_fabrics(design):
            for tier in fabric.tiers:
                if has_indirect_paths(tier):
                    names = " and ".join(sorted(mesh.dimension for mesh in tier.meshes))
                    yield self.flag(
                        (*tier.path, "mesh"),
                        f"{fabric.name} pauses RoCE, and shortest ways along {names} have several links between "
                        f"{tier.name} switches: pauses may wait for each other in a circle",
                        "take `qos: {profile: roce-lossy}`, or let switches meet along one dimension",
                    )

"""FG409: each of a few planes has a single switch above its leaves."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.capacity.fg203_uneven_uplinks import suggest_counts
from fabricgen.lint.rules.design.topology.fg303_few_spines import FEWEST


class SingleSpineAPlane(DesignRule):
    """A fabric of two or three planes has one spine in each: its loss takes a whole plane away.

    The other planes keep the nodes connected, which is what planes are for, but a failure or an upgrade of any spine
    then costs every node a half or a third of its bandwidth, and a second one all of it. From four planes on, a
    single spine costs no more than one of four spines, which FG303 asks for where there are no planes.

    Set `count` to at least 2 on the tier above, or use more planes.
    """

    severity = Severity.WARNING
    bad = """
        scalable_unit: {nodes: 4 x dgx-b300}
        fabrics: {compute: {planes: 2, tiers: {
          leaf: {switch: sn5600, per: [su, rail, plane]},
          spine: {switch: sn5600, per: plane, count: 1}}}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b300}
        fabrics: {compute: {planes: 2, tiers: {
          leaf: {switch: sn5600, per: [su, rail, plane]},
          spine: {switch: sn5600, per: plane, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers whose uplinks meet at one switch in each plane, in fabrics of fewer planes than `FEWEST`."""
        for fabric in design.fabrics:
            for tier in fabric.tiers if 1 < fabric.planes < FEWEST else ():
                uplink = tier.uplink
                if uplink is None or uplink.upper_count * uplink.upper_groups > 1 or uplink.lowers_per_group == 1:
                    continue
                upper = design.tier(uplink.upper)
                if "plane" not in upper.per or (tier.name in upper.per and tier.count > 1):
                    continue
                yield self.flag(
                    (*upper.path, "count"),
                    f"{uplink.lowers_per_group} {fabric.name} {tier.name} switches of each plane depend on a single "
                    f"{upper.name}; its loss takes 1/{fabric.planes} of the bandwidth of every node",
                    suggest_counts(design, upper, uplink.links_per_group),
                )

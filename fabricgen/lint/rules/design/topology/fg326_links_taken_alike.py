"""FG326: switches with unequal links to a group take as many flows to it."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.linked import weighs_paths
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.underlay import runs_bgp


class LinksTakenAlike(DesignRule):
    """Some switches of a group have one link more than others to another group, and flows are dealt to them alike.

    Equal-cost routing sends as many flows over each next hop, whatever is behind it: the links of a switch with fewer
    of them are full while those of others are not. The link bandwidth community (RFC 10005) tells how many links lead
    on, and next hops then get as many flows as paths lead on from them.

    State `routing: {weights: link-bandwidth}`, where the NOS claims it, or links that the switches of a group divide.
    """

    counts_ports = False
    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su},
          spine: {switch: sn5600, per: su, count: 4, mesh: {su: {links: 6, spread: true}}}}}}  # <-
    """
    good = """
        fabrics: {compute: {routing: {weights: link-bandwidth}, tiers: {
          leaf: {switch: sn5600, per: su},
          spine: {switch: sn5600, per: su, count: 4, mesh: {su: {links: 6, spread: true}}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag meshes in which the links between two groups do not divide by the switches of one, if BGP weighs no
        paths.
        """
        for fabric in design.fabrics:
            weighed = weighs_paths(design.loaded.blueprint, fabric.name)
            for tier in fabric.tiers if runs_bgp(design, fabric) and not weighed else ():
                for mesh in tier.meshes:
                    fewest, fuller_switches = divmod(mesh.links, tier.count)
                    if mesh.spread and fewest and fuller_switches:
                        yield self.flag(
                            mesh.path,
                            f"{fuller_switches} of {tier.count} {fabric.name} {tier.name} switches have {fewest + 1} "
                            f"links to another {mesh.dimension} and the others {fewest}: each takes as many flows "
                            "to it",
                            "state `routing: {weights: link-bandwidth}`, or links that divide",
                        )

"""FG324: links between groups do not divide equally over their switches."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.inside.meshes import list_sizes
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class UnevenGlobalLinks(DesignRule):
    """The links of a group to all others, dealt over its switches in turn, leave some with one link more.

    A balanced dragonfly of a switches a group with h links each to other groups has a h + 1 groups (Kim et al., ISCA
    2008); with fewer some ports stay free, as in most that are built, and the switches with fewer links carry less.

    Take a number of groups or of links that divides, or leave it so: ports that are free serve further groups.
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
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su},
          spine: {switch: sn5600, per: su, count: 4, mesh: {su: {links: 8, spread: true}}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag meshes in which the links of a group to the other groups do not divide by the switches of the group."""
        for tier in design.tiers:
            for mesh in tier.meshes:
                for number in sorted({size.numbers for size in list_sizes(tier, mesh)}) if mesh.spread else ():
                    links = (number - 1) * mesh.links
                    if links % tier.count:
                        fuller_switches = links % tier.count
                        yield self.flag(
                            mesh.path,
                            f"{links} links of each {mesh.dimension} to the {number - 1} other{'s' * (number > 2)} "
                            f"are dealt over {tier.count} {tier.name} switches: {fuller_switches} of them have "
                            f"{links // tier.count + 1}, the others {links // tier.count}",
                            f"a number of links or groups that {tier.count} divides spreads them equally",
                        )

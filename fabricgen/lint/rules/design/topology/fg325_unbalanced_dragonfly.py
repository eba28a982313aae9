"""FG325: a dragonfly is stated otherwise than balanced."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.inside.derived import count_node_ports
from fabricgen.design.inside.meshes import list_sizes
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class UnbalancedDragonfly(DesignRule):
    """A switch of a dragonfly has fewer local or global links than its node ports ask for.

    A packet takes two local links and a global one at most, so that with p node ports a switch 2p local links and h = p
    global ones are enough for any even load: a = 2p = 2h switches a group, and a h + 1 groups (Kim et al.,
    Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA 2008). What has fewer is narrower than its nodes between
    groups, or within them; most that are built are so on purpose.

    Leave the links of groups out, and `count`, and both are derived. Or leave it so, where jobs stay within groups.
    """

    counts_ports = False
    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {compute: {tiers: {
          leaf: {per: su, count: 8, mesh: {leaf: 1, su: {links: 8, spread: true}}},  # <-
          spine: null}}}
    """
    good = """
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {compute: {tiers: {
          leaf: {per: su, mesh: {leaf: 2, su: {spread: true}}},
          spine: null}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the local and global links of a switch with its node ports in tiers whose groups are full meshes."""
        for tier in design.tiers:
            ports = count_node_ports(design, tier)
            local = sum(mesh.run.count for mesh in tier.meshes if mesh.dimension == tier.name and not mesh.reach)
            for mesh in tier.meshes if ports and local else ():
                groups = max(size.numbers for size in list_sizes(tier, mesh))
                # global links are few if one more between every two groups would take no more ports than nodes do
                has_few = ports * tier.count - (groups - 1) * mesh.links >= groups - 1 > 0
                if mesh.spread and (has_few or local < 2 * ports - 1):
                    yield self.flag(
                        mesh.path,
                        f"{tier.name} switches have {ports} node ports, {local} local and up to {mesh.run.count} "
                        f"global links each; a balanced dragonfly has {2 * ports - 1} local and {ports} global ones",
                        "leave `links` and `count` out to derive them, or let jobs stay within groups",
                    )

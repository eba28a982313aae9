"""FG317: no path goes up and down between nodes of an InfiniBand fabric, or paths wait in a circle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.linked import group_infiniband_fabrics
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.up_down import Unjoined, count_unjoined_pairs, find_credit_loop

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

HINT = "attach them to leaves or to one switch, or state `subnet_manager: opensm`"


class RootsNeverMeet(PlanRule):
    """Nodes of a fabric that UFM manages have no path to each other, since no switch is above both of theirs.

    UFM's adaptive routing goes up, then down (`ar_updn`): from one root to another, or from a spine to one that meets
    other cores, the way would be down and up again, which it never takes, since such ways may make credits wait in a
    circle. Everybody else reaches these nodes, and the subnet manager says SUBNET UP. Where two devices have several
    ports, those of one pair of ports may have no path, and others have one.

    Linked roots are one to it: it goes from site to site. Four sites or more in a ring are all joined so, and the
    buffers of the ring may all wait for each other, whereupon it stands still (W. J. Dally and C. L. Seitz, IEEE
    Transactions on Computers, May 1987). A chain, a star and sites that are all linked with each other have no such
    circle.

    Attach them to leaves, or all to one switch; open the ring; or let opensm manage the fabric, whose engine `nue`
    joins all pairs of any topology without circles. Where these nodes have nothing to say to each other, as UFM
    appliances that share their files over Ethernet, waive it.
    """

    severity = Severity.ERROR
    bad = """
        fabrics:
          compute:
            protocol: infiniband
            subnet_manager: ufm
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700, count: 4}}
            extra: {array: {device: storage-array, attach: storage, count: 2, to: spine}}  # <-
    """
    good = """
        fabrics:
          compute:
            protocol: infiniband
            subnet_manager: ufm
            tiers: {leaf: {switch: qm9700}, spine: {switch: qm9700, count: 4}}
            extra: {array: {device: storage-array, attach: storage, count: 2, to: leaf}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag fabrics that UFM manages if up/down routing does not join all devices, or all ports, or may deadlock in
        a ring.
        """
        fabrics = cluster.design.loaded.blueprint.fabrics
        for fabric in cluster.whole_fabrics():
            if fabrics[fabric].subnet_manager == "ufm":
                view = cluster.whole_fabric(fabric)
                devices, ports = (count_unjoined_pairs(view, by_port=by_port) for by_port in (False, True))
                if ports.pairs:
                    yield self.flag(self._find_path(cluster, fabric), _describe_pairs(fabric, devices, ports), HINT)
                if circle := find_credit_loop(view):
                    names = " - ".join(switch.name for switch in (*circle, circle[0]))
                    message = f"paths of UFM's up/down routing in {fabric} may wait for each other in a circle, {names}"
                    hint = "open the ring, link its sites with each other, or state `subnet_manager: opensm`"
                    members = group_infiniband_fabrics(cluster.design)[fabric]
                    name = next((name for name in members if fabrics[name].spans), fabric)
                    yield self.flag(("fabrics", name, "spans"), message, hint)

    @staticmethod
    def _find_path(cluster: Cluster, fabric: str) -> Path:
        """Return the path of the first extra devices above the lowest tier, in a fabric or one that shares its
        switches; if there are none, the path of its subnet manager.
        """
        design = cluster.design
        for name in group_infiniband_fabrics(design)[fabric]:
            for extra in design.fabric(name).extras:
                if design.levels[extra.tier]:
                    return extra.path
        return ("fabrics", fabric, "subnet_manager")


def _describe_pairs(fabric: str, devices: Unjoined, ports: Unjoined) -> str:
    """Return the message on devices without a path, or on ports if all devices have one: the first pair, and how many
    others.
    """
    unjoined = devices if devices.pairs else ports
    (a, above_a), (b, above_b) = unjoined.first
    kind, exception = ("devices", "") if devices.pairs else ("ports", "; by other ports these devices have paths")
    others = f", nor between {unjoined.pairs - 1:,} other pairs of {kind}" if unjoined.pairs > 1 else ""
    return (
        f"UFM's up/down routing finds no path in {fabric} between {a.name} {a.port} on {above_a} and {b.name} {b.port} "
        f"on {above_b}{others}: no switch is above both{exception}"
    )

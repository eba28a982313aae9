"""FG317: nodes on several roots of an InfiniBand fabric do not reach each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

FEW = 3
"""Roots that a message names."""


class RootsNeverMeet(PlanRule):
    """Nodes hang on several switches of the highest tier of a fabric that UFM manages, and have no path to each other.

    UFM's adaptive routing goes up, then down (`ar_updn`): from one root to another the way would be down and up again,
    which it never takes, since such ways may make credits wait in a circle. Everybody else reaches these nodes, and
    the subnet manager says SUBNET UP.

    Attach them to leaves, or all to one switch; or let opensm manage the fabric, whose engine `nue` joins all pairs of
    any topology. Where these nodes have nothing to say to each other, as UFM appliances that share their files over
    Ethernet, waive it.
    """

    id = "FG317"
    severity = Severity.ERROR
    title = "nodes on several roots of an InfiniBand fabric do not reach each other"
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
        """Look at the roots of each subnet that UFM manages, and count the pairs of nodes on different ones."""
        for fabric in cluster.whole_fabrics():
            view = cluster.whole_fabric(fabric)
            if view.subnet_manager != "ufm":
                continue
            for roots in view.nodes_of_roots.values():
                if len(roots) > 1:
                    yield self.flag(self._path(cluster, fabric), *_told(fabric, roots))

    @staticmethod
    def _path(cluster: Cluster, fabric: str) -> tuple[str, ...]:
        """The first extra device of a fabric that hangs on its highest tier; else what manages the fabric."""
        tops = {tier.name for tier in cluster.design.fabric(fabric).tiers if not tier.uplink}
        extras = cluster.design.loaded.blueprint.fabrics[fabric].extra
        high = [name for name, extra in extras.items() if extra.to in tops]
        return ("fabrics", fabric, "extra", high[0]) if high else ("fabrics", fabric, "subnet_manager")


def _told(fabric: str, roots: dict[str, tuple[str, ...]]) -> tuple[str, str]:
    """(message, hint) for the nodes on the roots of one subnet; a node on two roots reaches those on both."""
    on: dict[str, set[str]] = {}
    for root, nodes in roots.items():
        for node in nodes:
            on.setdefault(node, set()).add(root)
    names = sorted(on)
    pairs = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :] if on[a].isdisjoint(on[b])]
    ports = sum(len(nodes) for nodes in roots.values())
    listed = ", ".join(f"{nodes[0]} on {root}" for root, nodes in sorted(roots.items())[:FEW])
    more = f" and more on {len(roots) - FEW} other roots" if len(roots) > FEW else ""
    lost = (
        f"no path joins {pairs[0][0]} and {pairs[0][1]}"
        + (f", nor {len(pairs) - 1} other pairs" if len(pairs) > 1 else "")
        if pairs
        else (f"{ports} ports of {', '.join(names)} reach those on other roots by none of their ports")
    )
    message = (
        f"{fabric} has nodes on {len(roots)} roots, which UFM's up/down routing joins no two of: {listed}{more}; {lost}"
    )
    return message, "attach them to leaves or to one switch, or state `subnet_manager: opensm`"

"""FG744: nodes lose a NIC when a switch in maintenance goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class NotToBeDrained(PlanRule):
    """A switch in maintenance has links to nodes that no routing moves: when it goes, these nodes lose a NIC's port.

    Draining works on what BGP announces to other switches. What a node sends leaves by the link that it has: a port in
    a bond over both switches of an MLAG pair goes on, any other is dark until the switch is back, and a job that
    needs all rails stops.

    Move the work off these nodes first: `plan` and the part `hosts` name them. Then waive the finding.
    """

    severity = Severity.WARNING
    bad = """
        config_of:
          compute-leaf-p1-su01-r1-01: {maintenance: true}  # <-
    """
    good = """
        config_of:
          compute-spine-01: {maintenance: true}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag switches in maintenance at which nodes have links that are in no bond over a pair; exits are drained by
        BGP.
        """
        stated = cluster.design.loaded.blueprint.config_of
        drained = sorted(device for device, config in stated.items() if config.maintenance)
        if not drained:
            return
        import numpy as np

        from fabricgen.numbering.addresses.exit_links import find_exit_segments

        links, bonds = cluster.plan.links, cluster.plan.bonds
        switches = np.zeros(len(cluster.names), bool)
        switches[list(cluster.switch_rows())] = True
        exits = find_exit_segments(cluster.design, cluster.plan)
        rows = {name: row for row, name in enumerate(cluster.names) if name in stated}
        for device in drained:
            row = rows[device]
            at_switch = np.flatnonzero((links.a_device == row) | (links.b_device == row))
            ends = np.where(links.a_device[at_switch] == row, links.b_device[at_switch], links.a_device[at_switch])
            is_lost = ~switches[ends] & ~np.isin(links.segment[at_switch], list(exits))
            if bonds is not None and bonds.mate[row] >= 0:
                # what is in a bond goes on at the other switch of the pair
                is_lost &= bonds.of_link[at_switch] < 0
            if nodes := len(set(ends[is_lost].tolist())):
                lose = f"{nodes} nodes lose a port each" if nodes > 1 else "1 node loses a port"
                yield self.flag(
                    ("config_of", device, "maintenance"),
                    f"{lose}, or more, when {device} goes: {int(is_lost.sum())} links in all",
                    "move their work away first, then waive this",
                )

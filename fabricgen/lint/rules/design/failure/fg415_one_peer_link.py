"""FG415: the switches of a pair are joined by one link, or through one cage."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class OnePeerLink(DesignRule):
    """All that joins the two switches of a pair is one link, or several through one cage: one transceiver or cable.

    An MLAG pair without its peer link is two switches with one system id: the second shuts its ports or, where the
    heartbeat fails as well, both forward as if they were alone. Of a pair that only routes, the way around a switch
    without links up goes with the link. What joins them is typically a bond, for reliability and bandwidth (Cumulus
    Linux user guide, Multi-Chassis Link Aggregation, requirements).

    State two links or more, in two cages: `peer: 2 x 400G` in a cage that is split is one part to fail.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          inband:
            protocol: ethernet
            bond: node
            tiers:
              leaf:
                switch: sn4600c
                count: 2
                spread: stripe
                peer: 1 x 100G  # <-
    """
    good = """
        fabrics:
          inband:
            protocol: ethernet
            bond: node
            tiers: {leaf: {switch: sn4600c, count: 2, spread: stripe, peer: 2 x 100G}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag pairs of switches whose peer links fit into one cage."""
        for tier in design.tiers:
            peers = tier.peer_links
            if peers is None or not 0 < peers.run.count <= peers.run.ways:
                continue
            run = peers.run
            links = "by one link" if run.count == 1 else f"by {run.count} links through one cage, {run.cages[0]}"
            hint = f"state `peer: {run.ways + 1} x {run.speed_gbps}G` or more"
            yield self.flag((*tier.path, "peer"), f"the switches of each pair of {tier.text} are joined {links}", hint)

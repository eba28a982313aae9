"""FG308: a single border switch is the only way out."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class SingleBorder(DesignRule):
    """All traffic out of a fabric, or to another site, passes through one border switch.

    When the only border switch fails or is upgraded, users, storage replication and the other site are cut off,
    however many spines stand behind it.

    Set `count` to 2 or more.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 4},
          border: {switch: sn5600, count: 1, below: spine, uplinks: 4 x 400G}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 4},
          border: {switch: sn5600, count: 2, below: spine, uplinks: 4 x 400G}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers of one switch in a place that end spans, or hang below other tiers and have no nodes."""
        leaves = {leaf for fabric in design.fabrics for leaf in fabric.leaves}
        uppers = {tier.uplink.upper for tier in design.tiers if tier.uplink}
        for tier in design.tiers:
            is_border = tier.lowest and tier.key not in leaves and tier.key not in uppers
            if (is_border or tier.spans) and tier.per_place == 1:
                yield self.flag(
                    (*tier.path, "count"),
                    f"{tier.fabric} has one {tier.name} switch{' at each site' * (len(design.layout.sites) > 1)}, "
                    f"and all traffic out of {'the site' if tier.spans else 'the fabric'} passes through it",
                    "set `count: 2` or more",
                )

"""uplinks far exceed what is below them."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class WastedUplinks(DesignRule):
    """A lowest tier has more than twice the uplink bandwidth that its nodes can use.

    Undersubscription helps adaptive routing around failures (AMD recommends 1:1.16 for MI300-class RoCE), but beyond
    2x the optics and spine ports only cost. Fewer uplinks, or slower ones, would carry the same traffic.
    """

    id = "FG202"
    severity = Severity.INFO
    title = "uplinks far exceed what is below them"
    bad = """
        scalable_unit: {nodes: 4 x dgx-b200}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 16 x 400G}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag lowest tiers below half a downlink of load per uplink."""
        for leaf in design.tiers:
            stated = design.loaded.blueprint.fabrics[leaf.fabric].tiers[leaf.name].uplinks if leaf.lowest else None
            ratio = leaf.oversubscription
            if leaf.up is not None and ratio is not None and stated and ratio < leaf.allowed / 2:
                yield self.flag(
                    (*leaf.path, "uplinks"),
                    f"{leaf.fabric} {leaf.name} is {float(ratio):.3g}:1: {leaf.up.count} x {leaf.up.speed_gbps}G up "
                    f"for {leaf.down_text} down",
                )

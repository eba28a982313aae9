"""FG202: uplink bandwidth far exceeds what is below."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import make_trials
from fabricgen.design.model import Design
from fabricgen.design.shape import spans_units
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class WastedUplinks(DesignRule):
    """A tier has more than twice the uplink bandwidth that the ports below it can use.

    Some undersubscription helps adaptive routing around failures (AMD recommends 1:1.16 for MI300-class RoCE), but
    beyond 2x, optics and spine ports only cost money. Fewer or slower uplinks would carry the same traffic. One
    link to each switch above is never too many; where more were added to divide over the switches above, `spread:
    uneven` of that tier does without.
    """

    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
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
        """Flag stated uplinks of more than twice the bandwidth that is needed, unless reserved units will use them."""
        is_growing = design.layout.unit_slots > design.layout.units
        for tier in design.tiers:
            stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].uplinks
            ratio = tier.oversubscription
            if tier.up is None or ratio is None or not stated or (is_growing and spans_units(tier.per)):
                continue
            if ratio < tier.allowed / 2:
                from fabricgen.design.advice.tiers import find_fewest_uplinks

                fewest = find_fewest_uplinks(make_trials(design, tier.fabric), tier)
                if fewest.partition(" ")[0] not in ("", str(tier.up.count)):
                    yield self.flag(
                        (*tier.path, "uplinks"),
                        f"{tier.fabric} {tier.name} is {float(ratio):.3g}:1: {tier.up.count} x {tier.up.speed_gbps}G "
                        f"up for {tier.down_text} down",
                        f"`uplinks: {fewest}` is enough",
                    )

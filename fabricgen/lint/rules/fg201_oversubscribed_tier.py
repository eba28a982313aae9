"""a tier is oversubscribed beyond what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fabricgen.design.advice import fewest_uplinks
from fabricgen.design.build import trials_of
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class OversubscribedTier(DesignRule):
    """A tier offers what is below it more bandwidth than it can pass upward.

    Collectives load every rail at once, so a fabric narrower above the leaf than below it runs at the speed of its
    uplinks. Add uplinks, or state `oversubscription` where that is intended.
    """

    id = "FG201"
    severity = Severity.ERROR
    title = "a tier is oversubscribed beyond what is allowed"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 2 x 400G},  # <-
          spine: {switch: sn5600, count: 2}}}}
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare each tier's ratio with the one it is allowed."""
        for fabric in design.fabrics:
            for tier in fabric.tiers:
                ratio = tier.oversubscription
                if tier.up is not None and ratio is not None and ratio > tier.allowed:
                    yield self.flag(
                        (*tier.path, "uplinks"),
                        f"{fabric.name} {tier.name} is {float(ratio):.3g}:1 ({tier.down_text} down, "
                        f"{tier.up.count} x {tier.up.speed_gbps}G up), "
                        f"{float(tier.allowed):.3g}:1 is allowed",
                        _hint(design, tier, ratio),
                    )


def _hint(design: Design, tier: TierDesign, ratio: Fraction) -> str:
    """The fewest uplinks that are enough, land equally and have the ports; else the ratio that would be allowed."""
    fewest = fewest_uplinks(trials_of(design, tier.fabric), tier)
    stated = f'state `oversubscription: "{ratio.numerator}:{ratio.denominator}"`'
    if fewest:
        return f"`uplinks: {fewest}` would do, or {stated} where that is intended"
    speed = tier.up.speed_gbps if tier.up else 0
    return f"no number of {speed}G uplinks is enough and has the ports: fewer nodes, larger switches, or {stated}"

"""a tier is oversubscribed beyond what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fabricgen.design.advice import values_that_fit
from fabricgen.design.build import trials_of
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.design.ports import uplinks_needed
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule

TRIES = 8
"""Numbers of uplinks that are tried for a hint."""


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
    """The fewest uplinks that land equally, have the ports and are enough; else the ratio that would be allowed."""
    if tier.up is None or tier.uplink is None:
        return ""
    below, speed = sum(run.bandwidth_gbps for run in tier.downs), tier.up.speed_gbps
    needed = uplinks_needed(below, speed, tier.allowed)
    stated = f'state `oversubscription: "{ratio.numerator}:{ratio.denominator}"`'
    trials, path = trials_of(design, tier.fabric), (*tier.path, "uplinks")
    landing = tier.uplink.upper_groups * tier.uplink.upper_count
    for step in (landing, tier.uplink.upper_groups):
        counts = range(-(-needed // step) * step, needed + TRIES * step, step)
        fitting = values_that_fit(trials, path, (f"{count} x {speed}G" for count in counts), most=1, tries=TRIES)
        if fitting:
            return f"`uplinks: {fitting[0]}` would do, or {stated} where that is intended"
    return (
        f"no number of {speed}G uplinks that is enough has the ports: fewer nodes below, larger switches, or {stated}"
    )

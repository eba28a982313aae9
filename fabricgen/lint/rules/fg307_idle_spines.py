"""FG307: switches above that some or all lower switches never reach."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import trials_of
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.fg203_uneven_uplinks import counts_hint


class IdleSpines(DesignRule):
    """A tier has more switches in a group than each switch below has uplinks to it.

    In a Clos every leaf reaches every spine of its group, so that any two leaves meet through all of them (Al-Fares et
    al., SIGCOMM 2008). Uplinks are dealt from the first spine on: with fewer of them than spines, the last spines have
    no link at all, and are bought for nothing.

    State a `count` that the uplinks reach and divide by, or more (and slower) uplinks.
    """

    id = "FG307"
    severity = Severity.ERROR
    title = "switches above that lower ones never reach"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G},
          spine: {switch: sn5600, count: 6}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G},
          spine: {switch: sn5600, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the uplinks into each group with its switches; FG305 has tiers that miss a `plane` below."""
        for lower in design.tiers:
            uplink = lower.uplink
            if uplink is None or uplink.links_per_group >= uplink.upper_count:
                continue
            upper, links = design.tier(uplink.upper), uplink.links_per_group
            if "plane" in upper.per and "plane" not in lower.per and design.fabric(lower.fabric).planes > 1:
                continue
            yield self.flag(
                (*upper.path, "count"),
                f"{lower.fabric} {lower.name} has {links} uplink{'s' * (links != 1)} for {uplink.upper_count} "
                f"{upper.name} switches{' of a group' * (upper.groups > 1)}: {uplink.upper_count - links} of them "
                f"are never reached, and any two {lower.name} switches meet through {links}",
                _hint(design, lower, upper, links),
            )


def _hint(design: Design, lower: TierDesign, upper: TierDesign, links: int) -> str:
    """Uplinks that reach all, where there are too few for the bandwidth too; else counts that so many reach."""
    from fabricgen.design.advice.tiers import fewest_uplinks

    ratio = lower.oversubscription
    if ratio is not None and ratio > lower.allowed:
        enough = fewest_uplinks(trials_of(design, lower.fabric), lower)
        if enough:
            return f"`uplinks: {enough}` of {lower.name} would reach them all"
    return counts_hint(design, upper, links)

"""FG307: lower switches have too few uplinks to reach all switches above."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import make_trials
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.capacity.fg203_uneven_uplinks import suggest_counts


class IdleSpines(DesignRule):
    """A group of a tier has more switches than each switch below has uplinks to it.

    In a Clos, every leaf reaches every spine of its group, so that any two leaves are joined through all of them
    (Al-Fares et al., SIGCOMM 2008). Uplinks go to the first spine first: with fewer uplinks than spines, the last
    spines get no links at all and are bought for nothing.

    State a `count` that divides the uplinks, or use more, slower uplinks.
    """

    severity = Severity.ERROR
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
        """Flag uplinks into a group that has more switches; lower tiers that lack `plane` are left to FG305."""
        for lower in design.tiers:
            uplink = lower.uplink
            if uplink is None or uplink.links_per_group >= uplink.upper_count:
                continue
            upper, links = design.tier(uplink.upper), uplink.links_per_group
            if "plane" in upper.per and "plane" not in lower.per and design.fabric(lower.fabric).planes > 1:
                continue
            yield self.flag(
                (*upper.path, "count"),
                f"each {lower.fabric} {lower.name} has {links} uplink{'s' * (links != 1)} for {uplink.upper_count} "
                f"{upper.name} switches{' of a group' * (upper.groups > 1)}: it does not reach "
                f"{uplink.upper_count - links} of them",
                _suggest_uplinks_or_counts(design, lower, upper, links),
            )


def _suggest_uplinks_or_counts(design: Design, lower: TierDesign, upper: TierDesign, links: int) -> str:
    """Return the hint with uplinks that reach all upper switches if bandwidth asks for more uplinks anyway; else with
    counts of upper switches that the uplinks do reach.
    """
    from fabricgen.design.advice.tiers import find_fewest_uplinks

    if lower.oversubscription is not None and lower.oversubscription > lower.allowed:
        uplinks = find_fewest_uplinks(make_trials(design, lower.fabric), lower)
        if uplinks:
            return f"set `uplinks: {uplinks}` on {lower.name}, which reaches them all"
    return suggest_counts(design, upper, links)

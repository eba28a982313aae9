"""a tier is oversubscribed beyond what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from fabricgen.design.advice.trials import Trials, node_slots
from fabricgen.design.build import trials_of
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.design.ports import uplinks_needed
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule

STORAGE = "storage"
"""The role of ports that carry data to and from nodes all the time."""


class OversubscribedTier(DesignRule):
    """A tier offers what is below it more bandwidth than it can pass upward.

    Collectives load every rail at once, so a fabric narrower above the leaf than below it runs at the speed of its
    uplinks. Add uplinks, or state `oversubscription` where that is intended. Where accelerators alone are within what
    is allowed, and only the ports of a few servers such as UFM beside them go beyond it, that is for information: these
    take no part in collectives. Ports of storage count in full. What lands unequally (FG203) is judged there.
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
                if tier.up is None or ratio is None or ratio <= tier.allowed or _lands_unequally(design, tier):
                    continue
                bystanders = _bystanders(design, tier)
                finding = self.flag(
                    (*tier.path, "uplinks"),
                    f"{fabric.name} {tier.name} is {float(ratio):.3g}:1 ({tier.down_text} down, "
                    f"{tier.up.count} x {tier.up.speed_gbps}G up), "
                    f"{float(tier.allowed):.3g}:1 is allowed{_beside(bystanders)}",
                    _hint(design, tier, ratio),
                )
                yield replace(finding, severity=Severity.INFO) if bystanders else finding


def _lands_unequally(design: Design, tier: TierDesign) -> bool:
    """Whether uplinks from below are shared unequally, so that the fullest switch has more than is meant."""
    uplinks = [lower.uplink for lower in design.tiers if lower.uplink and lower.uplink.upper == tier.key]
    return any(up.links_per_group > up.upper_count and up.links_per_group % up.upper_count for up in uplinks)


def _bystanders(design: Design, tier: TierDesign) -> tuple[str, ...]:
    """Servers without which a tier below accelerators is within what is allowed; none where it is not."""
    fabrics = [fabric for fabric in design.fabrics if fabric.leaf == tier.key]
    if not any(leg.gpu is not None for fabric in fabrics for _, a in fabric.attachments for leg in a.legs):
        return ()
    extras = [extra for fabric in design.fabrics for extra in fabric.extras if extra.tier == tier.key]
    if any(extra.attachment.role == STORAGE or extra.attachment.profile.accelerators for extra in extras):
        return ()
    assert tier.up is not None  # noqa: S101 - it is narrower than what is below
    nodes = sum(
        max(feed.used(slots, tier.count)) * tier.downs[feed.run].speed_gbps
        for fabric in fabrics
        for feed, slots in zip(fabric.node_feeds, node_slots(design.layout, fabric, tier), strict=True)
    )
    return tuple(sorted({e.name for e in extras})) if nodes <= tier.allowed * tier.up.bandwidth_gbps else ()


def _beside(names: Sequence[str]) -> str:
    return f" and kept by all but {', '.join(names)}" if names else ""


def _hint(design: Design, tier: TierDesign, ratio: Fraction) -> str:
    """The fewest uplinks that are enough, land equally and have the ports; else the ratio that would be allowed."""
    from fabricgen.design.advice.tiers import fewest_uplinks

    trials = trials_of(design, tier.fabric)
    stated = f'state `oversubscription: "{ratio.numerator}:{ratio.denominator}"`'
    fewest = fewest_uplinks(trials, tier)
    if fewest:
        return f"`uplinks: {fewest}` would do, or {stated} where that is intended"
    speed = tier.up.speed_gbps if tier.up else 0
    wider = _with_more_above(design, trials, tier)
    if wider:
        return f"{wider} would do, or {stated} where that is intended"
    return f"no number of {speed}G uplinks is enough and has the ports: fewer nodes, larger switches, or {stated}"


def _with_more_above(design: Design, trials: Trials, tier: TierDesign) -> str:
    """Enough uplinks with as many switches above as these ask for, instead of a stated count."""
    if tier.uplink is None or tier.up is None:
        return ""
    upper = tier.uplink.upper
    if not design.loaded.blueprint.fabrics[upper.fabric].tiers[upper.tier].count:
        return ""
    needed = uplinks_needed(sum(run.bandwidth_gbps for run in tier.downs), tier.up.speed_gbps, tier.allowed)
    groups = tier.uplink.upper_groups
    links = f"{-(-needed // groups) * groups} x {tier.up.speed_gbps}G"
    count = f"fabrics.{upper.fabric}.tiers.{upper.tier}.count"
    change = {".".join(map(str, (*tier.path, "uplinks"))): links, count: None}
    there = trials.tier(upper, change)
    return f"`uplinks: {links}` with `count: {there.count}` of {upper.tier}" if there else ""

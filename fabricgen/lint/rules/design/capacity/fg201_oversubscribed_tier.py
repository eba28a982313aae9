"""FG201: a tier is more oversubscribed than allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from fabricgen.design.advice.trials import Trials, count_node_slots
from fabricgen.design.build import make_trials
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.design.ports import count_needed
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule

STORAGE = "storage"
"""The role of ports that carry data to and from nodes all the time."""


class OversubscribedTier(DesignRule):
    """A tier has less uplink bandwidth for what is below it than its oversubscription allows.

    Collectives load all rails at once, so a fabric that narrows above the leaf runs at the speed of its uplinks.
    Add uplinks, or set `oversubscription` where that is intended. Where the accelerators alone stay within the
    limit and only a few servers beside them, such as UFM, exceed it, this is only information: those servers take
    no part in collectives. Storage ports count in full. Uplinks that land unequally are judged by FG203.
    """

    id = "FG201"
    severity = Severity.ERROR
    to_do = ToDo.WEIGH_CAPACITY
    title = "a tier is more oversubscribed than allowed"
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
        """Compare each tier's oversubscription with its limit."""
        for fabric in design.fabrics:
            for tier in fabric.tiers:
                ratio = tier.oversubscription
                if tier.up is None or ratio is None or ratio <= tier.allowed or _lands_unequally(design, tier):
                    continue
                bystanders = _list_servers_beyond_limit(design, tier)
                finding = self.flag(
                    (*tier.path, "uplinks"),
                    f"{fabric.name} {tier.name} is {float(ratio):.3g}:1 ({tier.down_text} down, "
                    f"{tier.up.count} x {tier.up.speed_gbps}G up); "
                    f"the limit is {float(tier.allowed):.3g}:1{_write_exception(bystanders)}",
                    _suggest_uplinks(design, tier, ratio),
                )
                yield replace(finding, severity=Severity.INFO) if bystanders else finding


def _lands_unequally(design: Design, tier: TierDesign) -> bool:
    """Whether uplinks from below are shared unequally, so that the fullest switch has more than its share."""
    uplinks = [up for _, up in design.list_links_below(tier.key) if up.links_per_group > up.upper_count]
    return not all(up.uneven or not up.links_per_group % up.upper_count for up in uplinks)


def _list_servers_beyond_limit(design: Design, tier: TierDesign) -> tuple[str, ...]:
    """Servers without which a tier that accelerators attach to keeps its limit; none where it does not."""
    fabrics = [fabric for fabric in design.fabrics if tier.key in fabric.leaves]
    if not any(leg.gpu is not None for fabric in fabrics for _, a in fabric.attachments for leg in a.legs):
        return ()
    extras = [extra for fabric in design.fabrics for extra in fabric.extras if extra.tier == tier.key]
    if any(extra.attachment.role == STORAGE or extra.attachment.profile.accelerators for extra in extras):
        return ()
    assert tier.up is not None  # noqa: S101 - it is narrower than what is below
    # Gb/s that nodes alone bring to the fullest switch
    nodes = sum(
        max(feed.list_used_ports(slots, tier.count)) * tier.downs[feed.run].speed_gbps
        for fabric in fabrics
        for feed, slots in zip(fabric.feeds_of(tier.key), count_node_slots(fabric, tier), strict=True)
    )
    return tuple(sorted({e.name for e in extras})) if nodes <= tier.allowed * tier.up.bandwidth_gbps else ()


def _write_exception(names: Sequence[str]) -> str:
    return f", kept without {', '.join(names)}" if names else ""


def _suggest_uplinks(design: Design, tier: TierDesign, ratio: Fraction) -> str:
    """The fewest uplinks that are enough, land equally and have ports; else the ratio to allow."""
    from fabricgen.design.advice.tiers import find_fewest_uplinks

    trials = make_trials(design, tier.fabric)
    allowance = f'`oversubscription: "{ratio.numerator}:{ratio.denominator}"`'
    fewest = find_fewest_uplinks(trials, tier)
    if fewest:
        return f"set `uplinks: {fewest}`, or {allowance} if this is intended"
    speed = tier.up.speed_gbps if tier.up else 0
    wider = _suggest_more_uppers(design, trials, tier)
    if wider:
        return f"set {wider}, or {allowance} if this is intended"
    return f"no number of {speed}G uplinks is enough and fits: use fewer nodes or larger switches, or {allowance}"


def _suggest_more_uppers(design: Design, trials: Trials, tier: TierDesign) -> str:
    """Enough uplinks together with the count of upper switches that they need, instead of the stated one."""
    if tier.uplink is None or tier.up is None:
        return ""
    upper = tier.uplink.upper
    if not design.loaded.blueprint.fabrics[upper.fabric].tiers[upper.name].count:
        return ""
    needed = count_needed(sum(run.bandwidth_gbps for run in tier.downs), tier.up.speed_gbps, tier.allowed)
    groups = tier.uplink.upper_groups
    links = f"{-(-needed // groups) * groups} x {tier.up.speed_gbps}G"
    count = f"fabrics.{upper.fabric}.tiers.{upper.name}.count"
    change = {".".join(map(str, (*tier.path, "uplinks"))): links, count: None}
    trial = trials.design_tier(upper, change)
    return f"`uplinks: {links}` with `count: {trial.count}` of {upper.name}" if trial else ""

"""FG201: a tier is more oversubscribed than allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from fabricgen.design.advice.trials import Trials, count_node_slots
from fabricgen.design.build import make_trials
from fabricgen.design.capacity.end_to_end import has_gpu_ports
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.design.ports import count_needed
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule

STORAGE = "storage"
"""The role of extra devices that exchange data with nodes all the time, so that they are never bystanders."""


class OversubscribedTier(DesignRule):
    """A tier has less uplink bandwidth for what is below it than its oversubscription allows.

    Collectives load all rails at once, so a fabric that narrows above the leaf runs at the speed of its uplinks.
    Add uplinks, or set `oversubscription` where that is intended. Where the accelerators alone stay within the
    limit and only a few servers beside them, such as UFM, exceed it, this is only information: those servers take
    no part in collectives. Storage ports count in full. Uplinks that land unequally are judged by FG203.
    """

    severity = Severity.ERROR
    to_do = ToDo.WEIGH_CAPACITY
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
        """Flag tiers whose oversubscription is above their limit; uplinks that land unequally are left to FG203."""
        for fabric, tier in ((f, tier) for f in design.fabrics for tier in f.tiers):
            ratio = tier.oversubscription
            if tier.up is None or ratio is None or ratio <= tier.allowed or _lands_unequally(design, tier):
                continue
            bystanders = _list_bystanders(design, tier)
            exception = f", kept without {', '.join(bystanders)}" if bystanders else ""
            finding = self.flag(
                (*tier.path, "uplinks"),
                f"{fabric.name} {tier.name} is {float(ratio):.3g}:1 ({tier.down_text} down, "
                f"{tier.up.count} x {tier.up.speed_gbps}G up); the limit is {float(tier.allowed):.3g}:1{exception}",
                _suggest_uplinks(design, tier, ratio),
            )
            yield replace(finding, severity=Severity.INFO) if bystanders else finding


def _lands_unequally(design: Design, tier: TierDesign) -> bool:
    """Whether switches of a tier get unequal numbers of the links from below, though these are not `spread: uneven`."""
    uplinks = [up for _, up in design.list_links_below(tier.key) if up.links_per_group > up.upper_count]
    return not all(up.uneven or not up.links_per_group % up.upper_count for up in uplinks)


def _list_bystanders(design: Design, tier: TierDesign) -> tuple[str, ...]:
    """Return the names of the extra devices on a tier if accelerators attach to it and it would keep its limit without
    these devices; () if it would not, or if one of them is for storage or has accelerators.
    """
    fabrics = [fabric for fabric in design.fabrics if tier.key in fabric.leaves]
    extras = [extra for fabric in design.fabrics for extra in fabric.extras if extra.tier == tier.key]
    if tier.up is None or not any(map(has_gpu_ports, fabrics)):
        return ()
    if any(extra.attachment.role == STORAGE or extra.attachment.profile.accelerators for extra in extras):
        return ()
    node_gbps_of_fullest = sum(
        max(feed.list_used_ports(slots, tier.count)) * tier.downs[feed.run].speed_gbps
        for fabric in fabrics
        for feed, slots in zip(fabric.feeds_of(tier.key), count_node_slots(fabric, tier), strict=True)
    )
    is_enough = node_gbps_of_fullest <= tier.allowed * tier.up.bandwidth_gbps
    return tuple(sorted({extra.name for extra in extras})) if is_enough else ()


def _suggest_uplinks(design: Design, tier: TierDesign, ratio: Fraction) -> str:
    """Return the hint with the fewest uplinks that are enough, land equally and have ports, if need be with more
    switches above; in any case it names the oversubscription that would allow the `ratio`.
    """
    from fabricgen.design.advice.tiers import find_fewest_uplinks

    trials = make_trials(design, tier.fabric)
    allowance = f'`oversubscription: "{ratio.numerator}:{ratio.denominator}"`'
    fewest = find_fewest_uplinks(trials, tier)
    wider = f"`uplinks: {fewest}`" if fewest else _suggest_more_uppers(design, trials, tier)
    if wider:
        return f"set {wider}, or {allowance} if this is intended"
    speed = tier.up.speed_gbps if tier.up else 0
    return f"no number of {speed}G uplinks is enough and fits: use fewer nodes or larger switches, or {allowance}"


def _suggest_more_uppers(design: Design, trials: Trials, tier: TierDesign) -> str:
    """Return enough uplinks together with the count of upper switches that they need in place of the stated count; ""
    if no count is stated, or if these cannot be sized.
    """
    if tier.uplink is None or tier.up is None:
        return ""
    upper, groups = tier.uplink.upper, tier.uplink.upper_groups
    if not design.loaded.blueprint.fabrics[upper.fabric].tiers[upper.name].count:
        return ""
    needed = count_needed(sum(run.bandwidth_gbps for run in tier.downs), tier.up.speed_gbps, tier.allowed)
    # rounded up to a multiple of the groups above
    links = f"{-(-needed // groups) * groups} x {tier.up.speed_gbps}G"
    count = f"fabrics.{upper.fabric}.tiers.{upper.name}.count"
    trial = trials.design_tier(upper, {".".join(map(str, (*tier.path, "uplinks"))): links, count: None})
    return f"`uplinks: {links}` with `count: {trial.count}` of {upper.name}" if trial else ""

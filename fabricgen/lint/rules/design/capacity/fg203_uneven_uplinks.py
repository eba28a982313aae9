"""FG203: uplinks do not divide evenly over the switches above."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import make_trials
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


def list_nearest_divisors(number: int, target: int) -> list[int]:
    """Return the divisors of a number, the nearest to `target` first, and of two as near the smaller first."""
    divisors = (d for d in range(1, number + 1) if number % d == 0)
    return sorted(divisors, key=lambda d: (abs(d - target), d))


def suggest_counts(design: Design, tier: TierDesign, links: int) -> str:
    """Return the hint with the counts of a tier, nearest to its own, that divide a number of links and have the ports.

    A count of 1 divides everything but is a single point of failure (FG304): it is named only if no other count fits.
    """
    from fabricgen.design.advice.tiers import list_fitting_values

    trials, path = make_trials(design, tier.fabric), (*tier.path, "count")
    several = [count for count in list_nearest_divisors(links, tier.count) if count > 1]
    fitting = list_fitting_values(trials, path, several)
    # if a tier is too narrow whatever its count, no count fits in full: name those that divide evenly
    fitting = fitting or list_fitting_values(
        trials, path, several, fits=lambda trial, change: trial.divides_evenly(tier.key, change)
    )
    if fitting:
        return f"counts that divide evenly and fit: {', '.join(fitting)}"
    if list_fitting_values(trials, path, [1]):
        return "only a count of 1 divides evenly and fits, a single point of failure: change the uplinks instead"
    return f"no other count of {tier.name} switches divides evenly and fits: change the uplinks instead"


def suggest_uplinks(design: Design, tier: TierDesign, stated: int, step: int) -> str:
    """Return the hint with the numbers of uplinks, nearest to `stated`, that are multiples of `step` and have the
    ports.
    """
    from fabricgen.design.advice.tiers import list_fitting_values

    if tier.up is None:
        return ""
    multiples = sorted(range(step, 2 * stated + step, step), key=lambda count: (abs(count - stated), count))
    texts = (f"{count} x {tier.up.speed_gbps}G" for count in multiples)
    fitting = list_fitting_values(make_trials(design, tier.fabric), (*tier.path, "uplinks"), texts)
    listed = f"; these fit: {', '.join(fitting)}" if fitting else ", though none has the ports"
    return f"use a multiple of {step}{listed}"


def _suggest_uneven_spread(design: Design, upper: TierDesign) -> str:
    """Return the end of a hint: "; or `spread: uneven` of spine". "" if a design with that could not be built."""
    from fabricgen.design.advice.tiers import list_fitting_values

    fits = list_fitting_values(make_trials(design, upper.fabric), (*upper.path, "spread"), ["uneven"])
    return f"; or `spread: uneven` of {upper.name}" if fits else ""


class UnevenUplinks(DesignRule):
    """Some switches of an upper group get more links from each lower switch than others.

    Equal-cost routing splits flows by next hop, not by capacity, so the switches with fewer links saturate first
    and the job waits for them. Published designs land the same number of links on every spine. Choose a count that
    divides the uplinks.
    """

    severity = Severity.ERROR
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G},
          spine: {switch: sn5600, count: 3}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 4 x 400G},
          spine: {switch: sn5600, count: 2}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag uplinks that do not divide by the groups or switches above; too few uplinks are left to FG307."""
        for fabric, tier in ((f, tier) for f in design.fabrics for tier in f.tiers):
            uplink = tier.uplink
            if uplink is None or tier.up is None:
                continue
            upper, links = design.tier(uplink.upper), uplink.links_per_group
            uplinks = design.loaded.blueprint.fabrics[fabric.name].tiers[tier.name].uplinks
            stated = uplinks.count if uplinks and uplinks.count else tier.up.count
            if stated % uplink.upper_groups:
                yield self.flag(
                    (*tier.path, "uplinks"),
                    f"{stated} uplinks of {fabric.name} {tier.name} do not divide evenly over the "
                    f"{uplink.upper_groups} {upper.name} groups above it",
                    suggest_uplinks(design, tier, stated, uplink.upper_groups),
                )
            if not uplink.uneven and links > uplink.upper_count and links % uplink.upper_count:
                yield self.flag(
                    (*upper.path, "count"),
                    f"{links} uplinks of {fabric.name} {tier.name} do not divide evenly over "
                    f"{uplink.upper_count} {upper.name} switches: some get {uplink.count_links_to(0)} links, "
                    f"others {uplink.count_links_to(uplink.upper_count - 1)}",
                    suggest_counts(design, upper, links) + _suggest_uneven_spread(design, upper),
                )

"""uplinks do not land equally on the switches above."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import trials_of
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


def nearest_multiples(number: int, step: int) -> Iterator[int]:
    """Multiples of a step, nearest to a number first, up to twice as many."""
    yield from sorted(range(step, 2 * number + step, step), key=lambda n: (abs(n - number), n))


def nearest_divisors(number: int, wanted: int) -> Iterator[int]:
    """The divisors of a number, nearest to a wanted one first."""
    divisors = (d for d in range(1, number + 1) if number % d == 0)
    yield from sorted(divisors, key=lambda d: (abs(d - wanted), d))


def counts_hint(design: Design, tier: TierDesign, links: int) -> str:
    """Counts of a tier, nearest to its own, that so many links divide by and that have the ports.

    A single switch divides everything, and carries everything (FG304): it is named where nothing else does.
    """
    from fabricgen.design.advice.tiers import values_that_fit

    trials, path = trials_of(design, tier.fabric), (*tier.path, "count")
    several = [count for count in nearest_divisors(links, tier.count) if count > 1]
    fitting = values_that_fit(trials, path, several)
    # where a tier is too narrow for now, whatever its count, no change at all fits in full
    if fitting := fitting or values_that_fit(trials, path, several, fits=lambda t, change: t.lands(tier.key, change)):
        return f"counts that do and have the ports: {', '.join(fitting)}"
    if values_that_fit(trials, path, [1]):
        return "only a count of 1 does and has the ports, and everything would hang on it: change the uplinks instead"
    return f"no other count of {tier.name} switches divides them and fits: change the uplinks instead"


def uplinks_hint(design: Design, tier: TierDesign, stated: int, step: int) -> str:
    """Numbers of uplinks, nearest to those stated, that are multiples of a step and have the ports."""
    from fabricgen.design.advice.tiers import values_that_fit

    if tier.up is None:
        return ""
    texts = (f"{count} x {tier.up.speed_gbps}G" for count in nearest_multiples(stated, step))
    fitting = values_that_fit(trials_of(design, tier.fabric), (*tier.path, "uplinks"), texts)
    listed = f"; {', '.join(fitting)} fit" if fitting else ", for which no port is left"
    return f"use a multiple of {step}{listed}"


class UnevenUplinks(DesignRule):
    """Some switches of an upper group get more links from each lower switch than others.

    Equal-cost routing splits flows by next hop, not by capacity, so the thin ones saturate first and the job waits
    for them. Published designs land a whole number of links on every spine. Choose a count that divides.
    """

    id = "FG203"
    severity = Severity.ERROR
    title = "uplinks do not land equally on the switches above"
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
        """Flag uplinks that do not divide by the switches, or the groups, above; FG307 has those too few for them."""
        for fabric in design.fabrics:
            for tier in fabric.tiers:
                uplink = tier.uplink
                if uplink is None or tier.up is None:
                    continue
                upper = design.tier(uplink.upper)
                asked = design.loaded.blueprint.fabrics[fabric.name].tiers[tier.name].uplinks
                stated = asked.count if asked and asked.count else tier.up.count
                if stated % uplink.upper_groups:
                    yield self.flag(
                        (*tier.path, "uplinks"),
                        f"{stated} uplinks of {fabric.name} {tier.name} do not divide by the "
                        f"{uplink.upper_groups} {upper.name} groups it meets",
                        uplinks_hint(design, tier, stated, uplink.upper_groups),
                    )
                if uplink.links_per_group > uplink.upper_count and uplink.links_per_group % uplink.upper_count:
                    yield self.flag(
                        (*upper.path, "count"),
                        f"{uplink.links_per_group} uplinks of {fabric.name} {tier.name} do not divide by "
                        f"{uplink.upper_count} {upper.name} switches: some get {uplink.share(0)} links, others "
                        f"{uplink.share(uplink.upper_count - 1)}",
                        counts_hint(design, upper, uplink.links_per_group),
                    )

"""uplinks do not land equally on the switches above."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


def nearest_divisors(number: int, wanted: int) -> str:
    """The three divisors of a number nearest to a wanted one, as text."""
    divisors = [d for d in range(1, number + 1) if number % d == 0]
    return ", ".join(str(d) for d in sorted(divisors, key=lambda d: (abs(d - wanted), d))[:3])


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
        """Flag uplinks that do not divide by the switches, or the groups, above."""
        for fabric in design.fabrics:
            for tier in fabric.tiers:
                uplink = tier.uplink
                if uplink is None or tier.up is None:
                    continue
                upper = design.tier(uplink.upper)
                if tier.up.count % uplink.upper_groups:
                    yield self.flag(
                        (*tier.path, "uplinks"),
                        f"{tier.up.count} uplinks of {fabric.name} {tier.name} do not divide by the "
                        f"{uplink.upper_groups} {upper.name} groups it meets",
                        f"use a multiple of {uplink.upper_groups}",
                    )
                if uplink.links_per_group % uplink.upper_count:
                    yield self.flag(
                        (*upper.path, "count"),
                        f"{uplink.links_per_group} uplinks of {fabric.name} {tier.name} do not divide by "
                        f"{uplink.upper_count} {upper.name} switches: some get {uplink.share(0)} links, others "
                        f"{uplink.share(uplink.upper_count - 1)}",
                        f"counts that do, nearest: {nearest_divisors(uplink.links_per_group, uplink.upper_count)}",
                    )

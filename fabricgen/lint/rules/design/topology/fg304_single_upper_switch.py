"""FG304: a single switch above is a single point of failure."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.capacity.fg203_uneven_uplinks import suggest_counts


class SingleUpperSwitch(DesignRule):
    """The switches of a tier reach only one switch above them; if it fails, they cannot reach each other.

    Every spine fails or is upgraded sooner or later; with a single one, the fabric then falls apart into its
    leaves. One core switch for all spines of one number (`core per: spine`) is fine. With one spine in each of
    several planes the others keep working; FG409 says what it costs where they are few. Set `count` to at least 2.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 1}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers of several switches whose uplinks meet at a single switch; ends of spans are left to FG308."""
        for tier in design.tiers:
            uplink = tier.uplink
            if uplink is None or uplink.upper_count * uplink.upper_groups > 1 or uplink.lowers_per_group == 1:
                continue
            upper = design.tier(uplink.upper)
            is_per_plane = "plane" in upper.per and design.fabric(tier.fabric).planes > 1
            if (tier.name in upper.per and tier.count > 1) or is_per_plane or upper.spans:
                continue
            yield self.flag(
                (*upper.path, "count"),
                f"{uplink.lowers_per_group} {tier.fabric} {tier.name} switches depend on a single {upper.name}",
                suggest_counts(design, upper, uplink.links_per_group),
            )

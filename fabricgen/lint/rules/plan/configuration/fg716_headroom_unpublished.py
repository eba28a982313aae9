"""FG716: no headroom is published for cables of this length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.fabric_model import TierDesign
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.lossless import list_lossless_fabrics

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import Segment


class HeadroomUnpublished(PlanRule):
    """A lossless SONiC switch has cables longer than the longest for which its device tree publishes PFC headroom.

    Headroom grows with length: the packets in flight when a port pauses must fit (SONiC, pg_profile_lookup.ini: by
    speed and cable length, up to 300 m on most platforms). Without a row for the length, `buffermgrd` makes no
    lossless profile, and the port drops the packets it should hold. fabricgen writes no buffer tables for such a
    switch; the image's own model applies. Spans between sites have headroom for their own length, or none (FG712,
    FG749).

    Shorten the run, or use `qos: {profile: best-effort}` or a NOS that computes headroom for such spans.
    """

    severity = Severity.WARNING
    bad = """
        nos: sonic
        floor: {row_pitch_m: 40, racks_per_row: 1}
        pods: {p1: {su: 12}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600},  # <-
          spine: {switch: sn5600, count: 4}}}}
    """
    good = """
        nos: sonic
        fabrics: {compute: {tiers: {leaf: {switch: sn5600}, spine: {switch: sn5600, count: 4}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the longest cable of each kind of link with the headroom published for the switches at its ends."""
        from fabricgen.wiring.arrays import unique_values

        design, plan = cluster.design, cluster.plan
        lossless = {fabric.name for fabric, _ in list_lossless_fabrics(design)}
        for number, segment in enumerate(plan.links.segments):
            for tier in _list_tiers(cluster, segment):
                has_tables = design.catalog.naming(tier.nos).has_tables
                platform = design.catalog.sonic_platform(tier.profile.id) if has_tables else None
                schemes = platform.buffers if platform else ()
                published_m = max((length_m for scheme in schemes for length_m in scheme.headroom), default=0)
                if tier.fabric not in lossless or not published_m or segment.km:
                    continue
                cables = plan.cables.end_cable[cluster.end_rows[number]]
                longest_m = float(plan.cables.length_m[cables].max()) if len(cables) else 0.0
                if longest_m > published_m:
                    count = len(unique_values(cables[plan.cables.length_m[cables] > published_m]))
                    yield self.flag(
                        segment.path,
                        f"{count} {segment.fabric} {segment.key} cables are up to {longest_m:.9g} m long; headroom of "
                        f"{tier.profile.id} is published up to {published_m} m",
                        "shorten the runs, or use `profile: best-effort`",
                    )
                    # one finding for a kind of link
                    break


def _list_tiers(cluster: Cluster, segment: Segment) -> Iterator[TierDesign]:
    """Yield the tiers of the switches at the ends of a segment."""
    if segment.tier is not None:
        upper = cluster.design.tier(segment.tier)
        yield upper
        yield from (lower for lower, _ in cluster.design.list_links_below(upper.key) if lower.name == segment.lower)

"""a cable is longer than any medium reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class CableOutOfReach(PlanRule):
    """No cable or optic in the catalogue carries a link's lanes over its length.

    Beyond its reach a link flaps or never comes up. Bring the ends closer on the floor, lower the speed, or add a
    profile to the blueprint's own catalogue.
    """

    id = "FG602"
    severity = Severity.ERROR
    title = "a cable is longer than any medium reaches"
    bad = """
        floor: {row_pitch_m: 50, racks_per_row: 1}
        fabrics: {oob: {  # <-
          protocol: ethernet, attach: bmc, tiers: {
          leaf: {switch: sn2201}}}}
        pods: {p1: {su: 3}}
    """
    good = """
        floor: {row_pitch_m: 2.4}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Fold cables out of reach by the line that made them."""
        import numpy as np

        from fabricgen.plan.tables import distinct

        cables, links = cluster.plan.cables, cluster.plan.links
        segment_of = np.zeros(len(cables), dtype=np.int64)
        segment_of[cables.end_cable] = links.segment[cables.end_link]
        for i in distinct(segment_of[~cables.reaches]):
            rows = np.flatnonzero((segment_of == i) & ~cables.reaches)
            segment = links.segments[i]
            longest = cables.length_m[rows].max()
            medium = cables.media[cables.medium[rows[0]]]
            why = (
                f"the farthest reach is {medium.reach_m:g} m ({medium.id})"
                if longest > medium.reach_m
                else f"nothing carries {segment.lane_gbps:g}G lanes between such cages"
            )
            yield self.flag(
                segment.path,
                f"{len(rows)} {segment.fabric} {segment.key} cables of up to {longest:g} m; {why}",
                "stand the ends closer together, or add a medium to `catalog/cables`",
            )

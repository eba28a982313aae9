"""copper is longer than it is to be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class LongCopper(PlanRule):
    """Stated `media` take copper cables that are longer than `copper_to_m`.

    Passive copper of 100G a lane is planned to 2 m by most: beyond, it is as thick as a finger, and has little margin.
    What is stated holds. Let the policy choose, state optics, or raise `copper_to_m`.
    """

    id = "FG625"
    severity = Severity.WARNING
    title = "stated copper is longer than the policy has it"
    bad = """
        scalable_unit: {nodes: 4 x mi300x-8, racks: {nodes_per_rack: 4}}
        cabling: {copper_to_m: 1}
        fabrics: {compute: {protocol: roce, tiers: {
          leaf: {switch: sn5600, per: rack, media: {
            down: DAC}},  # <-
          spine: {switch: sn5600, count: 2}}}}
    """
    good = """
        scalable_unit: {nodes: 4 x mi300x-8, racks: {nodes_per_rack: 4}}
        cabling: {copper_to_m: 3}
        fabrics: {compute: {protocol: roce, tiers: {
          leaf: {switch: sn5600, per: rack, media: {down: DAC}}, spine: {switch: sn5600, count: 2}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare stated copper cables with the policy of their fabric, once a statement."""
        import numpy as np

        cables, links = cluster.plan.cables, cluster.plan.links
        judged = [i for i, s in enumerate(links.segments) if s.stated and s.policy.copper_to_m is not None]
        if not judged:
            return
        copper = np.array([m.copper for m in cables.media], dtype=bool)[cables.medium]
        segment = np.zeros(len(cables), dtype=np.int32)
        segment[cables.end_cable] = links.segment[cables.end_link]
        for path in dict.fromkeys(links.segments[i].stated for i in judged):
            mine = [i for i in judged if links.segments[i].stated == path]
            first = links.segments[mine[0]]
            most = first.policy.copper_to_m or 0.0
            rows = np.flatnonzero(copper & np.isin(segment, mine) & (cables.length_m > most))
            if len(rows):
                longest = rows[np.argmax(cables.length_m[rows])]
                medium, length_m = cables.media[cables.medium[longest]].medium, cables.length_m[longest]
                yield self.flag(
                    path,
                    f"{len(rows)} {first.fabric} {first.key} cables of copper are longer than `copper_to_m`, which is "
                    f"{most:g}: up to {length_m:g} m of {medium}",
                    "state optics beside copper and let the shorter ones be copper, or raise `copper_to_m`",
                )

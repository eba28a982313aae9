"""FG625: stated copper is longer than the policy allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import find_segments_of_cables

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class LongCopper(PlanRule):
    """Stated `media` use copper cables that are longer than `copper_to_m`.

    Most operators plan passive copper of 100G per lane up to 2 m: beyond, it is as thick as a finger and has little
    margin. The stated media are used. Let the policy choose, state optics, or raise `copper_to_m`.
    """

    severity = Severity.WARNING
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
        """Compare copper cables of stated media with the policy of their fabric, once for each statement of media."""
        import numpy as np

        cables, links = cluster.plan.cables, cluster.plan.links
        segments_by_path: dict[Path, list[int]] = {}
        for i, s in enumerate(links.segments):
            if s.media_path and s.policy.copper_to_m is not None:
                segments_by_path.setdefault(s.media_path, []).append(i)
        if not segments_by_path:
            return
        is_copper = np.array([m.copper for m in cables.media], dtype=bool)[cables.medium]
        segment = find_segments_of_cables(cluster)
        for path, segments in segments_by_path.items():
            first_segment = links.segments[segments[0]]
            limit_m = first_segment.policy.copper_to_m or 0.0
            rows = np.flatnonzero(is_copper & np.isin(segment, segments) & (cables.length_m > limit_m))
            if len(rows):
                longest = rows[np.argmax(cables.length_m[rows])]
                medium, length_m = cables.media[cables.medium[longest]].medium, cables.length_m[longest]
                yield self.flag(
                    path,
                    f"{len(rows)} {first_segment.fabric} {first_segment.key} copper cables are longer than "
                    f"`copper_to_m`, {limit_m:g} m: up to {length_m:g} m of {medium}",
                    "state optics besides copper, so that only short cables are copper, or raise `copper_to_m`",
                )

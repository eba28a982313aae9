"""FG625: stated copper is longer than the policy allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class LongCopper(PlanRule):
    """Stated `media` use copper cables that are longer than `copper_to_m`.

    Most operators plan passive copper of 100G per lane up to 2 m: beyond, it is as thick as a finger and has little
    margin. The stated media are used. Let the policy choose, state optics, or raise `copper_to_m`.
    """

    id = "FG625"
    severity = Severity.WARNING
    title = "stated copper is longer than the policy allows"
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
        """Compare stated copper cables with the policy of their fabric, once per statement."""
        import numpy as np

        cables, links = cluster.plan.cables, cluster.plan.links
        judged = [i for i, s in enumerate(links.segments) if s.media_path and s.policy.copper_to_m is not None]
        if not judged:
            return
        copper = np.array([m.copper for m in cables.media], dtype=bool)[cables.medium]
        segment = np.zeros(len(cables), dtype=np.int32)
        segment[cables.end_cable] = links.segment[cables.end_link]
        for path in dict.fromkeys(links.segments[i].media_path for i in judged):
            alike = [i for i in judged if links.segments[i].media_path == path]
            first = links.segments[alike[0]]
            most = first.policy.copper_to_m or 0.0
            rows = np.flatnonzero(copper & np.isin(segment, alike) & (cables.length_m > most))
            if len(rows):
                longest = rows[np.argmax(cables.length_m[rows])]
                medium, length_m = cables.media[cables.medium[longest]].medium, cables.length_m[longest]
                yield self.flag(
                    path,
                    f"{len(rows)} {first.fabric} {first.key} copper cables are longer than `copper_to_m`, {most:g} m: "
                    f"up to {length_m:g} m of {medium}",
                    "state optics besides copper, so that only short cables are copper, or raise `copper_to_m`",
                )

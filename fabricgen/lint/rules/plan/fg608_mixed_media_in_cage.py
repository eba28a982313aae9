"""FG608: cables in one cage need different transceivers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.arrays import Flags, Ints
    from fabricgen.wiring.tables import Segment


class MixedMediaInCage(PlanRule):
    """Links that share a cage have different media, or one straight and one splitter fibre.

    A cage takes one transceiver. A twin-port transceiver serves two fibres of one kind: "both fibers must be the
    same type, straight or splitter, and cannot be mixed" (NVIDIA MMS4X00-NS400 product specification, overview).

    State the same media for all links that share a cage, or give extra devices cages of their own with
    `spare_ports` and `switches`.
    """

    id = "FG608"
    severity = Severity.ERROR
    impossible = True
    title = "cables in one cage need different transceivers"
    bad = """
        scalable_unit: {nodes: 3 x dgx-b200}
        fabrics: {compute: {protocol: infiniband, tiers: {
            leaf: {switch: qm9700, media: {down: DR}}, spine: {switch: qm9700}},
          extra: {ufm: {device: ufm, ports: 1, to: leaf,
            media: SR}}}}  # <-
    """
    good = """
        scalable_unit: {nodes: 3 x dgx-b200}
        fabrics: {compute: {protocol: infiniband, tiers: {
            leaf: {switch: qm9700, media: {down: DR}}, spine: {switch: qm9700}},
          extra: {ufm: {device: ufm, ports: 1, to: leaf}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the media of cables in each cage where some are stated, then look for two kinds of fibre."""
        segments = cluster.plan.links.segments
        if any(segment.stated for segment in segments):
            yield from self._media(cluster)
        if cluster.planned.own:
            yield from self._as_built(cluster)
        for number, segment in enumerate(segments):
            if getattr(segment.a, "connectors", 1) > 1 and segment.a.per_connector > 1:
                yield from self._fibres(cluster, number)

    def _media(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Links that share a cage with links of other stated media, or whose medium fills a cage alone."""
        import numpy as np

        from fabricgen.wiring.cabling.cables import number_cages
        from fabricgen.wiring.cabling.media import fits_segment

        cables, links = cluster.plan.cables, cluster.plan.links
        medium, segment = cables.medium[cables.end_cable], links.segment[cables.end_link]
        shared = np.zeros(len(segment), dtype=bool)
        mixed = np.zeros(len(segment), dtype=bool)
        cages = number_cages(cluster.plan)
        for place in (cages.a, cages.b):
            shared |= _in_cages_with_several(place, cages.count, cables.end_cable)
            mixed |= _in_cages_with_several(place, cages.count, medium)
        latest = _exception(links.segments, segment, mixed)
        reported: set[Path] = set()
        for i, own in enumerate(links.segments):
            if not own.stated or own.stated in reported:
                continue
            fitting = [c for c in cables.media if fits_segment(own, c)]
            alike = np.array([*(c in fitting for c in cables.media), False])[medium]
            whole = "/".join(dict.fromkeys(c.medium for c in fitting if c.attached or c.link_gbps))
            rows = (segment == i) & shared
            message, hint = f", but {whole} needs a whole cage", "use a medium with a fibre per lane, such as DR or SR"
            if not all(c.attached or c.link_gbps for c in fitting) or not rows.any():
                rows = (segment == i) & (~alike | (mixed if own.stated == latest else False))
                message, hint = " with links of other media", "state the same media for all links that share a cage"
            if fitting and rows.any():
                reported.add(own.stated)
                yield self.flag(
                    own.stated, f"{int(rows.sum())} {own.fabric} {own.key} links share cages{message}", hint
                )

    def _as_built(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Single cables in a shared cage whose medium differs from the other's, or needs the whole cage."""
        import numpy as np

        from fabricgen.wiring.cabling.cables import number_cages

        cables, cages = cluster.plan.cables, number_cages(cluster.plan)
        medium = cables.medium[cables.end_cable]
        shared, mixed = np.zeros(len(medium), dtype=bool), np.zeros(len(medium), dtype=bool)
        for place in (cages.a, cages.b):
            shared |= _in_cages_with_several(place, cages.count, cables.end_cable)
            mixed |= _in_cages_with_several(place, cages.count, medium)
        whole = np.array([bool(c.attached or c.link_gbps) for c in cables.media])[medium]
        wrong = set(cables.end_cable[mixed | (shared & whole)].tolist())
        for cable in cluster.planned.own:
            if cable in wrong:
                own = cables.media[cables.medium[cable]]
                yield self.flag(
                    ("cable_of", cluster.cable_ids[cable]),
                    f"{own.id} ({own.medium}) shares a cage with a cable that needs another transceiver",
                    "one cage holds one transceiver: move the cable, or state the same `medium` for both",
                )

    def _fibres(self, cluster: Cluster, number: int) -> Iterator[Diagnostic]:
        """Twin-port cages of lower ends with a straight fibre in one connector and a splitter in the other."""
        import numpy as np

        from fabricgen.wiring.cabling.cables import number_cages

        cables, links = cluster.plan.cables, cluster.plan.links
        rows = links.segment[cables.end_link] == number
        far_ends = np.bincount(cables.end_cable, minlength=len(cables))[cables.end_cable]
        segment = links.segments[number]
        cages = number_cages(cluster.plan)
        split = rows & (far_ends > 1)
        straight = rows & (far_ends == 1) & (cables.end_links == segment.a.per_connector)
        mixed = np.bincount(cages.a[split], minlength=cages.count) > 0
        mixed &= np.bincount(cages.a[straight], minlength=cages.count) > 0
        if mixed.any():
            yield self.flag(
                segment.path,
                f"{mixed.sum()} twin-port cages of {segment.fabric} {segment.key} links hold a straight and a splitter "
                "fibre",
                "give each upper switch a multiple of the links of a cage, or use unsplit ports",
            )


def _in_cages_with_several(place: Ints, cages: int, what: Ints) -> Flags:
    """Which cable ends are in cages (of `cages` in all) that hold several different values of `what`."""
    import numpy as np

    least, most = np.full(cages, what.max(initial=0), dtype=np.int32), np.full(cages, -1, dtype=np.int32)
    np.minimum.at(least, place, what)
    np.maximum.at(most, place, what)
    found: Flags = (least < most)[place]
    return found


def _exception(segments: tuple[Segment, ...], segment: Ints, mixed: Flags) -> Path:
    """Of the statements that clash, the one for the fewest links: it is the exception."""
    import numpy as np

    counts = np.bincount(segment[mixed], minlength=len(segments))
    clashing = [(int(n), s.stated) for n, s in zip(counts, segments, strict=True) if n and s.stated]
    return min(clashing, default=(0, ()))[1]

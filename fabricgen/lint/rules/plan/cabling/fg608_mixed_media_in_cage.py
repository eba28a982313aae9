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
        if any(segment.media_path for segment in segments):
            yield from self._check_media(cluster)
        if cluster.planned.overrides:
            yield from self._check_as_built(cluster)
        for number, segment in enumerate(segments):
            if getattr(segment.a, "connectors", 1) > 1 and segment.a.per_connector > 1:
                yield from self._check_fibres(cluster, number)

    def _check_media(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Links that share a cage with links of other stated media, or whose medium fills a cage alone."""
        import numpy as np

        from fabricgen.wiring.cabling.cables import number_cages
        from fabricgen.wiring.cabling.media import fits_segment

        cables, links = cluster.plan.cables, cluster.plan.links
        medium, segment = cables.medium[cables.end_cable], links.segment[cables.end_link]
        shared = np.zeros(len(segment), dtype=bool)
        mixed = np.zeros(len(segment), dtype=bool)
        cages = number_cages(cluster.plan)
        for cage_of_end in (cages.a, cages.b):
            shared |= _find_mixed_cages(cage_of_end, cages.count, cables.end_cable)
            mixed |= _find_mixed_cages(cage_of_end, cages.count, medium)
        latest = _find_exception(links.segments, segment, mixed)
        reported: set[Path] = set()
        for i, stating in enumerate(links.segments):
            if not stating.media_path or stating.media_path in reported:
                continue
            fitting = [c for c in cables.media if fits_segment(stating, c)]
            # the entry behind the last is that of no medium, -1
            alike = np.array([*(c in fitting for c in cables.media), False])[medium]
            whole_cage_media = "/".join(dict.fromkeys(c.medium for c in fitting if c.attached or c.link_gbps))
            rows = (segment == i) & shared
            message, hint = (
                f", but {whole_cage_media} needs a whole cage",
                "use a medium with a fibre per lane, such as DR or SR",
            )
            if not all(c.attached or c.link_gbps for c in fitting) or not rows.any():
                rows = (segment == i) & (~alike | (mixed if stating.media_path == latest else False))
                message, hint = " with links of other media", "state the same media for all links that share a cage"
            if fitting and rows.any():
                reported.add(stating.media_path)
                yield self.flag(
                    stating.media_path,
                    f"{int(rows.sum())} {stating.fabric} {stating.key} links share cages{message}",
                    hint,
                )

    def _check_as_built(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Single cables in a shared cage whose medium differs from the other's, or needs the whole cage."""
        import numpy as np

        from fabricgen.wiring.cabling.cables import number_cages

        cables, cages = cluster.plan.cables, number_cages(cluster.plan)
        medium = cables.medium[cables.end_cable]
        shared, mixed = np.zeros(len(medium), dtype=bool), np.zeros(len(medium), dtype=bool)
        for cage_of_end in (cages.a, cages.b):
            shared |= _find_mixed_cages(cage_of_end, cages.count, cables.end_cable)
            mixed |= _find_mixed_cages(cage_of_end, cages.count, medium)
        takes_cage = np.array([bool(c.attached or c.link_gbps) for c in cables.media])[medium]
        wrong = set(cables.end_cable[mixed | (shared & takes_cage)].tolist())
        for cable in cluster.planned.overrides:
            if cable in wrong:
                profile = cables.media[cables.medium[cable]]
                yield self.flag(
                    ("cable_of", cluster.cable_ids[cable]),
                    f"{profile.id} ({profile.medium}) shares a cage with a cable that needs another transceiver",
                    "one cage holds one transceiver: move the cable, or state the same `medium` for both",
                )

    def _check_fibres(self, cluster: Cluster, number: int) -> Iterator[Diagnostic]:
        """Twin-port cages of lower ends of segment `number` with a straight fibre in one connector and a splitter in
        the other.
        """
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


def _find_mixed_cages(cage_of_end: Ints, cages: int, values: Ints) -> Flags:
    """Which cable ends are in cages (of `cages` in all) that hold several different ones of `values`."""
    import numpy as np

    # a cage holds different values if its least is below its greatest
    least, most = np.full(cages, values.max(initial=0), dtype=np.int32), np.full(cages, -1, dtype=np.int32)
    np.minimum.at(least, cage_of_end, values)
    np.maximum.at(most, cage_of_end, values)
    mixed: Flags = (least < most)[cage_of_end]
    return mixed


def _find_exception(segments: tuple[Segment, ...], segment: Ints, mixed: Flags) -> Path:
    """Of the statements that clash, the one for the fewest links: it is the exception."""
    import numpy as np

    counts = np.bincount(segment[mixed], minlength=len(segments))
    clashing = [(int(n), s.media_path) for n, s in zip(counts, segments, strict=True) if n and s.media_path]
    return min(clashing, default=(0, ()))[1]

"""FG608: cables in one cage need different transceivers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.catalog.models import CableProfile
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

    severity = Severity.ERROR
    impossible = True
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
        """Compare the media of the cables in each cage if media are stated, and look for cages with two kinds
        of fibre.
        """
        segments = cluster.plan.links.segments
        if any(segment.media_path for segment in segments):
            yield from self._check_media(cluster)
        if cluster.planned.overrides:
            yield from self._check_as_built(cluster)
        for number, segment in enumerate(segments):
            if getattr(segment.a, "connectors", 1) > 1 and segment.a.links_per_connector > 1:
                yield from self._check_fibres(cluster, number)

    def _check_media(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag statements of media for links that share a cage with links of other media, or whose medium needs a whole
        cage.
        """
        import numpy as np

        from fabricgen.wiring.cabling.media import fits_segment

        cables, links = cluster.plan.cables, cluster.plan.links
        medium, segment = cables.medium[cables.end_cable], links.segment[cables.end_link]
        is_shared, is_mixed = _find_shared_ends(cluster)
        exception = _find_exception(links.segments, segment, is_mixed)
        reported: set[Path] = set()
        for i, stating in enumerate(links.segments):
            if not stating.media_path or stating.media_path in reported:
                continue
            fitting = [c for c in cables.media if fits_segment(stating, c)]
            # ends without a medium have the number -1, which takes the last entry
            is_fitting = np.array([*(c in fitting for c in cables.media), False])[medium]
            rows = (segment == i) & is_shared
            if all(map(_needs_whole_cage, fitting)) and rows.any():
                message = f", but {'/'.join(dict.fromkeys(c.medium for c in fitting))} needs a whole cage"
                hint = "use a medium with a fibre per lane, such as DR or SR"
            else:
                rows = (segment == i) & (~is_fitting | (is_mixed if stating.media_path == exception else False))
                message, hint = " with links of other media", "state the same media for all links that share a cage"
            if fitting and rows.any():
                reported.add(stating.media_path)
                yield self.flag(
                    stating.media_path,
                    f"{int(rows.sum())} {stating.fabric} {stating.key} links share cages{message}",
                    hint,
                )

    def _check_as_built(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag cables with an as-built override in a cage with a cable of another medium, or whose medium needs the
        whole of a cage that it shares.
        """
        import numpy as np

        cables = cluster.plan.cables
        is_shared, is_mixed = _find_shared_ends(cluster)
        takes_cage = np.array([_needs_whole_cage(c) for c in cables.media])[cables.medium[cables.end_cable]]
        wrong = set(cables.end_cable[is_mixed | (is_shared & takes_cage)].tolist())
        for cable in (cable for cable in cluster.planned.overrides if cable in wrong):
            profile = cables.media[cables.medium[cable]]
            yield self.flag(
                ("cable_of", cluster.cable_ids[cable]),
                f"{profile.id} ({profile.medium}) shares a cage with a cable that needs another transceiver",
                "one cage holds one transceiver: move the cable, or state the same `medium` for both",
            )

    def _check_fibres(self, cluster: Cluster, number: int) -> Iterator[Diagnostic]:
        """Flag a segment, by its index, if twin-port cages at its lower ends have a straight fibre in one connector and
        a splitter in the other.
        """
        import numpy as np

        from fabricgen.wiring.cabling.plugs import number_cages

        cables, cages = cluster.plan.cables, number_cages(cluster.plan)
        segment = cluster.plan.links.segments[number]
        rows = cluster.plan.links.segment[cables.end_link] == number
        # how many far ends the cable of each entry has: a splitter has several
        far_ends = np.bincount(cables.end_cable, minlength=len(cables))[cables.end_cable]
        is_split = rows & (far_ends > 1)
        is_straight = rows & (far_ends == 1) & (cables.end_links == segment.a.links_per_connector)
        is_mixed = np.bincount(cages.a[is_split], minlength=cages.count) > 0
        is_mixed &= np.bincount(cages.a[is_straight], minlength=cages.count) > 0
        if is_mixed.any():
            yield self.flag(
                segment.path,
                f"{is_mixed.sum()} twin-port cages of {segment.fabric} {segment.key} links hold a straight and a "
                "splitter fibre",
                "give each upper switch a multiple of the links of a cage, or use unsplit ports",
            )


def _needs_whole_cage(medium: CableProfile) -> bool:
    return medium.attached or bool(medium.link_gbps)


def _find_shared_ends(cluster: Cluster) -> tuple[Flags, Flags]:
    """Return two flags for each cable end: whether its cage holds several cables, and whether it holds cables of
    several media.
    """
    import numpy as np

    from fabricgen.wiring.cabling.plugs import number_cages

    cables, cages = cluster.plan.cables, number_cages(cluster.plan)
    is_shared, is_mixed = (np.zeros(len(cables.end_cable), dtype=bool) for _ in range(2))
    for cage_of_end in (cages.a, cages.b):
        is_shared |= _find_mixed_cages(cage_of_end, cages.count, cables.end_cable)
        is_mixed |= _find_mixed_cages(cage_of_end, cages.count, cables.medium[cables.end_cable])
    return is_shared, is_mixed


def _find_mixed_cages(cage_of_end: Ints, cages: int, values: Ints) -> Flags:
    """Return for each cable end whether its cage holds ends of different `values`; `cages` is the number of cages."""
    import numpy as np

    # a cage holds different values if its least is below its greatest
    least, greatest = np.full(cages, values.max(initial=0), dtype=np.int32), np.full(cages, -1, dtype=np.int32)
    np.minimum.at(least, cage_of_end, values)
    np.maximum.at(greatest, cage_of_end, values)
    is_mixed: Flags = (least < greatest)[cage_of_end]
    return is_mixed


def _find_exception(segments: tuple[Segment, ...], segment: Ints, is_mixed: Flags) -> Path:
    """Return the path of the statement of media for the fewest links among those that clash: it is the exception."""
    import numpy as np

    counts = np.bincount(segment[is_mixed], minlength=len(segments))
    clashing = [(int(n), s.media_path) for n, s in zip(counts, segments, strict=True) if n and s.media_path]
    return min(clashing, default=(0, ()))[1]

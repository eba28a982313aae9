"""FG656: a transceiver is planned that nobody is known to sell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.bom.cables import CableParts
    from fabricgen.cluster import Cluster


class ArticleWithoutSeller(PlanRule):
    """A standard exists for the transceivers of some cables, but no module of it was found on sale.

    The bill names them by what they are (`sr8-50g-qsfp56-100g`), as it does all parts without a product list; this one
    cannot be ordered under any name. The catalogue's note on the medium says what was looked for.

    State media that are sold for these speeds, such as a breakout AOC or DAC, take another speed, or add a list of your
    own with the part to catalog/products.
    """

    severity = Severity.WARNING
    bad = """
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {storage: {protocol: roce, attach: storage, speed: 100G, media: SR, tiers: {  # <-
          leaf: {switch: sn4700, count: 2}}}}
    """
    good = """
        scalable_unit: {nodes: 16 x dgx-b200}
        fabrics: {storage: {protocol: roce, attach: storage, speed: 100G, media: AOC, tiers: {
          leaf: {switch: sn4700, count: 2}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag each article that nobody sells, at the first statement that it comes from, with the number of pieces."""
        from fabricgen.bom.cables import CableParts
        from fabricgen.bom.sources import transceivers

        parts = CableParts(cluster)
        paths = _find_unsold_articles(cluster, parts)
        if not paths:
            return
        needs = transceivers.needs(cluster, parts)
        for part, count in zip(needs.parts, needs.quantities, strict=True):
            if part.part in paths:
                message = f"nobody is known to sell {count:,} {part.part} ({part.description})"
                hint = "state other media or another speed, or add a list with the part to catalog/products"
                yield self.flag(paths[part.part], message, hint)


def _find_unsold_articles(cluster: Cluster, parts: CableParts) -> dict[str, Path]:
    """Return the path of the first cables with each transceiver that nobody is known to sell, by its part."""
    import numpy as np

    kinds, *ends = parts.kinds
    table, links = cluster.plan.cables, cluster.plan.links
    unsold = np.array([kind.is_unsold(medium) for kind in kinds for medium in table.media], dtype=bool)
    paths: dict[str, Path] = {}
    if not unsold.any():
        return paths
    medium = table.medium[table.end_cable]
    for end in ends:
        # kind of end and medium as one number, which also indexes `unsold`
        code = end * len(table.media) + medium
        rows = np.flatnonzero(unsold[code])
        for value, first_row in zip(*(c.tolist() for c in np.unique(code[rows], return_index=True)), strict=True):
            kind, of_medium = divmod(value, len(table.media))
            segment = links.segments[links.segment[table.end_link[rows[first_row]]]]
            part = kinds[kind].find_transceiver_part(table.media[of_medium])
            paths.setdefault(part, segment.media_path or segment.path)
    return paths

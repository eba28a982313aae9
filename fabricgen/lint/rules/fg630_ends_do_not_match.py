"""FG630: the ends of a cable do not match."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.catalog.models import CableProfile
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.cabling.end_kinds import EndKind


class EndsDoNotMatch(PlanRule):
    """The two ends of a cable do not understand each other, or its far ends cannot share its fibres.

    Both ends need the same fibre, connector, lane rate and wavelengths: DR4 meets 2xDR4, SR never meets DR, FR4 never
    DR4. Of a cage with several connectors, each serves far ends in whole fibres: two 400G links of a twin-port cage go
    to two switches, three 200G links to one switch and a fourth to another do not, for want of such a splitter.

    Give each pair of switches whole connectors: links in multiples of those of a connector, or faster ones.
    """

    id = "FG630"
    severity = Severity.ERROR
    title = "the ends of a cable do not match"
    bad = """
        fabrics: {compute: {protocol: roce, speed: 400G, oversubscription: "9:1", tiers: {
          leaf: {switch: sn5600, per: su, uplinks: 9 x 200G},  # <-
          spine: {switch: sn5600, count: 3}}}}
    """
    good = """
        fabrics: {compute: {protocol: roce, speed: 400G, oversubscription: "9:1", tiers: {
          leaf: {switch: sn5600, per: su, uplinks: 12 x 200G},
          spine: {switch: sn5600, count: 3}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare both ends of each kind of cable, then the fibres of those that split."""
        import numpy as np

        from fabricgen.wiring.cabling.offers import kinds_of, shelf_of
        from fabricgen.wiring.cabling.pieces import splits
        from fabricgen.wiring.groups import unique_combinations

        table, links, shelf = cluster.plan.cables, cluster.plan.links, shelf_of(cluster.design)
        segment, medium = links.segment[table.end_link], table.medium[table.end_cable]
        split = splits(links, table.end_cable, table.end_link, table.end_links, len(table))
        columns = (segment, medium, split[table.end_cable], table.end_links)
        first, code = unique_combinations(*columns) if len(segment) else (segment, segment)
        counts = np.bincount(code, minlength=len(first)).tolist()
        told: dict[tuple[int, str], int] = {}
        for count, n, m, far_ends, share in zip(counts, *(c[first].tolist() for c in columns), strict=True):
            s = links.segments[n]
            a, b = kinds_of(s, shelf)
            why = _wrong(a, table.media[m], b, far_ends, share * s.lanes)
            if why:
                told[n, why] = told.get((n, why), 0) + count
        for (n, why), count in told.items():
            s = links.segments[n]
            hint = "links to each switch in multiples of those of a connector, or faster ones"
            yield self.flag(s.stated or s.path, f"{count} ends of {s.fabric} {s.key} cables: {why}", hint)


def _wrong(a: EndKind, medium: CableProfile, b: EndKind, far_ends: int, lanes: int) -> str:
    """Why an end of so many lanes must not be; "" where it may.

    A far end takes whole connectors of the common end, or a whole fraction of one, as a splitter has it.
    """
    from fabricgen.wiring.cabling.end_kinds import mismatch

    each = medium.lanes_per_connector
    if far_ends > 1 and not medium.attached and lanes % each and each % lanes:
        return f"{lanes} lanes of one far end are neither whole connectors of {each} lanes nor a fraction of one"
    return mismatch(a, medium, b)

"""FG630: the ends of a cable do not match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.catalog.models import CableProfile
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.cabling.end_kinds import EndKind


class EndsDoNotMatch(PlanRule):
    """The two ends of a cable are incompatible, or its far ends cannot share its fibres.

    Both ends need the same fibre, connector, lane rate and wavelengths: DR4 works with 2xDR4, but never SR with DR,
    or FR4 with DR4. Where a cage has several connectors, each far end needs whole connectors or an equal part of
    one: two 400G links of a twin-port cage can go to two switches, but not three 200G links to one switch and a
    fourth to another, since no such splitter exists.

    Give each pair of switches whole connectors: links in multiples of those of a connector, or faster ones.
    """

    severity = Severity.ERROR
    impossible = True
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
        """Compare both ends of each kind of cable, then the fibres of split cables."""
        import numpy as np

        from fabricgen.wiring.arrays import unique_combinations
        from fabricgen.wiring.cabling.far_ends import count_far_ends
        from fabricgen.wiring.cabling.offers import make_end_kinds, make_shelf

        table, links, shelf = cluster.plan.cables, cluster.plan.links, make_shelf(cluster.design)
        segment, medium = links.segment[table.end_link], table.medium[table.end_cable]
        split = count_far_ends(links, table.end_cable, table.end_link, table.end_links, table.connectors)
        columns = (segment, medium, split[table.end_cable], table.end_links)
        first_rows, code = unique_combinations(*columns) if len(segment) else (segment, segment)
        counts = np.bincount(code, minlength=len(first_rows)).tolist()
        reported = Counter[tuple[int, str]]()
        # equal ends are judged once: `n` is their segment, `m` their medium, `count` how many there are
        for count, n, m, far_ends, links_of_end in zip(counts, *(c[first_rows].tolist() for c in columns), strict=True):
            s = links.segments[n]
            a, b = make_end_kinds(s, shelf)
            why = _explain_misfit(a, table.media[m], b, far_ends, links_of_end * s.lanes)
            if why:
                reported[n, why] += count
        for (n, why), count in reported.items():
            s = links.segments[n]
            hint = "give each switch a multiple of the links of a connector, or use faster links"
            yield self.flag(s.media_path or s.path, f"{count} ends of {s.fabric} {s.key} cables: {why}", hint)


def _explain_misfit(a: EndKind, medium: CableProfile, b: EndKind, far_ends: int, lanes: int) -> str:
    """Return why a cable with `far_ends` ends, of which this one has a number of lanes, does not work between ends `a`
    and `b`; "" if it works.

    A far end takes whole connectors of the common end, or an equal part of one connector, as splitters do.
    """
    from fabricgen.wiring.cabling.end_kinds import explain_mismatch

    per_connector = medium.lanes_per_connector
    if far_ends > 1 and not medium.attached and lanes % per_connector and per_connector % lanes:
        return f"a {lanes}-lane bundle does not fit {per_connector}-lane connectors"
    return explain_mismatch(a, medium, b)

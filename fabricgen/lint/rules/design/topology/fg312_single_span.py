"""FG312: a site has only one span."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class SingleSpan(DesignRule):
    """A site is joined to the others by a single span, which is one route of fibre.

    However many links a span has, they lie in one duct, or at least enter a site in one place, and one digger cuts
    them all. Facility failures such as cable cuts were 49% of the outages that carriers reported to the FCC in a
    quarter of 2003 (NANOG mailing list, 2003-04-21). A training job across sites stops when its only span is cut.

    Give the site a second span over another route, with its own `km`, or accept the risk: a cut ends the job, not
    the sites.
    """

    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        pods: {p1: {su: 1, site: east}, p2: {su: 1, site: west}}
        fabrics:
          across:
            protocol: roce
            oversubscription: "8:1"
            tiers: {border: {switch: 7280r4-32qf-32df, count: 2, above: compute.spine}}
            spans: {haul: {between: [east, west], km: 40, links: 8 x 400G}}  # <-
    """
    good = """
        pods: {p1: {su: 1, site: east}, p2: {su: 1, site: west}}
        fabrics:
          across:
            protocol: roce
            oversubscription: "8:1"
            tiers: {border: {switch: 7280r4-32qf-32df, count: 2, above: compute.spine}}
            spans:
              north: {between: [east, west], km: 40, links: 4 x 400G}
              south: {between: [east, west], km: 55, links: 4 x 400G}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag spans at an end of which no other span ends; one finding names all such sites of a span."""
        sites = design.layout.sites
        for tier in design.tiers:
            for span in tier.spans:
                single_sites = [sites[s] for s in span.sites if sum(s in other.sites for other in tier.spans) == 1]
                if single_sites:
                    yield self.flag(
                        span.path,
                        f"{tier.fabric} joins {' and '.join(single_sites)} by one span only: {span.name}, "
                        f"{span.km:g} km",
                        "add a second span over another route, so that one cut does not separate the sites",
                    )

"""FG410: a span between sites is a single link."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class SpanOfOneLink(DesignRule):
    """Two sites are joined by one link: one optic, one port, one border switch at either end.

    A coherent optic fails as often as any other, and a border switch is upgraded sooner or later: then the sites are
    apart, however many switches stand at either end. That the fibres of a span lie in one duct is FG312.

    Give the span a link for each border switch at least, or the sites a second span.
    """

    severity = Severity.WARNING
    bad = """
        pods: {p1: {su: 1, site: east}, p2: {su: 1, site: west}}
        fabrics:
          across:
            protocol: roce
            oversubscription: "64:1"
            tiers: {border: {switch: 7280r4-32qf-32df, count: 1, above: compute.spine}}
            spans:
              haul:
                between: [east, west]
                km: 40
                links: 1 x 400G  # <-
    """
    good = """
        pods: {p1: {su: 1, site: east}, p2: {su: 1, site: west}}
        fabrics:
          across:
            protocol: roce
            oversubscription: "8:1"
            tiers: {border: {switch: 7280r4-32qf-32df, count: 2, above: compute.spine}}
            spans:
              haul:
                between: [east, west]
                km: 40
                links: 8 x 400G
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag spans between two sites that one link of one switch joins."""
        for tier in design.tiers:
            switches_per_site = tier.switches // len(design.layout.sites)
            for span in tier.spans:
                alike = [other for other in tier.spans if set(other.sites) == set(span.sites)]
                if sum(other.links for other in alike) * switches_per_site == 1:
                    ends = " and ".join(design.layout.sites[site] for site in span.sites)
                    yield self.flag(
                        (*span.path, "links"),
                        f"{tier.fabric} joins {ends} by one link; its optics or border switch take the site with them",
                        "give it two links or more, each on a border switch of its own",
                    )

"""FG605: a span has more links than fibre pairs."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.inside.scale_across import list_spans
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class FibrePairs(DesignRule):
    """A connection between two sites has more links than there are fibre pairs.

    LR and coherent optics take a duplex pair each: two links on the same wavelength cannot share a fibre. Without
    enough pairs the links need multiplexers (DWDM), whose channels and filters are not planned here, and cables.csv
    would ask for fibre that does not exist.

    Order more pairs, use faster links (one 800G in place of two 400G), or fewer of them.
    """

    severity = Severity.ERROR
    bad = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G,
            fibre_pairs: 4}}}}  # <-
    """
    good = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G, fibre_pairs: 8}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the links of each span with its fibre pairs."""
        for fabric in design.fabrics:
            for _, figures in list_spans(design, fabric):
                if figures.links > figures.span.fibre_pairs:
                    yield self.flag(
                        (*figures.span.path, "fibre_pairs"),
                        f"{fabric.name} {figures.span.name} has {figures.links} links but "
                        f"{figures.span.fibre_pairs} fibre pairs",
                        f"order {figures.links} pairs, or use fewer, faster links",
                    )

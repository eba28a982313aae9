"""FG757: SONiC sends no PFC over MACsec."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import list_lossless_fabrics, list_pausing_spans


class NoPauseOverMacsec(DesignRule):
    """A span is to be lossless and encrypted, and its border switches run SONiC, which sends no PFC on such ports.

    When a port with MACsec is congested, SONiC generates no PFC frames (sonic-net/sonic-buildimage issue 25675, open):
    the far end is never told to pause, and the span drops packets as if it were not lossless. Its headroom is then
    buffer that nothing uses.

    State `lossless: false`, so that the span relies on ECN, or encrypt elsewhere; waive the finding where your image
    has a fix.
    """

    severity = Severity.WARNING
    bad = """
        pods: {p1: {site: east}, p2: {site: west}}
        nos: sonic
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G,
            lossless: true,  # <-
            macsec: {ckn: 0123456789abcdef0123456789abcdef, cak: "env:FABRICGEN_CAK"}}}}}
    """
    good = """
        pods: {p1: {site: east}, p2: {site: west}}
        nos: sonic
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G, lossless: false,
            macsec: {ckn: 0123456789abcdef0123456789abcdef, cak: "env:FABRICGEN_CAK"}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag lossless spans over encrypted links of a NOS that sends no PFC over MACsec."""
        for fabric, _ in list_lossless_fabrics(design):
            stated = design.loaded.blueprint.fabrics[fabric.name].spans
            for tier, figures in list_pausing_spans(design, fabric):
                is_paused = design.catalog.naming(tier.nos).configuration.pauses_macsec
                if not is_paused and stated[figures.span.name].macsec is not None:
                    yield self.flag(
                        (*figures.span.path, "lossless"),
                        f"{figures.span.name} is lossless over MACsec, and SONiC on {tier.name} {tier.profile.id} "
                        "sends no PFC on ports with MACsec",
                        "state `lossless: false`, or waive this where your image does",
                    )

"""FG751: packet numbers of MACsec run out in seconds."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.inside.scale_across import list_spans
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule

FROM_GBPS = 100
"""From which speed of a link on its cipher is judged."""
SMALLEST_BITS = 84 * 8
"""Bits of the smallest packet on the wire, with preamble and gap."""


class PacketNumbersRunOut(DesignRule):
    """A fast span is encrypted by a cipher suite whose packet numbers have 32 bits.

    A key may not number two packets alike, so that both ends agree on a new one before 2^32 packets have passed: at
    400 Gb/s that is after 7 s of the smallest packets. Keys then change all the time, and a link whose key agreement
    is late stops. Suites with extended packet numbers have 64 bits (IEEE Std 802.1AE-2018, 14.7 and 14.8).

    Use a suite whose name ends in `-xpn`.
    """

    severity = Severity.WARNING
    bad = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G, lossless: false,
            macsec: {ckn: 0123456789abcdef0123456789abcdef, cak: "env:FABRICGEN_CAK",
              cipher: aes256-gcm}}}}}  # <-
    """
    good = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G, lossless: false,
            macsec: {ckn: 0123456789abcdef0123456789abcdef, cak: "env:FABRICGEN_CAK"}}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag encrypted spans of fast links whose cipher has packet numbers of 32 bits."""
        for fabric in design.fabrics:
            stated = design.loaded.blueprint.fabrics[fabric.name].spans
            for _, figures in list_spans(design, fabric):
                macsec, run = stated[figures.span.name].macsec, figures.span.run
                if macsec is None or macsec.cipher.endswith("xpn") or run.speed_gbps < FROM_GBPS:
                    continue
                seconds = 2**32 * SMALLEST_BITS / (run.speed_gbps * 1e9)
                yield self.flag(
                    (*figures.span.path, "macsec", "cipher"),
                    f"{macsec.cipher} numbers packets with 32 bits, which a link of {run.speed_gbps}G uses up in "
                    f"{seconds:.0f} s of small packets",
                    f"use `cipher: {macsec.cipher}-xpn`",
                )

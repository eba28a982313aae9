"""The long-haul connections of a fabric, as its border switches are told of them."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.switch.interfaces import Macsec

MACSEC_OVERHEAD = 32
"""Bytes that MACsec adds to a frame: a tag of 16 with the sender's identifier, and an integrity check value of 16 (IEEE
802.1AE-2018, 9.3, 9.11 and 14.5). The MTU of the port is smaller by that, so that frames on the fibre are no larger
than those of other links."""


@dataclass(frozen=True, slots=True)
class SpanIntent:
    """A long-haul connection: `lossless` where PFC pauses over it, `length_m` its fibre.

    The key of `macsec` is a reference until configurations are rendered.
    """

    name: str
    length_m: int
    lossless: bool
    macsec: Macsec | None

    @property
    def profile(self) -> str:
        """What its settings are called on a switch."""
        return f"span-{self.name}"

    @property
    def overhead(self) -> int:
        """Bytes that its links add to every frame."""
        return MACSEC_OVERHEAD if self.macsec else 0


def spans_intended(spec: Fabric) -> tuple[SpanIntent, ...]:
    """The spans that a blueprint states for a fabric, by name."""
    return tuple(
        SpanIntent(
            name=name,
            length_m=round(1000 * span.km),
            lossless=span.lossless,
            macsec=Macsec(span.macsec.cipher, span.macsec.ckn, span.macsec.cak) if span.macsec else None,
        )
        for name, span in sorted(spec.spans.items())
    )

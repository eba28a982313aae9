"""What is wrong with a cable, its modules or its ports, before it is put together as actions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.verify.actions import Kind

BEGINNING = "cable "
"""How the text of an action on modules or ports begins, by which one of kind `port` is told from others."""


def is_of_optics(kind: str, text: str) -> bool:
    """Whether a finding of a report is on modules or ports, so that only --optics can tell what became of it."""
    return kind == Kind.OPTIC.value or (kind == Kind.PORT.value and text.startswith(BEGINNING))


WHOLE = float("inf")
"""As `lost_gbps`: all that a link has."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: `ports` where (planned ports, at least one), `text` a sentence without its full stop.

    `lost_gbps` is what each of their links lacks because of it, at most its speed.
    """

    kind: Kind
    ports: tuple[int, ...]
    text: str
    lost_gbps: float = 0.0


@dataclass
class Findings:
    """All that is wrong, and what is worth a note: texts with the places that each holds for."""

    found: list[Finding] = field(default_factory=list)
    noted: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: Kind, ports: tuple[int, ...], text: str, lost_gbps: float = 0.0) -> None:
        """Add a fault."""
        self.found.append(Finding(kind, ports, text, lost_gbps))

    def note(self, text: str, place: str) -> None:
        """Note something that holds for a place."""
        self.noted.setdefault(text, []).append(place)


# Limits that modules and ports are held against, and where they come from.

MARGIN = 10.0
"""An error rate within this factor of its limit is told, since dirt and warmth take that much."""

FEC_FROM_GBPS = 100
"""Ports of this speed and more have RS-FEC in the configs of fabricgen, whatever the NOS (nos/*/writing)."""

LENGTH_SLACK_M = 1.0
"""Lengths of cables are told in whole metres (SFF-8636, byte 146), so that a difference below this means nothing."""


class ErrorRate(NamedTuple):
    """The bit error rate before FEC that the FEC of a lane is sure to correct, and the FEC."""

    limit: float
    fec: str


_PAM4 = ErrorRate(2.4e-4, "RS(544,514)")
_NRZ = ErrorRate(5e-5, "RS(528,514)")


def error_rate_after_fec(speed_gbps: float) -> float:
    """The bit error rate after FEC that a port of a speed, Gb/s, may have.

    1e-13 at 200G and more, 1e-12 below, or the frame loss ratio equal to it (objectives of IEEE 802.3bs and bj).
    """
    return 1e-13 if speed_gbps >= 200 else 1e-12


def error_rate(lane_gbps: float) -> ErrorRate:
    """The limit of a lane rate, Gb/s.

    Lanes of 50G and more: 2.4e-4 (IEEE 802.3, 136.1 and alike: www.ieee802.org/3/cd/email/msg00208.html); of 25G: 5e-5
    (clause 95, ibid.).
    """
    return _NRZ if 0 < lane_gbps < 50 else _PAM4

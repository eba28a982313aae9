"""Limits that modules and ports are held against, and where they come from."""

from __future__ import annotations

from typing import NamedTuple

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

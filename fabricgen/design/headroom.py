"""PFC headroom over a distance: what arrives after a port has said pause.

The pause travels to the far end, which finishes the packet that it sends and reacts within the time of the standard;
meanwhile, and for as long again, what it has sent still comes (IEEE Std 802.1Q-2022, annex N, "Buffer requirements for
priority-based flow control": two delays of the medium, a largest packet at each end, the pause frame, and the reaction
time of IEEE Std 802.3-2022, 31B.3.7: 905 quanta of 512 bits at 400 Gb/s).
"""

from __future__ import annotations

from fabricgen.design.scale_across import US_PER_KM

LARGEST_FRAME = 9216 + 22 + 32
"""Bytes: the largest MTU, Ethernet's own, and MACsec's."""

REACTION = 905 * 512 // 8
"""Bytes that may leave a port of 400 Gb/s between a pause frame's arrival and its effect; fewer at lower speeds."""

PAUSE_FRAME = 84
"""Bytes on the wire, with preamble and gap."""


def in_flight_bytes(km: float, gbps: int) -> float:
    """Bytes on the way there and back over a length of fibre, at full speed."""
    return 2 * km * US_PER_KM * gbps * 1000 / 8


def headroom_bytes(km: float, gbps: int) -> int:
    """The headroom of one port and one priority over a length of fibre, bytes."""
    return round(in_flight_bytes(km, gbps)) + 2 * LARGEST_FRAME + REACTION + PAUSE_FRAME

"""ECN thresholds of lossless Ethernet, alike on every NOS.

No vendor agrees with another on them; these are the starting values of facts gathered from public guides (256/512 kB at
a leaf, 512/768 kB at a spine, for a 400G port), scaled by port speed.
"""

from __future__ import annotations

from fabricgen.intent import QosIntent

_REFERENCE_GBPS = 400
_LEAF_KB, _UPPER_KB = (256, 512), (512, 768)


def ecn_thresholds_kb(qos: QosIntent, is_lowest: bool, speed_gbps: int) -> tuple[int, int]:
    """Queue lengths, kB, at which a port of a speed starts to mark and marks all.

    What the blueprint states for a speed wins. What it states for all holds for every speed; the other end is then kept
    above, or below, it.
    """
    stated = next(((low, high) for speed, low, high in qos.ecn if speed == speed_gbps), None)
    if stated:
        return stated
    base = _LEAF_KB if is_lowest else _UPPER_KB
    low, high = (max(1, kb * speed_gbps // _REFERENCE_GBPS) for kb in base)
    high = max(high, low + 1)
    if qos.ecn_max_kb is not None:
        low, high = min(low, max(1, qos.ecn_max_kb // 2)), qos.ecn_max_kb
    if qos.ecn_min_kb is not None:
        low, high = qos.ecn_min_kb, high if high > qos.ecn_min_kb else 2 * qos.ecn_min_kb
    return low, high

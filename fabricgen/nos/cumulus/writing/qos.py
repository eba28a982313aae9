"""Lossless Ethernet as NVUE's QoS objects have it.

`qos roce` would set all of it in one line, with NVIDIA's numbers and none of ours to be seen; the objects below are
what it stands for (user guide, "Quality of Service" and "RDMA over Converged Ethernet"; NVUE Command Reference, QoS):
profiles that ports refer to, one map of priorities to queues for the whole switch, and half of the buffer for lossless
traffic, as both chapters have it. `pfc` and ECN say `enable` where newer objects say `enabled`; the watchdog takes
`enable` in the reference, though prose of 5.16 and later writes `enabled`.

The watchdog waits `robustness` polls before it acts, and gives the queue back after a poll without pause frames: there
is no restoration time to set.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fabricgen.design.qos import QosIntent, ecn_thresholds_kb
from fabricgen.views.switch import SwitchPort, SwitchView

CLASSES, DSCPS = range(8), range(64)
LOSSY_CLASS = 0
KBPS_PER_GBPS = 1_000_000
LOSSLESS_MEMORY, LOSSY_MEMORY = 50, 50
"""Shares of the buffer, percent: the user guide's, under "Flow Control Buffers"; those of `qos roce` too."""


def qos_values(switch: SwitchView) -> dict[str, Any] | None:
    """The values for the QoS template; None where the fabric is best-effort.

    Switches with ports of the same speeds get the same mapping, so that its text is rendered once.
    """
    qos = switch.fabric.qos
    if not (qos.lossless and switch.ports):
        return None
    spans = {port.span.length_m for port in switch.ports if port.span and port.span.lossless}
    return _qos(qos, switch.is_lowest, frozenset(port.speed_gbps for port in switch.ports), frozenset(spans))


@lru_cache(maxsize=256)
def _qos(qos: QosIntent, is_lowest: bool, speeds: frozenset[int], spans_m: frozenset[int]) -> dict[str, Any]:
    classes = {qos.roce_dscp: qos.roce_class, qos.cnp_dscp: qos.cnp_class}
    return {
        "dscp_classes": [(dscp, classes.get(dscp, LOSSY_CLASS)) for dscp in DSCPS],
        "class_queues": [(n, n if n in classes.values() else LOSSY_CLASS) for n in CLASSES],
        "shares": [(LOSSY_CLASS, 100 - qos.roce_percent), (qos.roce_class, qos.roce_percent)],
        "cnp_class": qos.cnp_class,
        "roce_class": qos.roce_class,
        "ecn_profiles": [
            (speed_profile(speed), *(1000 * kb for kb in ecn_thresholds_kb(qos, is_lowest, speed)))
            for speed in sorted(speeds)
        ],
        "shapers": [
            (speed_profile(speed), speed * qos.cnp_max_percent * KBPS_PER_GBPS // 100)
            for speed in sorted(speeds)
            if qos.cnp_max_percent
        ],
        "mark_percent": qos.mark_percent,
        "pfc_profiles": [("ROCE", 0), *((span_profile(length_m), length_m) for length_m in sorted(spans_m))],
        "poll_ms": qos.poll_ms,
        "polls": -(-qos.detect_ms // qos.poll_ms),
        "memory": [("default-lossless", LOSSLESS_MEMORY), ("default-lossy", LOSSY_MEMORY)],
    }


def speed_profile(speed_gbps: int) -> str:
    """The name of the profile for a port speed: congestion control and the shaper of CNPs."""
    return f"ROCE-{speed_gbps}G"


def span_profile(length_m: int) -> str:
    """The name of the PFC profile of ports that pause over a length of fibre."""
    return f"ROCE-{length_m}M"


def pfc_profile(port: SwitchPort) -> str:
    """The PFC profile of a port of a lossless fabric; "" where it never pauses."""
    if not port.pauses:
        return ""
    return span_profile(port.span.length_m) if port.span else "ROCE"

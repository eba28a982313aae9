"""Lossless Ethernet as NVUE's QoS objects have it, load balancing and packet trimming.

`qos roce` would set all of it in one line, with NVIDIA's numbers and none of ours to be seen; the objects below are
what it stands for (user guide, "Quality of Service" and "RDMA over Converged Ethernet"; NVUE Command Reference, QoS):
profiles that ports refer to, one map of priorities to queues for the whole switch, and half of the buffer for lossless
traffic, as both chapters have it. `pfc` and ECN say `enable` where newer objects say `enabled`; the watchdog takes
`enable` in the reference, though prose of 5.16 and later writes `enabled`.

The watchdog waits `robustness` polls before it acts, and gives the queue back after a poll without pause frames: there
is no restoration time to set.

Adaptive routing sends each packet to the port with the least load, of RoCE packets whose NIC says that they may (user
guide, Equal Cost Multipath Load Sharing; Spectrum-X is what sets NICs up for it). Without a seed, switchd draws one at
random (the same page, Unique Hash Seed), so that no two switches hash alike.

Packet trimming is there from 5.14 and Spectrum-4 on. Words: user guide, Quality of Service, Packet Trimming; NVUE
Command Reference, Packet Trimming. The switch that trims a packet puts the rest of it into the class of
`switch-priority`. The next one knows it by its DSCP alone, so that ports trust DSCPs, and a map puts all others into
class 0, as without a map. What leads out of the fabric is as it was.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import Any

from fabricgen.switch.qos import Balancing, Qos, Trimming, Watchdog
from fabricgen.views.model.forwarding import model_qos
from fabricgen.views.switch import SwitchView

CLASSES = range(8)
KBPS_PER_GBPS = 1_000_000
LOSSLESS_MEMORY, LOSSY_MEMORY = 50, 50
"""Shares of the buffer, percent: the user guide's, under "Flow Control Buffers"; those of `qos roce` too."""


def qos_values(switch: SwitchView) -> dict[str, Any] | None:
    """The values for the QoS template; None where the fabric is best-effort.

    Switches with ports of the same speeds get the same mapping, so that its text is rendered once.
    """
    qos = model_qos(switch)
    if qos is None or qos.watchdog is None:
        return None
    return _qos(qos, qos.watchdog, tuple(port.speed_gbps for port in switch.ports))


@lru_cache(maxsize=256)
def _qos(qos: Qos, watchdog: Watchdog, speeds: tuple[int, ...]) -> dict[str, Any]:
    """`speeds` are those of `qos.ports`, Gb/s."""
    lossy_class, cnp_class, roce_class = qos.classes
    by_speed = sorted(dict(zip(speeds, qos.ports.values(), strict=True)).items(), key=itemgetter(0))
    first = by_speed[0][1]
    shaped_percent = first.queues[cnp_class].limit
    return {
        "dscp_classes": list(enumerate(qos.class_of)),
        "class_queues": [(number, qos.queue_of.get(number, lossy_class)) for number in CLASSES],
        "shares": [(number, first.queues[number].share) for number in (lossy_class, roce_class)],
        "cnp_class": cnp_class,
        "roce_class": roce_class,
        "ecn_profiles": [
            (speed_profile(speed), 1000 * port.ecn.min_kb, 1000 * port.ecn.max_kb) for speed, port in by_speed
        ],
        "shapers": [
            (speed_profile(speed), speed * shaped_percent * KBPS_PER_GBPS // 100)
            for speed, _ in by_speed
            if shaped_percent
        ],
        "mark_percent": first.ecn.percent,
        "pfc_profiles": [
            (pfc_profile(length_m), length_m) for length_m in sorted({0, *(p.length_m for p in qos.ports.values())})
        ],
        "poll_ms": watchdog.poll_ms,
        "polls": -(-watchdog.detect_ms // watchdog.poll_ms),
        "memory": [("default-lossless", LOSSLESS_MEMORY), ("default-lossy", LOSSY_MEMORY)],
    }


def speed_profile(speed_gbps: int) -> str:
    """The name of the profile for a port speed: congestion control and the shaper of CNPs."""
    return f"ROCE-{speed_gbps}G"


def pfc_profile(length_m: int) -> str:
    """The name of the PFC profile of ports that pause over a length of fibre, or over a usual cable (0)."""
    return f"ROCE-{length_m}M" if length_m else "ROCE"


def balancing_values(balancing: Balancing) -> dict[str, Any]:
    """What the templates name of load balancing; `hash_seed` is none where switchd draws one."""
    return {"adaptive": balancing.by_load, "hash_seed": balancing.seed}


def trim_values(trimming: Trimming | None) -> dict[str, Any] | None:
    """The values for the templates, None for a switch that trims nothing: it is not asked to, or its chip cannot."""
    if trimming is None:
        return None
    return {
        "dscp": trimming.dscp,
        "size": trimming.size,
        "traffic_class": trimming.traffic_class,
        "dscp_classes": list(enumerate(trimming.class_of)),
    }

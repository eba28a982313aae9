"""Values of EOS's quality of service: classes, a profile per port speed, and the PFC watchdog.

Every DSCP has its class written out, so that nothing but RoCE data and notifications enters a queue before theirs: EOS
serves queues by strict priority where nothing else is said, and its own map spreads DSCPs over all of them.

Queues share a port by `bandwidth percent`, which is what the chips of AI switches take; `bandwidth guaranteed` in its
place is of others (aristanetworks/avd, issue 1304 and pull request 1331). The watchdog is on wherever its default
timeout is set, and each profile says so too.

Sources: Arista AI Network Fabric Deployment Guide; EOS user manual, DCBX and flow control; pyavd 6.4.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fabricgen.design.qos import QosIntent, ecn_thresholds_kb
from fabricgen.views.switch import SwitchView

LOSSY_CLASS = 1
"""The traffic class that EOS gives unmarked packets (DSCP 0-7)."""

UNICAST_QUEUE_CHIPS = ("Tomahawk", "Trident")
"""XGS chips, whose unicast queues are `uc-tx-queue`; on DNX chips a queue is a `tx-queue`."""

WATCHDOG_ACTIONS = {"drop": "drop", "forward": "notify-only"}
"""EOS's words; `notify-only` leaves the queue as it is and says so."""


def qos_values(switch: SwitchView) -> dict[str, Any]:
    """RoCE classes, and a profile per port speed; no profiles where the fabric is best-effort."""
    qos = switch.fabric.qos
    if not qos.lossless:
        return {"profiles": []}
    kinds = tuple(sorted({(port.speed_gbps, not port.pauses) for port in switch.ports}))
    return _values(qos, switch.is_lowest, kinds, switch.profile.asic.startswith(UNICAST_QUEUE_CHIPS))


@lru_cache(maxsize=1024)
def _values(
    qos: QosIntent, is_lowest: bool, kinds: tuple[tuple[int, bool], ...], unicast_queues: bool
) -> dict[str, Any]:
    """The values that all switches with ports of these kinds share: speed, and whether they never pause."""
    marked = {qos.roce_dscp: qos.roce_class, qos.cnp_dscp: qos.cnp_class}
    return {
        "profiles": [
            (profile_name(speed, pauses=not never), not never, *ecn_thresholds_kb(qos, is_lowest, speed))
            for speed, never in kinds
        ],
        "dscp_classes": sorted(marked.items()),
        "lossy_class": LOSSY_CLASS,
        "lossy_dscps": [[d for d in range(8 * n, 8 * n + 8) if d not in marked] for n in range(8)],
        "roce_class": qos.roce_class,
        "cnp_class": qos.cnp_class,
        "queue_classes": sorted({LOSSY_CLASS, qos.roce_class, qos.cnp_class}),
        "roce_percent": qos.roce_percent,
        "lossy_percent": 100 - qos.roce_percent,
        "cnp_percent": qos.cnp_max_percent,
        "mark_percent": qos.mark_percent,
        "unicast_queues": unicast_queues,
        "watchdog": tuple(f"{-(-ms // 10) / 100:.2f}" for ms in (qos.detect_ms, qos.restore_ms)),
        "watchdog_poll": f"{qos.poll_ms / 1000:.3f}".removesuffix("0"),
        "watchdog_action": WATCHDOG_ACTIONS[qos.watchdog_action],
    }


def profile_name(speed_gbps: int, *, pauses: bool = True) -> str:
    """The QoS profile of ports of a speed; those that never pause are the ends of spans that drop."""
    return f"ROCE-{speed_gbps}G" if pauses else f"ROCE-{speed_gbps}G-LOSSY"

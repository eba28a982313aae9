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
from operator import itemgetter
from typing import Any

from fabricgen.switch.qos import Qos, Watchdog
from fabricgen.views.model.forwarding import model_qos
from fabricgen.views.switch import SwitchView

UNICAST_QUEUE_CHIPS = ("Tomahawk", "Trident")
"""XGS chips, whose unicast queues are `uc-tx-queue`; on DNX chips a queue is a `tx-queue`."""

WATCHDOG_ACTIONS = {"drop": "drop", "forward": "notify-only"}
"""EOS's words; `notify-only` leaves the queue as it is and says so."""


def qos_values(switch: SwitchView) -> dict[str, Any]:
    """RoCE classes, and a profile per port speed; no profiles where the fabric is best-effort."""
    qos = model_qos(switch)
    if qos is None or qos.watchdog is None:
        return {"profiles": []}
    speeds = tuple(port.speed_gbps for port in switch.ports)
    return _values(qos, qos.watchdog, speeds, switch.profile.asic.startswith(UNICAST_QUEUE_CHIPS))


@lru_cache(maxsize=1024)
def _values(qos: Qos, watchdog: Watchdog, speeds: tuple[int, ...], unicast_queues: bool) -> dict[str, Any]:
    """The values that all switches with such ports share; `speeds` are those of `qos.ports`, Gb/s."""
    lossy_class, cnp_class, roce_class = qos.classes
    kinds = {(speed, not port.pfc): port for speed, port in zip(speeds, qos.ports.values(), strict=True)}
    first = next(iter(kinds.values()))
    queues = first.queues
    return {
        "profiles": [
            (profile_name(speed, pauses=not never), not never, port.ecn.min_kb, port.ecn.max_kb)
            for (speed, never), port in sorted(kinds.items(), key=itemgetter(0))
        ],
        "dscp_classes": [(dscp, number) for dscp, number in enumerate(qos.class_of) if number != lossy_class],
        "lossy_class": lossy_class,
        "lossy_dscps": [[d for d in range(n, n + 8) if qos.class_of[d] == lossy_class] for n in range(0, 64, 8)],
        "roce_class": roce_class,
        "cnp_class": cnp_class,
        "queue_classes": list(qos.queue_of),
        "roce_percent": queues[roce_class].share,
        "lossy_percent": queues[lossy_class].share,
        "cnp_percent": queues[cnp_class].limit,
        "mark_percent": first.ecn.percent,
        "unicast_queues": unicast_queues,
        "watchdog": tuple(f"{-(-ms // 10) / 100:.2f}" for ms in (watchdog.detect_ms, watchdog.restore_ms)),
        "watchdog_poll": f"{watchdog.poll_ms / 1000:.3f}".removesuffix("0"),
        "watchdog_action": WATCHDOG_ACTIONS[watchdog.action],
    }


def profile_name(speed_gbps: int, *, pauses: bool = True) -> str:
    """The QoS profile of ports of a speed; those that never pause are the ends of spans that drop."""
    return f"ROCE-{speed_gbps}G" if pauses else f"ROCE-{speed_gbps}G-LOSSY"

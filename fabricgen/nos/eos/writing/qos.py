"""Values of EOS's quality of service: classes, a profile per port speed, the PFC watchdog; load balancing.

Every DSCP has its class written out, so that nothing but RoCE data and notifications enters a queue before theirs: EOS
serves queues by strict priority where nothing else is said, and its own map spreads DSCPs over all of them.

Queues share a port by `bandwidth percent`, which is what the chips of AI switches take; `bandwidth guaranteed` in its
place is of others (aristanetworks/avd, issue 1304 and pull request 1331). The watchdog is on wherever its default
timeout is set, and each profile says so too.

Sources: Arista AI Network Fabric Deployment Guide; EOS user manual, DCBX and flow control; pyavd 6.4.

Load is balanced by load, by queue pair, or with the flows of hosts in turn. Hashes of Tomahawk and Trident take bytes
of a header by their place: the destination queue pair is bytes 5 to 7 of RoCE's base transport header (InfiniBand
Architecture Specification, volume 1, 9.2), after 8 of UDP; only of UDP packets, since bytes 13 to 15 of TCP change
within a flow (RFC 9293). Jericho has a profile, in which bytes are counted from the UDP payload and only of port 4791.
Sources: aristanetworks/avd, issues 4925, 5004 and 5386; pyavd 6.4, whose templates the tests hold this to; Arista TOIs
`Conditional UDP Payload Hashing` (EOS 4.33.1F) and `Cluster Load Balancing` (EOS 4.32.2F).
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import Any

from fabricgen.render.escape import token
from fabricgen.switch.qos import Qos, Watchdog
from fabricgen.views.model.forwarding import model_balancing, model_qos
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


QUEUE_PAIR_AFTER_UDP = (13, 14, 15)
QUEUE_PAIR_OF_PAYLOAD = "5-7"


def balancing_values(switch: SwitchView) -> dict[str, Any]:
    """What `_balancing.j2` names: empty where nothing is asked of this chip; in `flow_groups` (host, its ports)."""
    balancing, by_place = model_balancing(switch), switch.profile.asic.startswith(UNICAST_QUEUE_CHIPS)
    families = [word for word, v in (("IPv4", "v4"), ("IPv6", "v6")) if v in balancing.queue_pairs]
    return {
        "dynamic_load_balance": balancing.by_load,
        "queue_pair_bytes": [(f, n) for f in families for n in QUEUE_PAIR_AFTER_UDP] if by_place else [],
        "queue_pair_payload": QUEUE_PAIR_OF_PAYLOAD if families and not by_place else "",
        "flow_groups": [(token(host), ",".join(map(token, p))) for host, p in sorted(balancing.groups.items())],
        "flow_aging_s": balancing.aging_s,
        "flow_prefix_length": balancing.prefix_length,
    }

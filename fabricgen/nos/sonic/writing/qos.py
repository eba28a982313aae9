"""Lossless Ethernet as SONiC's QoS tables have it, and load balancing.

Shape of the tables: sonic-buildimage, files/build_templates/qos_config.j2; watchdog: sonic-pfcwd.yang. The maps are
always written out, since images ship different ones.

SWITCH_HASH has a list of fields for each kind of packet in images with sonic-buildimage 27335, sonic-swss 4568 (open
in 2026; FG763); those of RoCE get the destination queue pair beside the five that flows have. Other packets
are hashed as the image does. The chip's SAI says which fields it takes (`show switch-hash capabilities`), and orchagent
refuses others. The seed is the image's, by the type of the switch.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fabricgen.switch.qos import Ecn, Qos, Watchdog
from fabricgen.views.model.forwarding import model_balancing, model_qos
from fabricgen.views.switch import SwitchView

CLASSES = 8
LOSSY_CLASS = 0
NETWORK_CLASS = 7
"""Has a priority group of its own as the RoCE class has (qos_config.j2); the others share group 0."""

MAPS = "ROCE"
"""The name of its maps."""

PAUSED_NEVER: dict[str, Any] = {}
"""What PORT_QOS_MAP says of PFC for a port that drops what it cannot hold."""

MAX_POLL_MS = 1000
"""Of the watchdog (sonic-pfcwd.yang)."""


def qos_values(switch: SwitchView) -> dict[str, Any] | None:
    """Rows of the QoS tables, by table, and what else their templates name; None where the fabric is best-effort.

    Switches with like ports get the very same mapping, so that its tables are rendered once.
    """
    qos = model_qos(switch)
    if qos is None or qos.watchdog is None:
        return None
    speeds = tuple(port.speed_gbps for port in switch.ports)
    return _qos_values(qos, qos.watchdog, speeds, switch.profile.asic.startswith("Spectrum"))


@lru_cache(maxsize=256)
def _qos_values(qos: Qos, watchdog: Watchdog, speeds: tuple[int, ...], spectrum: bool) -> dict[str, Any]:
    """`speeds` are those of `qos.ports`, Gb/s; `spectrum`: whether the chip is NVIDIA's."""
    lossy_class, cnp_class, roce_class = qos.classes
    by_speed = dict(zip(speeds, qos.ports.values(), strict=True))
    first, group_of = by_speed[speeds[0]], {group: group for group in (roce_class, NETWORK_CLASS)}
    shaped_percent, queues = first.queues[cnp_class].limit, {str(n): n for n in range(CLASSES)}
    guarded = {
        "action": watchdog.action,
        "detection_time": watchdog.detect_ms,
        "restoration_time": watchdog.restore_ms,
    }
    paused = {"pfc_enable": roce_class, "pfcwd_sw_enable": roce_class}
    queue_rows = {
        f"{name}|{number}": row
        for name, speed in zip(qos.ports, speeds, strict=True)
        for number, row in (
            (lossy_class, {"scheduler": "scheduler.0"}),
            (roce_class, {"scheduler": "scheduler.1", "wred_profile": wred_name(speed)}),
            (cnp_class, {"scheduler": shaper_name(shaped_percent, speed)}),
        )
    }
    return {
        "maps": MAPS,
        "pauses": True,
        "lossy_weight": first.queues[lossy_class].share,
        "roce_weight": first.queues[roce_class].share,
        "mark_percent": first.ecn.percent,
        "poll_ms": min(watchdog.poll_ms, MAX_POLL_MS),
        "DSCP_TO_TC_MAP": {MAPS: {str(dscp): number for dscp, number in enumerate(qos.class_of)}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {MAPS: queues},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {MAPS: {str(roce_class): roce_class}} if spectrum else {},
        "PFC_WD": {name: guarded for name, port in qos.ports.items() if port.watched},
        "PORT_QOS_MAP": {name: paused if port.pfc else PAUSED_NEVER for name, port in qos.ports.items()},
        "QUEUE": queue_rows,
        "SCHEDULER": {shaper_name(shaped_percent, speed): _shaper(shaped_percent, speed) for speed in by_speed},
        "TC_TO_PRIORITY_GROUP_MAP": {MAPS: {str(n): group_of.get(n, 0) for n in range(CLASSES)}},
        "TC_TO_QUEUE_MAP": {MAPS: queues},
        "WRED_PROFILE": {wred_name(speed): _wred_thresholds(port.ecn) for speed, port in by_speed.items()},
    }


def wred_name(speed_gbps: int) -> str:
    """The WRED profile of ports of a speed."""
    return f"ROCE_{speed_gbps}G"


def shaper_name(shaped_percent: int, speed_gbps: int) -> str:
    """The scheduler of the notification queue: one for all speeds where it is not shaped."""
    return f"scheduler.cnp_{speed_gbps}G" if shaped_percent else "scheduler.2"


def _shaper(shaped_percent: int, speed_gbps: int) -> dict[str, Any]:
    """The fields of a scheduler that lets notifications take so much of a port, in bytes/s; 0: that does not shape."""
    rate = speed_gbps * 1_000_000_000 // 8 * shaped_percent // 100
    return {"cir": rate, "meter_type": "bytes", "pir": rate} if rate else {}


def _wred_thresholds(ecn: Ecn) -> dict[str, int]:
    """Where marking begins and ends, bytes: alike for packets of all colours."""
    ends = {"min": 1000 * ecn.min_kb, "max": 1000 * ecn.max_kb}
    return {f"{colour}_{end}_threshold": ends[end] for colour in ("green", "yellow", "red") for end in ends}


FLOW_FIELDS = ("DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT")
QUEUE_PAIR = "RDMA_BTH_DEST_QP"


def balancing_values(switch: SwitchView) -> dict[str, Any]:
    """Rows of SWITCH_HASH; none where RoCE is hashed as the image does it."""
    fields, families = [*FLOW_FIELDS, QUEUE_PAIR], sorted(model_balancing(switch).queue_pairs)
    rows = {"GLOBAL": {f"ecmp_hash_ip{family}_rdma": fields for family in families}}
    return {"SWITCH_HASH": rows if families else {}}

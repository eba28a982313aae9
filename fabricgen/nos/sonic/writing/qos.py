"""Lossless Ethernet as SONiC's QoS tables have it.

Shape of the tables: sonic-buildimage, files/build_templates/qos_config.j2; watchdog: sonic-pfcwd.yang. The maps are
always written out, since images ship different ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fabricgen.design.qos import QosIntent, ecn_thresholds_kb
from fabricgen.views.switch import SwitchView

CLASSES = 8
DSCPS = 64
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
    qos = switch.fabric.qos
    if not (qos.lossless and switch.ports):
        return None
    ports = tuple((port.name, port.speed_gbps) for port in switch.ports)
    lossy = frozenset(port.name for port in switch.ports if not port.pauses)
    return _qos_values(ports, lossy, qos, switch.is_lowest, switch.profile.asic.startswith("Spectrum"))


@lru_cache(maxsize=256)
def _qos_values(
    ports: tuple[tuple[str, int], ...], lossy: frozenset[str], qos: QosIntent, is_lowest: bool, spectrum: bool
) -> dict[str, Any]:
    """`ports` are (name, Gb/s) of each, `lossy` those that never pause; `spectrum`: whether the chip is NVIDIA's."""
    classes = {qos.roce_dscp: qos.roce_class, qos.cnp_dscp: qos.cnp_class}
    group_of = {group: group for group in (qos.roce_class, NETWORK_CLASS)}
    queues = {str(n): n for n in range(CLASSES)}
    speeds = {speed for _, speed in ports}
    watchdog = {
        "action": qos.watchdog_action,
        "detection_time": qos.detect_ms,
        "restoration_time": qos.restore_ms,
    }
    paused = {"pfc_enable": qos.roce_class, "pfcwd_sw_enable": qos.roce_class}
    return {
        "maps": MAPS,
        "pauses": True,
        "lossy_weight": 100 - qos.roce_percent,
        "roce_weight": qos.roce_percent,
        "mark_percent": qos.mark_percent,
        "poll_ms": min(qos.poll_ms, MAX_POLL_MS),
        "DSCP_TO_TC_MAP": {MAPS: {str(dscp): classes.get(dscp, LOSSY_CLASS) for dscp in range(DSCPS)}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {MAPS: queues},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {MAPS: {str(qos.roce_class): qos.roce_class}} if spectrum else {},
        "PFC_WD": {name: watchdog for name, _ in ports if name not in lossy},
        "PORT_QOS_MAP": {name: PAUSED_NEVER if name in lossy else paused for name, _ in ports},
        "QUEUE": _queues(ports, qos),
        "SCHEDULER": {shaper_name(qos, speed): _shaper(shaped_rate(qos, speed)) for speed in speeds},
        "TC_TO_PRIORITY_GROUP_MAP": {MAPS: {str(n): group_of.get(n, 0) for n in range(CLASSES)}},
        "TC_TO_QUEUE_MAP": {MAPS: queues},
        "WRED_PROFILE": {wred_name(speed): _wred_thresholds(qos, is_lowest, speed) for speed in speeds},
    }


def wred_name(speed_gbps: int) -> str:
    """The WRED profile of ports of a speed."""
    return f"ROCE_{speed_gbps}G"


def shaper_name(qos: QosIntent, speed_gbps: int) -> str:
    """The scheduler of the notification queue: one for all speeds where it is not shaped."""
    return f"scheduler.cnp_{speed_gbps}G" if qos.cnp_max_percent else "scheduler.2"


def shaped_rate(qos: QosIntent, speed_gbps: int) -> int:
    """What notifications may take of a port, bytes/s; 0: they are not shaped."""
    return speed_gbps * 1_000_000_000 // 8 * qos.cnp_max_percent // 100


def _shaper(rate: int) -> dict[str, Any]:
    """The fields of a scheduler that lets so many bytes/s pass; 0: that does not shape."""
    return {"cir": rate, "meter_type": "bytes", "pir": rate} if rate else {}


def _wred_thresholds(qos: QosIntent, is_lowest: bool, speed_gbps: int) -> dict[str, int]:
    """Where marking begins and ends, bytes: alike for packets of all colours."""
    low, high = (1000 * kb for kb in ecn_thresholds_kb(qos, is_lowest, speed_gbps))
    ends = {"min": low, "max": high}
    return {f"{colour}_{end}_threshold": ends[end] for colour in ("green", "yellow", "red") for end in ends}


def _queues(ports: tuple[tuple[str, int], ...], qos: QosIntent) -> dict[str, dict[str, str]]:
    """Rows of the lossy, the RoCE and the notification queue of each port."""
    rows = {}
    for name, speed in ports:
        rows[f"{name}|{LOSSY_CLASS}"] = {"scheduler": "scheduler.0"}
        rows[f"{name}|{qos.roce_class}"] = {"scheduler": "scheduler.1", "wred_profile": wred_name(speed)}
        rows[f"{name}|{qos.cnp_class}"] = {"scheduler": shaper_name(qos, speed)}
    return rows

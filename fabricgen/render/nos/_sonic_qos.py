"""Lossless Ethernet as SONiC's QoS tables have it.

Shape of the tables: sonic-buildimage, files/build_templates/qos_config.j2; watchdog: sonic-pfcwd.yang. The maps are
always written out, since images ship different ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fabricgen.design.qos import QosIntent, ecn_thresholds_kb
from fabricgen.render.escape import json_text
from fabricgen.views.switch import SwitchView

CLASSES = 8
DSCPS = 64
LOSSY_CLASS = 0
NETWORK_CLASS = 7
"""Has a priority group of its own as the RoCE class has (qos_config.j2); the others share group 0."""

MAX_POLL_MS = 1000
"""Of the watchdog (sonic-pfcwd.yang)."""


def qos_values(switch: SwitchView) -> dict[str, Any] | None:
    """Rows of the QoS tables, None where the fabric is best-effort.

    Switches of one shape get the very same mapping, so that its tables are rendered once.
    """
    qos = switch.fabric.qos
    if not (qos.lossless and switch.ports):
        return None
    ports = tuple((port.name, port.speed_gbps) for port in switch.ports)
    return _qos_rows(ports, qos, switch.is_lowest, switch.profile.asic.startswith("Spectrum"))


@lru_cache(maxsize=256)
def _qos_rows(ports: tuple[tuple[str, int], ...], qos: QosIntent, is_lowest: bool, spectrum: bool) -> dict[str, Any]:
    classes = {qos.roce_dscp: qos.roce_class, qos.cnp_dscp: qos.cnp_class}
    named = sorted((json_text(name), wred_name(speed), shaper_name(qos, speed)) for name, speed in ports)
    alone = (qos.roce_class, NETWORK_CLASS)
    speeds = sorted({speed for _, speed in ports})
    return {
        "qos_ports": named,
        "dscp_classes": sorted((str(dscp), classes.get(dscp, LOSSY_CLASS)) for dscp in range(DSCPS)),
        "class_queues": [(n, n) for n in range(CLASSES)],
        "class_groups": [(n, n if n in alone else 0) for n in range(CLASSES)],
        "pfc_to_group": [(qos.roce_class, qos.roce_class)] if spectrum else [],
        "queues": sorted(_queues(named, qos)),
        "lossy_weight": 100 - qos.roce_percent,
        "roce_weight": qos.roce_percent,
        "roce_class": qos.roce_class,
        "shapers": sorted({(shaper_name(qos, speed), shaped_rate(qos, speed)) for speed in speeds}),
        "watchdog": (qos.detect_ms, qos.restore_ms, min(qos.poll_ms, MAX_POLL_MS), qos.watchdog_action),
        "wred_profiles": sorted(
            (wred_name(speed), *(1000 * kb for kb in ecn_thresholds_kb(qos, is_lowest, speed))) for speed in speeds
        ),
        "mark_percent": qos.mark_percent,
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


def _queues(ports: list[tuple[str, str, str]], qos: QosIntent) -> list[tuple[str, str, str]]:
    """(key, scheduler, WRED profile): the lossy, the RoCE and the notification queue of each port."""
    rows = []
    for name, profile, shaper in ports:
        rows.append((f"{name}|{LOSSY_CLASS}", "scheduler.0", ""))
        rows.append((f"{name}|{qos.roce_class}", "scheduler.1", profile))
        rows.append((f"{name}|{qos.cnp_class}", shaper, ""))
    return rows

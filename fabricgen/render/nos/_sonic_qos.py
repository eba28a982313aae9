"""Lossless Ethernet as SONiC's QoS tables have it.

Shape of the tables: sonic-buildimage, files/build_templates/qos_config.j2; watchdog: sonic-pfcwd.yang. The maps are
always written out, since images ship different ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fabricgen.intent import QosIntent
from fabricgen.render import roce
from fabricgen.render.escape import json_text
from fabricgen.switch_view import SwitchView

CLASSES = 8
DSCPS = 64
LOSSY_CLASS = 0
_GROUPS_OF_THEIR_OWN = (roce.ROCE_CLASS, 7)
"""Classes with a priority group of their own, as in qos_config.j2; the others share group 0."""


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
    classes = {qos.roce_dscp: roce.ROCE_CLASS, qos.cnp_dscp: roce.CNP_CLASS}
    named = sorted((json_text(name), wred_name(speed)) for name, speed in ports)
    return {
        "qos_ports": named,
        "dscp_classes": sorted((str(dscp), classes.get(dscp, LOSSY_CLASS)) for dscp in range(DSCPS)),
        "class_queues": [(n, n) for n in range(CLASSES)],
        "class_groups": [(n, n if n in _GROUPS_OF_THEIR_OWN else 0) for n in range(CLASSES)],
        "pfc_to_group": [(roce.ROCE_CLASS, roce.ROCE_CLASS)] if spectrum else [],
        "queues": sorted(_queues(named)),
        "lossy_weight": roce.REST_SHARE,
        "roce_weight": roce.ROCE_SHARE,
        "roce_class": roce.ROCE_CLASS,
        "watchdog": (roce.WATCHDOG_DETECT_MS, roce.WATCHDOG_RESTORE_MS, roce.WATCHDOG_POLL_MS),
        "wred_profiles": sorted(
            (wred_name(speed), *(1000 * kb for kb in roce.ecn_thresholds_kb(qos, is_lowest, speed)))
            for speed in {speed for _, speed in ports}
        ),
        "mark_percent": roce.MARK_PERCENT,
    }


def wred_name(speed_gbps: int) -> str:
    """The WRED profile of ports of a speed."""
    return f"ROCE_{speed_gbps}G"


def _queues(ports: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """(key, scheduler, WRED profile): the lossy, the RoCE and the notification queue of each port."""
    rows = []
    for name, profile in ports:
        rows.append((f"{name}|{LOSSY_CLASS}", "scheduler.0", ""))
        rows.append((f"{name}|{roce.ROCE_CLASS}", "scheduler.1", profile))
        rows.append((f"{name}|{roce.CNP_CLASS}", "scheduler.2", ""))
    return rows

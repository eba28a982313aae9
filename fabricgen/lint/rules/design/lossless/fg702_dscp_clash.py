"""FG702: RoCE data and congestion notifications share a DSCP or class."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.qos import DEFAULTS, choose_setting
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.qos import resolve_qos
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_qos_path, merge_fabrics


class DscpClash(DesignRule):
    """RoCE data and congestion notification packets (CNP) have the same DSCP or traffic class.

    Notifications must overtake the queue that they report; with the same DSCP or class they wait in it, and senders
    slow down too late. Use different values; DSCP 26 and 48, classes 3 and 6 are customary.

    The same holds of what is left of trimmed packets (`trim`), which must not wait where whole ones found no room, and
    is known by its DSCP at the next switch: 11 and class 4 are customary.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        qos: {roce_dscp: 26,
          cnp_dscp: 26}  # <-
    """
    good = """
        qos: {roce_dscp: 26, cnp_dscp: 48}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the DSCP and the class of RoCE data, of notifications and of trimmed packets in each RoCE fabric."""
        blueprint = design.loaded.blueprint
        for fabric in design.fabrics:
            fabric_qos, cluster_qos = blueprint.fabrics[fabric.name].qos, blueprint.qos
            if fabric.protocol != "roce" and not resolve_qos(design, fabric).marks:
                continue
            for field, data_key, cnp_key in _MUST_DIFFER:
                value = choose_setting(fabric_qos, cluster_qos, data_key)
                if value == choose_setting(fabric_qos, cluster_qos, cnp_key):
                    is_of_fabric = any(getattr(fabric_qos, key) is not None for key in (data_key, cnp_key))
                    stating = fabric_qos if is_of_fabric else cluster_qos
                    key = cnp_key if getattr(stating, cnp_key) is not None else data_key
                    path = (*fabric.path, "qos", key) if is_of_fabric else ("qos", key)
                    message = f"{fabric.name}: RoCE data and congestion notifications both have {field} {value}"
                    hint = f"use {DEFAULTS[data_key]} for data and {DEFAULTS[cnp_key]} for notifications"
                    yield self.flag(path, message, hint)
            yield from self._check_trimmed(design, fabric)

    def _check_trimmed(self, design: Design, fabric: FabricDesign) -> Iterator[Diagnostic]:
        """Flag a DSCP or class of trimmed packets that RoCE data or notifications have too."""
        qos = resolve_qos(design, fabric)
        if qos.trim is None or not qos.marks:
            return
        for field, value, data, cnp, key, usual in (
            ("DSCP", qos.trim.dscp, qos.roce_dscp, qos.cnp_dscp, "dscp", (11, 12, 13)),
            ("traffic class", qos.trim.traffic_class, qos.roce_class, qos.cnp_class, "traffic_class", (4, 5, 2)),
        ):
            if value in (data, cnp):
                traffic = "RoCE data" if value == data else "congestion notifications"
                message = f"{fabric.name}: {traffic} and what is left of trimmed packets both have {field} {value}"
                free = next(number for number in usual if number not in (data, cnp))
                yield self.flag(find_qos_path(design, fabric, "trim"), message, f"use `{key}: {free}` for `trim`")


_MUST_DIFFER = (
    ("DSCP", "roce_dscp", "cnp_dscp"),
    ("traffic class", "roce_class", "cnp_class"),
)
"""(what must differ, setting of RoCE data, setting of congestion notifications)."""

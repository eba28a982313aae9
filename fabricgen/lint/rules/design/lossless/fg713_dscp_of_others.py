"""FG713: RoCE data or notifications have the DSCP of other traffic."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_qos_path, list_marking_fabrics, merge_fabrics

BEST_EFFORT, NETWORK_CONTROL = 0, (48, 56)
"""DSCP of unmarked traffic, and of routing protocols (CS6, CS7; RFC 4594, 3.1 and 3.2)."""


class DscpOfOthers(DesignRule):
    """RoCE data has the DSCP of routing protocols or of unmarked traffic, or notifications that of unmarked traffic.

    The class of RoCE then contains traffic that it is not meant for: unmarked storage or management traffic pauses
    RoCE and is paused by it, and routing sessions wait behind paused queues until their hold time expires.
    Notifications at DSCP 0 would give all unmarked traffic strict priority.

    Use 26 for data (24 is Arista's default) and 48 for notifications, the same as on the NICs.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        qos: {roce_dscp: 0}  # <-
    """
    good = """
        qos: {roce_dscp: 24, cnp_dscp: 46}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the DSCP of RoCE data and of notifications in each fabric with the DSCP of other traffic."""
        for fabric, qos in list_marking_fabrics(design):
            data, cnp = qos.roce_dscp, qos.cnp_dscp
            other_traffic = "unmarked traffic" if data == BEST_EFFORT else "routing protocols"
            if data == cnp:
                continue
            if data == BEST_EFFORT or data in NETWORK_CONTROL:
                message = f"{fabric.name}: RoCE data has DSCP {data}, the same as {other_traffic}"
                yield self.flag(
                    find_qos_path(design, fabric, "roce_dscp"), message, "use `roce_dscp: 26`, and 26 on the nodes"
                )
            if cnp == BEST_EFFORT:
                message = (
                    f"{fabric.name}: congestion notifications have DSCP 0, so unmarked traffic gets strict priority too"
                )
                yield self.flag(
                    find_qos_path(design, fabric, "cnp_dscp"), message, "use `cnp_dscp: 48`, and 48 on the nodes"
                )

"""lossless data, or notifications, have the DSCP of other traffic."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.lossless import lossless_fabrics, merged_by_place, place_of_qos
from fabricgen.lint.rule import DesignRule

BEST_EFFORT, NETWORK_CONTROL = 0, (48, 56)
"""DSCP of whatever nobody marks, and of routing protocols (CS6, CS7; RFC 4594, 3.1 and 3.2)."""


class DscpOfOthers(DesignRule):
    """RoCE data is marked as routing protocols are, or RoCE data or its notifications as whatever nobody marks.

    The no-drop class then takes in what it was not made for: unmarked storage or management traffic pauses RoCE and is
    paused by it, and routing sessions wait behind paused queues until their hold time is over. Notifications at DSCP 0
    would give all unmarked traffic strict priority.

    Use 26 for data (24 by Arista's default) and 48 for notifications, as the NICs have them.
    """

    id = "FG713"
    severity = Severity.ERROR
    title = "lossless data has the DSCP of other traffic"
    bad = """
        qos: {roce_dscp: 0}  # <-
    """
    good = """
        qos: {roce_dscp: 24, cnp_dscp: 46}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the effective values of each lossless fabric with those of other traffic."""
        return merged_by_place(self._found(design))

    def _found(self, design: Design) -> Iterator[Diagnostic]:
        for fabric, qos in lossless_fabrics(design):
            data, cnp = qos.roce_dscp, qos.cnp_dscp
            others = "whatever nobody marks" if data == BEST_EFFORT else "routing protocols"
            if data == cnp:
                continue
            if data == BEST_EFFORT or data in NETWORK_CONTROL:
                message = f"{fabric.name}: RoCE data has DSCP {data}, as {others}"
                yield self.flag(place_of_qos(design, fabric, "roce_dscp"), message, "use 26, on switches and nodes")
            if cnp == BEST_EFFORT:
                message = f"{fabric.name}: notifications have DSCP 0: what nobody marks gets strict priority with them"
                yield self.flag(place_of_qos(design, fabric, "cnp_dscp"), message, "use 48, on switches and nodes")

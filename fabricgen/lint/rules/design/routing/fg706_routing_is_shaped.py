"""FG706: shaping congestion notifications shapes routing packets too."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.qos import choose_setting
from fabricgen.design.model import Design
from fabricgen.design.qos import resolve_qos
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import merge_fabrics

CONTROL_DSCP = 48
"""The DSCP of BGP and BFD packets: CS6 (RFC 4594, 3.2, network control)."""


class RoutingIsShaped(DesignRule):
    """Congestion notifications have the DSCP of routing protocols, and their queue is shaped.

    Routing sessions then share the shaped bandwidth with notifications when these are frequent, which is when a
    fabric can least afford to lose a session. Give notifications another DSCP on the nodes and here, do not shape
    their queue, or leave enough bandwidth and waive the finding.
    """

    severity = Severity.INFO
    to_do = ToDo.DO_ELSEWHERE
    bad = """
        qos: {cnp_max_percent: 10}  # <-
    """
    good = """
        qos: {cnp_max_percent: 10, cnp_dscp: 50}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag a limit on the bandwidth of congestion notifications if they have the DSCP of routing packets."""
        cluster_qos = design.loaded.blueprint.qos
        for fabric in design.fabrics:
            fabric_qos = design.loaded.blueprint.fabrics[fabric.name].qos
            if fabric.protocol != "roce" and not resolve_qos(design, fabric).marks:
                continue
            percent = choose_setting(fabric_qos, cluster_qos, "cnp_max_percent")
            dscp = choose_setting(fabric_qos, cluster_qos, "cnp_dscp")
            if percent and dscp == CONTROL_DSCP:
                base = fabric.path if fabric_qos.cnp_max_percent is not None else ()
                message = f"{fabric.name}: notifications and routing both have DSCP 48 and share {percent}% of a port"
                yield self.flag((*base, "qos", "cnp_max_percent"), message, "set another `cnp_dscp`, on the nodes too")

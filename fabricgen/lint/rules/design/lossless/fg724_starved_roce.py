"""FG724: RoCE gets hardly any of a busy port, or hardly a mark."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_qos_path, list_marking_fabrics, merge_fabrics

LEAST_SHARE_PERCENT = 20
"""The least share of a busy port for RoCE, a rule of thumb: public guides give RoCE half of it (NVIDIA's lossless RoCE
profile) or more."""

LEAST_MARK_PERCENT = 5
"""The least share of packets marked at the upper threshold: SONiC's own lossless profile marks 5% (sonic-buildimage,
`AZURE_LOSSLESS`, `green_drop_probability`); NVIDIA's guides mark everything."""


class StarvedRoce(DesignRule):
    """RoCE data has less than a fifth of a busy port, or less than one packet in twenty is marked when queues are long.

    A class that gets a hundredth of a port while others send is drained so slowly that its queue fills, and then PFC
    pauses everything upstream: the fabric stops for the sake of backups. Where the upper threshold marks one packet
    in a hundred, senders hear of congestion too seldom to slow down before PFC does it for them.

    Leave `roce_percent` (50) and `mark_percent` (100) out, or state shares that carry the traffic.
    """

    severity = Severity.WARNING
    bad = """
        qos: {
          roce_percent: 1}  # <-
    """
    good = """
        qos: {roce_percent: 60, mark_percent: 100}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare RoCE's share of a port, and the share of packets marked, with the least that makes sense."""
        for fabric, qos in list_marking_fabrics(design):
            if qos.roce_percent < LEAST_SHARE_PERCENT:
                yield self.flag(
                    find_qos_path(design, fabric, "roce_percent"),
                    f"{fabric.name}: RoCE data gets {qos.roce_percent}% of a busy port; below "
                    f"{LEAST_SHARE_PERCENT}% its queues fill, and PFC pauses the fabric",
                    "use `roce_percent: 50`",
                )
            if qos.mark_percent < LEAST_MARK_PERCENT:
                yield self.flag(
                    find_qos_path(design, fabric, "mark_percent"),
                    f"{fabric.name}: {qos.mark_percent}% of the packets are marked at the upper threshold; below "
                    f"{LEAST_MARK_PERCENT}% PFC comes first",
                    "use `mark_percent: 100`",
                )

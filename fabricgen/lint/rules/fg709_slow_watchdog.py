"""the PFC watchdog lets a storm of pauses spread."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.lossless import lossless_fabrics, merged_by_place, place_of_qos
from fabricgen.lint.rule import DesignRule

SLOWEST_DETECT_MS = 1000
"""Four to five times what vendors ship: 200 ms (SONiC `pfcwd start_default`; Junos: 2 polls of 100 ms)."""


class SlowWatchdog(DesignRule):
    """The PFC watchdog of a lossless fabric takes longer than a second to call a paused queue a storm.

    Pauses travel upstream in microseconds: one NIC that sends them without end stops a whole fabric (Guo et al., RDMA
    over Commodity Ethernet at Scale, SIGCOMM 2016, 4.3), and RoCE gives up connections after seconds without answer.
    Vendors ship 200 ms (SONiC, Junos PFC watchdog) to 300 ms.

    Lower `detect_ms`; leave it high only where NICs are known to pause for long and the fabric is small, and say so in
    `lint.limits.watchdog_detect_ms`.
    """

    id = "FG709"
    severity = Severity.WARNING
    title = "the PFC watchdog lets a storm of pauses spread"
    bad = """
        qos: {watchdog: {
          detect_ms: 3000}}  # <-
    """
    good = """
        qos: {watchdog: {detect_ms: 200, restore_ms: 400}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the effective detection time of each lossless fabric with the slowest that is sensible."""
        return merged_by_place(self._found(design))

    def _found(self, design: Design) -> Iterator[Diagnostic]:
        most = design.loaded.limits.watchdog_detect_ms or SLOWEST_DETECT_MS
        for fabric, qos in lossless_fabrics(design):
            if qos.detect_ms > most:
                yield self.flag(
                    (*place_of_qos(design, fabric, "watchdog"), "detect_ms"),
                    f"{fabric.name}: a storm of pauses stands for {qos.detect_ms} ms before it is ended, "
                    f"{most} ms at most are sensible",
                    "200 ms is usual",
                )

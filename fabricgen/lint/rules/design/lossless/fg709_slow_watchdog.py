"""FG709: the PFC watchdog is too slow to stop a PFC storm."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_qos_path, list_lossless_fabrics, merge_fabrics

SLOWEST_DETECT_MS = 1000
"""The longest detection time without a stated limit: five times the vendors' default of 200 ms (SONiC `pfcwd
start_default`; Junos: 2 polls of 100 ms)."""


class SlowWatchdog(DesignRule):
    """The PFC watchdog of a lossless fabric takes more than a second to detect a PFC storm.

    Pauses travel upstream in microseconds: a single NIC that sends them without end stops a whole fabric (Guo et
    al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, 4.3), and RoCE drops connections after seconds without
    answer. Vendors' defaults are 200 ms (SONiC, Junos PFC watchdog) to 300 ms.

    Lower `detect_ms`. Keep it high only where NICs are known to pause for long and the fabric is small, and set
    `lint.limits.watchdog_detect_ms` then.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        qos: {watchdog: {
          detect_ms: 3000}}  # <-
    """
    good = """
        qos: {watchdog: {detect_ms: 200, restore_ms: 400}}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the effective detection time of each lossless fabric with the limit."""
        limit_ms = design.loaded.limits.watchdog_detect_ms or SLOWEST_DETECT_MS
        for fabric, qos in list_lossless_fabrics(design):
            if qos.detect_ms > limit_ms:
                yield self.flag(
                    (*find_qos_path(design, fabric, "watchdog"), "detect_ms"),
                    f"{fabric.name}: the watchdog detects a PFC storm only after {qos.detect_ms} ms; "
                    f"the limit is {limit_ms} ms",
                    "use `detect_ms: 200`",
                )

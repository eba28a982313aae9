"""FG707: PFC pauses before ECN marks anything."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.qos import compute_ecn_thresholds
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_buffer_bytes, find_qos_path, list_lossless_fabrics, merge_fabrics


class PfcWithoutEcn(DesignRule):
    """ECN starts to mark at a longer queue than a lossless queue can have: PFC has to do the work of ECN.

    A pause stops everything behind it and spreads. ECN slows senders down before that, so it must mark at shorter
    queues than those at which PFC pauses (Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM
    2015, 4). With a dynamic threshold of 1, one queue can take at most half of a shared buffer. Buffer sizes are
    those of SONiC's device tree; switches without one there are not judged.

    Lower `ecn_min_kb`, or leave it out.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        qos: {
          ecn_min_kb: 200000}  # <-
    """
    good = """
        qos: {ecn_min_kb: 150, ecn_max_kb: 1500}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the lower threshold of each port speed of each tier with half of the buffer; report the worst."""
        for fabric, qos in list_lossless_fabrics(design):
            # (how many times the buffer the threshold is, message)
            unmarked: list[tuple[float, str]] = []
            if not (qos.thresholds_by_speed or qos.ecn_min_kb or qos.ecn_max_kb):
                continue
            for tier in fabric.tiers:
                buffer = find_buffer_bytes(design.catalog, tier.profile.id)
                for speed in tier.speeds if buffer else ():
                    low_kb, _ = compute_ecn_thresholds(qos, tier.lowest, speed)
                    if buffer and is_never_marked(low_kb, buffer):
                        limit = f"{low_kb} kB, but a queue of {tier.profile.id} holds at most {buffer / 2000:.0f} kB"
                        message = f"{speed}G ports of {tier.name} mark from queues of {limit}"
                        unmarked.append((low_kb * 1000 / buffer, message))
            if unmarked:
                path = find_qos_path(design, fabric, "ecn", "ecn_min_kb", "ecn_max_kb")
                yield self.flag(path, f"{fabric.name}: {max(unmarked)[1]}", "use about 256 kB at 400G")


def is_never_marked(threshold_kb: float, buffer: int) -> bool:
    """Whether a queue never reaches a threshold, since it gets at most half of the `buffer`, given in bytes."""
    return threshold_kb * 1000 >= buffer / 2

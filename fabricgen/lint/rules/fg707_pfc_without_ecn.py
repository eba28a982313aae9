"""PFC pauses before ECN marks anything."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.qos import ecn_thresholds_kb
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.lossless import buffer_bytes, lossless_fabrics, merged_by_place, place_of_qos
from fabricgen.lint.rule import DesignRule


class PfcWithoutEcn(DesignRule):
    """Marking starts at a queue longer than a lossless queue can become: PFC is left to do the work of ECN.

    A pause stops everything behind it and spreads; ECN is to slow senders down before it comes to that, so it must mark
    at shorter queues than those at which PFC pauses (Zhu et al., Congestion Control for Large-Scale RDMA Deployments,
    SIGCOMM 2015, 4). A queue of a shared buffer grows to half of it at most at a dynamic threshold of 1. Sizes are
    those of SONiC's device tree; nothing is said of switches that it does not publish.

    Lower `ecn_min_kb`, or state none.
    """

    id = "FG707"
    severity = Severity.ERROR
    title = "PFC pauses before ECN marks anything"
    bad = """
        qos: {
          ecn_min_kb: 200000}  # <-
    """
    good = """
        qos: {ecn_min_kb: 150, ecn_max_kb: 1500}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the lower threshold of each port speed of each tier with half of the buffer; the worst is told."""
        return merged_by_place(self._found(design))

    def _found(self, design: Design) -> Iterator[Diagnostic]:
        for fabric, qos in lossless_fabrics(design):
            found: list[tuple[float, str]] = []
            if not (qos.ecn or qos.ecn_min_kb or qos.ecn_max_kb):
                continue
            for tier in fabric.tiers:
                buffer = buffer_bytes(design.catalog, tier.profile.id)
                for speed in tier.speeds if buffer else ():
                    low, _ = ecn_thresholds_kb(qos, tier.lowest, speed)
                    if buffer and is_never_marked(low, buffer):
                        what = f"of {low} kB, and a queue of {tier.profile.id} holds {buffer / 2000:.0f} kB at most"
                        found.append((low * 1000 / buffer, f"{speed}G ports of {tier.name} mark from queues {what}"))
            if found:
                place = place_of_qos(design, fabric, "ecn", "ecn_min_kb", "ecn_max_kb")
                yield self.flag(place, f"{fabric.name}: {max(found)[1]}", "256 kB at 400G is usual")


def is_never_marked(lower_kb: float, buffer: int) -> bool:
    """Whether a queue cannot grow to the lower threshold: the dynamic limit gives one half of the buffer, bytes."""
    return lower_kb * 1000 >= buffer / 2

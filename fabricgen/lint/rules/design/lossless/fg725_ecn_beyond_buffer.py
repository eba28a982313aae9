"""FG725: ECN marks everything only beyond what the buffer holds."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.qos import compute_ecn_thresholds
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.lossless.fg707_pfc_without_ecn import is_never_marked
from fabricgen.lint.subjects.lossless import find_buffer_bytes, find_qos_path, list_lossless_fabrics, merge_fabrics


class EcnBeyondBuffer(DesignRule):
    """The upper threshold of ECN is a longer queue than the chip can hold.

    Marks become denser between the two thresholds. Where the upper one is never reached, the densest marking isn't
    either, and PFC pauses ports while most packets still pass unmarked. With a dynamic threshold of 1, one queue
    takes at most half of a shared buffer. Buffer sizes are those of SONiC's device tree; switches without one there
    are not judged. A lower threshold that is never reached is FG707.

    Lower `ecn_max_kb` or the threshold in `ecn`, or leave it out.
    """

    severity = Severity.WARNING
    bad = """
        qos: {
          ecn_max_kb: 200000}  # <-
    """
    good = """
        qos: {ecn_max_kb: 1500}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the upper threshold of each port speed of each tier with half of the buffer; report the worst."""
        for fabric, qos in list_lossless_fabrics(design):
            # (how many times the buffer the threshold is, speed, message)
            unreached: list[tuple[float, int, str]] = []
            if not (qos.thresholds_by_speed or qos.ecn_min_kb or qos.ecn_max_kb):
                continue
            for tier in fabric.tiers:
                buffer = find_buffer_bytes(design.catalog, tier.profile.id)
                for speed in tier.speeds if buffer else ():
                    low_kb, high_kb = compute_ecn_thresholds(qos, tier.lowest, speed)
                    if buffer and is_never_marked(high_kb, buffer) and not is_never_marked(low_kb, buffer):
                        limit = f"{high_kb} kB, but a queue of {tier.profile.id} holds at most {buffer / 2000:.0f} kB"
                        message = f"{speed}G ports of {tier.name} mark all from {limit}"
                        unreached.append((high_kb * 1000 / buffer, speed, message))
            if unreached:
                _, speed, message = max(unreached)
                names = (
                    ("ecn",)
                    if speed in {stated for stated, *_ in qos.thresholds_by_speed}
                    else ("ecn_max_kb", "ecn_min_kb")
                )
                path = find_qos_path(design, fabric, *names)
                yield self.flag(path, f"{fabric.name}: {message}", "use about 512 kB at 400G")

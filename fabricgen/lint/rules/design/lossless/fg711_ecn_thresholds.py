"""FG711: ECN marks every packet, or marks too late."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.qos import compute_ecn_thresholds
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.lossless.fg707_pfc_without_ecn import is_never_marked
from fabricgen.lint.subjects.lossless import find_buffer_bytes, find_qos_path, list_marking_fabrics, merge_fabrics

PACKET_KB = 4.2
"""A RoCE packet of 4,096 bytes of data with its headers, kB."""

LONGEST_MS = 1
"""How long a queue may be before every packet is marked, in ms at the port's speed: many round trips of a fabric."""


class EcnThresholds(DesignRule):
    """ECN starts to mark before a single RoCE packet is queued, or marks everything only after a millisecond of queue.

    Marks on every packet slow senders down on idle links; marks that come after a hundred round trips let queues
    fill until PFC pauses them. Public guides start marking at 150 to 256 kB and mark everything from 512 to 1,500
    kB on 400G ports, which is 3 to 30 us of queue; thresholds should grow with port speed.

    Set thresholds by speed in `ecn`, or leave them out.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        qos: {
          ecn_min_kb: 2,  # <-
          ecn_max_kb: 400}
    """
    good = """
        qos: {ecn: {400G: 256-512}}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Judge the thresholds for each port speed of each fabric; of several faults, that of the fastest ports is
        told.
        """
        longest_ms = design.loaded.limits.ecn_queue_ms or LONGEST_MS
        for fabric, qos in list_marking_fabrics(design):
            # default thresholds are judged only by a stated limit
            if not (qos.thresholds_by_speed or qos.ecn_min_kb or qos.ecn_max_kb or design.loaded.limits.ecn_queue_ms):
                continue
            speeds = {(speed, tier.lowest) for tier in fabric.tiers for speed in tier.speeds}
            for speed, lowest in sorted(speeds, reverse=True):
                low_kb, high_kb = compute_ecn_thresholds(qos, lowest, speed)
                by_speed = ("ecn",) if any(speed == s for s, *_ in qos.thresholds_by_speed) else ()
                queue_ms = high_kb * 8 / speed / 1000
                if low_kb < PACKET_KB:
                    limit = f"less than a RoCE packet of {PACKET_KB} kB"
                    message = f"{speed}G ports mark from queues of {low_kb} kB, {limit}"
                    names = (*by_speed, "ecn_min_kb", "ecn_max_kb")
                elif queue_ms > longest_ms and not _is_reported_by_fg707(design, fabric, lowest, low_kb):
                    limit = f"the limit is {longest_ms:g} ms"
                    message = f"{speed}G ports mark all only from {high_kb} kB, {queue_ms:.2g} ms; {limit}"
                    names = (*by_speed, "ecn_max_kb", "ecn_min_kb")
                else:
                    continue
                yield self.flag(
                    find_qos_path(design, fabric, *names),
                    f"{fabric.name}: {message}",
                    _suggest_thresholds(speed, longest_ms),
                )
                # the fastest ports come first: one finding for a fabric
                break


def _is_reported_by_fg707(design: Design, fabric: FabricDesign, lowest: bool, lower_kb: int) -> bool:
    """Whether queues of a lowest tier (of another tier, unless `lowest`) never reach a threshold, which FG707
    reports.
    """
    buffers = (find_buffer_bytes(design.catalog, tier.profile.id) for tier in fabric.tiers if tier.lowest == lowest)
    return any(buffer and is_never_marked(lower_kb, buffer) for buffer in buffers)


def _suggest_thresholds(speed_gbps: int, longest_ms: float) -> str:
    """Return the hint with the usual thresholds at 400G in proportion to the speed, or with the highest threshold that
    the limit allows if that is lower.
    """
    longest_kb = int(longest_ms * speed_gbps * 1000 / 8)
    low_kb, high_kb = (kb * speed_gbps // 400 for kb in (256, 512))
    if longest_kb < high_kb:
        return f"mark all from {longest_kb} kB on at {speed_gbps}G, or raise `lint.limits.ecn_queue_ms`"
    return f"use about {low_kb}-{high_kb} kB at {speed_gbps}G"

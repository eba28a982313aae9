"""FG767: RoCE is dropped or trimmed before ECN has marked it."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.qos import compute_ecn_thresholds
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import (
    find_lossy_queue_bytes,
    find_qos_path,
    list_marking_fabrics,
    merge_fabrics,
)


class TrimmedBeforeMarked(DesignRule):
    """A threshold of ECN is a longer queue than a lossy class can have: its packets are dropped or trimmed before.

    Marks are what tells the NIC to slow down, or to take less of a path, while nothing is lost yet. A queue that is
    cut off before all is marked loses packets instead, and trimming becomes what it is not for: the usual signal of
    congestion (OCP, Multipath Reliable Connection 1.0; Araujo et al., arXiv:2605.04333). How long a queue gets follows
    from the pool of lossy packets and the dynamic threshold in SONiC's device tree, which lets one queue with a
    threshold of 1 have half; switches without these are not judged.

    Lower the thresholds, or leave them out.
    """

    severity = Severity.ERROR
    bad = """
        qos:
          profile: roce-lossy
          ecn_max_kb: 200000  # <-
    """
    good = """
        qos: {profile: roce-lossy, ecn_max_kb: 512}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the upper threshold of each port speed of lossy fabrics with the longest queue; the worst one is
        told.
        """
        for fabric, qos in list_marking_fabrics(design):
            # (how many times the longest queue the threshold is, speed, message)
            late: list[tuple[float, int, str]] = []
            lost = "trimmed" if qos.trim else "dropped"
            for tier in fabric.tiers if not qos.lossless else ():
                limit = find_lossy_queue_bytes(design.catalog, tier.profile.id)
                for speed in tier.speeds if limit else ():
                    low_kb, high_kb = compute_ecn_thresholds(qos, tier.lowest, speed)
                    if limit and 1000 * high_kb >= limit:
                        marks = f"mark from {low_kb} kB" + f" and all from {high_kb} kB" * (1000 * low_kb < limit)
                        text = f"{speed}G ports of {tier.name} {marks}, but packets are {lost} from {limit // 1000} kB"
                        late.append((high_kb / limit, speed, f"{text} in a queue of {tier.profile.id}"))
            if late:
                _, speed, message = max(late)
                names = (
                    ("ecn",)
                    if speed in {stated for stated, *_ in qos.thresholds_by_speed}
                    else ("ecn_max_kb", "ecn_min_kb")
                )
                path = find_qos_path(design, fabric, *names)
                yield self.flag(path, f"{fabric.name}: {message}", "use about 512 kB at 400G")

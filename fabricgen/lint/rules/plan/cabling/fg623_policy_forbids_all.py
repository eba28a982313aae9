"""FG623: the cabling policy forbids every medium that reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.media.policy import OPEN
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import find_cables_out_of_reach

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class PolicyForbidsAll(PlanRule):
    """The media that `cabling` allows do not reach some ends, and those that would reach are not allowed.

    The wiring list then names a medium that does not work over that length, or one that is not to be bought. Allow
    another medium, state `media` for these links alone, raise `copper_to_m`, or place the ends closer together.
    """

    severity = Severity.ERROR
    bad = """
        scalable_unit: {nodes: 4 x mi300x-8}
        cabling: {  # <-
          fibre: multi-mode}
        floor: {rack_pitch_m: 10, racks_per_row: 4, row_pitch_m: 30}
        pods: {p1: {su: 8}}
    """
    good = """
        scalable_unit: {nodes: 4 x mi300x-8}
        cabling: {fibre: single-mode}
        pods: {p1: {su: 8}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag cables out of reach that a medium of the catalogue would reach if the cabling policy allowed it."""
        for too_long in find_cables_out_of_reach(cluster):
            segment = too_long.segment
            reaching = too_long.list_serving_media(too_long.free, cluster.design.catalog.cables)
            if segment.media_path or segment.policy == OPEN or not reaching:
                continue
            if too_long.list_serving_media(segment, cluster.plan.cables.media):
                continue
            policy = segment.policy
            why = ", ".join(f"`{policy.explain_refusal(m) or 'copper_to_m'}` forbids {m.id}" for m in reaching[:3])
            yield self.flag(
                segment.policy.path,
                f"no allowed medium reaches {too_long.text}: {why}",
                f"allow {reaching[0].medium}, or set it as `media` of these links",
            )

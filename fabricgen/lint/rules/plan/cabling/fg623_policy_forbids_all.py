"""FG623: the cabling policy forbids every medium that reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.media.policy import OPEN
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import OutOfReach, find_cables_out_of_reach

if TYPE_CHECKING:
    from fabricgen.catalog.models import CableProfile
    from fabricgen.cluster import Cluster


class PolicyForbidsAll(PlanRule):
    """The media that `cabling` allows do not reach some ends, and those that would reach are not allowed.

    The wiring list then names a medium that does not work over that length, or one that is not to be bought. Allow
    another medium, state `media` for these links alone, raise `copper_to_m`, or place the ends closer together.
    """

    id = "FG623"
    severity = Severity.ERROR
    title = "the cabling policy forbids every medium that reaches"
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
        """Look for links that another medium of the catalogue would reach."""
        for too_long in find_cables_out_of_reach(cluster):
            segment = too_long.segment
            reaching = too_long.list_serving_media(too_long.free, cluster.design.catalog.cables)
            if segment.media_path or segment.policy == OPEN or not reaching:
                continue
            if too_long.list_serving_media(segment, cluster.plan.cables.media):
                continue
            why = ", ".join(f"{_quote_key(too_long, medium)} forbids {medium.id}" for medium in reaching[:3])
            yield self.flag(
                segment.policy.path,
                f"no allowed medium reaches {too_long.text}: {why}",
                f"allow {reaching[0].medium}, or set it as `media` of these links",
            )


def _quote_key(too_long: OutOfReach, medium: CableProfile) -> str:
    """The key of the cabling policy that keeps a medium out, in backticks."""
    return f"`{too_long.segment.policy.explain_refusal(medium) or 'copper_to_m'}`"

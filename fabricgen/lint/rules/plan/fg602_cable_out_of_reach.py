"""FG602: a cable is longer than any medium reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from fabricgen.design.media.policy import OPEN
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import OutOfReach, compute_longest_run_m, find_cables_out_of_reach

if TYPE_CHECKING:
    from fabricgen.catalog.models import CableProfile
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import Segment

MOST_LISTED = 4


class CableOutOfReach(PlanRule):
    """No cable or optic of the catalogue, or of the stated `media`, carries a link's lanes over its length.

    A link that is too long flaps or never comes up. Bring the ends closer together on the floor, lower the speed,
    or add a profile to the blueprint's own catalogue; where `media` are stated, allow one with a longer reach.
    """

    id = "FG602"
    severity = Severity.ERROR
    title = "a cable is longer than any medium reaches"
    bad = """
        floor: {row_pitch_m: 50, racks_per_row: 1}
        fabrics: {oob: {  # <-
          protocol: ethernet, attach: bmc, tiers: {
          leaf: {switch: sn2201}}}}
        pods: {p1: {su: 3}}
    """
    good = """
        floor: {row_pitch_m: 2.4}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Fold cables out of reach by the line that made them; FG623 reports those that only policy forbids."""
        media = cluster.plan.cables.media
        yield from self._as_built(cluster)
        for found in find_cables_out_of_reach(cluster):
            segment = found.segment
            fitting = [m for m in media if compute_longest_run_m(segment, m) >= 0]
            others = found.list_serving_media(found.free, cluster.design.catalog.cables)
            if segment.stated and (not fitting or found.list_serving_media(segment, fitting)):
                continue
            if (
                others
                and not segment.stated
                and not found.list_serving_media(segment, fitting)
                and segment.policy != OPEN
            ):
                continue
            yield self.flag(
                segment.stated or segment.path, f"{found.text}; {_reaches(fitting, segment)}", _hint(cluster, found)
            )

    def _as_built(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Single cables that are longer than their medium reaches; they keep it, since that is what was installed."""
        cables = cluster.plan.cables
        for cable, own in cluster.planned.own.items():
            if not cables.reaches[cable]:
                medium = cables.media[cables.medium[cable]]
                yield self.flag(
                    ("cable_of", cluster.cable_ids[cable], "medium" if own.length_m is None else "length_m"),
                    f"{cables.length_m[cable]:g} m is longer than {medium.id} ({medium.medium}) reaches, "
                    f"{medium.reach_m:g} m",
                    "state the `medium` that was installed, or install one that reaches",
                )


def _hint(cluster: Cluster, found: OutOfReach) -> str:
    """The next medium that reaches, else what to move."""
    segment = found.segment
    others = found.list_serving_media(found.free, cluster.design.catalog.cables)
    where = "place the ends closer together"
    if not others and segment.km and (far := _in_other_cages(cluster, segment, found.length_m)):
        cages = " or ".join(far.form_factors)
        keep = f"reserve {cages} cages for the span with `cages: {{peer: ...}}`"
        return f"{far.id} ({far.medium}) reaches {far.reach_m:g} m; {keep}"
    if others:
        return f"{others[0].id} ({others[0].medium}) reaches {others[0].reach_m:g} m; or {where}"
    return f"{where}, or add a medium to `catalog/cables`"


def _in_other_cages(cluster: Cluster, segment: Segment, longest: float) -> CableProfile | None:
    """A medium that reaches and fits other cages of a span's switches; None where there is none."""
    from fabricgen.wiring.cabling.media import fits_segment

    tier = cluster.design.tier(segment.tier) if segment.tier else None
    for profile in cluster.design.catalog.cables if tier else ():
        for cage in tier.profile.cages if tier else ():
            a, b = (replace(side, form_factor=cage.form_factor) for side in (segment.a, segment.b))
            if profile.reach_m >= longest and fits_segment(replace(segment, media=(), stated=(), a=a, b=b), profile):
                return profile
    return None


def _reaches(fitting: list[CableProfile], segment: Segment) -> str:
    """How far each usable medium reaches, the farthest first."""
    if not fitting:
        return f"no medium carries {segment.lane_gbps:g}G lanes between these cages"
    reach = {m.id: segment.reach_m(m) for m in fitting}
    ordered = sorted(fitting, key=lambda m: (-reach[m.id], m.id))
    what = "the stated media reach" if segment.stated else "the longest reaches are"
    more = f", and {len(ordered) - MOST_LISTED} shorter ones" if len(ordered) > MOST_LISTED else ""
    return f"{what} {', '.join(f'{reach[m.id]:g} m ({m.id})' for m in ordered[:MOST_LISTED])}{more}"

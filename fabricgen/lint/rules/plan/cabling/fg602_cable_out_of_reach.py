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
        yield from self._check_as_built(cluster)
        for too_long in find_cables_out_of_reach(cluster):
            segment = too_long.segment
            fitting = [m for m in media if compute_longest_run_m(segment, m) >= 0]
            reaching = too_long.list_serving_media(too_long.free, cluster.design.catalog.cables)
            if segment.media_path and (not fitting or too_long.list_serving_media(segment, fitting)):
                continue
            if (
                reaching
                and not segment.media_path
                and not too_long.list_serving_media(segment, fitting)
                and segment.policy != OPEN
            ):
                continue
            yield self.flag(
                segment.media_path or segment.path,
                f"{too_long.text}; {_describe_reaches(fitting, segment)}",
                _suggest_remedy(cluster, too_long),
            )

    def _check_as_built(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Single cables that are longer than their medium reaches; they keep it, since that is what was installed."""
        cables = cluster.plan.cables
        for cable, override in cluster.planned.overrides.items():
            if not cables.reaches[cable]:
                medium = cables.media[cables.medium[cable]]
                yield self.flag(
                    ("cable_of", cluster.cable_ids[cable], "medium" if override.length_m is None else "length_m"),
                    f"{cables.length_m[cable]:g} m is longer than {medium.id} ({medium.medium}) reaches, "
                    f"{medium.reach_m:g} m",
                    "state the `medium` that was installed, or install one that reaches",
                )


def _suggest_remedy(cluster: Cluster, too_long: OutOfReach) -> str:
    """The next medium that reaches, else what to move."""
    segment = too_long.segment
    reaching = too_long.list_serving_media(too_long.free, cluster.design.catalog.cables)
    where = "place the ends closer together"
    if not reaching and segment.km and (other := _find_in_other_cages(cluster, segment, too_long.length_m)):
        cages = " or ".join(other.form_factors)
        keep = f"reserve {cages} cages for the span with `cages: {{peer: ...}}`"
        return f"{other.id} ({other.medium}) reaches {other.reach_m:g} m; {keep}"
    if reaching:
        return f"{reaching[0].id} ({reaching[0].medium}) reaches {reaching[0].reach_m:g} m; or {where}"
    return f"{where}, or add a medium to `catalog/cables`"


def _find_in_other_cages(cluster: Cluster, segment: Segment, longest: float) -> CableProfile | None:
    """A medium that reaches and fits other cages of a span's switches; None where there is none."""
    from fabricgen.wiring.cabling.media import fits_segment

    tier = cluster.design.tier(segment.tier) if segment.tier else None
    for profile in cluster.design.catalog.cables if tier else ():
        for cage in tier.profile.cages if tier else ():
            a, b = (replace(side, form_factor=cage.form_factor) for side in (segment.a, segment.b))
            if profile.reach_m >= longest and fits_segment(
                segment._replace(media=(), media_path=(), a=a, b=b), profile
            ):
                return profile
    return None


def _describe_reaches(fitting: list[CableProfile], segment: Segment) -> str:
    """How far each usable medium reaches, the farthest first."""
    if not fitting:
        return f"no medium carries {segment.lane_gbps:g}G lanes between these cages"
    reach = {m.id: segment.reach_m(m) for m in fitting}
    ordered = sorted(fitting, key=lambda m: (-reach[m.id], m.id))
    head = "the stated media reach" if segment.media_path else "the longest reaches are"
    more = f", and {len(ordered) - MOST_LISTED} shorter ones" if len(ordered) > MOST_LISTED else ""
    return f"{head} {', '.join(f'{reach[m.id]:g} m ({m.id})' for m in ordered[:MOST_LISTED])}{more}"

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
"""How many reaches of media a message lists at most."""


class CableOutOfReach(PlanRule):
    """No cable or optic of the catalogue, or of the stated `media`, carries a link's lanes over its length.

    A link that is too long flaps or never comes up. Bring the ends closer together on the floor, lower the speed,
    or add a profile to the blueprint's own catalogue; where `media` are stated, allow one with a longer reach.
    """

    severity = Severity.ERROR
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
        """Flag cables out of reach, one finding for each line that made them; cables that reach if the cabling policy
        allowed another medium are left to FG623.
        """
        media = cluster.plan.cables.media
        yield from self._check_as_built(cluster)
        for too_long in find_cables_out_of_reach(cluster):
            segment = too_long.segment
            fitting = [m for m in media if compute_longest_run_m(segment, m) >= 0]
            serving = too_long.list_serving_media(segment, fitting)
            reaching = too_long.list_serving_media(too_long.free, cluster.design.catalog.cables)
            if segment.media_path and (not fitting or serving):
                continue
            if reaching and not segment.media_path and not serving and segment.policy != OPEN:
                continue
            yield self.flag(
                segment.media_path or segment.path,
                f"{too_long.text}; {_describe_reaches(fitting, segment)}",
                _suggest_remedy(cluster, too_long),
            )

    def _check_as_built(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag cables with an as-built override that are longer than their medium reaches; they keep their medium,
        since it is installed.
        """
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
    """Return the hint with the first medium that reaches, for a span in other cages if need be, or to move the ends."""
    segment = too_long.segment
    reaching = too_long.list_serving_media(too_long.free, cluster.design.catalog.cables)
    move = "place the ends closer together"
    if reaching:
        return f"{reaching[0].id} ({reaching[0].medium}) reaches {reaching[0].reach_m:g} m; or {move}"
    if segment.km and (medium := _find_in_other_cages(cluster, segment, too_long.length_m)):
        keep = f"reserve {' or '.join(medium.form_factors)} cages for the span with `cages: {{peer: ...}}`"
        return f"{medium.id} ({medium.medium}) reaches {medium.reach_m:g} m; {keep}"
    return f"{move}, or add a medium to `catalog/cables`"


def _find_in_other_cages(cluster: Cluster, segment: Segment, length_m: float) -> CableProfile | None:
    """Return a medium that reaches `length_m` and fits other cages of a span's switches; None if there is none."""
    from fabricgen.wiring.cabling.media import fits_segment

    if segment.tier is None:
        return None
    for profile in cluster.design.catalog.cables:
        for cage in cluster.design.tier(segment.tier).profile.cages:
            a, b = (replace(end, form_factor=cage.form_factor) for end in (segment.a, segment.b))
            free = segment._replace(media=(), media_path=(), a=a, b=b)
            if profile.reach_m >= length_m and fits_segment(free, profile):
                return profile
    return None


def _describe_reaches(fitting: list[CableProfile], segment: Segment) -> str:
    """Return the words on how far each of the fitting media reaches, the farthest first."""
    if not fitting:
        return f"no medium carries {segment.lane_gbps:g}G lanes between these cages"
    reach = {m.id: segment.reach_m(m) for m in fitting}
    ordered = sorted(fitting, key=lambda m: (-reach[m.id], m.id))
    head = "the stated media reach" if segment.media_path else "the longest reaches are"
    unlisted = f", and {len(ordered) - MOST_LISTED} shorter ones" if len(ordered) > MOST_LISTED else ""
    return f"{head} {', '.join(f'{reach[m.id]:g} m ({m.id})' for m in ordered[:MOST_LISTED])}{unlisted}"

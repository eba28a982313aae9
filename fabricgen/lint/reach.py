"""Cables that no medium serves over their length: what lint says of them, folded by the line that made them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabricgen.design.media.policy import OPEN

if TYPE_CHECKING:
    from fabricgen.catalog.models import CableProfile
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import Segment


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """So many cables of a segment that nothing reaches, and the longest: as ordered, its run, m, and what it joins."""

    segment: Segment
    cables: int
    length_m: float
    run_m: float
    racks: tuple[str, str]

    @property
    def text(self) -> str:
        """What they are and how long, in words."""
        s, (a, b) = self.segment, self.racks
        where = f"in {a}" if a == b else f"from {a} to {b}"
        way = f"{s.km:g} km of fibre" if s.km else f"a run of {self.run_m:.1f} m {where}"
        return f"{self.cables} {s.fabric} {s.key} cables of up to {self.length_m:g} m ({way})"

    @property
    def free(self) -> Segment:
        """The segment, were nothing stated for it and no policy."""
        return replace(self.segment, media=(), stated=(), policy=OPEN)

    def serving(self, segment: Segment, media: Sequence[CableProfile]) -> list[CableProfile]:
        """Media that would serve the longest run of such a segment, in their order."""
        return [m for m in media if longest_run_m(segment, m) >= self.run_m]


def longest_run_m(segment: Segment, medium: CableProfile) -> float:
    """The longest run of a segment's links that a medium serves, m; -1 where it may not be taken."""
    from fabricgen.wiring.cabling.media import fits_segment, most_m
    from fabricgen.wiring.cabling.stock import serves_m

    return serves_m(medium, most_m(segment, medium)) if fits_segment(segment, medium) else -1.0


def out_of_reach(cluster: Cluster) -> Iterator[OutOfReach]:
    """Cables that their medium does not serve, those together that one statement of media or one line made.

    Without those that were built as somebody states.
    """
    import numpy as np

    from fabricgen.wiring.tables import unique_values

    cables, links = cluster.plan.cables, cluster.plan.links
    if cables.reaches.all():
        return
    segment_of = np.zeros(len(cables), dtype=np.int64)
    segment_of[cables.end_cable] = links.segment[cables.end_link]
    short = ~cables.reaches
    short[list(cluster.planned.own)] = False
    for alike in _alike(links.segments, unique_values(segment_of[short])):
        rows = np.flatnonzero(np.isin(segment_of, alike) & short)
        worst = rows[np.argmax(cables.run_m[rows])]
        link = cables.end_link[np.searchsorted(cables.end_cable, worst)]
        a, b = (
            cluster.plan.racks.names[cluster.plan.devices.rack[column[link]]]
            for column in (links.a_device, links.b_device)
        )
        length, run = float(cables.length_m[worst]), float(cables.run_m[worst])
        yield OutOfReach(links.segments[alike[0]], len(rows), length, run, (a, b))


def _alike(segments: Sequence[Segment], numbers: Sequence[int]) -> list[list[int]]:
    """Segments of some numbers, those together that one statement of media or one line made."""
    found: dict[tuple[object, ...], list[int]] = {}
    for i in numbers:
        s = segments[i]
        found.setdefault((s.stated or s.path, s.fabric, s.key, s.lane_gbps), []).append(i)
    return list(found.values())

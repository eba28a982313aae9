"""Cables too long for every allowed medium, and channels over patch panels, for the rules on cabling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.design.media.policy import OPEN

if TYPE_CHECKING:
    from fabricgen.catalog.models import CableProfile
    from fabricgen.cluster import Cluster
    from fabricgen.design.media.patching import PatchPolicy
    from fabricgen.wiring.arrays import Ints64
    from fabricgen.wiring.tables import Segment


class OutOfReach(NamedTuple):
    """Cables that no medium reaches, of one or more segments that a rule would describe alike."""

    segment: Segment
    """The first of the segments of the cables."""
    cables: int
    """How many cables there are."""
    length_m: float
    """The length of the longest cable as it would be ordered."""
    run_m: float
    """The length of the longest cable's way, without slack."""
    racks: tuple[str, str]
    """The names of the racks that the longest cable joins."""

    @property
    def text(self) -> str:
        """The number of cables, the length of the longest, and its way, in words."""
        segment, (a, b) = self.segment, self.racks
        racks = f"in {a}" if a == b else f"from {a} to {b}"
        route = f"{segment.km:g} km of fibre" if segment.km else f"a run of {self.run_m:.1f} m {racks}"
        return f"{self.cables} {segment.fabric} {segment.key} cables of up to {self.length_m:g} m ({route})"

    @property
    def free(self) -> Segment:
        """The segment as it would be without stated media and policies."""
        return self.segment._replace(media=(), media_path=(), policy=OPEN)

    def list_serving_media(self, segment: Segment, media: Sequence[CableProfile]) -> list[CableProfile]:
        """Return those of some media that are allowed on a segment and reach as far as the longest cable's way."""
        return [m for m in media if compute_longest_run_m(segment, m) >= self.run_m]


def find_segments_of_cables(cluster: Cluster) -> Ints64:
    """Return the index of the segment of each cable, as 1-D int64."""
    import numpy as np

    cables, segments = cluster.plan.cables, np.zeros(len(cluster.plan.cables), dtype=np.int64)
    segments[cables.end_cable] = cluster.plan.links.segment[cables.end_link]
    return segments


def compute_longest_run_m(segment: Segment, medium: CableProfile) -> float:
    """Return the longest way, in metres, over which a medium may serve a segment's links; -1 if it is not allowed
    there.
    """
    from fabricgen.wiring.cabling.media import find_length_limit, fits_segment
    from fabricgen.wiring.cabling.stock import find_longest_run

    return find_longest_run(medium, find_length_limit(segment, medium)) if fits_segment(segment, medium) else -1.0


def find_cables_out_of_reach(cluster: Cluster) -> Iterator[OutOfReach]:
    """Yield the cables that their medium does not reach, grouped by the line of the blueprint that states their media,
    or else their tier, and by fabric and speed. Cables with an as-built override are left out.
    """
    import numpy as np

    from fabricgen.wiring.arrays import unique_values

    cables, links = cluster.plan.cables, cluster.plan.links
    if cables.reaches.all():
        return
    segment_of = find_segments_of_cables(cluster)
    is_short = ~cables.reaches
    is_short[list(cluster.planned.overrides)] = False
    groups: dict[tuple[object, ...], list[int]] = {}
    for number in unique_values(segment_of[is_short]):
        s = links.segments[number]
        groups.setdefault((s.media_path or s.path, s.fabric, s.key, s.lane_gbps), []).append(number)
    for segments in groups.values():
        rows = np.flatnonzero(np.isin(segment_of, segments) & is_short)
        longest = rows[np.argmax(cables.run_m[rows])]
        # end rows are in the order of cables: this finds the first end of the longest cable
        link = cables.end_link[np.searchsorted(cables.end_cable, longest)]
        a, b = (
            cluster.plan.racks.names[cluster.plan.devices.rack[column[link]]]
            for column in (links.a_device, links.b_device)
        )
        length, run = float(cables.length_m[longest]), float(cables.run_m[longest])
        yield OutOfReach(links.segments[segments[0]], len(rows), length, run, (a, b))


class PatchedKind(NamedTuple):
    """The channels over patch panels of one policy and medium: how many there are, and the length of the longest, m."""

    policy: PatchPolicy
    medium: CableProfile
    cables: int
    longest_m: float

    @property
    def parallel(self) -> bool:
        """Whether the transceivers have multi-fibre connectors."""
        return self.medium.connector.startswith("MPO")


def list_patched_kinds(cluster: Cluster, *, shuffled: bool = False) -> Iterator[PatchedKind]:
    """Yield the channels over trunks by policy and medium; with `shuffled` also the channels through fibre shuffles."""
    patching = cluster.plan.patching
    if patching is None:
        return
    from fabricgen.wiring.arrays import unique_values

    cables = cluster.plan.cables
    for number, policy in enumerate(patching.policies):
        if policy.shuffles and not shuffled:
            continue
        of_policy = patching.policy == number
        for medium in unique_values(cables.medium[of_policy]):
            lengths_m = cables.length_m[of_policy & (cables.medium == medium)]
            yield PatchedKind(policy, cables.media[medium], len(lengths_m), float(lengths_m.max()))

"""Cables too long for every allowed medium, grouped by the line of the blueprint that causes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.design.media.policy import OPEN

if TYPE_CHECKING:
    from fabricgen.catalog.models import CableProfile
    from fabricgen.cluster import Cluster
    from fabricgen.design.media.patching import PatchPolicy
    from fabricgen.wiring.tables import Segment


class OutOfReach(NamedTuple):
    """Cables of a segment that no medium reaches: how many, and for the longest its ordered length and run, m, and its
    racks.
    """

    segment: Segment
    cables: int
    length_m: float
    run_m: float
    racks: tuple[str, str]

    @property
    def text(self) -> str:
        """The cables and their length in words."""
        s, (a, b) = self.segment, self.racks
        where = f"in {a}" if a == b else f"from {a} to {b}"
        route = f"{s.km:g} km of fibre" if s.km else f"a run of {self.run_m:.1f} m {where}"
        return f"{self.cables} {s.fabric} {s.key} cables of up to {self.length_m:g} m ({route})"

    @property
    def free(self) -> Segment:
        """The same segment without stated media and policy."""
        return self.segment._replace(media=(), media_path=(), policy=OPEN)

    def list_serving_media(self, segment: Segment, media: Sequence[CableProfile]) -> list[CableProfile]:
        """Media that reach the longest run of such a segment, in their order."""
        return [m for m in media if compute_longest_run_m(segment, m) >= self.run_m]


def compute_longest_run_m(segment: Segment, medium: CableProfile) -> float:
    """The longest run of a segment's links that a medium reaches, m; -1 where the medium is not allowed."""
    from fabricgen.wiring.cabling.media import find_length_limit, fits_segment
    from fabricgen.wiring.cabling.stock import find_longest_run

    return find_longest_run(medium, find_length_limit(segment, medium)) if fits_segment(segment, medium) else -1.0


def find_cables_out_of_reach(cluster: Cluster) -> Iterator[OutOfReach]:
    """Cables that their medium does not reach, grouped by statement of media or line of the blueprint.

    Cables with an as-built override are left out.
    """
    import numpy as np

    from fabricgen.wiring.arrays import unique_values

    cables, links = cluster.plan.cables, cluster.plan.links
    if cables.reaches.all():
        return
    segment_of = np.zeros(len(cables), dtype=np.int64)
    segment_of[cables.end_cable] = links.segment[cables.end_link]
    short = ~cables.reaches
    short[list(cluster.planned.overrides)] = False
    for alike in _group_segments(links.segments, unique_values(segment_of[short])):
        rows = np.flatnonzero(np.isin(segment_of, alike) & short)
        worst = rows[np.argmax(cables.run_m[rows])]
        # end rows are in the order of cables: this finds the first of the cable
        link = cables.end_link[np.searchsorted(cables.end_cable, worst)]
        a, b = (
            cluster.plan.racks.names[cluster.plan.devices.rack[column[link]]]
            for column in (links.a_device, links.b_device)
        )
        length, run = float(cables.length_m[worst]), float(cables.run_m[worst])
        yield OutOfReach(links.segments[alike[0]], len(rows), length, run, (a, b))


def _group_segments(segments: Sequence[Segment], numbers: Sequence[int]) -> list[list[int]]:
    """Segment numbers grouped by statement of media or line of the blueprint."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for i in numbers:
        s = segments[i]
        groups.setdefault((s.media_path or s.path, s.fabric, s.key, s.lane_gbps), []).append(i)
    return list(groups.values())


# Patched channels by patching policy and medium, for the rules on patching.


class PatchedKind(NamedTuple):
    """Channels of one policy and medium: how many there are, and the length of the longest, m."""

    policy: PatchPolicy
    medium: CableProfile
    cables: int
    longest_m: float

    @property
    def parallel(self) -> bool:
        """Whether the transceivers have multi-fibre connectors."""
        return self.medium.connector.startswith("MPO")


def list_patched_kinds(cluster: Cluster, *, shuffled: bool = False) -> Iterator[PatchedKind]:
    """Every kind of channel over trunks, by policy and medium; with `shuffled` those through fibre shuffles, too."""
    patching = cluster.plan.patching
    if patching is None:
        return
    import numpy as np

    from fabricgen.wiring.arrays import unique_values

    cables = cluster.plan.cables
    for number, policy in enumerate(patching.policies):
        if policy.shuffles and not shuffled:
            continue
        channels = np.flatnonzero(patching.policy == number)
        for medium in unique_values(cables.medium[channels]):
            channels_of_medium = channels[cables.medium[channels] == medium]
            yield PatchedKind(
                policy, cables.media[medium], len(channels_of_medium), float(cables.length_m[channels_of_medium].max())
            )

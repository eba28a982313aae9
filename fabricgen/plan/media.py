"""Media: the cheapest of the catalogue that reaches, for each cable and those that share cages with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.plan.end_numbers import Ends, hangs_on_lower
from fabricgen.plan.tables import Flags, Floats, Ints, LinkTable, Segment


def choose(links: LinkTable, ends: Ends, length_m: Floats, media: tuple[CableProfile, ...]) -> tuple[Ints, Flags]:
    """The cheapest medium of each cable that reaches, fits its cages and may hang there."""
    cables = len(length_m)
    segment = np.zeros(cables, dtype=np.int32)
    segment[ends.cable] = links.segment[ends.link]
    alone, together = _sharing(ends, cables)
    breakout = np.bincount(ends.cable, minlength=cables) > 1
    split = np.array([not hangs_on_lower(s) and s.b.per_connector > 1 for s in links.segments], dtype=bool)
    breakout |= split[segment]
    longest = length_m.copy()
    np.maximum.at(longest, together, length_m)
    alone_all = alone.copy()
    np.logical_and.at(alone_all, together, alone)
    split_any = breakout.copy()
    np.logical_or.at(split_any, together, breakout)
    wants = _Wants(segment, alone_all[together], split_any[together], longest[together])
    some, like = wants.alike(media)
    medium, reaches = _cheapest(links.segments, wants.of(some), media)
    medium, reaches = medium[like], reaches[like]
    if any(s.stated for s in links.segments):
        usable = [_reaching(links.segments, wants.of(some), profile) for profile in media]
        _agree(medium, reaches, together, like, usable)
    if (medium < 0).any():
        _make_do(medium, segment, links.segments, media)
    return medium, reaches


@dataclass(frozen=True, slots=True)
class _Wants:
    """What cables want of their medium, with those that they share cages with: columns of one length.

    `alone`: each has its cages to itself; `split`: one of them is a breakout; `longest`: the longest of them, m.
    """

    segment: Ints
    alone: Flags
    split: Flags
    longest: Floats

    def of(self, rows: Ints) -> _Wants:
        """Those of some cables."""
        return _Wants(self.segment[rows], self.alone[rows], self.split[rows], self.longest[rows])

    def alike(self, media: tuple[CableProfile, ...]) -> tuple[Ints, Ints]:
        """(a cable for each of the few combinations there are, the place of each cable's own among those)."""
        reach = np.array(sorted({profile.reach_m for profile in media}))
        steps, kinds = np.searchsorted(reach, self.longest), len(reach) + 1
        code = ((self.segment * 2 + self.alone) * 2 + self.split) * kinds + steps
        one = np.full(int(code.max(initial=0)) + 1, -1, dtype=np.int32)
        one[code] = np.arange(len(code), dtype=np.int32)
        there = np.flatnonzero(one >= 0)
        place = np.zeros(len(one), dtype=np.int32)
        place[there] = np.arange(len(there), dtype=np.int32)
        return one[there], place[code]


def _cheapest(segments: tuple[Segment, ...], wants: _Wants, media: tuple[CableProfile, ...]) -> tuple[Ints, Flags]:
    """(the cheapest medium that may hang there and reaches, else the one of the longest reach; whether it reaches)."""
    medium = np.full(len(wants.segment), -1, dtype=np.int32)
    reaches = np.zeros(len(wants.segment), dtype=bool)
    for i, profile in sorted(enumerate(media), key=lambda m: (-m[1].reach_m, m[1].cost_rank)):
        medium[_legal(segments, wants, profile) & (medium < 0)] = i
    for i, profile in reversed(list(enumerate(media))):
        fits = _reaching(segments, wants, profile)
        medium[fits], reaches[fits] = i, True
    return medium, reaches


def _legal(segments: tuple[Segment, ...], wants: _Wants, profile: CableProfile) -> Flags:
    """Whether a medium fits the cages of each cable, and may hang in them with what shares them."""
    fits = _fits(segments, profile)[wants.segment]
    fits &= wants.alone | (not profile.attached and not profile.link_gbps)
    fits &= ~wants.split | _splits(segments, profile)[wants.segment]
    return fits


def _reaching(segments: tuple[Segment, ...], wants: _Wants, profile: CableProfile) -> Flags:
    """Likewise, and whether it is long enough."""
    reach_m = np.array([segment.reach_m(profile) for segment in segments])[wants.segment]
    reaching: Flags = _legal(segments, wants, profile) & (wants.longest <= reach_m)
    return reaching


def _agree(medium: Ints, reaches: Flags, together: Ints, like: Ints, usable: list[Flags]) -> None:
    """Let cables that share cages, but are told otherwise, take the cheapest medium that all of them may.

    `usable` says of each medium whether it will do for each combination of wants, of which `like` is each cable's own.
    """
    least, most = like.copy(), like.copy()
    np.minimum.at(least, together, like)
    np.maximum.at(most, together, like)
    rows = np.flatnonzero((least < most)[together])
    group, own = together[rows], like[rows]
    for i, fits in reversed(list(enumerate(usable))):
        every = np.ones(len(together), dtype=bool)
        every[group[~fits[own]]] = False
        agreed = rows[every[group]]
        medium[agreed], reaches[agreed] = i, True


def _make_do(medium: Ints, segment: Ints, segments: tuple[Segment, ...], media: tuple[CableProfile, ...]) -> None:
    """Give cables that nothing legal serves what is stated, else what carries their lanes; none of it reaches."""
    by_reach = sorted(enumerate(media), key=lambda m: (-m[1].reach_m, m[1].cost_rank))
    for stated, ordered in ((True, by_reach), (False, list(enumerate(media)))):
        for i, profile in ordered:
            allowed = [profile.id in s.media if stated else profile.selectable for s in segments]
            carries = [s.lane_gbps in profile.lane_gbps for s in segments]
            medium[np.logical_and(allowed, carries)[segment] & (medium < 0)] = i


def _fits(segments: tuple[Segment, ...], profile: CableProfile) -> Flags:
    """For each segment, whether a medium carries its lanes and fits the cages at both ends."""
    return np.array([fits_segment(segment, profile) for segment in segments])


def _splits(segments: tuple[Segment, ...], profile: CableProfile) -> Flags:
    """For each segment, whether a medium may serve several of its links from one cage."""
    return np.array([profile.splits_for(-int(-s.speed_gbps // s.lane_gbps)) for s in segments])


def fits_segment(segment: Segment, profile: CableProfile) -> bool:
    """Whether a medium carries a segment's lane rate and speed; copper pairs go to RJ45 cages and nothing else does.

    Where product lists sell anything for such links, only media that they sell are taken.
    A module of one link (`link_gbps`) needs a connector that is not split at either end. A segment that names its
    media takes no other; those of a scale-up domain are taken as they are.
    """
    carries = segment.lane_gbps in profile.lane_gbps
    if segment.media and segment.tier is None:
        return carries and profile.id in segment.media
    if not (profile.id in segment.media if segment.stated else profile.selectable):
        return False
    if segment.reach_m(profile) < 0:
        return False
    whole = segment.a.per_connector == 1 and segment.b.per_connector == 1
    if profile.link_gbps and not (whole and segment.speed_gbps in profile.link_gbps):
        return False
    return carries and all(profile.plugs_into(side.form_factor) for side in (segment.a, segment.b))


def _sharing(ends: Ends, cables: int) -> tuple[Flags, Ints]:
    """(whether a cable has all its cages to itself, the first cable of those joined to it by shared cages)."""
    cage = np.concatenate([ends.cage.a, ends.cage.b])
    cable = np.concatenate([ends.cable, ends.cable])
    alone, label = np.ones(cables, dtype=bool), np.arange(cables, dtype=np.int32)
    lowest, highest = np.full(ends.cage.count, cables, dtype=np.int32), np.full(ends.cage.count, -1, dtype=np.int32)
    np.minimum.at(lowest, cage, cable)
    np.maximum.at(highest, cage, cable)
    shared = (lowest < highest)[cage]
    cage, cable = cage[shared], cable[shared]
    alone[cable] = False
    while True:
        np.minimum.at(lowest, cage, label[cable])
        fresh = label.copy()
        np.minimum.at(fresh, cable, lowest[cage])
        if (fresh == label).all():
            return alone, label
        label = fresh

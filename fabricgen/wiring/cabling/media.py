"""The medium of each cable: the first permitted one that is long enough for all cables that share its cages.

From the widest question to the narrowest: a medium is permitted by policy (`CablePolicy.permits`), allowed for a
segment (`is_allowed`: stated, else permitted, and made for its cages), fits it (`fits_segment`: allowed, and its lanes,
speed and plugs are right), is legal for a cable (`is_legal`: it fits, and suits what shares the cages), and reaches
(`does_reach`: legal, and sold long enough).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fabricgen.catalog.cable_models import ROUNDING_M, CableProfile
from fabricgen.design.media.policy import is_named
from fabricgen.design.ports import PortRun
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64, unique_inverse
from fabricgen.wiring.cabling.assemblies import CageSharing
from fabricgen.wiring.cabling.stock import find_longest_run
from fabricgen.wiring.tables import LinkTable, Segment

Media = tuple[CableProfile, ...]


def choose_media(
    links: LinkTable, segment: Ints, sharing: CageSharing, run_m: Floats, media: Media
) -> tuple[Ints, Flags]:
    """Return (medium of each cable, an index of `media`, int32; whether its reach suffices, bool).

    Cables that share cages get one medium if one suits them all. A cable without a legal medium gets a stated one or
    the cheapest that carries its lanes, and does not reach. `segment` and `run_m` (m) are those of each cable.
    """
    # a group is named by its lowest cable: what holds for a whole group is kept at the row of that cable, and [group]
    # spreads it over all cables
    group = sharing.group.astype(np.int64)
    # cables that share cages share transceivers, and so a medium: the longest of them decides for all
    longest = run_m.copy()
    np.maximum.at(longest, group, run_m)
    alone, meets_breakout = sharing.alone, np.zeros(len(group), dtype=bool)
    # one breakout in a cage makes its whole transceiver one for breakouts
    meets_breakout[group[np.flatnonzero(sharing.is_breakout)]] = True
    fit = MediaFit.evaluate_media(links.segments, media)
    wants_one_cable = np.array([wants_assembly(s) for s in links.segments], dtype=bool)[segment]
    requirements = _MediaRequirements(
        segment, alone, alone | sharing.one_cable & wants_one_cable, meets_breakout[group], longest[group]
    )
    sample_cables, sample_of_cable = requirements.group_alike(fit)
    medium, reaches = _choose_best(fit, requirements.select_cables(sample_cables))
    medium, reaches = medium[sample_of_cable], reaches[sample_of_cable]
    # cables of one segment that share cages chose alike; those of several need not: policy, products, far ends differ
    disagrees = medium != medium[group]
    if disagrees.any():
        # all rows of groups with any that disagrees: of those that are alone, or agree, none has to change
        rows = np.flatnonzero(np.bincount(group[disagrees], minlength=len(medium))[group]).astype(np.int32)
        medium[rows], reaches[rows] = _choose_common_media(
            fit, requirements.select_cables(rows), unique_inverse(group[rows])[1], (medium[rows], reaches[rows])
        )
    if (medium < 0).any():
        _choose_fallback_media(medium, segment, links.segments, media)
    return medium, reaches


class MediaFit(NamedTuple):
    """The suitability of each medium for each segment; arrays of shape (segments, media).

    `serves_m` float64: the longest run that it serves, m, as sold and permitted; -1 if the segment must not use it.
    `can_split`: whether it can carry several links from one cage. `unsold`: whether the product lists of the blueprint
    lack it. `rank` float64: the medium with the lowest rank is preferred; those that are sold come before all others.
    """

    media: Media
    serves_m: Floats
    can_split: Flags
    unsold: Flags
    rank: Floats

    @classmethod
    def evaluate_media(cls, segments: tuple[Segment, ...], media: Media) -> MediaFit:
        """Return how every medium suits every segment."""
        shape = (len(segments), len(media))
        serves_m, unsold, rank = np.full(shape, -1.0), np.zeros(shape, dtype=bool), np.zeros(shape)
        for row, segment in enumerate(segments):
            for i, profile in enumerate(media):
                # one number in place of three keys: sold first, then the place in the policy, which is
                # `len(prefer)` at most, then the order of `media`
                unsold[row, i] = not segment.sells(profile)
                place = segment.policy.find_rank(profile) + unsold[row, i] * (len(segment.policy.prefer) + 1)
                rank[row, i] = place * len(media) + i
                if fits_segment(segment, profile):
                    serves_m[row, i] = find_longest_run(profile, find_length_limit(segment, profile))
        can_split = np.array([[m.splits_for(s.lanes) for m in media] for s in segments], dtype=bool).reshape(shape)
        return cls(media, serves_m, can_split, unsold, rank)

    def is_legal(self, requirements: _MediaRequirements, i: int) -> Flags:
        """Whether medium `i` fits the cages of each cable, and what shares these."""
        profile = self.media[i]
        fits: Flags = self.serves_m[requirements.segment, i] >= 0
        fits &= ~requirements.meets_breakout | self.can_split[requirements.segment, i]
        # a module of one link has no second connector for what shares the cage
        if profile.link_gbps:
            return fits & requirements.alone
        return fits & requirements.may_be_attached if profile.attached else fits

    def does_reach(self, requirements: _MediaRequirements, i: int) -> Flags:
        """Whether medium `i` is legal for each cable, sold long enough and reaches."""
        serves_m = self.serves_m[requirements.segment, i]
        is_reached: Flags = self.is_legal(requirements, i) & (requirements.longest <= serves_m + ROUNDING_M)
        return is_reached


class _MediaRequirements(NamedTuple):
    """What the medium of each cable, and of those that share its cages, must meet; columns of one length.

    `alone`: it shares no cage. `may_be_attached`: it may have fixed ends; a cable that shares cages may only if one
    assembly can replace all cables there and is wanted (`wants_assembly`). `meets_breakout`: it, or a cable that shares
    its cages, is a breakout. `longest`: the longest run of these cables, m.
    """

    segment: Ints
    alone: Flags
    may_be_attached: Flags
    meets_breakout: Flags
    longest: Floats

    def select_cables(self, rows: Ints) -> _MediaRequirements:
        """Return the requirements of some cables."""
        alone, may_be_attached, meets_breakout = self.alone[rows], self.may_be_attached[rows], self.meets_breakout[rows]
        return _MediaRequirements(self.segment[rows], alone, may_be_attached, meets_breakout, self.longest[rows])

    def group_alike(self, fit: MediaFit) -> tuple[Ints, Ints]:
        """Return (one cable of each distinct combination of requirements, index of each cable's combination), int32."""
        # only between which two limits a run lies can matter: a million lengths become a few kinds; `searchsorted`
        # counts the limits below a run, so that one as long as a limit falls to that, as by the <= of `does_reach`
        limits = np.array(sorted(set(fit.serves_m.ravel().tolist()))) + ROUNDING_M
        steps, kinds = np.searchsorted(limits, self.longest), len(limits) + 1
        # mixed radix: every combination is one small number, looked up in a table instead of sorted
        flags = (self.segment * 2 + self.alone) * 4 + self.may_be_attached * 2 + self.meets_breakout
        code = flags * kinds + steps
        sample = np.full(int(code.max(initial=0)) + 1, -1, dtype=np.int32)
        # the last cable of each kind stays; any would do
        sample[code] = np.arange(len(code), dtype=np.int32)
        present = np.flatnonzero(sample >= 0)
        # the index of each code among those that are present
        position = np.zeros(len(sample), dtype=np.int32)
        position[present] = np.arange(len(present), dtype=np.int32)
        return sample[present], position[code]


def _choose_best(fit: MediaFit, requirements: _MediaRequirements) -> tuple[Ints, Flags]:
    """Return (medium of each cable with the lowest rank among those that reach; whether it reaches).

    If none reaches, it is the legal medium of the longest `reach_m`, even if policy or product lists allow less of it,
    the cheapest of several; -1 if none is legal.
    """
    medium = np.full(len(requirements.segment), -1, dtype=np.int32)
    reaches = np.zeros(len(requirements.segment), dtype=bool)
    # first what is left if nothing reaches: the longest legal one, the cheapest of these
    for i, _ in sorted(enumerate(fit.media), key=lambda m: (-m[1].reach_m, m[1].cost_rank)):
        # -1 is none as yet: the first that is legal stays
        medium[fit.is_legal(requirements, i) & (medium < 0)] = i
    # then the best that reaches overwrites it
    best = np.full(len(requirements.segment), np.inf)
    for i in range(len(fit.media)):
        rank = fit.rank[requirements.segment, i]
        better = fit.does_reach(requirements, i) & (rank < best)
        medium[better], reaches[better], best[better] = i, True, rank[better]
    return medium, reaches


def _choose_common_media(
    fit: MediaFit, requirements: _MediaRequirements, group_index: Ints64, chosen: tuple[Ints, Flags]
) -> tuple[Ints, Flags]:
    """Return (medium of each cable, whether it reaches) for cables that share cages, but chose different media.

    A group is the cables that share cages; `group_index` is the number of each cable's group, from 0. Of the media that
    reach for all of its cables, a group gets the one that product lists sell for most of them; of several, the one with
    the least sum of ranks. If there is none, its cables keep what they have `chosen`, which is changed in place.
    """
    medium, reaches = chosen
    # by group: (cables that would have to buy it elsewhere, sum of ranks) of the best medium so far
    fewest_unsold, least_rank = np.full((2, int(group_index.max()) + 1), np.inf)
    for i in range(len(fit.media)):
        # both differ by segment (policy, products)
        unsold, rank = (np.bincount(group_index, weights=w[requirements.segment, i]) for w in (fit.unsold, fit.rank))
        is_better = (unsold < fewest_unsold) | ((unsold == fewest_unsold) & (rank < least_rank))
        # one cable of a group that it does not suit rules it out for the group
        is_better[group_index[~fit.does_reach(requirements, i)]] = False
        fewest_unsold[is_better], least_rank[is_better] = unsold[is_better], rank[is_better]
        takes_it = is_better[group_index]
        medium[takes_it], reaches[takes_it] = i, True
    return medium, reaches


def _choose_fallback_media(medium: Ints, segment: Ints, segments: tuple[Segment, ...], media: Media) -> None:
    """Replace the -1 of cables without a legal medium, in place: by a stated medium, else by the cheapest that carries
    their lanes, else by the cheapest of all.

    Of several stated media it is the one of the longest `reach_m`. None of these media is legal, so that the flags of
    cables whose medium reaches stay false for them.
    """
    by_reach = sorted(enumerate(media), key=lambda m: (-m[1].reach_m, m[1].cost_rank))
    for is_stated, ordered in ((True, by_reach), (False, list(enumerate(media)))):
        for i, profile in ordered:
            allowed = [profile.id in s.media if is_stated else profile.selectable for s in segments]
            carries = [s.lane_gbps in profile.lane_gbps for s in segments]
            medium[np.logical_and(allowed, carries)[segment] & (medium < 0)] = i
    # lanes that nothing carries, as those of a device of the blueprint's own catalogue may be: lint says so (FG602)
    medium[medium < 0] = 0


def find_length_limit(segment: Segment, profile: CableProfile) -> float:
    """Return the longest cable of a medium for a segment, m: the least of what its technology reaches, what product
    lists sell, and what the policy permits (for a stated medium any length).
    """
    permitted = profile.reach_m if segment.media else segment.policy.find_max_length(profile)
    return min(permitted, segment.reach_m(profile))


def wants_assembly(segment: Segment) -> bool:
    """Whether one cable with fixed ends is to replace the several cables of a shared cage, where it fills the cage.

    It is if the blueprint states media, if a vendor makes only some for the cages, or if the policy prefers copper.
    Otherwise a shared cage gets a transceiver with one fibre a connector, as in reference architectures.
    """
    return bool(segment.media_path or list_made_media_ids(segment)) or segment.policy.wants_copper


def fits_segment(segment: Segment, profile: CableProfile) -> bool:
    """Whether a medium carries a segment's lane rate and speed; copper pairs go to RJ45 cages and nothing else does.

    A segment takes only the media that it names, or if it names none those that policy permits (`is_allowed`). A module
    of one link (`link_gbps`) needs connectors that are not split. For scale-up links the named media are not checked
    further.
    """
    if segment.lane_gbps not in profile.lane_gbps:
        return False
    # no tier: a scale-up link
    if segment.media and segment.tier is None:
        return profile.id in segment.media
    if not is_allowed(segment, profile):
        return False
    is_unsplit = segment.a.links_per_connector == 1 and segment.b.links_per_connector == 1
    if profile.link_gbps and not (is_unsplit and segment.speed_gbps in profile.link_gbps):
        return False
    modules = [(segment.find_module(side, profile), side.form_factor) for side in (segment.a, segment.b)]
    return all(module is not None and module.plugs_into(cage) for module, cage in modules)


def is_allowed(segment: Segment, profile: CableProfile) -> bool:
    """Whether a medium is among those that a segment states, or if it states none among those that policy permits.

    If a vendor makes only some media for the cages of an end, it must be one of these; if none is stated, the usual
    one, unless the policy names another (`allow`, `prefer`).
    """
    ids_of_ends = list_made_media_ids(segment)
    if any(profile.id not in media_ids for media_ids in ids_of_ends):
        return False
    if segment.media_path or segment.media:
        return profile.id in segment.media
    if ids_of_ends:
        is_asked_for = is_named((*segment.policy.allow, *segment.policy.prefer), profile)
        return (
            is_asked_for or all(profile.id == media_ids[0] for media_ids in ids_of_ends)
        ) and not segment.policy.explain_refusal(profile)
    return segment.policy.permits(profile)


def list_made_media_ids(segment: Segment) -> list[tuple[str, ...]]:
    """Return the ids of the media that a vendor makes for the cages of an end, the usual one first: a tuple for each
    end for which only some media are made.
    """
    return [side.made_media for side in (segment.a, segment.b) if isinstance(side, PortRun) and side.made_media]

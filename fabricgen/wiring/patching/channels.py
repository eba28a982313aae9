"""Channels through panels: the cable ends that share front ports, and the trunk that each channel uses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.media.patching import FIBRES, PatchPolicy
from fabricgen.wiring.arrays import Flags, Ints
from fabricgen.wiring.cabling.end_kinds import count_ends_and_lanes, count_link_lanes
from fabricgen.wiring.cabling.end_numbers import CableEnds, has_lower_common_end
from fabricgen.wiring.patching.tables import AT_COMMON_END, AT_FAR_END, IN_SHUFFLE, NOWHERE
from fabricgen.wiring.tables import LinkTable


@dataclass(frozen=True, slots=True)
class Channels:
    """Channels, int32 columns of one length: policy, kind of fibre, places of the ends, connectors and lanes.

    A straight cable is one channel, and so is a breakout that splits at its far end; of others each leg is one.
    `rows` are the patched cable end rows, `of_row` the channel of each of these; `split` (one a cable) is where the
    cable splits.
    """

    policy: Ints
    fibre: Ints
    a_place: Ints
    b_place: Ints
    connectors: Ints
    lanes: Ints
    rows: Ints
    of_row: Ints
    split: Ints


@dataclass(frozen=True, slots=True)
class TrunkLayout:
    """Trunks by policy, kind of fibre and pair of places, and the ports that channels use; int32 columns.

    One a trunk: `policy` to `used`, the number of front ports in use. One a channel: `start`, the index of its first
    port. One a port in use: its trunk (`trunk_of`) and its number in the trunk (`port`).
    """

    policy: Ints
    fibre: Ints
    a_place: Ints
    b_place: Ints
    number: Ints
    used: Ints
    start: Ints
    trunk_of: Ints
    port: Ints


def channels_of(
    links: LinkTable,
    ends: CableEnds,
    policy: Ints,
    places: tuple[Ints, Ints],
    medium: Ints,
    media: tuple[CableProfile, ...],
) -> Channels:
    """The channels of all cables with a policy (not -1); `places` are those of the ends of every end row."""
    cables = len(policy)
    rows = np.flatnonzero(policy[ends.cable] >= 0).astype(np.int32)
    cable, segment = ends.cable[rows], links.segment[ends.link[rows]]
    lower = np.array([has_lower_common_end(s) for s in links.segments], dtype=bool)[segment]
    a_place, b_place = (place[rows] for place in places)
    each = np.array([m.lanes_per_connector for m in media], dtype=np.int32)[medium[cable]]
    leg = count_link_lanes(links)[segment] * ends.links[rows]
    split = _splits(cable, np.where(lower, b_place, a_place), leg % each == 0, cables)
    apart = split[cable] != AT_FAR_END
    starts = apart | np.r_[True, cable[1:] != cable[:-1]][: len(cable)]
    of_row = (np.cumsum(starts) - 1).astype(np.int32)
    _, whole = count_ends_and_lanes(links, ends.cable, ends.link, ends.links, cables)
    wide = np.where(apart, leg, whole[cable])[starts]
    of, each = medium[cable[starts]], each[starts]
    kind = np.array([FIBRES.index(m.fibre) if m.fibre else -1 for m in media], dtype=np.int32)[of]
    return Channels(
        policy[cable[starts]],
        kind,
        a_place[starts],
        b_place[starts],
        (-(-wide // each)).astype(np.int32),
        wide.astype(np.int32),
        rows,
        of_row,
        split,
    )


def _splits(cable: Ints, far: Ints, whole: Flags, cables: int) -> Ints:
    """Where each cable splits, int32; `far` are the places of far ends, `whole` says whether a leg fills connectors."""
    lowest, highest = np.full(cables, np.iinfo(np.int32).max, dtype=np.int32), np.full(cables, -1, dtype=np.int32)
    np.minimum.at(lowest, cable, far)
    np.maximum.at(highest, cable, far)
    split = np.where(highest > lowest, AT_COMMON_END, AT_FAR_END).astype(np.int32)
    legs, broken = np.bincount(cable, minlength=cables), np.bincount(cable[~whole], minlength=cables)
    split[(legs > 1) & (broken == 0)] = NOWHERE
    return split


def jumper_widths(links: LinkTable, ends: CableEnds, split: Ints) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """(far ends of the jumpers of each cable, their lanes), at its a end and at its b end; int32."""
    count = len(split)
    table = links, ends.cable, ends.link, ends.links, count
    legs, whole = count_ends_and_lanes(*table)
    leg, lower = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=bool)
    np.maximum.at(leg, ends.cable, count_link_lanes(links)[links.segment[ends.link]] * ends.links)
    lower[ends.cable] = np.array([has_lower_common_end(s) for s in links.segments], dtype=bool)[
        links.segment[ends.link]
    ]
    common = np.where(split == AT_COMMON_END, legs, 1), np.where(split == NOWHERE, leg, whole)
    full = (split == AT_FAR_END) | (split == IN_SHUFFLE)
    others = np.where(split == AT_FAR_END, legs, 1), np.where(full, whole, leg)
    a, b = (
        (np.where(lower, one, other).astype(np.int32), np.where(lower, other, one).astype(np.int32))
        for one, other in zip(common, others, strict=True)
    )
    return (a[0], b[0]), (a[1], b[1])


def lay_out_trunks(channels: Channels, policies: tuple[PatchPolicy, ...], places: int) -> TrunkLayout:
    """Assign channels to trunks, for each pair of places in the order of cables; spare ports come last."""
    low, high = np.minimum(channels.a_place, channels.b_place), np.maximum(channels.a_place, channels.b_place)
    kind = channels.policy.astype(np.int64) * len(FIBRES) + channels.fibre
    key = (kind * places + low) * places + high
    _, one, pair = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(pair, kind="stable")
    takes = channels.connectors[order]
    behind = np.cumsum(takes) - takes
    total = np.bincount(pair, weights=channels.connectors, minlength=len(one)).astype(np.int64)
    first = (np.cumsum(total) - total)[pair[order]]
    capacity = np.array([p.ports_per_trunk for p in policies], dtype=np.int64)[channels.policy[one]]
    spare = np.array([p.spec.spare for p in policies])[channels.policy[one]]
    count = -(-np.ceil(total * (1 + spare) - 1e-9).astype(np.int64) // capacity)
    before = np.cumsum(count) - count
    start = np.empty(len(order), dtype=np.int32)
    start[order] = behind
    port = np.arange(takes.sum()) - np.repeat(first, takes)
    of = np.repeat(np.arange(len(one)), count)
    number = np.arange(len(of)) - before[of]
    used = np.clip(total[of] - number * capacity[of], 0, capacity[of])
    whole, earlier = (np.repeat(column[pair[order]], takes) for column in (capacity, before))
    return TrunkLayout(
        *(c.astype(np.int32) for c in (channels.policy[one][of], channels.fibre[one][of], low[one][of], high[one][of])),
        *(c.astype(np.int32) for c in (number, used, start, earlier + port // whole, port % whole)),
    )

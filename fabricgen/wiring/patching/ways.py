"""Ways of light through panels: which cable ends take one front port, and over which trunk each goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.media.patching import FIBRES, PatchPolicy
from fabricgen.wiring.cabling.end_numbers import Ends, hangs_on_lower
from fabricgen.wiring.cabling.pieces import link_lanes, widths
from fabricgen.wiring.patching.tables import AT_COMMON_END, AT_FAR_END, NOWHERE
from fabricgen.wiring.tables import Flags, Ints, LinkTable


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways, int32 columns of one length: policy, kind of fibre, places of the ends, and the connectors each takes.

    A straight cable is one, and so is a breakout that splits at its far end; of others each leg is one. `of_row` is
    the way of each patched cable end row, `rows` those rows; `split` says of each cable where it splits.
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
class Trunks:
    """Trunks by policy, kind of fibre and pair of places, with how many front ports of each are in use.

    `start` is the first of the ports of each way, whose connectors follow; `trunk_of` and `port` are columns of ports.
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


def ways_of(
    links: LinkTable, ends: Ends, policy: Ints, places: tuple[Ints, Ints], medium: Ints, media: tuple[CableProfile, ...]
) -> Ways:
    """The ways of the cables that have a policy (-1: none), of end rows that are in two places."""
    cables = len(policy)
    rows = np.flatnonzero(policy[ends.cable] >= 0).astype(np.int32)
    cable, segment = ends.cable[rows], links.segment[ends.link[rows]]
    lower = np.array([hangs_on_lower(s) for s in links.segments], dtype=bool)[segment]
    a_place, b_place = (place[rows] for place in places)
    each = np.array([m.lanes_per_connector for m in media], dtype=np.int32)[medium[cable]]
    leg = link_lanes(links)[segment] * ends.links[rows]
    split = _splits(cable, np.where(lower, b_place, a_place), leg % each == 0, cables)
    apart = split[cable] != AT_FAR_END
    starts = apart | np.r_[True, cable[1:] != cable[:-1]][: len(cable)]
    of_row = (np.cumsum(starts) - 1).astype(np.int32)
    _, whole = widths(links, ends.cable, ends.link, ends.links, cables)
    wide = np.where(apart, leg, whole[cable])[starts]
    of, each = medium[cable[starts]], each[starts]
    kind = np.array([FIBRES.index(m.fibre) if m.fibre else -1 for m in media], dtype=np.int32)[of]
    return Ways(
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
    """Where each cable splits, from the places of its far ends and whether each leg has `whole` connectors."""
    lowest, highest = np.full(cables, np.iinfo(np.int32).max, dtype=np.int32), np.full(cables, -1, dtype=np.int32)
    np.minimum.at(lowest, cable, far)
    np.maximum.at(highest, cable, far)
    split = np.where(highest > lowest, AT_COMMON_END, AT_FAR_END).astype(np.int32)
    legs, broken = np.bincount(cable, minlength=cables), np.bincount(cable[~whole], minlength=cables)
    split[(legs > 1) & (broken == 0)] = NOWHERE
    return split


def jumper_widths(links: LinkTable, ends: Ends, split: Ints) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """(into how many ends the jumpers of each cable split, lanes of each), at its a and at its b end; int32."""
    count = len(split)
    table = links, ends.cable, ends.link, ends.links, count
    legs, whole = widths(*table)
    leg, lower = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=bool)
    np.maximum.at(leg, ends.cable, link_lanes(links)[links.segment[ends.link]] * ends.links)
    lower[ends.cable] = np.array([hangs_on_lower(s) for s in links.segments], dtype=bool)[links.segment[ends.link]]
    common = np.where(split == AT_COMMON_END, legs, 1), np.where(split == NOWHERE, leg, whole)
    others = np.where(split == AT_FAR_END, legs, 1), np.where(split == AT_FAR_END, whole, leg)
    a, b = (
        (np.where(lower, one, other).astype(np.int32), np.where(lower, other, one).astype(np.int32))
        for one, other in zip(common, others, strict=True)
    )
    return (a[0], b[0]), (a[1], b[1])


def trunks_of(ways: Ways, policies: tuple[PatchPolicy, ...], places: int) -> Trunks:
    """Lay ways into trunks, pair of places by pair, in the order of cables; spare connectors are behind them."""
    low, high = np.minimum(ways.a_place, ways.b_place), np.maximum(ways.a_place, ways.b_place)
    kind = ways.policy.astype(np.int64) * len(FIBRES) + ways.fibre
    key = (kind * places + low) * places + high
    _, one, pair = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(pair, kind="stable")
    takes = ways.connectors[order]
    behind = np.cumsum(takes) - takes
    total = np.bincount(pair, weights=ways.connectors, minlength=len(one)).astype(np.int64)
    first = (np.cumsum(total) - total)[pair[order]]
    capacity = np.array([p.ports_per_trunk for p in policies], dtype=np.int64)[ways.policy[one]]
    spare = np.array([p.spec.spare for p in policies])[ways.policy[one]]
    count = -(-np.ceil(total * (1 + spare) - 1e-9).astype(np.int64) // capacity)
    before = np.cumsum(count) - count
    start = np.empty(len(order), dtype=np.int32)
    start[order] = behind
    port = np.arange(takes.sum()) - np.repeat(first, takes)
    of = np.repeat(np.arange(len(one)), count)
    number = np.arange(len(of)) - before[of]
    used = np.clip(total[of] - number * capacity[of], 0, capacity[of])
    whole, earlier = (np.repeat(column[pair[order]], takes) for column in (capacity, before))
    return Trunks(
        *(c.astype(np.int32) for c in (ways.policy[one][of], ways.fibre[one][of], low[one][of], high[one][of])),
        *(c.astype(np.int32) for c in (number, used, start, earlier + port // whole, port % whole)),
    )

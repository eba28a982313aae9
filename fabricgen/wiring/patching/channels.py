"""Channels through panels: the cable ends that share front ports, and the trunk that each channel uses.

A channel is the way of a cable, or of one leg of it, over a panel at each end and the trunk between these. A place is a
rack, or a row with patch racks at its end: a row of `panels.PatchLocations`. A kind of fibre is an index of
`design.media.patching.FIBRES`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.media.patching import FIBRES, PatchPolicy
from fabricgen.wiring.arrays import Flags, Ints
from fabricgen.wiring.cabling.end_numbers import CableEnds, hangs_on_lower_end
from fabricgen.wiring.cabling.far_ends import count_ends_and_lanes, count_link_lanes
from fabricgen.wiring.patching.tables import AT_COMMON_END, AT_FAR_END, IN_SHUFFLE, NOWHERE
from fabricgen.wiring.tables import LinkTable


@dataclass(frozen=True, slots=True)
class Channels:
    """Channels, int32 columns of one length: policy, kind of fibre (-1 for copper), places of the ends, connectors and
    lanes.

    A straight cable is one channel, and so is a breakout that splits at its far end; of others each leg is one.
    `rows` are the patched cable end rows, `of_row` the channel of each of these. `split`, which is by cable, is where
    the cable splits, such as AT_COMMON_END.
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

    Columns by trunk: `policy`, `fibre`, the places of its ends, `number` among the trunks of that pair of places, and
    `used`, the number of its front ports in use. Column by channel: `start`, its first row in the columns by port.
    Columns by port in use: its trunk (`trunk_of`) and its number in the trunk (`port`).
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


def make_channels(
    links: LinkTable,
    ends: CableEnds,
    policy: Ints,
    places_of_ends: tuple[Ints, Ints],
    medium: Ints,
    media: tuple[CableProfile, ...],
) -> Channels:
    """Return the channels of all patched cables, in cable order.

    `policy` has for each cable the number of its patching policy, -1 if it passes no panels; `medium` has its index in
    `media`. `places_of_ends` has two columns with the place (see above) of each end row: of its a end, and of its b
    end. A breakout that splits at its far end is one channel; of any other cable each end row is one.
    """
    cables = len(policy)
    rows = np.flatnonzero(policy[ends.cable] >= 0).astype(np.int32)
    cable, segment = ends.cable[rows], links.segment[ends.link[rows]]
    is_common_lower = np.array([hangs_on_lower_end(s) for s in links.segments], dtype=bool)[segment]
    a_place, b_place = (places_of_side[rows] for places_of_side in places_of_ends)
    connector_lanes = np.array([m.lanes_per_connector for m in media], dtype=np.int32)[medium[cable]]
    leg_lanes = count_link_lanes(links)[segment] * ends.links[rows]
    # the far ends are at the side that the common end is not
    split = _find_splits(cable, np.where(is_common_lower, b_place, a_place), leg_lanes % connector_lanes == 0, cables)
    has_own_channel = split[cable] != AT_FAR_END
    # a cable that splits behind the far panel is one channel; else each of its legs is one
    starts_channel = has_own_channel | np.r_[True, cable[1:] != cable[:-1]][: len(cable)]
    of_row = (np.cumsum(starts_channel) - 1).astype(np.int32)
    # what passes panels fills one connector
    _, cable_lanes = count_ends_and_lanes(links, ends.cable, ends.link, ends.links, np.ones_like(policy))
    lanes = np.where(has_own_channel, leg_lanes, cable_lanes[cable])[starts_channel]
    medium_of_channel, connector_lanes = medium[cable[starts_channel]], connector_lanes[starts_channel]
    kind = np.array([FIBRES.index(m.fibre) if m.fibre else -1 for m in media], dtype=np.int32)[medium_of_channel]
    return Channels(
        policy[cable[starts_channel]],
        kind,
        a_place[starts_channel],
        b_place[starts_channel],
        (-(-lanes // connector_lanes)).astype(np.int32),
        lanes.astype(np.int32),
        rows,
        of_row,
        split,
    )


def _find_splits(cable: Ints, far: Ints, fills: Flags, cables: int) -> Ints:
    """Return where each cable splits, int32: AT_FAR_END, AT_COMMON_END or NOWHERE.

    Columns by end row: `cable`, `far`, the place of its far end, and `fills`, whether it fills whole connectors. A
    cable splits at the common end if its far ends are in several places.
    """
    # the far ends of a cable are in one place if the lowest and the highest of their places are the same
    lowest, highest = np.full(cables, np.iinfo(np.int32).max, dtype=np.int32), np.full(cables, -1, dtype=np.int32)
    np.minimum.at(lowest, cable, far)
    np.maximum.at(highest, cable, far)
    split = np.where(highest > lowest, AT_COMMON_END, AT_FAR_END).astype(np.int32)
    # where each leg fills whole connectors the cable is several straight ones, and splits nowhere
    legs, broken = np.bincount(cable, minlength=cables), np.bincount(cable[~fills], minlength=cables)
    split[(legs > 1) & (broken == 0)] = NOWHERE
    return split


def find_jumper_widths(links: LinkTable, ends: CableEnds, split: Ints) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Return (number of far ends, lanes) of the jumpers of each cable at its a end, then at its b end; int32.

    `split` says where each cable splits, such as AT_COMMON_END.
    """
    cables = len(split)
    # what passes panels fills one connector
    legs, cable_lanes = count_ends_and_lanes(links, ends.cable, ends.link, ends.links, np.ones_like(split))
    leg_lanes, is_common_lower = np.zeros(cables, dtype=np.int32), np.zeros(cables, dtype=bool)
    np.maximum.at(leg_lanes, ends.cable, count_link_lanes(links)[links.segment[ends.link]] * ends.links)
    is_common_lower[ends.cable] = np.array([hangs_on_lower_end(s) for s in links.segments], dtype=bool)[
        links.segment[ends.link]
    ]
    # (far ends, lanes) of the jumpers at the common end, then at the far ends, by where the cable splits
    common_jumpers = np.where(split == AT_COMMON_END, legs, 1), np.where(split == NOWHERE, leg_lanes, cable_lanes)
    has_all_lanes = (split == AT_FAR_END) | (split == IN_SHUFFLE)
    far_jumpers = np.where(split == AT_FAR_END, legs, 1), np.where(has_all_lanes, cable_lanes, leg_lanes)
    # each as (column of the a ends, column of the b ends)
    far_ends, lanes = (
        (
            np.where(is_common_lower, at_common, at_far).astype(np.int32),
            np.where(is_common_lower, at_far, at_common).astype(np.int32),
        )
        for at_common, at_far in zip(common_jumpers, far_jumpers, strict=True)
    )
    return (far_ends[0], lanes[0]), (far_ends[1], lanes[1])


def lay_out_trunks(channels: Channels, policies: tuple[PatchPolicy, ...], place_count: int) -> TrunkLayout:
    """Return the trunks for the channels: as many for each policy, kind of fibre and pair of places as their connectors
    and the spare share of the policy need, filled in the order of cables.

    `place_count` is how many places there are.
    """
    # a trunk serves channels in both directions: a pair of places has no order
    lower_place, higher_place = (
        np.minimum(channels.a_place, channels.b_place),
        np.maximum(channels.a_place, channels.b_place),
    )
    policy_and_fibre = channels.policy.astype(np.int64) * len(FIBRES) + channels.fibre
    pair_key = (policy_and_fibre * place_count + lower_place) * place_count + higher_place
    _, first_channel, pair = np.unique(pair_key, return_index=True, return_inverse=True)
    order = np.argsort(pair, kind="stable")
    connector_count = channels.connectors[order]
    connectors_before = np.cumsum(connector_count) - connector_count
    connectors_of_pair = np.bincount(pair, weights=channels.connectors, minlength=len(first_channel)).astype(np.int64)
    # connectors in all pairs of places before that of each channel
    connectors_of_earlier_pairs = (np.cumsum(connectors_of_pair) - connectors_of_pair)[pair[order]]
    capacity = np.array([p.ports_per_trunk for p in policies], dtype=np.int64)[channels.policy[first_channel]]
    spare_share = np.array([p.spec.spare for p in policies])[channels.policy[first_channel]]
    # -(-a // b) rounds up; 1e-9 keeps a spare share such as 0.1 from adding a port by its last bit
    trunks_of_pair = -(-np.ceil(connectors_of_pair * (1 + spare_share) - 1e-9).astype(np.int64) // capacity)
    trunks_of_earlier_pairs = np.cumsum(trunks_of_pair) - trunks_of_pair
    first_port = np.empty(len(order), dtype=np.int32)
    first_port[order] = connectors_before
    # ports are counted through all trunks of a pair of places
    port = np.arange(connector_count.sum()) - np.repeat(connectors_of_earlier_pairs, connector_count)
    pair_of_trunk = np.repeat(np.arange(len(first_channel)), trunks_of_pair)
    number_in_pair = np.arange(len(pair_of_trunk)) - trunks_of_earlier_pairs[pair_of_trunk]
    used = np.clip(
        connectors_of_pair[pair_of_trunk] - number_in_pair * capacity[pair_of_trunk], 0, capacity[pair_of_trunk]
    )
    trunk_capacity, trunks_before_port = (
        np.repeat(column[pair[order]], connector_count) for column in (capacity, trunks_of_earlier_pairs)
    )
    return TrunkLayout(
        *(
            c.astype(np.int32)
            for c in (
                channels.policy[first_channel][pair_of_trunk],
                channels.fibre[first_channel][pair_of_trunk],
                lower_place[first_channel][pair_of_trunk],
                higher_place[first_channel][pair_of_trunk],
            )
        ),
        *(
            c.astype(np.int32)
            for c in (
                number_in_pair,
                used,
                first_port,
                trunks_before_port + port // trunk_capacity,
                port % trunk_capacity,
            )
        ),
    )

"""The places that trunks connect (racks, or rows with patch racks at their end), and the order of trunks at a place.

Growth does not change the order: trunks inside a unit come first, then those to shared racks, then those to other units
by their reserved slots, so that the panel ports of a unit that is added later are free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.blueprint.beside.lock import UNNUMBERED
from fabricgen.blueprint.beside.split_sites import name_hall_holder
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.wiring.arrays import Flags, Ints, rank_within, unique_values
from fabricgen.wiring.tables import RackTable


@dataclass(frozen=True, slots=True)
class PatchLocations:
    """The places that trunks may connect: all racks in table order, then all rows of racks; int32 columns.

    `owner` is the slot of the rack's unit, or the number of the row; -1 where several units share the place. `member`
    numbers the places of an owner, `rack` is one rack of the place. `row_of` (one a rack): the place of its row.
    """

    names: tuple[str, ...]
    owner: Ints
    member: Ints
    rack: Ints
    row_of: Ints

    def __len__(self) -> int:
        return len(self.owner)

    def find_places_of_racks(self, rack: Ints, at_row_end: Flags) -> Ints:
        """The place of each rack: the rack itself, or its row where `at_row_end`."""
        places: Ints = np.where(at_row_end, self.row_of[rack], rack)
        return places


def list_patch_locations(design: Design, racks: RackTable) -> PatchLocations:
    """All racks, and all rows of racks of each hall, as places; rows without racks of units are shared."""
    starts = np.array(FloorPlan(design).first_racks, dtype=np.int32)
    rack = np.arange(len(racks), dtype=np.int32)
    slots = np.array(design.layout.number_units("site", by_slot=True), dtype=np.int32)
    of_units, racks_per_unit = int(starts[-1]), np.diff(starts)
    owner, member = np.full(len(racks), -1, dtype=np.int32), rack - of_units
    # racks of units are known by the slot of their unit, so that trunks to units which come later have their places
    # reserved; shared racks by their own number
    owner[:of_units], member[:of_units] = (
        np.repeat(slots, racks_per_unit),
        rack[:of_units] - np.repeat(starts[:-1], racks_per_unit),
    )
    lowest = int(racks.row.min(initial=0))  # rows before the first of a hall count from -1 downwards
    key = racks.hall * (int(racks.row.max(initial=0)) - lowest + 1) + racks.row - lowest
    row_keys = np.array(unique_values(key), dtype=np.int32)
    row_of_rack = np.searchsorted(row_keys, key).astype(np.int32)
    first = np.full(len(row_keys), len(racks), dtype=np.int32)
    np.minimum.at(first, row_of_rack, rack)
    number = _count_rows_before(racks)[racks.hall[first]] + racks.row[first]
    # rows without a rack of units: their first rack lies behind all of these in the table
    shared = first >= of_units
    return PatchLocations(
        (*racks.names, *_name_rows(racks, first, design.layout)),
        np.concatenate([owner, np.where(shared, -1, number)]).astype(np.int32),
        np.concatenate([member, np.where(shared, np.abs(number), 0)]).astype(np.int32),
        np.concatenate([rack, first]),
        (len(racks) + row_of_rack).astype(np.int32),
    )


def _count_rows_before(racks: RackTable) -> Ints:
    """The number of rows in the halls of the same site before each hall; int32."""
    counts, rows_so_far = [], dict.fromkeys((hall.site for hall in racks.halls), 0)
    for hall in racks.halls:
        counts.append(rows_so_far[hall.site])
        rows_so_far[hall.site] += hall.rows
    return np.array(counts, dtype=np.int32)


def _name_rows(racks: RackTable, rack: Ints, layout: Layout) -> list[str]:
    """The names of the rows of some racks: row01, netrow01 for rows before the first, with site and hall if several,
    but for the hall that was there alone when its rows were named.
    """
    halls, sites = racks.halls, layout.sites
    site_prefixes = ["" if site == layout.unnamed_site else f"{site}-" for site in sites]
    unnamed_halls = [layout.lock.find_words(UNNUMBERED).get(name_hall_holder(site)) for site in sites]
    several = len(halls) > len(sites)
    prefixes = [
        site_prefixes[h.site] + (f"{h.name}-" if several and h.name != unnamed_halls[h.site] else "") for h in halls
    ]
    pairs = zip(racks.hall[rack].tolist(), racks.row[rack].tolist(), strict=True)
    return [f"{prefixes[hall]}{f'row{row + 1:02d}' if row >= 0 else f'netrow{-row:02d}'}" for hall, row in pairs]


def order_terminations(places: PatchLocations, kind: Ints, place: Ints, far_place: Ints, number: Ints) -> Ints:
    """The position, from 0, of each trunk end among those of its kind at its place; int32.

    `number` counts the trunks between the same two places.
    """
    group = np.unique(kind.astype(np.int64) * len(places) + place, return_inverse=True)[1].astype(np.int32)
    owner, member = places.owner[far_place], places.member[far_place]
    same_unit = (owner >= 0) & (owner == places.owner[place])
    is_near = same_unit | (owner < 0)
    position = np.zeros(len(place), dtype=np.int32)
    rows = np.flatnonzero(is_near)
    # the last key counts first: by place, then those inside the unit, then by far place
    order = rows[np.lexsort((number[rows], member[rows], ~same_unit[rows], group[rows]))]
    position[order] = rank_within(group[order])
    # trunks to units that may come later go behind all others, at places that depend on slots alone
    rows = np.flatnonzero(~is_near)
    if len(rows):
        first = np.bincount(group[is_near], minlength=int(group.max()) + 1).astype(np.int32)
        position[rows] = first[group[rows]] + _position_by_slot(group[rows], owner[rows], member[rows], number[rows])
    return position


def _position_by_slot(group: Ints, slot: Ints, member: Ints, number: Ints) -> Ints:
    """Positions of trunks to other units: each slot has as many as the slot with most trunks needs now."""
    # one entry a trunk end: its `group`, the far unit's `slot`, the `member` of that unit, and the `number` among the
    # trunks between the two places
    width = int(member.max()) + 1
    # most trunks to a member in any slot, by group and member
    most = np.zeros((int(group.max()) + 1, width), dtype=np.int32)
    np.maximum.at(most, (group, member), number + 1)
    before = np.cumsum(most, axis=1, dtype=np.int32) - most
    # from coordinates alone: a unit that is added moves no trunk of another, unless it needs more than any before
    positions: Ints = slot * most.sum(axis=1, dtype=np.int32)[group] + before[group, member] + number
    return positions

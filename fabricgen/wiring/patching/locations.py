"""The places that trunks connect (racks, or rows with patch racks at their end), and the order of trunks at a place.

Growth does not change the order: trunks inside a unit come first, then those to shared racks, then those to other units
by their reserved slots, so that the panel ports of a unit that is added later are free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.blueprint.beside.lock import UNNUMBERED
from fabricgen.blueprint.beside.split_sites import hall_holder
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

    def of_racks(self, rack: Ints, at_row_end: Flags) -> Ints:
        """The place of each rack: the rack itself, or its row where `at_row_end`."""
        found: Ints = np.where(at_row_end, self.row_of[rack], rack)
        return found


def locations_of(design: Design, racks: RackTable) -> PatchLocations:
    """All racks, and all rows of racks of each hall, as places; rows without racks of units are shared."""
    starts = np.array(FloorPlan(design).first_racks, dtype=np.int32)
    rack = np.arange(len(racks), dtype=np.int32)
    slots = np.array(design.layout.unit_numbers("site", by_slot=True), dtype=np.int32)
    of_units, each = int(starts[-1]), np.diff(starts)
    owner, member = np.full(len(racks), -1, dtype=np.int32), rack - of_units
    owner[:of_units], member[:of_units] = np.repeat(slots, each), rack[:of_units] - np.repeat(starts[:-1], each)
    lowest = int(racks.row.min(initial=0))
    key = racks.hall * (int(racks.row.max(initial=0)) - lowest + 1) + racks.row - lowest
    known = np.array(unique_values(key), dtype=np.int32)
    of_row = np.searchsorted(known, key).astype(np.int32)
    first = np.full(len(known), len(racks), dtype=np.int32)
    np.minimum.at(first, of_row, rack)
    number = _rows_before(racks)[racks.hall[first]] + racks.row[first]
    shared = first >= of_units
    return PatchLocations(
        (*racks.names, *_row_names(racks, first, design.layout)),
        np.concatenate([owner, np.where(shared, -1, number)]).astype(np.int32),
        np.concatenate([member, np.where(shared, np.abs(number), 0)]).astype(np.int32),
        np.concatenate([rack, first]),
        (len(racks) + of_row).astype(np.int32),
    )


def _rows_before(racks: RackTable) -> Ints:
    """The number of rows in the halls of the same site before each hall; int32."""
    found, behind = [], dict.fromkeys((hall.site for hall in racks.halls), 0)
    for hall in racks.halls:
        found.append(behind[hall.site])
        behind[hall.site] += hall.rows
    return np.array(found, dtype=np.int32)


def _row_names(racks: RackTable, rack: Ints, layout: Layout) -> list[str]:
    """The names of the rows of some racks: row01, netrow01 for rows before the first, with site and hall if several,
    but for the hall that was there alone when its rows were named.
    """
    halls, sites = racks.halls, layout.sites
    before = ["" if site == layout.unnamed_site else f"{site}-" for site in sites]
    alone = [layout.lock.words_of(UNNUMBERED).get(hall_holder(site)) for site in sites]
    several = len(halls) > len(sites)
    where = [before[h.site] + (f"{h.name}-" if several and h.name != alone[h.site] else "") for h in halls]
    pairs = zip(racks.hall[rack].tolist(), racks.row[rack].tolist(), strict=True)
    return [f"{where[hall]}{f'row{row + 1:02d}' if row >= 0 else f'netrow{-row:02d}'}" for hall, row in pairs]


def termination_order(places: PatchLocations, kind: Ints, here: Ints, far: Ints, number: Ints) -> Ints:
    """The position, from 0, of each trunk end among those of its kind at its place; int32.

    `number` counts the trunks between the same two places.
    """
    group = np.unique(kind.astype(np.int64) * len(places) + here, return_inverse=True)[1].astype(np.int32)
    owner, member = places.owner[far], places.member[far]
    own = (owner >= 0) & (owner == places.owner[here])
    near = own | (owner < 0)
    position = np.zeros(len(here), dtype=np.int32)
    rows = np.flatnonzero(near)
    order = rows[np.lexsort((number[rows], member[rows], ~own[rows], group[rows]))]
    position[order] = rank_within(group[order])
    rows = np.flatnonzero(~near)
    if len(rows):
        first = np.bincount(group[near], minlength=int(group.max()) + 1).astype(np.int32)
        position[rows] = first[group[rows]] + _by_slot(group[rows], owner[rows], member[rows], number[rows])
    return position


def _by_slot(group: Ints, slot: Ints, member: Ints, number: Ints) -> Ints:
    """Positions of trunks to other units: each slot has as many as the slot with most trunks needs now."""
    width = int(member.max()) + 1
    most = np.zeros((int(group.max()) + 1, width), dtype=np.int32)
    np.maximum.at(most, (group, member), number + 1)
    before = np.cumsum(most, axis=1, dtype=np.int32) - most
    found: Ints = slot * most.sum(axis=1, dtype=np.int32)[group] + before[group, member] + number
    return found

"""Structured cabling as columns: panels, trunks, and the front ports that cables use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabricgen.blueprint.beside.lock import UNNUMBERED
from fabricgen.blueprint.beside.split_sites import hall_holder
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.layout import Layout
from fabricgen.design.media.patching import PatchPolicy
from fabricgen.design.model import Design
from fabricgen.wiring.groups import rank_within
from fabricgen.wiring.tables import Flags, Floats, Ints, RackTable, unique_values

AT_FAR_END, AT_COMMON_END, NOWHERE, IN_SHUFFLE = range(4)
"""Where the splitter of a breakout is: at the far end of the trunk if all far ends are in one place, else at the common
end; nowhere if each leg fills connectors of its own and is a straight channel; in a fibre shuffle, between two straight
jumpers. Straight cables count as the first.
"""


@dataclass(frozen=True, slots=True)
class PanelTable:
    """Patch panels, int32 columns of one length: policy, kind of fibre, place, rack, lowest rack unit, and number.

    `fibre` indexes design.patching.FIBRES. `number` counts, from 0, those of a policy and fibre in one place, places
    kept for growth included.
    """

    policy: Ints
    fibre: Ints
    place: Ints
    rack: Ints
    u: Ints
    number: Ints

    def __len__(self) -> int:
        return len(self.policy)


@dataclass(frozen=True, slots=True)
class TrunkTable:
    """Trunks, columns of one length; `a` is the end at the place with the lower number.

    `number` counts from 0 among those of a policy and fibre between the same places. `a_panel` and `b_panel` are rows
    of the panel table, `a_port` and `b_port` the first front port, from 0, that each serves there. `used` counts front
    ports, `length_m` is as stocked.
    """

    policy: Ints
    fibre: Ints
    number: Ints
    a_panel: Ints
    a_port: Ints
    b_panel: Ints
    b_port: Ints
    used: Ints
    length_m: Floats

    def __len__(self) -> int:
        return len(self.policy)


@dataclass(frozen=True, slots=True)
class PatchTable:
    """Front ports that cables take, a row for each cable end row and connector; int32 columns of one length.

    `row` is a row of cable ends; far ends of a splitter share a port. `port` counts, from 0, the front ports of the
    trunk; `flipped` where the cable's a end is at the trunk's b end; `lanes` are those of the connector.
    """

    row: Ints
    trunk: Ints
    port: Ints
    flipped: Ints
    lanes: Ints

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, slots=True)
class ShuffleTable:
    """Fibre pairs that pass a shuffle, a row for each cable end row; int32 columns of one length.

    `row` is a row of cable ends, `panel` one of panels. `shuffle` counts, from 0, those of the housing; `port_in` and
    `port_out` the ports of the shuffle: the pair is number `port_out` of the former and `port_in` of the latter.
    """

    row: Ints
    panel: Ints
    shuffle: Ints
    port_in: Ints
    port_out: Ints

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, slots=True)
class Patching:
    """The structured cabling of a cluster; `places` are the names of the racks or rows that trunks connect.

    Per cable: its policy (-1 for direct ones), the stocked lengths of its jumpers, m, and where a breakout splits.
    """

    policies: tuple[PatchPolicy, ...]
    places: tuple[str, ...]
    policy: Ints
    a_jumper_m: Floats
    b_jumper_m: Floats
    split: Ints
    panels: PanelTable
    trunks: TrunkTable
    patches: PatchTable
    shuffles: ShuffleTable


# The places that trunks connect (racks, or rows with patch racks at their end), and the order of trunks at a place.
# Growth does not change the order: trunks inside a unit come first, then those to shared racks, then those to other
# units by their reserved slots, so that the panel ports of a unit that is added later are free.


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

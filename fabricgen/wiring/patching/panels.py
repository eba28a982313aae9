"""Patch panels: their racks and rack units, and the front ports that trunks terminate on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from fabricgen.blueprint.beside.lock import UNNUMBERED
from fabricgen.blueprint.beside.split_sites import name_hall_holder
from fabricgen.design.floor.floor_plan import FloorPlan, RackNames
from fabricgen.design.floor.rack_space import list_panel_places
from fabricgen.design.layout import Layout
from fabricgen.design.media.patching import FIBRES, PatchPolicy
from fabricgen.design.model import Design
from fabricgen.design.names.templates import PatchRack
from fabricgen.kernel.diagnostics import fault
from fabricgen.wiring.arrays import Flags, Ints, rank_within, unique_values
from fabricgen.wiring.patching.channels import TrunkLayout
from fabricgen.wiring.patching.tables import PanelTable
from fabricgen.wiring.racks.table import NETWORK_RACK, add_network_racks
from fabricgen.wiring.tables import DeviceTable, RackTable


@dataclass(frozen=True, slots=True)
class Terminations:
    """Panels, and for both ends of each trunk the row of its panel and its first front port there, from 0; int32."""

    panels: PanelTable
    a_panel: Ints
    a_port: Ints
    b_panel: Ints
    b_port: Ints


def terminate_trunks(trunks: TrunkLayout, policies: tuple[PatchPolicy, ...], places: PatchLocations) -> Terminations:
    """Assign panel ports to both ends of every trunk; panels have a place, but no rack yet (-1)."""
    kind = np.tile(trunks.policy * len(FIBRES) + trunks.fibre, 2)
    place = np.concatenate([trunks.a_place, trunks.b_place])
    far_place = np.concatenate([trunks.b_place, trunks.a_place])
    position = order_terminations(places, kind, place, far_place, np.tile(trunks.number, 2))
    policy = kind // len(FIBRES)
    trunks_per_panel = np.array([p.trunks_per_panel for p in policies], dtype=np.int32)[policy]
    ports = np.array([p.ports_per_trunk for p in policies], dtype=np.int32)[policy]
    number = position // trunks_per_panel
    # (place, policy and fibre, number) as one integer
    panel_key = (place.astype(np.int64) * len(policies) * len(FIBRES) + kind) * (
        int(number.max(initial=0)) + 1
    ) + number
    _, first_end, panel = np.unique(panel_key, return_index=True, return_inverse=True)
    none = np.full(len(first_end), -1, dtype=np.int32)
    table = PanelTable(
        policy[first_end], kind[first_end] % len(FIBRES), place[first_end], none, none, number[first_end]
    )
    a_port, b_port = np.split((position % trunks_per_panel * ports).astype(np.int32), 2)
    a_panel, b_panel = np.split(panel.astype(np.int32), 2)
    return Terminations(table, a_panel, a_port, b_panel, b_port)


def join_panels(first: PanelTable, second: PanelTable) -> PanelTable:
    """The rows of two tables, one after the other."""
    names = ("policy", "fibre", "place", "rack", "u", "number")
    return PanelTable(*(np.concatenate([getattr(first, name), getattr(second, name)]) for name in names))


def place_panels(
    panels: PanelTable, policies: tuple[PatchPolicy, ...], places: PatchLocations, free: Flags, names: tuple[str, ...]
) -> PanelTable:
    """Assign panels to free rack units of the racks of their places, from the top down, except `at: row-end` ones.

    `free` (bool, racks x units) says whether a rack unit is empty. Raises InputError (FG086) where a rack has too few.
    """
    free = free.copy()
    rack, u = places.rack[panels.place], np.zeros(len(panels), dtype=np.int32)
    for kind in range(len(policies) * len(FIBRES)):
        policy = policies[kind // len(FIBRES)]
        panel_rows = np.flatnonzero(panels.policy * len(FIBRES) + panels.fibre == kind)
        if policy.spec.at == "row-end" or not len(panel_rows):
            continue
        starts = _find_free_starts(free, policy.panel.rack_units)
        last = np.full(len(free), -1, dtype=np.int32)
        np.maximum.at(last, rack[panel_rows], panels.number[panel_rows])
        _check_room(policy, last, starts, names)
        u[panel_rows] = starts[rack[panel_rows], panels.number[panel_rows]]
        # all panels up to the last one that a rack needs, those between that have no trunk yet among them
        used_racks, nth = np.nonzero(np.arange(starts.shape[1]) <= last[:, None])
        for unit in range(policy.panel.rack_units):
            free[used_racks, starts[used_racks, nth] - 1 + unit] = False
    return replace(panels, rack=rack, u=u)


def _find_free_starts(free: Flags, height: int) -> Ints:
    """The lowest units where panels of a height fit into each rack, from the top down; int32, padded with 0."""
    racks, units = free.shape
    starts = np.zeros((racks, max(1, units // height)), dtype=np.int32)
    start_count, free_run = np.zeros(racks, dtype=np.int32), np.zeros(racks, dtype=np.int32)
    for unit in range(units, 0, -1):  # from the top, as panels are filled; units count from 1
        free_run = np.where(free[:, unit - 1], free_run + 1, 0)
        rows = np.flatnonzero(free_run == height)
        starts[rows, start_count[rows]] = unit
        start_count[rows] += 1
        # the units of this place are taken: the next one begins below
        free_run[rows] = 0
    return starts


def _check_room(policy: PatchPolicy, last: Ints, starts: Ints, names: tuple[str, ...]) -> None:
    """Raise InputError (FG086), naming the fullest rack, where racks have no room for their last panel.

    `last` is its number in each rack; `starts` are the rack units that panels may begin at, by rack, 0 behind the last.
    """
    room = np.count_nonzero(starts, axis=1)
    missing = last + 1 - room
    if missing.max(initial=0) <= 0:
        return
    worst = int(np.argmax(missing))
    more = int(np.count_nonzero(missing > 0)) - 1
    more_racks = f"; so are {more} more racks" if more else ""
    count = int(last[worst]) + 1
    panels = f"{count} panel{'s' if count > 1 else ''} of {policy.panel.rack_units} U, growth included"
    raise fault(
        "FG086",
        f"rack {names[worst]} is too full: it needs {panels}, and has room for {room[worst]}{more_racks}",
        path=policy.path,
        hint="`at: row-end`, a denser `panel`, or fewer devices a rack (`racks` of the tier)",
    )


def find_free_units(devices: DeviceTable, racks: RackTable) -> Flags:
    """Whether each rack unit is empty; bool, shape (racks, units of the tallest rack), lowest unit first."""
    units = racks.units
    free: Flags = np.arange(int(units.max(initial=0))) < units[:, None]
    for cls in devices.classes:
        for unit in range(cls.profile.rack_units):
            # units count from 1
            free[devices.rack[cls.rows], devices.u[cls.rows] - 1 + unit] = False
    for number, kind in enumerate(racks.kinds):
        for unit in kind.reserved_units:
            free[racks.kind == number, unit - 1] = False
    return free


def add_patch_racks(
    panels: PanelTable, policies: tuple[PatchPolicy, ...], places: PatchLocations, racks: RackTable, names: RackNames
) -> tuple[PanelTable, RackTable]:
    """Assign `at: row-end` panels to patch racks, which are added to the rack table before the first rack of each row;
    policies share them, in the order of their names.

    Further patch racks are added outward, so that no rack has to move. Raises InputError (FG039, FG040) for names of
    theirs that are none.
    """
    rack, u = panels.rack.copy(), panels.u.copy()
    added: list[PatchRack] = []
    like_racks, column = list[int](), list[int]()
    racks_of_place, racks_of_rule = Counter[int](), Counter[tuple[str, int]]()
    # (place, height of panels, number) -> row of the rack table; and panels of a height at each place so far
    rack_rows: dict[tuple[int, int, int], int] = {}
    before: dict[int, Ints] = {}
    for i, policy in enumerate(policies):
        panel_rows = np.flatnonzero(panels.policy == i).astype(np.int32)
        if policy.spec.at != "row-end" or not len(panel_rows):
            continue
        height, place_of_panel = policy.panel.rack_units, panels.place[panel_rows]
        bottoms = np.array(list_panel_places(racks.kinds[NETWORK_RACK], height), dtype=np.int32)
        counts = before.setdefault(height, np.zeros(len(places), dtype=np.int32))
        # panels of one height fill a rack, also those of several policies
        nth = counts[place_of_panel] + _number_across_fibres(panels, panel_rows)
        key, position = np.unique(np.stack([place_of_panel, nth // len(bottoms)]), axis=1, return_inverse=True)
        for place, number in key.T.tolist():
            if (place, height, number) not in rack_rows:
                rack_rows[place, height, number] = len(racks) + len(added)
                like = int(places.rack[place])
                # outward from the first rack of the row, which is in column 0
                spot = int(racks.hall[like]), int(racks.row[like]), -1 - racks_of_place[place]
                added.append(PatchRack(policy.name, places.names[place], racks_of_rule[policy.name, place], *spot))
                like_racks.append(like)
                column.append(spot[2])
                racks_of_place[place] += 1
                racks_of_rule[policy.name, place] += 1
        rows_of_keys = [rack_rows[place, height, number] for place, number in key.T.tolist()]
        rack[panel_rows] = np.array(rows_of_keys, dtype=np.int32)[position.reshape(-1)]
        u[panel_rows] = bottoms[nth % len(bottoms)]
        np.maximum.at(counts, place_of_panel, nth + 1)
    return replace(panels, rack=rack, u=u), add_network_racks(
        racks, names.name_panel_racks(added), np.array(like_racks, dtype=np.int32), np.array(column, dtype=np.int32)
    )


def _number_across_fibres(panels: PanelTable, panel_rows: Ints) -> Ints:
    """The number of each panel of one policy at its place: the second kind of fibre is numbered after the first."""
    place = panels.place
    last = np.zeros(int(place.max()) + 1, dtype=np.int32)
    first = panel_rows[panels.fibre[panel_rows] == 0]
    np.maximum.at(last, place[first], panels.number[first] + 1)
    nth: Ints = panels.number[panel_rows] + np.where(panels.fibre[panel_rows] == 0, 0, last[place[panel_rows]])
    return nth


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

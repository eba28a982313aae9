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
    """Assign panel ports to both ends of every trunk.

    A panel is for one policy, kind of fibre and place, and has a number there, but no rack and rack unit yet (-1).
    """
    policy_and_fibre = np.tile(trunks.policy * len(FIBRES) + trunks.fibre, 2)
    place = np.concatenate([trunks.a_place, trunks.b_place])
    far_place = np.concatenate([trunks.b_place, trunks.a_place])
    position = order_terminations(places, policy_and_fibre, place, far_place, np.tile(trunks.number, 2))
    policy = policy_and_fibre // len(FIBRES)
    trunks_per_panel = np.array([p.trunks_per_panel for p in policies], dtype=np.int32)[policy]
    ports = np.array([p.ports_per_trunk for p in policies], dtype=np.int32)[policy]
    number = position // trunks_per_panel
    # (place, policy and fibre, number) as one integer
    panel_key = (place.astype(np.int64) * len(policies) * len(FIBRES) + policy_and_fibre) * (
        int(number.max(initial=0)) + 1
    ) + number
    _, first_end, panel = np.unique(panel_key, return_index=True, return_inverse=True)
    no_rack = np.full(len(first_end), -1, dtype=np.int32)
    table = PanelTable(
        policy[first_end],
        policy_and_fibre[first_end] % len(FIBRES),
        place[first_end],
        no_rack,
        no_rack,
        number[first_end],
    )
    a_port, b_port = np.split((position % trunks_per_panel * ports).astype(np.int32), 2)
    a_panel, b_panel = np.split(panel.astype(np.int32), 2)
    return Terminations(table, a_panel, a_port, b_panel, b_port)


def join_panels(first: PanelTable, second: PanelTable) -> PanelTable:
    """Return the rows of two tables, one after the other."""
    names = ("policy", "fibre", "place", "rack", "u", "number")
    return PanelTable(*(np.concatenate([getattr(first, name), getattr(second, name)]) for name in names))


def place_panels(
    panels: PanelTable, policies: tuple[PatchPolicy, ...], places: PatchLocations, free: Flags, names: tuple[str, ...]
) -> PanelTable:
    """Return the panels with their racks and lowest rack units: free units in the rack of their place, top down.

    Panels of policies with `at: row-end` have unit 0; `add_patch_racks` gives them racks and units. `free` (bool, racks
    x units) says whether a rack unit is empty. Raises InputError (FG086) if a rack has too few.
    """
    free = free.copy()
    rack, u = places.rack[panels.place], np.zeros(len(panels), dtype=np.int32)
    for kind in range(len(policies) * len(FIBRES)):
        policy = policies[kind // len(FIBRES)]
        panel_rows = np.flatnonzero(panels.policy * len(FIBRES) + panels.fibre == kind)
        if policy.spec.at == "row-end" or not len(panel_rows):
            continue
        starts = _find_free_starts(free, policy.panel.rack_units)
        last_panel = np.full(len(free), -1, dtype=np.int32)
        np.maximum.at(last_panel, rack[panel_rows], panels.number[panel_rows])
        _check_room(policy, last_panel, starts, names)
        u[panel_rows] = starts[rack[panel_rows], panels.number[panel_rows]]
        # all panels up to the last one that a rack needs, those between that have no trunk yet among them
        used_racks, nth = np.nonzero(np.arange(starts.shape[1]) <= last_panel[:, None])
        for unit in range(policy.panel.rack_units):
            free[used_racks, starts[used_racks, nth] - 1 + unit] = False
    return replace(panels, rack=rack, u=u)


def _find_free_starts(free: Flags, height: int) -> Ints:
    """Return where panels of `height` rack units fit in each rack, from the top down: the lowest unit of each, from 1.

    The shape is (racks, most panels in a rack), int32; 0 fills the row of a rack with fewer.
    """
    racks, units = free.shape
    starts = np.zeros((racks, max(1, units // height)), dtype=np.int32)
    start_count, free_run = np.zeros(racks, dtype=np.int32), np.zeros(racks, dtype=np.int32)
    for unit in range(units, 0, -1):  # from the top, as panels are filled; units count from 1
        free_run = np.where(free[:, unit - 1], free_run + 1, 0)
        rows = np.flatnonzero(free_run == height)
        starts[rows, start_count[rows]] = unit
        start_count[rows] += 1
        # a panel takes these units: the next one begins below
        free_run[rows] = 0
    return starts


def _check_room(policy: PatchPolicy, last_panel: Ints, starts: Ints, names: tuple[str, ...]) -> None:
    """Raise InputError (FG086), naming the fullest rack, if racks have too little room for the panels of a policy.

    `last_panel` is the greatest panel number in each rack, from 0, -1 for none; `starts` are the units that panels may
    begin at, by rack, 0 behind the last; `names` are those of the racks.
    """
    capacity = np.count_nonzero(starts, axis=1)
    missing = last_panel + 1 - capacity
    if missing.max(initial=0) <= 0:
        return
    fullest = int(np.argmax(missing))
    further_racks = int(np.count_nonzero(missing > 0)) - 1
    more_racks = f"; so are {further_racks} more racks" if further_racks else ""
    count = int(last_panel[fullest]) + 1
    panels = f"{count} panel{'s' if count > 1 else ''} of {policy.panel.rack_units} U, growth included"
    raise fault(
        "FG086",
        f"rack {names[fullest]} is too full: it needs {panels}, and has room for {capacity[fullest]}{more_racks}",
        path=policy.path,
        hint="`at: row-end`, a denser `panel`, or fewer devices a rack (`racks` of the tier)",
    )


def find_free_units(devices: DeviceTable, racks: RackTable) -> Flags:
    """Return whether each rack unit is empty; bool, shape (racks, units of the tallest rack), lowest unit first."""
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
    """Return (panels with the racks and units of `at: row-end` ones; rack table with the patch racks for them at its
    end).

    Patch racks stand before the first rack of each row, further ones outward, so that no rack has to move. Policies
    share them, in the order of `policies`. Raises InputError if two racks have one name (FG039) or a text names no rack
    (FG040).
    """
    rack, u = panels.rack.copy(), panels.u.copy()
    added: list[PatchRack] = []
    model_racks, columns_in_row = list[int](), list[int]()
    racks_of_place, racks_of_rule = Counter[int](), Counter[tuple[str, int]]()
    # (place, height of panels, number) -> row of the rack table; and panels of a height at each place so far
    rack_rows: dict[tuple[int, int, int], int] = {}
    panels_so_far: dict[int, Ints] = {}
    for i, policy in enumerate(policies):
        panel_rows = np.flatnonzero(panels.policy == i).astype(np.int32)
        if policy.spec.at != "row-end" or not len(panel_rows):
            continue
        height, place_of_panel = policy.panel.rack_units, panels.place[panel_rows]
        bottoms = np.array(list_panel_places(racks.kinds[NETWORK_RACK], height), dtype=np.int32)
        counts_of_height = panels_so_far.setdefault(height, np.zeros(len(places), dtype=np.int32))
        # panels of one height fill a rack, also those of several policies: `bottoms` are the slots of a rack, and
        # nth // len(bottoms) is the number of a panel's rack among those of this height at its place
        nth = counts_of_height[place_of_panel] + _number_across_fibres(panels, panel_rows)
        place_and_number, key_of_panel = np.unique(
            np.stack([place_of_panel, nth // len(bottoms)]), axis=1, return_inverse=True
        )
        for place, number in place_and_number.T.tolist():
            if (place, height, number) not in rack_rows:
                rack_rows[place, height, number] = len(racks) + len(added)
                model_rack = int(places.rack[place])
                # outward from the first rack of the row, which is in column 0
                rack_position = int(racks.hall[model_rack]), int(racks.row[model_rack]), -1 - racks_of_place[place]
                added.append(
                    PatchRack(policy.name, places.names[place], racks_of_rule[policy.name, place], *rack_position)
                )
                model_racks.append(model_rack)
                columns_in_row.append(rack_position[-1])
                racks_of_place[place] += 1
                racks_of_rule[policy.name, place] += 1
        rows_of_numbers = [rack_rows[place, height, number] for place, number in place_and_number.T.tolist()]
        rack[panel_rows] = np.array(rows_of_numbers, dtype=np.int32)[key_of_panel.reshape(-1)]
        u[panel_rows] = bottoms[nth % len(bottoms)]
        np.maximum.at(counts_of_height, place_of_panel, nth + 1)
    return replace(panels, rack=rack, u=u), add_network_racks(
        racks,
        names.name_panel_racks(added),
        np.array(model_racks, dtype=np.int32),
        np.array(columns_in_row, dtype=np.int32),
    )


def _number_across_fibres(panels: PanelTable, panel_rows: Ints) -> Ints:
    """Return the number of each panel of one policy at its place, from 0; int32.

    Panels of the second kind of fibre are numbered after those of the first.
    """
    place = panels.place
    panels_of_first_fibre = np.zeros(int(place.max()) + 1, dtype=np.int32)
    rows_of_first_fibre = panel_rows[panels.fibre[panel_rows] == 0]
    np.maximum.at(panels_of_first_fibre, place[rows_of_first_fibre], panels.number[rows_of_first_fibre] + 1)
    nth: Ints = panels.number[panel_rows] + np.where(
        panels.fibre[panel_rows] == 0, 0, panels_of_first_fibre[place[panel_rows]]
    )
    return nth


# The places that trunks connect (racks, or rows with patch racks at their end), and the order of trunks at a place.
# Growth does not change the order: trunks inside a unit come first, then those to shared racks, then those to other
# units by their reserved slots, so that the panel ports of a unit that is added later are free.


@dataclass(frozen=True, slots=True)
class PatchLocations:
    """The places that trunks may connect: all racks in table order, then all rows of racks; int32 columns.

    `owner` is the slot of the rack's unit, or the number of the row; -1 where several units share the place. `member`
    numbers the places of an owner, `rack` is one rack of the place. `row_of`, which is by rack, is the place of its
    row.
    """

    names: tuple[str, ...]
    owner: Ints
    member: Ints
    rack: Ints
    row_of: Ints

    def __len__(self) -> int:
        return len(self.owner)

    def find_places_of_racks(self, rack: Ints, at_row_end: Flags) -> Ints:
        """Return the place of each rack: the rack itself, or its row where `at_row_end`."""
        places: Ints = np.where(at_row_end, self.row_of[rack], rack)
        return places


def list_patch_locations(design: Design, racks: RackTable) -> PatchLocations:
    """Return the places that trunks may connect: all racks, then all rows of racks of every hall.

    A row without racks of units has no owner (-1), as it is shared.
    """
    starts = np.array(FloorPlan(design).first_racks, dtype=np.int32)
    rack = np.arange(len(racks), dtype=np.int32)
    slots = np.array(design.layout.number_units("site", by_slot=True), dtype=np.int32)
    unit_racks, racks_per_unit = int(starts[-1]), np.diff(starts)
    owner, member = np.full(len(racks), -1, dtype=np.int32), rack - unit_racks
    # racks of units are known by the slot of their unit, so that trunks to units which come later have their places
    # reserved; shared racks by their own number
    owner[:unit_racks], member[:unit_racks] = (
        np.repeat(slots, racks_per_unit),
        rack[:unit_racks] - np.repeat(starts[:-1], racks_per_unit),
    )
    lowest_row = int(racks.row.min(initial=0))  # rows before the first of a hall count from -1 downwards
    hall_and_row = racks.hall * (int(racks.row.max(initial=0)) - lowest_row + 1) + racks.row - lowest_row
    halls_and_rows = np.array(unique_values(hall_and_row), dtype=np.int32)
    row_of_rack = np.searchsorted(halls_and_rows, hall_and_row).astype(np.int32)
    first_rack = np.full(len(halls_and_rows), len(racks), dtype=np.int32)
    np.minimum.at(first_rack, row_of_rack, rack)
    row_in_site = _count_rows_before(racks)[racks.hall[first_rack]] + racks.row[first_rack]
    # rows without a rack of units: their first rack lies behind all of these in the table
    is_shared = first_rack >= unit_racks
    return PatchLocations(
        (*racks.names, *_name_rows(racks, first_rack, design.layout)),
        np.concatenate([owner, np.where(is_shared, -1, row_in_site)]).astype(np.int32),
        np.concatenate([member, np.where(is_shared, np.abs(row_in_site), 0)]).astype(np.int32),
        np.concatenate([rack, first_rack]),
        (len(racks) + row_of_rack).astype(np.int32),
    )


def _count_rows_before(racks: RackTable) -> Ints:
    """Return the number of rows in the halls of the same site before each hall; int32."""
    counts, rows_so_far = [], dict.fromkeys((hall.site for hall in racks.halls), 0)
    for hall in racks.halls:
        counts.append(rows_so_far[hall.site])
        rows_so_far[hall.site] += hall.rows
    return np.array(counts, dtype=np.int32)


def _name_rows(racks: RackTable, rack: Ints, layout: Layout) -> list[str]:
    """Return the names of the rows of some racks: row01, or netrow01 for rows before the first.

    Site and hall stand in front if there are several, except for a hall that was alone when its rows were named.
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
    """Return the position, from 0, of each trunk end among those of its `kind` (a number for policy and fibre) at its
    `place`; int32.

    Trunks inside a unit come first, then those to shared racks, then those to other units by reserved slot. `number`
    counts the trunks between the same two places. All columns have an entry for each trunk end.
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
        near_ends = np.bincount(group[is_near], minlength=int(group.max()) + 1).astype(np.int32)
        position[rows] = near_ends[group[rows]] + _position_by_slot(
            group[rows], owner[rows], member[rows], number[rows]
        )
    return position


def _position_by_slot(group: Ints, slot: Ints, member: Ints, number: Ints) -> Ints:
    """Return the positions of trunks to other units, int32, which leave room for units that are not there yet.

    Every slot of a unit, in use or not, takes equally many positions: for each far place in a unit, as many as its slot
    with the most trunks needs. All columns have an entry for each trunk end: its `group` (policy, fibre and place), the
    `slot` of the far unit, the number of the far place in that unit (`member`), and the `number` of the trunk among
    those between the two places.
    """
    members = int(member.max()) + 1
    # most trunks to a member in any slot, by group and member
    max_trunks = np.zeros((int(group.max()) + 1, members), dtype=np.int32)
    np.maximum.at(max_trunks, (group, member), number + 1)
    trunks_before_member = np.cumsum(max_trunks, axis=1, dtype=np.int32) - max_trunks
    # from coordinates alone: a unit that is added moves no trunk of another, unless it needs more than any before
    positions: Ints = (
        slot * max_trunks.sum(axis=1, dtype=np.int32)[group] + trunks_before_member[group, member] + number
    )
    return positions

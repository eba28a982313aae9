"""What a floor has where its blueprint states nothing, and how a lock keeps the rules that held when it was made.

Since `floor rules: 2` rows hold whole units, and shared network racks fill rows together. A lock from before keeps rows
of 16 racks, cuts units at the ends of rows, and has a row for each run of shared racks. Since `floor rules: 3` racks
without nodes are filled from the trays on, and cable lengths follow the side that ports are on. A lock from before
keeps these racks filled from the bottom up, and lengths as if all ports were on one side. Since `floor rules: 4`
lengths know the port side of all trays and shelves of NVL72 racks, and switches in racks of nodes are ordered with
their ports on the side of the nodes' ports. A lock from before keeps lengths and variants as they were. Since `floor
rules: 5` cable runs between racks count the way inside the racks. Since `floor rules: 6` runs of less than half a rack
stand in the racks of other runs, and `row-middle` is the middle of a row even if that cuts a unit. A lock from before
keeps separate racks for each run, and puts racks of the middle between units.
"""

from typing import NamedTuple

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.sections.floor import Floor
from fabricgen.design.floor.halls import USUAL_ROW
from fabricgen.design.model import Design

RULES, ROW, CUT, AT_ENDS = "floor rules", "floor racks in a row", "floor units cut", "floor shared at ends"
"""Counts in the lock: the rules by which the floor was laid out, racks in a row that the blueprint does not state, and
(1) where the halls were too small otherwise, that units are cut at the ends of rows, and that all shared racks stand
there.
"""

_WHOLE_UNITS, _FILLED_FROM_TRAYS, _PORT_SIDES, _WAY_INSIDE, _JOINED_RUNS = 2, 3, 4, 5, 6
_NEWEST = _JOINED_RUNS
_MAX_EMPTY_PLACES, _MAX_ROW_LENGTH = 4, 32
_PROFILES_OF_PORT_SIDES = ("gb300-tray", "gb300-tray-8p", "gb300-tray-xdr", "nvlink5-tray", "power-shelf")
"""Profiles whose side of ports the catalogue has known since `floor rules: 4`."""


def _find_rules(lock: Lock) -> int:
    """Return the number of the rules by which the floor is laid out: those of its lock, 1 if the lock does not say; the
    newest if there is no lock.
    """
    return lock.rooms.get(RULES, 1) if lock.held or lock.rooms else _NEWEST


def keeps_units_whole(lock: Lock) -> bool:
    """Whether rows hold whole units and shared racks share rows; false with a lock from before `floor rules: 2`."""
    return _find_rules(lock) >= _WHOLE_UNITS


def knows_port_side(lock: Lock, profile: str) -> bool:
    """Whether cable lengths follow the side of a profile's ports that the catalogue states; false with a lock from
    before that side was known (`floor rules: 3`, or 4 for the profiles of NVL72 racks).
    """
    return _find_rules(lock) >= (_PORT_SIDES if profile in _PROFILES_OF_PORT_SIDES else _FILLED_FROM_TRAYS)


def orders_switches_by_nodes(lock: Lock) -> bool:
    """Whether switches in racks of nodes, for which the blueprint states no aisle, are ordered with their ports on the
    aisle of the nodes' ports; false with a lock from before `floor rules: 4`.
    """
    return _find_rules(lock) >= _PORT_SIDES


def counts_way_inside_racks(lock: Lock) -> bool:
    """Whether cable runs between racks count the way inside racks; false with a lock from before `floor rules: 5`."""
    return _find_rules(lock) >= _WAY_INSIDE


def lets_runs_join(floor: Floor, lock: Lock) -> bool:
    """Whether small runs of devices may share network racks: as `network_join` says, and never with a lock from before
    `floor rules: 6`.
    """
    return floor.network_join and _find_rules(lock) >= _JOINED_RUNS


def has_middle_of_rows(lock: Lock) -> bool:
    """Whether `row-middle` racks stand in the middle of a row even if that cuts a unit. With a lock from before `floor
    rules: 6` it is false: they stand between two units.
    """
    return _find_rules(lock) >= _JOINED_RUNS


def is_filled_from_top(floor: Floor, lock: Lock) -> bool:
    """Whether racks of switches are filled from the top down: as `network_fill` states, else if trays run above the
    racks.

    A lock from before `floor rules: 3` keeps racks filled from the bottom up.
    """
    if floor.network_fill:
        return floor.network_fill == "down"
    return floor.trays.at == "overhead" and _find_rules(lock) >= _FILLED_FROM_TRAYS


def choose_row_length(design: Design, unit_racks: int) -> int:
    """Return the number of racks in a row of a hall that states none; `unit_racks` is how many the largest unit has.

    A row has 16 racks unless whole units would leave more than four of them empty. Then it is as long as the first
    multiple of a unit's racks that is at least 16, if that is at most 32.
    """
    floor, lock = design.loaded.blueprint.floor, design.layout.lock
    if floor.racks_per_row:
        return floor.racks_per_row
    if floor.halls or not keeps_units_whole(lock):
        return USUAL_ROW
    return lock.rooms.get(ROW) or _round_to_units(unit_racks)


def _round_to_units(racks: int) -> int:
    """Return the usual length of a row, or the first multiple of a unit's racks above it, as
    `choose_row_length` says.
    """
    filled_row = -(-USUAL_ROW // racks) * racks
    fits = racks <= USUAL_ROW and USUAL_ROW % racks <= _MAX_EMPTY_PLACES
    return USUAL_ROW if fits or filled_row > _MAX_ROW_LENGTH else filled_row


class Laying(NamedTuple):
    """A way to lay out a floor.

    `whole`: each row holds whole units only, if a unit fits into a row. `ends`: all shared racks stand at the ends of
    node rows.
    """

    whole: bool
    ends: bool = False


def list_layings(design: Design) -> tuple[Laying, ...]:
    """Return the ways to lay out a floor in the order in which they are tried; a single way if a lock keeps it or if
    the blueprint states no halls.

    Shared racks in rows come before shared racks at row ends, which are not tried if the blueprint states network rows;
    for either, whole units come before units that are cut at the ends of rows.
    """
    lock, floor = design.layout.lock, design.loaded.blueprint.floor
    if not keeps_units_whole(lock):
        return (Laying(whole=False),)
    if RULES in lock.rooms or not floor.halls:
        return (Laying(whole=CUT not in lock.rooms, ends=AT_ENDS in lock.rooms),)
    in_rows = Laying(whole=True), Laying(whole=False)
    if floor.network_rows:
        return in_rows
    return *in_rows, Laying(whole=True, ends=True), Laying(whole=False, ends=True)


def list_kept_rules(design: Design, racks_per_row: int, laying: Laying) -> dict[str, int]:
    """Return the counts by which a lock keeps the rules of this floor; empty for a floor that was laid out before
    `floor rules: 2`.

    They are the number of the rules, the racks in a row if the blueprint does not state them, and 1 for each rule of
    `laying` that is not the usual one.
    """
    if not keeps_units_whole(design.layout.lock):
        return {}
    floor = design.loaded.blueprint.floor
    row_length = {} if floor.racks_per_row or floor.halls else {ROW: racks_per_row}
    units_are_cut, shared_at_ends = {} if laying.whole else {CUT: 1}, {AT_ENDS: 1} if laying.ends else {}
    return {RULES: _find_rules(design.layout.lock), **row_length, **units_are_cut, **shared_at_ends}

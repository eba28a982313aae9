"""What is usual on a floor of which the blueprint says nothing, and how a lock keeps what was usual when it was made.

Since `floor rules: 2` rows hold whole units, and shared network racks fill rows together. A lock that was made before
keeps rows of 16 racks, units cut at their ends, and a row for each run of shared racks. Since `floor rules: 3` racks
without nodes are filled from the trays on, and cables are as long as the sides of ports need. A lock from before keeps
these racks filled from the bottom up, and lengths as if all ports were on one side. Since `floor rules: 4` lengths know
the side of all trays and shelves of NVL72 racks, and switches in racks of nodes are ordered with their ports where
these have theirs. A lock from before keeps both as they were. Since `floor rules: 5` runs between racks count the way
inside these. Since `floor rules: 6` runs of less than half a rack stand in the racks of others, and `row-middle` is the
middle of a row though it cuts a unit. A lock from before keeps a run of racks for each, and racks in the middle between
units.
"""

from __future__ import annotations

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

_TOGETHER, _BY_TRAYS, _BESIDE, _INSIDE, _JOINED = 2, 3, 4, 5, 6
_NEWEST = _JOINED
_EMPTY, _LONGEST = 4, 32
_LATER = ("gb300-tray", "gb300-tray-8p", "gb300-tray-xdr", "nvlink5-tray", "power-shelf")
"""Profiles whose side of ports the catalogue has known since `floor rules: 4`."""


def _find_rules(lock: Lock) -> int:
    """The rules by which a floor is laid out: those of its lock."""
    return lock.rooms.get(RULES, 1) if lock.held or lock.rooms else _NEWEST


def has_whole_units(lock: Lock) -> bool:
    """Whether units stand whole in rows and shared racks share rows: always, but with a lock from before that."""
    return _find_rules(lock) >= _TOGETHER


def knows_side(lock: Lock, profile: str) -> bool:
    """Whether lengths follow the side of a profile's ports by themselves: always, but with a lock from before that."""
    return _find_rules(lock) >= (_BESIDE if profile in _LATER else _BY_TRAYS)


def orders_by_nodes(lock: Lock) -> bool:
    """Whether switches in racks of nodes face the aisle of these by themselves: always, but with a lock from before."""
    return _find_rules(lock) >= _BESIDE


def counts_way_inside(lock: Lock) -> bool:
    """Whether runs between racks count the way inside these: always, but with a lock from before that."""
    return _find_rules(lock) >= _INSIDE


def joins_runs(floor: Floor, lock: Lock) -> bool:
    """Whether small runs share network racks: as stated, always but with a lock from before that."""
    return floor.network_join and _find_rules(lock) >= _JOINED


def has_halved_rows(lock: Lock) -> bool:
    """Whether racks in the middle of a row stand there, and not between units: always but with a lock from before."""
    return _find_rules(lock) >= _JOINED


def is_filled_from_top(floor: Floor, lock: Lock) -> bool:
    """Whether racks of switches are filled from the top down: as stated, else where trays run above them.

    A lock from before `floor rules: 3` keeps them filled from the bottom up.
    """
    if floor.network_fill:
        return floor.network_fill == "down"
    return floor.trays.at == "overhead" and _find_rules(lock) >= _BY_TRAYS


def choose_row_length(design: Design, unit_racks: int) -> int:
    """Racks in a row of a hall that states no other number; `unit_racks` are those of the largest unit.

    Rows of 16, unless these hold whole units with more than four places left: then the next longer row that whole units
    fill, of at most 32 racks.
    """
    floor, lock = design.loaded.blueprint.floor, design.layout.lock
    if floor.racks_per_row:
        return floor.racks_per_row
    if floor.halls or not has_whole_units(lock):
        return USUAL_ROW
    return lock.rooms.get(ROW) or _round_to_units(unit_racks)


def _round_to_units(racks: int) -> int:
    # the first multiple of a unit's racks that is no shorter than a usual row
    filled = -(-USUAL_ROW // racks) * racks
    fits = racks <= USUAL_ROW and USUAL_ROW % racks <= _EMPTY
    return USUAL_ROW if fits or filled > _LONGEST else filled


class Laying(NamedTuple):
    """A way to lay out a floor.

    `whole`: rows hold whole units where one goes into a row; `ends`: all shared racks stand at the ends of node rows.
    """

    whole: bool
    ends: bool = False


def list_layings(design: Design) -> tuple[Laying, ...]:
    """The ways to lay out a floor, the first that goes into its halls being taken; a lock leaves one."""
    lock, floor = design.layout.lock, design.loaded.blueprint.floor
    if not has_whole_units(lock):
        return (Laying(whole=False),)
    if RULES in lock.rooms or not floor.halls:
        return (Laying(whole=CUT not in lock.rooms, ends=AT_ENDS in lock.rooms),)
    in_rows = Laying(whole=True), Laying(whole=False)
    if floor.network_rows:
        return in_rows
    return *in_rows, Laying(whole=True, ends=True), Laying(whole=False, ends=True)


def list_kept_rules(design: Design, racks_per_row: int, laying: Laying) -> dict[str, int]:
    """The counts by which a lock keeps these rules: none for a floor that was laid out before them."""
    if not has_whole_units(design.layout.lock):
        return {}
    floor = design.loaded.blueprint.floor
    length = {} if floor.racks_per_row or floor.halls else {ROW: racks_per_row}
    cut, ends = {} if laying.whole else {CUT: 1}, {AT_ENDS: 1} if laying.ends else {}
    return {RULES: _find_rules(design.layout.lock), **length, **cut, **ends}

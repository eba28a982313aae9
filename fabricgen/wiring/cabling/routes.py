"""The length of a cable run between two devices: up to the tray, along rows and across them, and down again.

    tray of the row  ====+=================+====   cross trays: everywhere, at the ends, or every N racks
                         |      along      |
                    up   |                 |  down: from the middle of a device past the top of its rack (overhead)
                  side --+                 +-- side     or the bottom of it (under the floor), and `tray_m` beyond
                 device                        device

    length = (side + up + in + along + across + detour + in + down + side + through_rack) x (1 + slack) + 2 x loop

`side`: from the port to the cable manager beside it, half of `RACK_WIDTH_M`. `in`: from above the manager, at the face
of the rack, to the middle of the tray, which lies above the middle of the rack: half its depth. `detour`: where the two
are in different rows and no cross tray lies between them, on to the nearest one and back. `through_rack`: from a port
that faces the cold aisle to one that faces the hot one, the depth of the deeper rack.

`side`, `up` and `in` together are the `rise` of a device. Inside a rack the way is the difference in height and
`RACK_WIDTH_M`; slack and loops count there, too. Between halls: to the exit of one, on to that of the other,
by the riser that is nearest where they lie on two storeys. docs/cabling.md has examples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.sections.floor import Cross, Floor, Point, Trays
from fabricgen.catalog.cable_models import ROUNDING_M
from fabricgen.design.floor.halls import Hall
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64
from fabricgen.wiring.tables import DeviceTable, RackTable

RACK_UNIT_M = 0.04445
"""Height of one rack unit, m (EIA-310)."""

RACK_WIDTH_M = 0.6
"""The width that a cable inside a rack crosses, to the side and back, m."""

BLOCK = 1 << 15
"""Runs that are computed at a time, so that the columns of their ends stay in the processor's cache."""


class Positions(NamedTuple):
    """Positions of devices or panels, columns of one length: rack and hall int32, lengths m, float64.

    `x` and `y`: the centre of the rack in the frame of its site; `height`: the middle of the device above the bottom of
    the rack; `rise`: from a port to the middle of the tray; `depth`: of the rack. `hot`, `cold`: whether its ports face
    that aisle; neither where it is not known.
    """

    rack: Ints
    hall: Ints
    x: Floats
    y: Floats
    height: Floats
    rise: Floats
    depth: Floats
    hot: Flags
    cold: Flags


def locate_devices(devices: DeviceTable, racks: RackTable, floor: Floor) -> Positions:
    """Return the position of every device, in table order."""
    units = np.array([cls.profile.rack_units for cls in devices.classes], dtype=np.int32)[devices.device_class]
    faces = tuple(
        np.array([cls.aisle == aisle for cls in devices.classes], dtype=bool)[devices.device_class]
        for aisle in ("hot", "cold")
    )
    return make_positions(racks, floor, (devices.rack, devices.u, units), faces)


def make_positions(
    racks: RackTable, floor: Floor, rack_and_units: tuple[Ints, Ints, Ints], faces: tuple[Flags, ...]
) -> Positions:
    """Return positions in racks; `rack_and_units` are rack, lowest rack unit (from 1) and height in rack units.

    `faces` says whether ports face the hot aisle, and whether they face the cold one; bool.
    """
    (rack, u, units), (hot, cold) = rack_and_units, faces
    # units count from 1 at the bottom
    height = (u - 1 + units / 2) * RACK_UNIT_M
    to_top = racks.units[rack] * RACK_UNIT_M - height
    return Positions(
        rack=rack,
        hall=racks.hall[rack],
        x=racks.x_m[rack],
        y=racks.y_m[rack],
        height=height,
        rise=(to_top if floor.trays.at == "overhead" else height) + floor.tray_m + measure_ways_inside(racks)[rack],
        depth=np.array([kind.depth_m for kind in racks.kinds])[racks.kind][rack],
        hot=hot,
        cold=cold,
    )


def measure_ways_inside(racks: RackTable) -> Floats:
    """Return how long a cable that leaves a rack is inside it, by rack, m, float64: from the port to the manager at the
    side, and on to the middle of the tray above or below the rack.

    It is 0 with a lock of a release that did not count this part.
    """
    way_m = [(RACK_WIDTH_M + kind.depth_m) / 2 if racks.ways_inside else 0.0 for kind in racks.kinds]
    return np.array(way_m)[racks.kind]


def join_positions(first: Positions, then: Positions) -> Positions:
    """Return the rows of both, one after the other."""
    return Positions(*(np.concatenate([getattr(s, name) for s in (first, then)]) for name in Positions._fields))


def measure_device_runs(devices: DeviceTable, racks: RackTable, floor: Floor, a: Ints, b: Ints) -> Floats:
    """Return the length of the run between pairs of devices, m, float64; slack and service loops included."""
    positions, run_m = locate_devices(devices, racks, floor), np.empty(len(a))
    for start in range(0, len(a), BLOCK):
        block = slice(start, start + BLOCK)
        run_m[block] = measure_runs_between(
            positions, racks, floor, a[block].astype(np.int64), b[block].astype(np.int64)
        )
    return run_m


def measure_runs_between(
    positions: Positions, racks: RackTable, floor: Floor, a: Ints | Ints64, b: Ints | Ints64
) -> Floats:
    """Return the same as `measure_device_runs`, between pairs of rows of `positions`."""
    return measure_ways_between(positions, racks, floor, a, b) * (1 + floor.slack) + 2 * floor.trays.loop_m


def measure_ways_between(
    positions: Positions, racks: RackTable, floor: Floor, a: Ints | Ints64, b: Ints | Ints64
) -> Floats:
    """Return the shortest way of a cable between pairs of rows of `positions`, m, float64; slack and service loops are
    left out.
    """
    way_m = positions.rise[a] + positions.rise[b]
    way_m += _measure_trays(positions, racks.halls, floor, a, b)
    # inside a rack no tray is used: this replaces what was added up
    inside = np.flatnonzero(positions.rack[a] == positions.rack[b])
    way_m[inside] = np.abs(positions.height[a[inside]] - positions.height[b[inside]]) + RACK_WIDTH_M
    # from the cold to the hot side a cable goes through, or round, a rack: the deeper of the two
    if positions.cold.any() and positions.hot.any():
        is_cold_to_hot = (positions.cold[a] & positions.hot[b]) | (positions.hot[a] & positions.cold[b])
        way_m += np.where(is_cold_to_hot, np.maximum(positions.depth[a], positions.depth[b]), 0)
    return way_m


def _measure_trays(
    positions: Positions, halls: tuple[Hall, ...], floor: Floor, a: Ints | Ints64, b: Ints | Ints64
) -> Floats:
    """Return the way from the tray above each device `a` to that above device `b`, m, float64."""
    trays = floor.trays
    # along the row, and across rows
    way_m = np.abs(positions.x[a] - positions.x[b]) + np.abs(positions.y[a] - positions.y[b])
    if trays.cross != "everywhere":
        rows = np.flatnonzero((positions.y[a] != positions.y[b]) & (positions.hall[a] == positions.hall[b]))
        way_m[rows] += _measure_detours(positions, halls, trays.cross, a[rows], b[rows])
    between_halls_rows = np.flatnonzero(positions.hall[a] != positions.hall[b]) if len(halls) > 1 else ()
    if len(between_halls_rows):
        to_exit, between = _measure_ways_to_exits(positions, halls, trays), measure_ways_between_halls(halls, floor)
        from_row, to_row = a[between_halls_rows], b[between_halls_rows]
        # this replaces the way within one hall
        way_m[between_halls_rows] = (
            to_exit[from_row] + between[positions.hall[from_row], positions.hall[to_row]] + to_exit[to_row]
        )
    return way_m


def _measure_detours(
    positions: Positions, halls: tuple[Hall, ...], cross: Cross, a: Ints | Ints64, b: Ints | Ints64
) -> Floats:
    """Return the detour to a crossing tray for pairs of devices in different rows of one hall, m, float64."""
    detour_m = np.zeros(len(a))
    for i, hall in enumerate(halls):
        rows = np.flatnonzero(positions.hall[a] == i)
        detour_m[rows] = measure_detour(positions.x[a[rows]], positions.x[b[rows]], list_crossings(hall, cross))
    return detour_m


def list_crossings(hall: Hall, cross: Cross) -> Floats:
    """Return where trays cross the rows of a hall: x in the frame of the site, m, ascending, float64.

    They cross at both ends of the rows and, unless `cross` is "ends", after every `cross` racks.
    """
    racks_between = hall.racks_per_row if cross == "ends" else int(cross)
    # trays lie at edges of racks, of which a row of n has n + 1
    rack_edges = [*range(0, hall.racks_per_row, racks_between), hall.racks_per_row]
    return hall.x_m + np.array(rack_edges, dtype=np.float64) * hall.rack_pitch_m


def measure_detour(x_a: Floats, x_b: Floats, crossing: Floats) -> Floats:
    """Return the detour over the nearest crossing tray against the straight way, m, float64 of the shape of `x_a`.

    It is 0 if a crossing lies between `x_a` and `x_b`, else twice the distance to the nearest one. `crossing`: the x of
    all crossings, m, ascending.
    """
    _, beyond_m, short_m = _find_crossings_beside(x_a, x_b, crossing)
    # there and back; below 0 the crossing lies on the way
    detour_m: Floats = 2 * np.maximum(0.0, np.minimum(beyond_m, short_m))
    return detour_m


def choose_crossing(x_a: Floats, x_b: Floats, crossing: Floats) -> Ints64:
    """Return the crossing tray by which `measure_detour` goes from `x_a` to `x_b`, as an index of `crossing`, int64."""
    next_crossing, beyond_m, short_m = _find_crossings_beside(x_a, x_b, crossing)
    return np.where(beyond_m <= short_m, next_crossing, next_crossing - 1)


def _find_crossings_beside(x_a: Floats, x_b: Floats, crossing: Floats) -> tuple[Ints64, Floats, Floats]:
    """Return the crossings nearest to each pair of x: (index of the first crossing at or above the lower x, int64; how
    far it lies beyond the higher x, m; how far the crossing before it lies short of the lower x, m).

    The first distance is negative if that crossing lies between the two; a distance is infinite if there is no such
    crossing.
    """
    lower_x, higher_x = np.minimum(x_a, x_b), np.maximum(x_a, x_b)
    # a crossing at the device itself counts as on the way, whatever its last bit says
    next_crossing = np.searchsorted(crossing, lower_x - ROUNDING_M)
    beyond_m = np.append(crossing, np.inf)[next_crossing] - higher_x
    # shifted by one: the crossing before
    short_m = lower_x - np.insert(crossing, 0, -np.inf)[next_crossing]
    return next_crossing, beyond_m, short_m


def find_exit(hall: Hall, trays: Trays) -> Point:
    """Return the point where cables leave a hall, m in the frame of the site: as stated, else its corner."""
    return trays.exits.get(hall.name, (hall.x_m, hall.y_m))


def _measure_ways_to_exits(positions: Positions, halls: tuple[Hall, ...], trays: Trays) -> Floats:
    """Return the way from the tray above each device to the exit of its hall, m, float64."""
    to_exit_m = np.zeros(len(positions.rack))
    for i, hall in enumerate(halls):
        rows = np.flatnonzero(positions.hall == i)
        x, y = find_exit(hall, trays)
        to_exit_m[rows] = np.abs(positions.x[rows] - x) + np.abs(positions.y[rows] - y)
        if trays.cross != "everywhere":
            detour_m = measure_detour(
                positions.x[rows], np.full(len(rows), float(x)), list_crossings(hall, trays.cross)
            )
            to_exit_m[rows] += np.where(positions.y[rows] == y, 0, detour_m)
    return to_exit_m


def measure_ways_between_halls(halls: tuple[Hall, ...], floor: Floor) -> Floats:
    """Return the way between the exits of halls, m, float64, shape (halls, halls).

    It is 0 between halls of two sites, as the length of fibre between sites is stated.
    """
    between_m = np.zeros((len(halls), len(halls)))
    for i, hall in enumerate(halls):
        for j, far_hall in enumerate(halls):
            if hall.site == far_hall.site:
                between_m[i, j] = _measure_between_exits(hall, far_hall, floor)
    return between_m


def _measure_between_exits(hall: Hall, far_hall: Hall, floor: Floor) -> float:
    """Return the rectangular way between the exits of two halls, m; through the best riser if their storeys differ."""
    a, b, storeys = find_exit(hall, floor.trays), find_exit(far_hall, floor.trays), abs(hall.storey - far_hall.storey)
    riser = choose_riser(hall, far_hall, floor)
    way_m = _measure_distance(a, b) if riser is None else _measure_distance(a, riser) + _measure_distance(riser, b)
    return way_m + storeys * floor.storey_m


def choose_riser(hall: Hall, far_hall: Hall, floor: Floor) -> Point | None:
    """Return the riser of the shortest way between halls on two storeys; None if none is needed or stated."""
    a, b = find_exit(hall, floor.trays), find_exit(far_hall, floor.trays)
    if hall.storey == far_hall.storey or not floor.trays.risers:
        return None
    return min(floor.trays.risers, key=lambda riser: _measure_distance(a, riser) + _measure_distance(riser, b))


def _measure_distance(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])

"""How long the way between two devices is: up to the tray, along rows and across them, and down again.

    tray of the row  ====+=================+====   cross trays: everywhere, at the ends, or every N racks
                         |      along      |
                    up   |                 |  down: from the middle of a device past the top of its rack (overhead)
                       device            device     or the bottom of it (under the floor), and `tray_m` beyond

    length = (up + along + across + detour + down + crossing) x (1 + slack) + 2 x loop

Inside a rack: the difference in height and `RACK_WIDTH_M`. Between halls: to the exit of one, on to that of the other,
by the riser that is nearest where they lie on two storeys. docs/cabling.md has examples.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from fabricgen.blueprint.sections.floor import Floor
from fabricgen.blueprint.sections.trays import Cross, Point, Trays
from fabricgen.design.floor.halls import Hall
from fabricgen.wiring.tables import DeviceTable, Flags, Floats, Ints, Ints64, RackTable

RACK_UNIT_M = 0.04445
"""Height of one rack unit, m (EIA-310)."""

RACK_WIDTH_M = 0.6
"""Cable inside a rack crosses to the side and back, m."""

BLOCK = 1 << 15
"""Runs that are reckoned at a time, so that what is looked up of their ends stays in the cache."""


@dataclass(frozen=True, slots=True)
class Stands:
    """Where devices, or panels, are, columns of one length: rack and hall int32, the rest m, float64.

    `x` and `y`: the centre of the rack in the frame of its site; `high`: the middle of the device above the bottom of
    the rack; `rise`: from there to the tray; `depth`: of the rack. `cold`: whether its ports face the cold aisle.
    """

    rack: Ints
    hall: Ints
    x: Floats
    y: Floats
    high: Floats
    rise: Floats
    depth: Floats
    cold: Flags


def stands(devices: DeviceTable, racks: RackTable, floor: Floor) -> Stands:
    """Where every device stands, and how far it is from the middle of it to the tray."""
    heights = np.array([cls.profile.rack_units for cls in devices.classes], dtype=np.int32)[devices.device_class]
    cold = np.array([cls.profile.id in floor.trays.cold_ports for cls in devices.classes], dtype=bool)
    return stands_at(racks, floor, (devices.rack, devices.u, heights), cold[devices.device_class])


def stands_at(racks: RackTable, floor: Floor, at: tuple[Ints, Ints, Ints], cold: Flags) -> Stands:
    """Where something stands by rack, lowest unit and height in units; `cold` where its ports face the cold aisle."""
    rack, u, heights = at
    high = (u - 1 + heights / 2) * RACK_UNIT_M
    below = racks.units[rack] * RACK_UNIT_M - high
    return Stands(
        rack=rack,
        hall=racks.hall[rack],
        x=racks.x_m[rack],
        y=racks.y_m[rack],
        high=high,
        rise=(below if floor.trays.at == "overhead" else high) + floor.tray_m,
        depth=np.array([kind.depth_m for kind in racks.kinds])[racks.kind][rack],
        cold=cold,
    )


def together(first: Stands, then: Stands) -> Stands:
    """Both, one after the other."""
    return Stands(*(np.concatenate([getattr(s, f.name) for s in (first, then)]) for f in fields(Stands)))


def run_length(devices: DeviceTable, racks: RackTable, floor: Floor, a: Ints, b: Ints) -> Floats:
    """Length of the run between pairs of devices, m, float64; slack and service loops included."""
    at, found = stands(devices, racks, floor), np.empty(len(a))
    for start in range(0, len(a), BLOCK):
        some = slice(start, start + BLOCK)
        found[some] = run_between(at, racks, floor, a[some].astype(np.int64), b[some].astype(np.int64))
    return found


def run_between(at: Stands, racks: RackTable, floor: Floor, a: Ints | Ints64, b: Ints | Ints64) -> Floats:
    """The same between pairs of rows of what stands somewhere."""
    run = at.rise[a] + at.rise[b]
    run += _through_halls(at, racks.halls, floor, a, b)
    inside = np.flatnonzero(at.rack[a] == at.rack[b])
    run[inside] = np.abs(at.high[a[inside]] - at.high[b[inside]]) + RACK_WIDTH_M
    if at.cold.any():
        run += np.where(at.cold[a] != at.cold[b], np.maximum(at.depth[a], at.depth[b]), 0)
    run *= 1 + floor.slack
    run += 2 * floor.trays.loop_m
    return run


def _through_halls(at: Stands, halls: tuple[Hall, ...], floor: Floor, a: Ints | Ints64, b: Ints | Ints64) -> Floats:
    """From the tray above one device to that above another, m, float64."""
    trays = floor.trays
    way = np.abs(at.x[a] - at.x[b]) + np.abs(at.y[a] - at.y[b])
    if trays.cross != "everywhere":
        rows = np.flatnonzero((at.y[a] != at.y[b]) & (at.hall[a] == at.hall[b]))
        way[rows] += _detours(at, halls, trays.cross, a[rows], b[rows])
    other = np.flatnonzero(at.hall[a] != at.hall[b]) if len(halls) > 1 else ()
    if len(other):
        to_exit, between = _to_exits(at, halls, trays), between_halls(halls, floor)
        far, near = a[other], b[other]
        way[other] = to_exit[far] + between[at.hall[far], at.hall[near]] + to_exit[near]
    return way


def _detours(at: Stands, halls: tuple[Hall, ...], cross: Cross, a: Ints | Ints64, b: Ints | Ints64) -> Floats:
    """What each pair of devices in different rows of a hall goes beyond the nearer way, m, float64."""
    found = np.zeros(len(a))
    for i, hall in enumerate(halls):
        rows = np.flatnonzero(at.hall[a] == i)
        found[rows] = detour(at.x[a[rows]], at.x[b[rows]], crossings(hall, cross))
    return found


def crossings(hall: Hall, cross: Cross) -> Floats:
    """Where trays cross the rows of a hall: x in the frame of the site, m, ascending, float64."""
    every = hall.racks_per_row if cross == "ends" else int(cross)
    places = [*range(0, hall.racks_per_row, every), hall.racks_per_row]
    return hall.x_m + np.array(places, dtype=np.float64) * hall.rack_pitch_m


def detour(x_a: Floats, x_b: Floats, crossing: Floats) -> Floats:
    """How much farther than straight the nearest crossing tray makes the way from x to x, m, float64 of one shape.

    Nothing where one lies between the two; else there and back to the nearest on either side.
    """
    low, high = np.minimum(x_a, x_b), np.maximum(x_a, x_b)
    next_up = np.searchsorted(crossing, low - 1e-9)
    beyond = np.append(crossing, np.inf)[next_up] - high
    short = low - np.insert(crossing, 0, -np.inf)[next_up]
    nearest: Floats = 2 * np.maximum(0.0, np.minimum(beyond, short))
    return nearest


def _exit_of(hall: Hall, trays: Trays) -> Point:
    return trays.exits.get(hall.name, (hall.x_m, hall.y_m))


def _to_exits(at: Stands, halls: tuple[Hall, ...], trays: Trays) -> Floats:
    """From the tray above each device to the exit of its hall, m, float64."""
    found = np.zeros(len(at.rack))
    for i, hall in enumerate(halls):
        rows = np.flatnonzero(at.hall == i)
        x, y = _exit_of(hall, trays)
        found[rows] = np.abs(at.x[rows] - x) + np.abs(at.y[rows] - y)
        if trays.cross != "everywhere":
            across = detour(at.x[rows], np.full(len(rows), float(x)), crossings(hall, trays.cross))
            found[rows] += np.where(at.y[rows] == y, 0, across)
    return found


def between_halls(halls: tuple[Hall, ...], floor: Floor) -> Floats:
    """From exit to exit of halls, m, float64 by both halls; 0 between sites, whose fibre has a length of its own."""
    found = np.zeros((len(halls), len(halls)))
    for i, one in enumerate(halls):
        for j, other in enumerate(halls):
            if one.site == other.site:
                found[i, j] = _from_exit_to_exit(one, other, floor)
    return found


def _from_exit_to_exit(one: Hall, other: Hall, floor: Floor) -> float:
    """Along the walls, and through the riser that lies best where the storeys differ."""
    a, b, risers = _exit_of(one, floor.trays), _exit_of(other, floor.trays), floor.trays.risers
    storeys = abs(one.storey - other.storey)
    if not storeys or not risers:
        return _apart(a, b) + storeys * floor.storey_m
    return min(_apart(a, riser) + _apart(riser, b) for riser in risers) + storeys * floor.storey_m


def _apart(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])

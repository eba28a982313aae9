"""How long a cable must be: Manhattan distance along trays and rows, with drops, slack and stocked lengths."""

from __future__ import annotations

import numpy as np

from fabricgen.blueprint.floor import Floor
from fabricgen.plan.tables import DeviceTable, Floats, Ints, RackTable

RACK_UNIT_M = 0.04445
"""Height of one rack unit, m (EIA-310)."""

RACK_WIDTH_M = 0.6
"""Cable inside a rack crosses to the side and back, m."""

STOCK_M = np.array(
    [
        0.5,
        1,
        1.5,
        2,
        2.5,
        3,
        4,
        5,
        7,
        10,
        15,
        20,
        25,
        30,
        40,
        50,
        60,
        80,
        100,
        125,
        150,
        200,
        250,
        300,
        400,
        500,
    ]
)
"""Lengths that are stocked, m; beyond the last, whole multiples of 100 m up to `BY_DRUM_M`, then whole kilometres."""

BY_DRUM_M = 2000
"""Length from which fibre is ordered by the kilometre, m."""


def run_length(devices: DeviceTable, racks: RackTable, floor: Floor, a: Ints, b: Ints) -> Floats:
    """Length of the run between pairs of devices, m, float64: in the rack, or up, along and down; slack included."""
    rack, u = devices.rack, devices.u
    return run_between(racks, floor, rack[a], u[a], rack[b], u[b])


def run_between(racks: RackTable, floor: Floor, a_rack: Ints, a_u: Ints, b_rack: Ints, b_u: Ints) -> Floats:
    """The same between places: racks by their rows in the table, and rack units."""
    units, x_m, y_m = racks.units, racks.x_m, racks.y_m
    above = units[a_rack] + units[b_rack] - a_u - b_u
    run: Floats = np.multiply(above, RACK_UNIT_M, dtype=np.float64)
    run += 2 * floor.tray_m
    run += np.abs(x_m[a_rack] - x_m[b_rack])
    run += np.abs(y_m[a_rack] - y_m[b_rack])
    inside = np.flatnonzero(a_rack == b_rack)
    run[inside] = np.abs(a_u[inside] - b_u[inside]) * RACK_UNIT_M + RACK_WIDTH_M
    run *= 1 + floor.slack
    return run


def stocked(length_m: Floats) -> Floats:
    """Round lengths up to what is stocked, m, float64."""
    result: Floats = np.append(STOCK_M, 0.0)[np.searchsorted(STOCK_M, length_m - 1e-9)]
    beyond = np.flatnonzero(result == 0)
    step = np.where(length_m[beyond] > BY_DRUM_M + 1e-6, 1000, 100)
    result[beyond] = np.ceil(length_m[beyond] / step - 1e-9) * step
    return result

"""Devices whose rack and rack unit the blueprint states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED
from fabricgen.blueprint.sections.floor import DevicePlace
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean
from fabricgen.wiring.tables import DeviceTable, RackTable


def move_stated_devices(
    devices: DeviceTable, racks: RackTable, names: Sequence[str], stated_places: Mapping[str, tuple[DevicePlace, Path]]
) -> DeviceTable:
    """Move devices to stated racks and rack units; `stated_places` is by device name, each with where it is stated.

    Raises InputError with every fault: an unknown device or rack, a rack unit above the top (FG068), or one that
    another device uses (FG069).
    """
    row_of, rack_of = ({name: i for i, name in enumerate(table_names)} for table_names in (names, racks.names))
    rack, u, faults = devices.rack.copy(), devices.u.copy(), []
    heights = np.array([cls.profile.rack_units for cls in devices.classes], dtype=np.int32)[devices.device_class]
    moved: list[tuple[str, int, Path]] = []
    for name, (stated_place, path) in stated_places.items():
        row, rack_row = row_of.get(name), rack_of.get(stated_place.rack)
        if row is None or rack_row is None:
            valid_names, unknown_name = (names, name) if row is None else (racks.names, stated_place.rack)
            message = (
                f"there is no device {name}" if row is None else f"device {name}: there is no rack {stated_place.rack}"
            )
            faults.append(_make_diagnostic("FG068", path, message, did_you_mean(unknown_name, valid_names)))
            continue
        top, units = stated_place.u + int(heights[row]) - 1, int(racks.units[rack_row])
        if top > units:
            message = f"{name} takes rack units {stated_place.u} to {top}, {stated_place.rack} has {units}"
            faults.append(_make_diagnostic("FG068", path, message, f"u: {units - int(heights[row]) + 1} or less"))
        rack[row], u[row] = rack_row, stated_place.u
        moved.append((name, row, path))
    table = replace(devices, rack=rack, u=u)
    tall = heights.tolist()
    faults += [
        overlap for name, row, path in moved for overlap in _find_overlaps(table, tall, names, name, row, racks, path)
    ]
    if faults:
        raise InputError(faults)
    return table


def _find_overlaps(
    devices: DeviceTable,
    heights: Sequence[int],
    names: Sequence[str],
    name: str,
    row: int,
    racks: RackTable,
    path: Path,
) -> list[Diagnostic]:
    """A diagnostic if another device uses a rack unit of device `row`."""
    low, high = int(devices.u[row]), int(devices.u[row]) + heights[row] - 1
    for rival in np.flatnonzero(devices.rack == devices.rack[row]).tolist():
        first, last = int(devices.u[rival]), int(devices.u[rival]) + heights[rival] - 1
        if rival != row and first <= high and last >= low:
            message = (
                f"{name} takes rack units {low} to {high} of {racks.names[int(devices.rack[row])]}, and {names[rival]} "
                f"{first} to {last}"
            )
            return [_make_diagnostic("FG069", path, message, "state another place for one of them")]
    return []


def _make_diagnostic(code: str, path: Path, message: str, hint: str) -> Diagnostic:
    """An error at a stated place; of one that was adopted the hint says how to give it up."""
    if path[0] == ADOPTED:
        device = str(path[1]).partition(" ")[0]
        hint = f"`fabricgen lock --release {ADOPTED}/{device}` has it stand where it is planned"
    return Diagnostic(code, Severity.ERROR, message, path, hint)

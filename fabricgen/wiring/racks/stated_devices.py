"""Devices whose rack and rack unit the blueprint states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED
from fabricgen.blueprint.sections.floor import DevicePlace
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean
from fabricgen.wiring.tables import DeviceTable, RackTable


def with_stated(
    devices: DeviceTable, racks: RackTable, names: Sequence[str], stated: Mapping[str, tuple[DevicePlace, Path]]
) -> DeviceTable:
    """The device table with stated racks and rack units (`stated` is by device name, each with where it is stated).

    Raises InputError with every fault: an unknown device or rack, a rack unit above the top (FG068), or one that
    another device uses (FG069).
    """
    row_of, rack_of = ({name: i for i, name in enumerate(some)} for some in (names, racks.names))
    rack, u, faults = devices.rack.copy(), devices.u.copy(), []
    heights = np.array([cls.profile.rack_units for cls in devices.classes], dtype=np.int32)[devices.device_class]
    moved: list[tuple[str, int, Path]] = []
    for name, (place, path) in stated.items():
        row, at = row_of.get(name), rack_of.get(place.rack)
        if row is None or at is None:
            known, wanted = (names, name) if row is None else (racks.names, place.rack)
            what = f"there is no device {name}" if row is None else f"device {name}: there is no rack {place.rack}"
            faults.append(_fault("FG068", path, what, did_you_mean(wanted, known)))
            continue
        top, units = place.u + int(heights[row]) - 1, int(racks.units[at])
        if top > units:
            what = f"{name} takes rack units {place.u} to {top}, {place.rack} has {units}"
            faults.append(_fault("FG068", path, what, f"u: {units - int(heights[row]) + 1} or less"))
        rack[row], u[row] = at, place.u
        moved.append((name, row, path))
    table = replace(devices, rack=rack, u=u)
    tall = heights.tolist()
    faults += [found for name, row, path in moved for found in _overlaps(table, tall, names, name, row, racks, path)]
    if faults:
        raise InputError(faults)
    return table


def _overlaps(
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
    for other in np.flatnonzero(devices.rack == devices.rack[row]).tolist():
        first, last = int(devices.u[other]), int(devices.u[other]) + heights[other] - 1
        if other != row and first <= high and last >= low:
            what = (
                f"{name} takes rack units {low} to {high} of {racks.names[int(devices.rack[row])]}, and {names[other]} "
                f"{first} to {last}"
            )
            return [_fault("FG069", path, what, "state another place for one of them")]
    return []


def _fault(code: str, path: Path, what: str, hint: str) -> Diagnostic:
    if path[0] == ADOPTED:
        device = str(path[1]).partition(" ")[0]
        hint = f"`fabricgen lock --release {ADOPTED}/{device}` has it stand where it is planned"
    return Diagnostic(code, Severity.ERROR, what, path, hint)

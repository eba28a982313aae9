"""Numbers without gaps for what links end on: tables over them are short, and nothing has to be sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from fabricgen.plan.tables import DeviceTable, Ints, LinkTable, Side

PlaceOf = Callable[[Side, Ints], Ints]
"""The place of each port of a side within its device: its cage, its connector, or the port itself."""


@dataclass(frozen=True, slots=True)
class EndNumbers:
    """The number of what each link ends on at its lower and upper end, int32 from 0, and how many there may be.

    Two ends have one number where device and place are the same; numbers ascend by device, then by place.
    """

    a: Ints
    b: Ints
    count: int


@dataclass(frozen=True, slots=True)
class _End:
    """One end of the links of a segment: which column, its rows, the place of each port, and classes of devices."""

    upper: bool
    rows: slice
    places: Ints
    classes: range


def end_numbers(devices: DeviceTable, links: LinkTable, place_of: PlaceOf) -> EndNumbers:
    """Number the places that links end on, once for each device and place."""
    ends = list(_ends(devices, links, place_of))
    held: dict[int, set[int]] = {}
    for end in ends:
        for cls in end.classes:
            held.setdefault(cls, set()).update(end.places.tolist())
    found, count = (np.zeros(len(links), dtype=np.int32), np.zeros(len(links), dtype=np.int32)), 0
    base: dict[int, int] = {}
    for cls in sorted(held):
        base[cls] = count
        count += len(held[cls]) * devices.classes[cls].count
    for end in ends:
        device, port = (links.b_device, links.b_port) if end.upper else (links.a_device, links.a_port)
        for cls in end.classes:
            order = {place: i for i, place in enumerate(sorted(held[cls]))}
            within = np.array([base[cls] + order[place] for place in end.places.tolist()], dtype=np.int32)
            rows = _of_class(devices, device, end.rows, cls, alone=len(end.classes) == 1)
            place = within[port[rows]]
            found[end.upper][rows] = (device[rows] - devices.classes[cls].first) * len(order) + place
    return EndNumbers(*found, count)


def _ends(devices: DeviceTable, links: LinkTable, place_of: PlaceOf) -> Iterator[_End]:
    for i, segment in enumerate(links.segments):
        rows = links.rows_of(i)
        for upper, side in enumerate((segment.a, segment.b)):
            device, port = (links.b_device, links.b_port) if upper else (links.a_device, links.a_port)
            if rows.start < rows.stop:
                ports = np.arange(int(port[rows].max()) + 1, dtype=np.int32)
                yield _End(bool(upper), rows, place_of(side, ports), devices.classes_of(device[rows]))


def _of_class(devices: DeviceTable, device: Ints, rows: slice, cls: int, *, alone: bool) -> slice | Ints:
    """Those of some links whose ends are devices of a class."""
    if alone:
        return rows
    mine: Ints = (rows.start + np.flatnonzero(devices.device_class[device[rows]] == cls)).astype(np.int32)
    return mine

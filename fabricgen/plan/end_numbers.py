"""Numbers without gaps for what links end on: tables over them are short, and nothing has to be sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fabricgen.kernel.dataclass import dataclass
from fabricgen.plan.tables import DeviceClass, DeviceTable, Ints, LinkTable, Segment, Side, Wide

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


class Ends:
    """Pairs of connectors that a cable joins, with one of the links between them and how many there are."""

    def __init__(self, cable: Ints, link: Ints, links: Ints, cage: EndNumbers) -> None:
        self.cable, self.link, self.links, self.cage = cable, link, links, cage


def hangs_on_lower(segment: Segment) -> bool:
    """Whether the cables of a segment hang on a connector of their lower end."""
    return segment.a.per_connector > 1 or segment.b.per_connector == 1


@dataclass(frozen=True, slots=True)
class _End:
    """Ends of links of a segment at devices of one class: which column, its rows, and the place of each port."""

    upper: bool
    rows: slice | Wide
    cls: DeviceClass
    places: list[int]


def end_numbers(devices: DeviceTable, links: LinkTable, place_of: PlaceOf) -> EndNumbers:
    """Number the places that links end on, once for each device and place."""
    ends = list(_ends(devices, links, place_of))
    held: dict[int, set[int]] = {}
    for end in ends:
        held.setdefault(end.cls.first, set()).update(end.places)
    order = {first: {place: i for i, place in enumerate(sorted(places))} for first, places in held.items()}
    base, count = {}, 0
    for first, cls in sorted({end.cls.first: end.cls for end in ends}.items()):
        base[first], count = count, count + len(order[first]) * cls.count
    found = np.zeros(len(links), dtype=np.int32), np.zeros(len(links), dtype=np.int32)
    for end in ends:
        device, port = (links.b_device, links.b_port) if end.upper else (links.a_device, links.a_port)
        first, rows = end.cls.first, end.rows
        within = np.array([base[first] + order[first][place] for place in end.places], dtype=np.int32)
        found[end.upper][rows] = (device[rows] - first) * len(order[first]) + within[port[rows]]
    return EndNumbers(*found, count)


def _ends(devices: DeviceTable, links: LinkTable, place_of: PlaceOf) -> Iterator[_End]:
    for i, segment in enumerate(links.segments):
        rows = links.rows_of(i)
        for upper, side in enumerate((segment.a, segment.b)):
            device, port = (links.b_device, links.b_port) if upper else (links.a_device, links.a_port)
            if rows.start < rows.stop:
                places = place_of(side, np.arange(int(port[rows].max()) + 1, dtype=np.int32)).tolist()
                for cls, mine in devices.by_class(device, rows):
                    yield _End(bool(upper), mine, cls, places)

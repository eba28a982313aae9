"""Numbers without gaps for what links end on: tables over them are short, and nothing has to be sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.wiring.tables import DeviceClass, DeviceTable, Floats, Ints, Ints64, LinkTable, Segment, Side

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


@dataclass(frozen=True)
class Ends:
    """Pairs of connectors that a cable joins, with one of the links between them (int64) and how many there are.

    Rows are in the order of cables, of which each has at least one; columns are int32 but for `link`.
    """

    cable: Ints
    link: Ints64
    links: Ints
    cage: EndNumbers

    @cached_property
    def first(self) -> Ints64:
        """The first row of each cable, int64."""
        return np.flatnonzero(np.r_[True, self.cable[1:] != self.cable[:-1]][: len(self.cable)])

    @property
    def last(self) -> Ints64:
        """The last row of each cable, int64."""
        return np.append(self.first[1:], len(self.cable))[: len(self.first)] - 1

    def longest(self, length_m: Floats) -> Floats:
        """The greatest of each cable's lengths, m, of a column by row."""
        found: Floats = np.maximum.reduceat(length_m, self.first) if len(length_m) else length_m
        return found


def hangs_on_lower(segment: Segment) -> bool:
    """Whether the cables of a segment hang on a connector of their lower end."""
    return segment.a.per_connector > 1 or segment.b.per_connector == 1


@dataclass(frozen=True, slots=True)
class _Part:
    """Ends of links of a segment at devices of one class: which column, its rows, and how many ports there may be."""

    upper: bool
    rows: slice | Ints64
    cls: DeviceClass
    side: Side
    ports: int


@dataclass(frozen=True, slots=True)
class _Scheme:
    """How the ends of each part are numbered: as `within` has each port of its first device, and `steps` a device."""

    steps: tuple[int, ...]
    within: tuple[tuple[int, ...], ...]
    count: int


def end_numbers(devices: DeviceTable, links: LinkTable, place_of: PlaceOf) -> EndNumbers:
    """Number the places that links end on, once for each device and place."""
    parts = list(_parts(devices, links))
    return _numbered(links, parts, _scheme(parts, place_of))


def both_numbers(devices: DeviceTable, links: LinkTable, one: PlaceOf, other: PlaceOf) -> tuple[EndNumbers, EndNumbers]:
    """The same by two kinds of places; one column where both come to the same, as where cages have one connector."""
    parts = list(_parts(devices, links))
    first, second = _scheme(parts, one), _scheme(parts, other)
    numbers = _numbered(links, parts, first)
    return numbers, numbers if first == second else _numbered(links, parts, second)


def _scheme(parts: list[_Part], place_of: PlaceOf) -> _Scheme:
    places = [place_of(part.side, np.arange(part.ports, dtype=np.int32)).tolist() for part in parts]
    held: dict[int, set[int]] = {}
    for part, found in zip(parts, places, strict=True):
        held.setdefault(part.cls.first, set()).update(found)
    order = {first: {place: i for i, place in enumerate(sorted(found))} for first, found in held.items()}
    base, count = {}, 0
    for first, cls in sorted({part.cls.first: part.cls for part in parts}.items()):
        base[first], count = count, count + len(order[first]) * cls.count
    firsts = [part.cls.first for part in parts]
    within = [tuple(base[at] + order[at][place] for place in found) for at, found in zip(firsts, places, strict=True)]
    return _Scheme(tuple(len(order[at]) for at in firsts), tuple(within), count)


def _numbered(links: LinkTable, parts: list[_Part], scheme: _Scheme) -> EndNumbers:
    found = np.zeros(len(links), dtype=np.int32), np.zeros(len(links), dtype=np.int32)
    for part, step, within in zip(parts, scheme.steps, scheme.within, strict=True):
        device, port = (links.b_device, links.b_port) if part.upper else (links.a_device, links.a_port)
        number = device[part.rows] - np.int32(part.cls.first)
        number *= step
        number += np.array(within, dtype=np.int32).take(port[part.rows])
        found[part.upper][part.rows] = number
    return EndNumbers(*found, scheme.count)


def _parts(devices: DeviceTable, links: LinkTable) -> Iterator[_Part]:
    for i, segment in enumerate(links.segments):
        rows = links.rows_of(i)
        for upper, side in enumerate((segment.a, segment.b)):
            device, port = (links.b_device, links.b_port) if upper else (links.a_device, links.a_port)
            if rows.start < rows.stop:
                ports = int(port[rows].max()) + 1
                for cls, mine in devices.by_class(device, rows):
                    yield _Part(bool(upper), mine, cls, side, ports)

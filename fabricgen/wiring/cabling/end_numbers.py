"""Numbers of the cages or connectors that links end on, so that tables can be indexed by them.

They are from 0 up to the highest in use, almost without gaps: of each class of devices, what one of them uses counts
for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabricgen.catalog.switch_models import MOST_CONNECTORS
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.wiring.arrays import Floats, Ints, Ints64
from fabricgen.wiring.tables import DeviceClass, DeviceTable, LinkTable, ScaleUpPort, Segment, Side

PlaceOf = Callable[[Side, Ints], Ints]
"""(side, ports) -> the cage or connector of each port, or the port itself, as a number unique within its device; int32.
Such a cage, connector or port is a place here."""


@dataclass(frozen=True, slots=True, eq=False)
class EndNumbers:
    """Numbers of the cages (or of the connectors) at the lower (`a`) and upper (`b`) ends of rows, int32, from 0. A row
    is a link, or an end row of cables.

    Two ends have the same number if device and cage are the same; numbers ascend by device, then by cage. `count` is
    how many numbers there are.
    """

    a: Ints
    b: Ints
    count: int


@dataclass(frozen=True, eq=False)
class CableEnds:
    """End rows of cables, in cable order: a row for each pair of connectors that a cable joins, so that a straight
    cable has one, and a breakout one for each leg.

    A cable with fixed ends that fills whole cages has a row for each pair of cages (`assemblies.merge_assemblies`).
    `cable` (int32) ascends from 0; every cable has a row. `link` (int64) is one of the links between the two
    connectors, `links` (int32) their number, `cage` the cages at both ends, as numbers in the cluster.
    """

    cable: Ints
    link: Ints64
    links: Ints
    cage: EndNumbers

    @cached_property
    def first(self) -> Ints64:
        """The first row of each cable, int64."""
        # rows of a cable lie together: a cable begins where the number changes, and the first row always begins one
        return np.flatnonzero(np.r_[True, self.cable[1:] != self.cable[:-1]][: len(self.cable)])

    @property
    def last(self) -> Ints64:
        """The last row of each cable, int64."""
        return np.append(self.first[1:], len(self.cable))[: len(self.first)] - 1

    def find_longest(self, length_m: Floats) -> Floats:
        """Return the greatest length of each cable, m, from a column of one length an end row."""
        # `reduceat` fails on a column without rows
        longest_m: Floats = np.maximum.reduceat(length_m, self.first) if len(length_m) else length_m
        return longest_m

    def find_segments(self, links: LinkTable) -> Ints:
        """Return the segment of the last end row of each cable, int32, an index of `links.segments`.

        Of most cables it is that of all rows. A splitter may have legs of several segments, where nodes of several
        lines of the blueprint share it; these are alike at its common end, in speed and in lanes.
        """
        return links.segment[self.link[self.last]]


def hangs_on_lower_end(segment: Segment) -> bool:
    """Whether a cable that takes one connector has its common end below: it splits from there, or is straight.

    `segment` is that of its links. For cables that fill several connectors of a cage see
    `far_ends.is_common_end_lower`.
    """
    # a straight cable has no common end of its own: by convention it is the lower one
    return segment.a.links_per_connector > 1 or segment.b.links_per_connector == 1


class _SegmentEnds(NamedTuple):
    """The lower or upper ends of a segment's links at devices of one class.

    `rows` are the rows of these links, `port_count` is one more than the highest port in use.
    """

    upper: bool
    rows: slice | Ints64
    cls: DeviceClass
    side: Side
    port_count: int


@dataclass(frozen=True, slots=True)
class _Numbering:
    """How ends are numbered: `of_first_device[i][port] + steps[i] * device` for the i-th of the listed `_SegmentEnds`,
    where `device` counts the devices of its class from 0. `count` is how many numbers there are in all.
    """

    steps: tuple[int, ...]
    of_first_device: tuple[tuple[int, ...], ...]
    count: int


def number_ends(devices: DeviceTable, links: LinkTable, place_of: PlaceOf) -> EndNumbers:
    """Return the numbers of the cages that links end on, or of whatever `place_of` returns for their ports."""
    segments_ends = list(_list_segment_ends(devices, links))
    return _apply_numbering(links, segments_ends, _plan_numbering(segments_ends, place_of))


def number_two_kinds(
    devices: DeviceTable, links: LinkTable, first_place_of: PlaceOf, second_place_of: PlaceOf
) -> tuple[EndNumbers, EndNumbers]:
    """Return the numbers of the ends of links by two kinds of place, such as connectors and cages.

    If both give the same numbers, as where every cage has one connector, the two results are one object.
    """
    segments_ends = list(_list_segment_ends(devices, links))
    first_scheme = _plan_numbering(segments_ends, first_place_of)
    second_scheme = _plan_numbering(segments_ends, second_place_of)
    numbers = _apply_numbering(links, segments_ends, first_scheme)
    # equal schemes are most fabrics: the second numbering of fifty million links is saved
    return numbers, numbers if first_scheme == second_scheme else _apply_numbering(links, segments_ends, second_scheme)


def _plan_numbering(segments_ends: list[_SegmentEnds], place_of: PlaceOf) -> _Numbering:
    """Plan the numbers of places (cages or connectors): by class of device, then device, then place.

    Of each class all places up to the highest port in use have numbers, on each of its devices, so that no column of
    links is read.
    """
    places_by_ends = [
        place_of(ends.side, np.arange(ends.port_count, dtype=np.int32)).tolist() for ends in segments_ends
    ]
    # by the first row of each class in the device table, which stands for the class below as well
    used_places: dict[int, set[int]] = {}
    for ends, places_of_ports in zip(segments_ends, places_by_ends, strict=True):
        used_places.setdefault(ends.cls.first, set()).update(places_of_ports)
    rank_of_place = {
        class_row: {place: i for i, place in enumerate(sorted(places_of_ports))}
        for class_row, places_of_ports in used_places.items()
    }
    # each class has a block of numbers, and each of its devices a stretch of it as long as its places
    first_number, number_count = {}, 0
    for class_row, cls in sorted({ends.cls.first: ends.cls for ends in segments_ends}.items()):
        first_number[class_row], number_count = number_count, number_count + len(rank_of_place[class_row]) * cls.count
    class_rows = [ends.cls.first for ends in segments_ends]
    numbers_of_ports = [
        tuple(first_number[class_row] + rank_of_place[class_row][place] for place in places_of_ports)
        for class_row, places_of_ports in zip(class_rows, places_by_ends, strict=True)
    ]
    return _Numbering(
        tuple(len(rank_of_place[class_row]) for class_row in class_rows), tuple(numbers_of_ports), number_count
    )


def _apply_numbering(links: LinkTable, segments_ends: list[_SegmentEnds], scheme: _Numbering) -> EndNumbers:
    """Return the number at both ends of each link, from its devices and ports."""
    numbers = np.zeros(len(links), dtype=np.int32), np.zeros(len(links), dtype=np.int32)
    for segment_ends, step, numbers_of_ports in zip(segments_ends, scheme.steps, scheme.of_first_device, strict=True):
        device, port = (links.b_device, links.b_port) if segment_ends.upper else (links.a_device, links.a_port)
        # in place, column by column: a formula over all would hold several copies of columns of many million rows
        number = device[segment_ends.rows] - np.int32(segment_ends.cls.first)
        number *= step
        number += np.array(numbers_of_ports, dtype=np.int32).take(port[segment_ends.rows])
        # `upper` is False or True, which index the a and the b column
        numbers[segment_ends.upper][segment_ends.rows] = number
    return EndNumbers(*numbers, scheme.count)


def _list_segment_ends(devices: DeviceTable, links: LinkTable) -> Iterator[_SegmentEnds]:
    """Yield the lower, then the upper ends of each segment that has links, those at each class of device by
    themselves.
    """
    for i, segment in enumerate(links.segments):
        rows = links.find_rows(i)
        for upper, side in enumerate((segment.a, segment.b)):
            device, port = (links.b_device, links.b_port) if upper else (links.a_device, links.a_port)
            if rows.start < rows.stop:
                # ports count from 0, and those beyond the highest that has a link need no number
                port_count = int(port[rows].max()) + 1
                for cls, rows_of_class in devices.split_by_class(device, rows):
                    yield _SegmentEnds(bool(upper), rows_of_class, cls, side, port_count)


# Where ports are on a device: numbers of their cages and of the connectors of these.
# A number is unique within the device, whatever the side, but numbers have gaps: each kind of port has a range of its
# own, so that a switch's management port is in no cage of its face. `number_ends` leaves the gaps out.


MOST_NUMBERS = 1 << 20
"""The numbers of cages, or of connectors, of any device are below this."""
_MANAGEMENT = 1 << 18
"""The least number of a management port: beyond all cages on the face of a switch, of NICs, and of scale-up ports."""
_SCALE_UP = 1 << 17
"""The least number of a scale-up port: beyond cages on the face of a switch, from 0, and those of NICs, from 1024."""


def number_device_connectors(side: Side, ports: Ints) -> Ints:
    """Return the connector of each port as a number unique within its device, int32; numbers have gaps."""
    if isinstance(side, PortRun):
        # `%` and `//` bind alike, from the left: the port within its cage, then its connector there
        in_cage = ports % side.ways // side.links_per_connector
        # as many numbers a cage as one may have connectors: runs of a switch may differ in these
        return (number_cages_of_ports(side, ports) * MOST_CONNECTORS + in_cage).astype(np.int32)
    if isinstance(side, Attachment):
        return _number_legs(side, cages=False)[ports]
    return number_cages_of_ports(side, ports)


def number_cages_of_ports(side: Side, ports: Ints) -> Ints:
    """Return the cage of each port as a number unique within its device, int32; numbers have gaps."""
    if isinstance(side, PortRun):
        # cages of a port run are numbered from 1, as on the front; a gap is cage 0, whose ports no link uses: they get
        # -1, and connectors -2 and -1
        return (np.array(side.cages, dtype=np.int32)[ports // side.ways] - 1).astype(np.int32)
    if isinstance(side, Attachment):
        return _number_legs(side, cages=True)[ports]
    if isinstance(side, ScaleUpPort):
        return _SCALE_UP + side.first_cage + ports // side.links_per_connector
    return ports + _MANAGEMENT


def _number_legs(side: Attachment, *, cages: bool) -> Ints:
    """Return the connector, or with `cages` the cage, of each leg as a number unique within the node, int32.

    Each NIC role has a range of 1024 numbers of its own, the first from 1024.
    """
    places_of_legs = [leg.cage if cages else (leg.cage, leg.connector) for leg in side.legs]
    places = sorted(set(places_of_legs))
    # no role has as many as 1024 cages, nor a node so many roles that they reach the scale-up ports
    base = 1024 * (1 + sorted(side.profile.roles).index(side.role))
    return np.array([base + places.index(place) for place in places_of_legs], dtype=np.int32)
